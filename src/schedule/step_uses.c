/*
 * What trials ask of a node: which of its operands do not persist, and on which of them its output
 * may lie. Half of a network's step are updates, of whose operands all but a gradient persist, so
 * trials go over these lists.
 */
#include "schedule/step.h"

#include "ir/op.h"

static bool
lasts(const struct model *m, int v)
{
	return v < 0 || m->value[v].persistent;
}

/* Of the inputs, by sizes and operators, as step_may_lie_on(); which of them die is left to a
 * trial. */
static unsigned
may_lie_on(const struct model *m, const struct uses *uses, int nin, unsigned inplace)
{
	const struct use *out = &uses->use[uses->nin];
	unsigned some = 0;
	int k;

	if (uses->nin == uses->n || out->at != nin || out->root != out->value)
		return 0;
	for (k = 0; k < uses->nin; k++) {
		const struct use *in = &uses->use[k];

		if (in->at < 31 && inplace >> in->at & 1 && model_sized_alike(m, in->value, out->value))
			some |= 1u << in->at;
	}
	return some;
}

/* With room for so many outputs. */
static struct uses *
new_uses(const struct model *m, const int *in, int nin, int nout)
{
	struct uses *u;
	int k, n = nout;

	for (k = 0; k < nin; k++)
		n += !lasts(m, in[k]);
	u = arena_alloc(m->arena, sizeof(*u) + (size_t)n * sizeof(*u->use));
	*u = (struct uses){ .nin = n - nout, .n = n - nout };
	for (k = n = 0; k < nin; k++)
		if (!lasts(m, in[k]))
			u->use[n++] = (struct use){ k, in[k], m->value[in[k]].root };
	return u;
}

void
step_list_uses(const struct model *m, struct model_node *n)
{
	struct uses *u;
	int k, made = 0;

	for (k = 0; k < n->nout; k++)
		made += !lasts(m, n->out[k]);
	u = new_uses(m, n->in, n->nin, made);
	for (k = 0; k < n->nout; k++)
		if (!lasts(m, n->out[k]))
			u->use[u->n++] = (struct use){ n->nin + k, n->out[k], m->value[n->out[k]].root };
	u->inplace = may_lie_on(m, u, n->nin, n->over.inputs);
	n->uses = u;
}

/* The same of running it again: which outputs are wanted then? */
void
step_list_uses_again(const struct model *m, const struct model_node *n, struct remake *r)
{
	struct uses *u = new_uses(m, r->in, r->nin, n->nout);
	const struct op *op = n->node->op;
	int k, v;

	for (k = 0; k < n->nout; k++)
		if ((v = n->out[k]) >= 0 && (k == 0 || (r->op == op && !(op->memory.optional_out >> k & 1))))
			u->use[u->n++] = (struct use){ r->nin + k, v, m->value[v].root == v ? v : -1 - op->memory.alias(n->node, k) };
	u->inplace = may_lie_on(m, u, r->nin, r->over.inputs);
	r->uses = u;
}
