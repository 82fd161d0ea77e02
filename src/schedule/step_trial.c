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
	t->times[v] = (struct times){ .first = -1, .back = -1 };
	return v;
}

/* The value that stands for V now: itself, a copy, or -1 when it must be made. */
static inline int
present(const struct trial *t, int v, int stage)
{
	if (t->stays[v] == KEEP)
		return v;
	if (t->current[v] >= 0 && (t->stays[v] == AGAIN || t->stamp[v] == stage))
		return t->current[v];
	return -1;
}

static inline struct event *
begin_event(struct trial *t, int node, bool elementwise, const struct uses *uses, int nin, int nout)
{
	struct event *e = &t->event[t->nevents];
	int in = t->noperands, out = in + nin, end = out + nout;

	if (t->nevents == t->most_events || end > t->most_operands)
		return NULL;
	t->nevents++;
	*e = (struct event){ .node = node, .elementwise = elementwise, .in = in, .out = out, .end = end, .inplace = uses->inplace };
	memset(&t->operand[in], -1, (size_t)(end - in) * sizeof(*t->operand));
	t->noperands = end;
	return e;
}

/* A value with bytes of its own is used by an event of backward. */
static inline void
use(struct trial *t, int root, int event, bool is_read)
{
	struct times *at = &t->times[root];

	at->last = event;
	if (is_read)
		at->last_read = event;
	if (at->back >= 0)	/* then it has a first use, too */
		return;
	at->back = event;
	if (at->first < 0)
		at->first = event;
}

/* What the event makes again: a view is of one of its inputs. */
static void
add_copies(struct model *m, const struct uses *uses, const struct event *e, int stage)
{
	struct trial *t = m->trial;
	const struct use *u = &uses->use[uses->nin], *end = &uses->use[uses->n];
	int copy;

	for (; u < end; u++) {
		copy = new_value(m, u->value);
		if (u->root < 0)
			t->root[copy] = t->root[t->operand[e->in + -1 - u->root]];
		t->current[u->value] = copy;
		t->stamp[u->value] = stage;
		t->operand[e->in + u->at] = copy;
		use(t, t->root[copy], t->nevents - 1, false);
	}
}

/* Repeats the node that makes V, whose inputs are all present. */
static bool
repeat(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[m->value[v].def];
	const struct remake *r = n->again;
	const struct uses *uses = r->uses;
	struct event *e;
	int k;

	if (r->before < t->turn || t->nvalues > t->most_values - n->nout)
		return false;
	if (!(e = begin_event(t, m->value[v].def, r->over.elementwise, uses, r->nin, n->nout)))
		return false;
	e->again = true;
	e->work = r->work;
	for (k = 0; k < uses->nin; k++) {
		int in = present(t, uses->use[k].value, stage);

		t->operand[e->in + uses->use[k].at] = in;
		use(t, t->root[in], t->nevents - 1, true);
	}
	add_copies(m, uses, e, stage);
	t->macs += r->macs;
	t->traffic += r->traffic;
	return true;
}

/* Pushes what is not present of what V is made from; returns how deep the stack is then, or -1. */
static int
push_missing(const struct model *m, int v, int stage, int depth)
{
	struct trial *t = m->trial;
	const struct uses *uses = m->node[m->value[v].def].again->uses;
	int k;

	for (k = 0; k < uses->nin; k++) {
		int in = uses->use[k].value;

		if (present(t, in, stage) >= 0)
			continue;
		if (depth == t->most_operands)
			return -1;
		t->stack[depth++] = in;
	}
	return depth;
}

/* Makes V, which is not present, after everything it is made from. Uses an explicit stack: networks
 * are deeper than the C stack. */
