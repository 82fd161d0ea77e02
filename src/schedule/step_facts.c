/*
 * What holds of the step under every choice: who is used when, what a node may overwrite, what
 * running it again makes, and until when it can.
 */
#include "schedule/step.h"

#include "ir/op.h"
#include "ir/pass.h"
#include "target/target.h"

static bool
own_bytes(const struct model *m, int v)
{
	return v >= 0 && !m->value[v].persistent && m->value[v].root == v;
}

void
step_lives(const struct model *m, int *first, int *last)
{
	int i, j;

	for (i = 0; i < m->nvalues; i++)
		first[i] = last[i] = -1;
	for (i = 0; i < m->nnodes; i++)
		for (j = 0; j < m->node[i].nin + m->node[i].nout; j++) {
			const struct model_node *n = &m->node[i];
			int v = j < n->nin ? n->in[j] : n->out[j - n->nin];
			int root = v < 0 ? -1 : m->value[v].root;

			if (root < 0 || m->value[root].persistent)
				continue;
			if (first[root] < 0)
				first[root] = i;
			last[root] = i;
		}
	for (i = 0; i < m->g->inputs.n; i++)
		first[i] = last[i] < 0 ? -1 : 0;
	for (i = 0; i < m->nresults; i++)
		last[m->value[m->result[i]].root] = m->nnodes;
}

bool
step_may_lie_on(const struct model *m, const int *in, int nin, struct overwriting over, int at, int out)
{
	int v = in[at], j;

	if (!(over.inputs >> at & 1) || !own_bytes(m, out) || v < 0 || m->value[v].persistent ||
	    !model_sized_alike(m, v, out))
		return false;
	for (j = 0; j < nin && !over.elementwise; j++)
		if (j != at && in[j] >= 0 && m->value[in[j]].root == m->value[v].root)
			return false;
	return true;
}

bool
step_makes_again(const struct model *m, const struct model_node *n, int k)
{
	return own_bytes(m, n->out[k]) && (k == 0 || (n->again->op == n->node->op &&
	    !(n->node->op->memory.optional_out >> k & 1)));
}

void
step_changes(const struct model *m, int *at)
{
	int i, j;

	for (i = 0; i < m->nvalues; i++)
		at[i] = m->nnodes;
	for (i = m->nnodes - 1; i >= m->forward; i--)
		for (j = 0; m->node[i].updates && j < m->node[i].nout; j++) {
			int out = m->node[i].out[j];

			if (out >= 0 && m->value[out].persistent)
				at[m->value[out].root] = i;
		}
}

int
step_made_before(const struct model *m, const struct model_node *n, const int *changes)
{
	int before = m->nnodes, j;

	for (j = 0; j < n->again->nin; j++) {
		int v = n->again->in[j];

		if (v >= 0 && m->value[v].persistent && changes[m->value[v].root] < before)
			before = changes[m->value[v].root];
	}
	return before;
}

/* Adds what a tensor takes, as place.c lays it out. */
static void
add_bytes(int64_t *sum, const struct tensor *t, int64_t batch, const struct pass_options *o)
{
	int64_t mask = o->target->alignment - 1;

	if (__builtin_add_overflow(*sum, (affine_at(tensor_bytes(t), batch) + mask) & ~mask, sum))
		*sum = INT64_MAX;
}

int64_t
step_persistent(const struct module *m, const struct pass_options *o, const struct model *model)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->persistent.n; i++)
		add_bytes(&sum, m->persistent.v[i], 1, o);
	for (i = 0; i < model->nvalues; i++)
		if (model->value[i].root == i && model->value[i].tensor->accumulates)
			add_bytes(&sum, model->value[i].tensor, 1, o);
	for (i = 0; o->target->lands_batches && i < m->train->inputs.n; i++)
		add_bytes(&sum, m->train->inputs.v[i], m->train->batch, o);
	return sum;
}

int64_t
step_room(const struct module *m, const struct pass_options *o)
{
	if (o->most_bytes)
		return o->most_bytes;
	return m->set.device.given && m->set.device.memory > 0 ? target_memory(o->target, module_ranks(m), &m->set.device) :
	    INT64_MAX;
}

bool
step_is_roomy(const struct module *m, const struct pass_options *o, const struct model *model)
{
	int64_t peak = model->trial->peak;

	return o->speed && (!o->most_bytes ||
	    step_persistent(m, o, model) + peak + peak / 16 <= o->most_bytes - o->most_bytes / 64);
}
