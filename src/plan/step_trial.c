/*
 * One trial. schedule() walks the nodes in order and, before a backward node that reads a tensor
 * which is not there, repeats the nodes that make it, inputs first. measure() finds who overwrites
 * whom and who is alive when, by the rules of passes/inplace.c and plan/lifetimes.c, whose lower
 * bound it must equal (tests/test_recompute.c holds it to that).
 */
#include "plan/step.h"

#include <string.h>

#include "ops/op.h"

/* ---- the schedule ---- */

static int
new_value(struct model *m, int origin)
{
	struct trial *t = m->trial;

	t->origin[t->nvalues] = origin;
	t->root[t->nvalues] = t->nvalues;
	return t->nvalues++;
}

/* The value that stands for V now: itself, a copy, or -1 when it must be made. */
static int
present(const struct model *m, int v, int stage)
{
	const struct model_value *value = &m->value[v];
	const struct trial *t = m->trial;
	int state = m->state[value->root];

	if (value->persistent || value->def < 0 || value->def >= m->forward || state == KEEP)
		return v;
	if (t->current[v] >= 0 && (state == AGAIN || t->stamp[v] == stage))
		return t->current[v];
	return -1;
}

static bool
begin_event(struct trial *t, int node, bool again, unsigned inplace, int noperands, int nout)
{
	if (t->nevents == t->most_events || t->noperands > t->most_operands - noperands ||
	    t->nvalues > t->most_values - nout)
		return false;
	t->event[t->nevents++] = (struct event){ node, again, t->noperands, 0, 0, inplace };
	return true;
}

/* Repeats the node that makes V, whose inputs are all present. */
static bool
repeat(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	const struct model_value *value = &m->value[v];
	const struct model_node *n = &m->node[value->def];
	int k, copy, from;

	if (!begin_event(t, value->def, true, n->again.op->inplace, n->again.nin + n->nout,
	    n->nout))
		return false;
	for (k = 0; k < n->again.nin; k++) {
		int in = n->again.in[k];

		if (in >= 0 && m->value[in].persistent && t->updated[m->value[in].root])
			return false;
		t->operand[t->noperands++] = in < 0 || m->value[in].persistent ? -1 :
		    present(m, in, stage);
	}
	t->event[t->nevents - 1].out = t->noperands;
	t->event[t->nevents - 1].end = t->noperands + n->nout;
	for (k = 0; k < n->nout; k++) {
		bool wanted = n->out[k] >= 0 && (k == 0 || (n->again.op == n->node->op &&
		    !(n->node->op->optional_out >> k & 1)));

		copy = wanted ? new_value(m, n->out[k]) : -1;
		t->operand[t->noperands++] = copy;
		if (!wanted)
			continue;
		if (m->value[n->out[k]].root != n->out[k]) {	/* a view of one of its inputs */
			from = n->node->op->alias(n->node, k);
			t->root[copy] = t->root[t->operand[t->event[t->nevents - 1].in + from]];
		}
		t->current[n->out[k]] = copy;
		t->stamp[n->out[k]] = stage;
	}
	t->macs += n->again.macs;
	t->traffic += n->again.traffic;
	return true;
}

/* Makes V present, after whatever it is made from. The way down is kept on a stack of our own:
 * networks are deeper than ours. */
static bool
ensure(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	int depth = 0, k;

	if (present(m, v, stage) >= 0)
		return true;
	t->stack[depth++] = v;
	while (depth > 0) {
		const struct model_node *n;
		int before = depth;

		v = t->stack[depth - 1];
		if (present(m, v, stage) >= 0) {
			depth--;
			continue;
		}
		n = &m->node[m->value[v].def];
		for (k = 0; k < n->again.nin; k++)
			if (n->again.in[k] >= 0 && present(m, n->again.in[k], stage) < 0) {
				if (depth == t->most_operands)
					return false;
				t->stack[depth++] = n->again.in[k];
			}
		if (depth == before) {
			if (!repeat(m, v, stage))
				return false;
			depth--;
		}
	}
	return true;
}

static bool
run_node(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	bool backward = i >= m->forward;
	int k;

	for (k = 0; backward && k < n->nin; k++)
		if (n->in[k] >= 0 && !ensure(m, n->in[k], n->stage))
			return false;
	if (!begin_event(t, i, false, n->node->op->inplace, n->nin + n->nout, 0))
		return false;
	for (k = 0; k < n->nin; k++) {
		int in = n->in[k];

		t->operand[t->noperands++] = in < 0 || m->value[in].persistent ? -1 :
		    backward ? present(m, in, n->stage) : in;
	}
	t->event[t->nevents - 1].out = t->noperands;
	t->event[t->nevents - 1].end = t->noperands + n->nout;
	for (k = 0; k < n->nout; k++) {
		bool persistent = n->out[k] >= 0 && m->value[n->out[k]].persistent;

		t->operand[t->noperands++] = persistent ? -1 : n->out[k];
		if (persistent && backward)
			t->updated[m->value[n->out[k]].root] = true;
	}
	return true;
}

