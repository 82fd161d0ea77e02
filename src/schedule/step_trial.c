/*
 * One trial. schedule() walks the nodes in order and, before a backward node that reads a tensor
 * which is not there, repeats the nodes that make it, inputs first; on the way it notes who is used
 * when, from which step_measure() (step_peak.c) finds the peak.
 *
 * Trials are most of what a search does. No choice changes forward, so it is scheduled once; each
 * trial goes on from there.
 */
#include "schedule/step.h"

#include <string.h>

#include "ir/op.h"

static int *
ints(struct model *m, int n)
{
	return arena_array(m->arena, (size_t)n + 1, sizeof(int));
}

/* ---- the schedule ---- */

static int
new_value(struct model *m, int origin)
{
	struct trial *t = m->trial;
	int v = t->nvalues++;

	t->origin[v] = origin;
	t->bytes[v] = t->bytes[origin];
	t->root[v] = t->overwrites[v] = v;
	t->first[v] = t->back[v] = -1;
	t->last_read[v] = 0;
	return v;
}

/* The value that stands for V now: itself, a copy, or -1 when it must be made. */
static inline int
present(const struct model *m, int v, int stage)
{
	const struct trial *t = m->trial;

	if (t->kept[v])
		return v;
	if (t->current[v] >= 0 && (t->stamp[v] == stage || m->state[t->root[v]] == AGAIN))
		return t->current[v];
	return -1;
}

static inline bool
begin_event(struct trial *t, int node, bool again, struct overwriting over, int nin, int nout, int copies)
{
	int in = t->noperands, out = in + nin;

	if (t->nevents == t->most_events || out > t->most_operands - nout || t->nvalues > t->most_values - copies)
		return false;
	t->event[t->nevents++] = (struct event){ .node = node, .again = again, .elementwise = over.elementwise,
	    .in = in, .out = out, .end = out + nout, .inplace = over.inputs };
	return true;
}

static inline void
touch(struct trial *t, int root, int i)
{
	if (t->first[root] < 0)
		t->first[root] = i;
	t->last[root] = i;
}

/* Notes an operand of the event that is being made: a value, or -1. */
static inline void
add_operand(struct model *m, int v, bool is_read)
{
	struct trial *t = m->trial;
	int i = t->nevents - 1, root;

	t->operand[t->noperands++] = v;
	if (v < 0)
		return;
	root = t->root[v];
	touch(t, root, i);
	if (is_read)
		t->last_read[root] = i;
	if (t->back[root] < 0 && i >= m->forward)
		t->back[root] = i;
}

static void
add_copies(struct model *m, const struct model_node *n, int stage)
{
	struct trial *t = m->trial;
	const struct event *e = &t->event[t->nevents - 1];
	int k, copy;

	for (k = 0; k < n->nout; k++) {
		bool wanted = n->out[k] >= 0 && (k == 0 || (n->again->op == n->node->op &&
		    !(n->node->op->memory.optional_out >> k & 1)));

		if (!wanted) {
			add_operand(m, -1, false);
			continue;
		}
		copy = new_value(m, n->out[k]);
		if (m->value[n->out[k]].root != n->out[k])	/* a view of one of its inputs */
			t->root[copy] =
			    t->root[t->operand[e->in + n->node->op->memory.alias(n->node, k)]];
		t->current[n->out[k]] = copy;
		t->stamp[n->out[k]] = stage;
		add_operand(m, copy, false);
	}
}

/* Repeats the node that makes V, whose inputs are all present. */
static bool
repeat(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	const struct model_value *value = &m->value[v];
	const struct model_node *n = &m->node[value->def];
	int k;

	if (!begin_event(t, value->def, true, n->again->over, n->again->nin, n->nout, n->nout))
		return false;
	for (k = 0; k < n->again->nin; k++) {
		int in = n->again->in[k];

		if (in >= 0 && m->value[in].persistent && t->updated[m->value[in].root])
			return false;
		add_operand(m, in < 0 || m->value[in].persistent ? -1 : present(m, in, stage),
		    true);
	}
	add_copies(m, n, stage);
	t->macs += n->again->macs;
	t->traffic += n->again->traffic;
	return true;
}

/* Makes V present, after everything it is made from. Uses an explicit stack: networks are deeper
 * than the C stack. */
static bool
ensure(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	int depth = 0, k;

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
		for (k = 0; k < n->again->nin; k++)
			if (n->again->in[k] >= 0 && present(m, n->again->in[k], stage) < 0) {
				if (depth == t->most_operands)
					return false;
				t->stack[depth++] = n->again->in[k];
			}
		if (depth == before) {
			if (!repeat(m, v, stage))
				return false;
			depth--;
		}
	}
	return true;
}