static bool
ensure(struct model *m, int v, int stage)
{
	struct trial *t = m->trial;
	int depth = 1, before;

	t->stack[0] = v;
	while (depth > 0) {
		before = depth;
		v = t->stack[depth - 1];
		if (present(t, v, stage) >= 0) {
			depth--;
			continue;
		}
		if ((depth = push_missing(m, v, stage, depth)) < 0)
			return false;
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
ensure_inputs(struct model *m, const struct uses *uses, int stage)
{
	const struct trial *t = m->trial;
	int k;

	for (k = 0; k < uses->nin; k++) {
		int v = uses->use[k].value;

		if (t->stays[v] != KEEP && present(t, v, stage) < 0 && !ensure(m, v, stage))
			return false;
	}
	return true;
}

/* The operands of a node of backward. This is where trials spend their time. */
static inline void
add_operands(struct trial *t, const struct uses *uses, const struct event *e, int stage)
{
	const struct use *u = uses->use, *reads = u + uses->nin, *end = u + uses->n;
	int event = t->nevents - 1, v;

	for (; u < reads; u++)
		if (t->stays[u->value] == KEEP) {
			t->operand[e->in + u->at] = u->value;
			use(t, u->root, event, true);
		} else {
			t->operand[e->in + u->at] = v = present(t, u->value, stage);
			use(t, t->root[v], event, true);
		}
	for (; u < end; u++) {
		t->operand[e->in + u->at] = u->value;
		use(t, u->root, event, false);
	}
}

static bool
run_node(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	struct event *e;

	if (!ensure_inputs(m, n->uses, n->stage) ||
	    !(e = begin_event(t, i, n->over.elementwise, n->uses, n->nin, n->nout)))
		return false;
	e->work = n->work;
	add_operands(t, n->uses, e, n->stage);
	t->turn = i + 1;
	return true;
}

/* Whose bytes were taken over in the last trial have them for themselves again. */
static void
take_apart(struct trial *t)
{
	while (t->noverwriting > 0) {
		int v = t->overwriting[--t->noverwriting];

		t->overwrites[v] = v;
	}
}

/* As it is after forward. */
static void
begin_backward(struct model *m)
{
	struct trial *t = m->trial;

	take_apart(t);
	t->nevents = m->forward;
	t->noperands = t->forward_operands;
	t->nvalues = m->nvalues;
	t->macs = t->traffic = 0;
	t->turn = 0;
	memcpy(t->times, t->forward_times, (size_t)m->nvalues * sizeof(*t->times));
}

/* What is not kept is to be made, by the states that are chosen. */
static void
begin_choice(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	begin_backward(m);
	t->stays = t->chosen;
	for (i = 0; i < t->nloose; i++) {
		int v = t->loose[i];

		t->current[v] = -1;
		t->chosen[v] = m->state[t->root[v]];
	}
}

/* Everything is there, until it is made again. */
static void
begin_list(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	begin_backward(m);
	t->stays = t->listed;
	for (i = 0; i < t->nloose; i++)
		t->current[t->loose[i]] = t->loose[i];
}

static void
end_with_results(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	for (i = 0; i < m->nresults; i++) {
		struct times *at = &t->times[t->root[m->result[i]]];

		at->first = at->first < 0 ? t->nevents - 1 : at->first;
		at->last = t->nevents - 1;
		at->last_read = t->nevents;
	}
}

static bool
schedule(struct model *m)
{
	int i;

	begin_choice(m);
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
	int i;

	begin_list(m);
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
	m->effort += (int64_t)t->nevents * m->heft;
	model_count_work(m, t->nevents);
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
	return finish(m, schedule_in_order(m, order, n));
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
	t->times = arena_array(m->arena, (size_t)t->most_values + 1, sizeof(struct times));
	t->overwrites = ints(m, t->most_values);
	t->overwriting = ints(m, t->most_values);
	t->left = ints(m, m->nvalues);
	t->current = ints(m, m->nvalues);
	t->stamp = ints(m, m->nvalues);
	t->forward_times = arena_array(m->arena, n, sizeof(struct times));
	t->loose = ints(m, m->nvalues);
	t->own = ints(m, m->nvalues);
	t->chosen = arena_array(m->arena, n, 1);
	t->listed = arena_array(m->arena, n, 1);
	t->view = ints(m, m->nvalues);
	t->wanted = arena_array(m->arena, n, sizeof(bool));
	return t;
}

static void
touch(struct times *at, int event)
{
	if (at->first < 0)
		at->first = event;
	at->last = event;
}

static void
run_forward_node(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	struct event *e = begin_event(t, i, n->over.elementwise, n->uses, n->nin, n->nout);
	int k;

	e->work = n->work;
	for (k = 0; k < n->uses->n; k++) {
		const struct use *u = &n->uses->use[k];

		t->operand[e->in + u->at] = u->value;
		t->left[u->root] = i;
		touch(&t->forward_times[u->root], i);
		if (k < n->uses->nin)
			t->forward_times[u->root].last_read = i;
	}
}

/* Forward, and what is known after it. */
static void
run_forward(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	t->nevents = t->noperands = 0;
	for (i = 0; i < m->nvalues; i++) {
		t->forward_times[i] = (struct times){ .first = -1, .back = -1 };
		t->left[i] = -1;
	}
	for (i = 0; i < m->g->inputs.n; i++)
		touch(&t->forward_times[i], 0);		/* inputs are the model's first values */
	for (i = 0; i < m->forward; i++)
		run_forward_node(m, i);
	t->forward_operands = t->noperands;
}

void
step_make_trial(struct model *m)
{
	struct trial *t = m->trial = new_trial(m);
	int i;

	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		t->origin[i] = t->overwrites[i] = i;
		t->root[i] = v->root;
		t->view[i] = -1;
		if (v->root == i && !v->persistent)
			t->own[t->nown++] = i;
	}
	for (i = 0; i < m->nvalues; i++)
		if (t->root[i] != i) {
			t->view[i] = t->view[t->root[i]];
			t->view[t->root[i]] = i;
		}
	step_start_trial(m);
}

/* Until when nodes can run again. */
static void
note_changes(struct model *m)
{
	struct arena *a = arena_child(m->arena);
	int *changes = arena_array(a, (size_t)m->nvalues + 1, sizeof(*changes)), i;

	step_changes(m, changes);
	for (i = 0; i < m->forward; i++)
		if (m->node[i].repeatable)
			m->node[i].again->before = step_made_before(m, &m->node[i], changes);
	arena_free(a);
}

void
step_start_trial(struct model *m)
{
	struct trial *t = m->trial;
	int i;

	t->nloose = 0;
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		t->chosen[i] = t->listed[i] = KEEP;
		if (v->persistent || v->def < 0 || v->def >= m->forward)
			continue;
		t->loose[t->nloose++] = i;
		t->listed[i] = m->value[v->root].fixed ? KEEP : AGAIN;
	}
	note_changes(m);
	run_forward(m);
}