static bool
schedule(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	t->nevents = t->noperands = 0;
	t->nvalues = m->nvalues;
	t->macs = t->traffic = 0;
	for (i = 0; i < m->nvalues; i++) {
		t->origin[i] = i;
		t->root[i] = m->value[i].root;
		t->current[i] = -1;
		t->updated[i] = false;
	}
	for (i = 0; i < m->nnodes; i++)
		if (!run_node(m, i))
			return false;
	return true;
}

/* ---- who is alive when ---- */

/* Whose bytes V has, overwriting counted. */
static int
holder(const struct trial *t, int v)
{
	return t->overwrites[t->root[v]];
}

static void
find_last_reads(struct model *m)
{
	struct trial *t = m->trial;
	int i, k;

	for (i = 0; i < t->nvalues; i++) {
		t->last_read[i] = 0;
		t->overwrites[i] = i;
	}
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		for (k = e->in; k < e->out; k++)
			if (t->operand[k] >= 0)
				t->last_read[t->root[t->operand[k]]] = i;
	}
	for (i = 0; i < m->nresults; i++)
		t->last_read[t->root[m->result[i]]] = t->nevents;
}

static const struct op *
op_of(const struct model *m, const struct event *e)
{
	return e->again ? m->node[e->node].again.op : m->node[e->node].node->op;
}

/* As may_overwrite() of passes/inplace.c. */
static bool
may_overwrite(const struct model *m, const struct event *e, int i, int k)
{
	const struct trial *t = m->trial;
	int j, in = t->operand[k];
	struct affine a, b;

	if (in < 0 || t->last_read[holder(t, in)] != i)
		return false;
	a = m->value[t->origin[in]].size;
	b = m->value[t->origin[t->operand[e->out]]].size;
	if (a.fixed != b.fixed || a.per_sample != b.per_sample)
		return false;
	if (op_of(m, e)->flags & OP_ELEMENTWISE)
		return true;
	for (j = e->in; j < e->out; j++)
		if (j != k && t->operand[j] >= 0 && holder(t, t->operand[j]) == holder(t, in))
			return false;
	return true;
}

static void
overwrite(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct event *e = &t->event[i];
	int out = e->out < e->end ? t->operand[e->out] : -1, k, h;

	if (out < 0 || t->root[out] != out)
		return;
	for (k = e->in; k < e->out; k++) {
		if (!(e->inplace >> (k - e->in) & 1) || !may_overwrite(m, e, i, k))
			continue;
		h = holder(t, t->operand[k]);
		t->overwrites[out] = h;
		t->last_read[h] = t->last_read[out] > i ? t->last_read[out] : i;
		return;
	}
}

static void
touch(struct trial *t, int v, int i)
{
	int h = holder(t, v);

	if (t->first[h] < 0)
		t->first[h] = i;
	t->last[h] = i;
}

/* Lives; and between which events a value of the model is idle: from its last use in forward to the
 * next. */
static void
find_lives(struct model *m)
{
	struct trial *t = m->trial;
	int i, k;

	memset(t->first, -1, (size_t)t->nvalues * sizeof(int));
	memset(t->left, -1, (size_t)m->nvalues * sizeof(int));
	memset(t->back, -1, (size_t)m->nvalues * sizeof(int));
	for (i = 0; i < m->g->inputs.n; i++)
		touch(t, i, 0);		/* inputs are the model's first values */
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		for (k = e->in; k < e->end; k++) {
			int v = t->operand[k], root;

			if (v < 0)
				continue;
			touch(t, v, i);
			if ((root = t->root[v]) >= m->nvalues)
				continue;
			if (i < m->forward)
				t->left[root] = i;
			else if (t->back[root] < 0)
				t->back[root] = i;
		}
	}
	for (i = 0; i < m->nresults; i++)
		touch(t, m->result[i], t->nevents - 1);
}

static void
measure(struct model *m)
{
	struct trial *t = m->trial;
	int64_t sum = 0;
	int i;

	find_last_reads(m);
	for (i = 0; i < t->nevents; i++)
		if (t->event[i].inplace)
			overwrite(m, i);
	find_lives(m);
	memset(t->live, 0, ((size_t)t->nevents + 1) * sizeof(*t->live));
	for (i = 0; i < t->nvalues; i++)
		if (t->first[i] >= 0) {
			t->live[t->first[i]] += m->value[t->origin[i]].bytes;
			t->live[t->last[i] + 1] -= m->value[t->origin[i]].bytes;
		}
	for (i = 0, t->peak = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];
		const struct model_node *n = &m->node[e->node];

		sum += t->live[i];
		t->live[i] = sum + (e->again ? n->again.work : n->work);
		if (t->live[i] > t->peak)
			t->peak = t->live[i];
	}
}

bool
step_try(struct model *m)
{
	struct trial *t = m->trial;

	t->valid = schedule(m);
	m->effort += t->nevents;
	if (!t->valid) {
		t->peak = INT64_MAX;
		return false;
	}
	measure(m);
	return true;
}