/* Makes what the node reads present. */
static bool
ensure_inputs(struct model *m, const struct model_node *n)
{
	const bool *kept = m->trial->kept;
	const int *in = model_transient(n);
	int k;

	for (k = 0; k < n->nin; k++)
		if (in[k] >= 0 && !kept[in[k]] && present(m, in[k], n->stage) < 0 &&
		    !ensure(m, in[k], n->stage))
			return false;
	return true;
}

/* The operands of the event that is being made, as add_operand() notes them; of forward. */
static void
add_operands(struct model *m, const struct model_node *n)
{
	const int *list = model_transient(n);
	int k;

	for (k = 0; k < n->nin + n->nout; k++)
		add_operand(m, list[k], k < n->nin);
}

/* The same of backward. This is where trials spend their time: what it works on lies in locals,
 * since the stores might change anything else. */
static void
add_present(struct model *m, const struct model_node *n)
{
	struct trial *t = m->trial;
	int *operand = t->operand + t->noperands, *first = t->first, *last = t->last;
	int *last_read = t->last_read, *back = t->back, event = t->nevents - 1, k;
	const int *list = model_transient(n), *root = t->root;
	const bool *kept = t->kept;
	int nin = n->nin, all = nin + n->nout;

	for (k = 0; k < all; k++) {
		int v = list[k], r;

		if (k < nin && v >= 0 && !kept[v])
			v = present(m, v, n->stage);
		operand[k] = v;
		if (v < 0)
			continue;
		r = root[v];
		last[r] = event;
		if (k < nin)
			last_read[r] = event;
		if (back[r] >= 0)	/* then it has a first use, too */
			continue;
		back[r] = event;
		if (first[r] < 0)
			first[r] = event;
	}
	t->noperands += all;
}

static bool
run_forward_node(struct model *m, int i)
{
	const struct model_node *n = &m->node[i];

	if (!begin_event(m->trial, i, false, n->over, n->nin, n->nout, 0))
		return false;
	add_operands(m, n);
	return true;
}

static bool
run_node(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	int k;

	if (!ensure_inputs(m, n) || !begin_event(t, i, false, n->over, n->nin, n->nout, 0))
		return false;
	add_present(m, n);
	if (!n->updates)
		return true;
	for (k = 0; k < n->nout; k++)
		if (n->out[k] >= 0 && m->value[n->out[k]].persistent)
			t->updated[m->value[n->out[k]].root] = true;
	return true;
}

/* What is there whenever it is read: no choice drops it, or this one does not. */
static void
note_kept(struct model *m)
{
	const struct trial *t = m->trial;
	const unsigned char *state = m->state;
	const bool *there = t->there;
	const int *root = t->root;
	bool *kept = t->kept;
	int n = m->nvalues, i;

	for (i = 0; i < n; i++)
		kept[i] = there[i] | (state[root[i]] == KEEP);
}

/* As it is after forward. */
static void
begin_backward(struct model *m)
{
	struct trial *t = m->trial;
	size_t n = (size_t)m->nvalues;

	t->nevents = m->forward;
	t->noperands = t->forward_operands;
	t->nvalues = m->nvalues;
	t->macs = t->traffic = 0;
	memcpy(t->first, t->forward_first, n * sizeof(int));
	memcpy(t->last, t->forward_last, n * sizeof(int));
	memcpy(t->last_read, t->forward_read, n * sizeof(int));
	memcpy(t->overwrites, t->itself, n * sizeof(int));
	memset(t->back, -1, n * sizeof(int));
	memset(t->current, -1, n * sizeof(int));
	memset(t->updated, 0, n * sizeof(*t->updated));
	note_kept(m);
}

static void
end_with_results(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	for (i = 0; i < m->nresults; i++) {
		int root = t->root[m->result[i]];

		touch(t, root, t->nevents - 1);
		t->last_read[root] = t->nevents;
	}
}

static bool
schedule(struct model *m)
{
	int i;

	begin_backward(m);
	for (i = m->forward; i < m->nnodes; i++)
		if (!run_node(m, i))
			return false;
	end_with_results(m);
	return true;
}

/* V is made again, and so are its views, when they are read. */
static void
forget(struct model *m, int v)
{
	struct trial *t = m->trial;

	for (; v >= 0; v = t->view[v])
		t->current[v] = -1;
}

static bool
schedule_in_order(struct model *m, const struct step_event *order, int n)
{
	struct trial *t = m->trial;
	int i;

	begin_backward(m);
	memcpy(t->current, t->itself, (size_t)m->nvalues * sizeof(int));
	for (i = 0; i < n; i++) {
		int what = order[i].what;

		if (order[i].again) {
			forget(m, what);
			if (!ensure(m, what, 0))
				return false;
		} else if (what >= m->forward && !run_node(m, what)) {
			return false;	/* forward's are in it already */
		}
	}
	end_with_results(m);
	return true;
}

/* The trial is scheduled, or that failed. */
static bool
finish(struct model *m, bool valid)
{
	struct trial *t = m->trial;

	t->valid = valid;
	m->effort += t->nevents;
	m->work += t->nevents;
	if (!t->valid) {
		t->peak = INT64_MAX;
		return false;
	}
	step_measure(m);
	return true;
}

bool
step_try(struct model *m)
{
	return finish(m, schedule(m));
}

bool
step_replay(struct model *m, const struct step_event *order, int n)
{
	unsigned char *state = m->state;
	bool good;

	m->state = m->trial->dropped;
	good = schedule_in_order(m, order, n);
	m->state = state;
	return finish(m, good);
}

/* ---- the room ---- */

static struct trial *
new_trial(struct model *m)
{
	struct trial *t = ARENA_NEW(m->arena, struct trial);
	size_t operands = 0, n = (size_t)m->nvalues + 1;
	int i;

	for (i = 0; i < m->nnodes; i++)
		operands += (size_t)(m->node[i].nin + m->node[i].nout) + MAX_RANK;
	t->most_events = m->repeats * m->nnodes;
	operands *= (size_t)m->repeats;
	t->most_operands = operands < INT32_MAX ? (int)operands : INT32_MAX;
	t->most_values = m->repeats * m->nvalues;
	t->event = arena_array(m->arena, (size_t)t->most_events + 1, sizeof(struct event));
	t->live = arena_array(m->arena, (size_t)t->most_events + 2, sizeof(int64_t));
	t->operand = ints(m, t->most_operands);
	t->stack = ints(m, t->most_operands);
	t->origin = ints(m, t->most_values);
	t->root = ints(m, t->most_values);
	t->bytes = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(int64_t));
	t->first = ints(m, t->most_values);
	t->last = ints(m, t->most_values);
	t->last_read = ints(m, t->most_values);
	t->overwrites = ints(m, t->most_values);
	t->left = ints(m, m->nvalues);
	t->back = ints(m, t->most_values);
	t->current = ints(m, m->nvalues);
	t->stamp = ints(m, m->nvalues);
	t->forward_first = ints(m, m->nvalues);
	t->forward_last = ints(m, m->nvalues);
	t->forward_read = ints(m, m->nvalues);
	t->itself = ints(m, m->nvalues);
	t->updated = arena_array(m->arena, n, sizeof(bool));
	t->there = arena_array(m->arena, n, sizeof(bool));
	t->kept = arena_array(m->arena, n, sizeof(bool));
	t->view = ints(m, m->nvalues);
	t->wanted = arena_array(m->arena, n, sizeof(bool));
	t->dropped = arena_array(m->arena, n, 1);
	return t;
}

/* Forward, and what is known after it. */
static void
run_forward(struct model *m)
{
	struct trial *t = m->trial;
	size_t n = (size_t)m->nvalues * sizeof(int);
	int i, k;

	t->nevents = t->noperands = 0;
	memset(t->first, -1, n);
	memset(t->left, -1, n);
	memset(t->last, 0, n);
	memset(t->last_read, 0, n);
	for (i = 0; i < m->g->inputs.n; i++)
		touch(t, i, 0);		/* inputs are the model's first values */
	for (i = 0; i < m->forward; i++)
		run_forward_node(m, i);
	for (i = 0; i < m->forward; i++)
		for (k = t->event[i].in; k < t->event[i].end; k++)
			if (t->operand[k] >= 0)
				t->left[t->root[t->operand[k]]] = i;
	t->forward_operands = t->noperands;
	memcpy(t->forward_first, t->first, n);
	memcpy(t->forward_last, t->last, n);
	memcpy(t->forward_read, t->last_read, n);
}

void
step_make_trial(struct model *m)
{
	struct trial *t = m->trial = new_trial(m);
	int i;

	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		t->origin[i] = t->itself[i] = i;
		t->root[i] = v->root;
		t->view[i] = -1;
	}
	for (i = 0; i < m->nvalues; i++)
		if (t->root[i] != i) {
			t->view[i] = t->view[t->root[i]];
			t->view[t->root[i]] = i;
		}
	step_start_trial(m);
}

void
step_start_trial(struct model *m)
{
	int i;

	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		m->trial->there[i] = v->persistent || v->def < 0 || v->def >= m->forward;
		m->trial->dropped[i] = v->fixed ? KEEP : AGAIN;
	}
	run_forward(m);
}
