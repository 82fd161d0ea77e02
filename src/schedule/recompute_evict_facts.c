/*
 * What all passes that let values go know of the step (recompute_evict.c), which does not change:
 * who reads what, from what a value is made again and what that takes, and the bytes beside which
 * each node runs.
 */
#include "schedule/recompute_evict.h"

#include <string.h>

static int
root_of(const struct model *m, int v)
{
	return v < 0 || m->value[v].persistent ? -1 : m->value[v].root;
}

static int *
ints(struct evicting *e, int n)
{
	return arena_array(e->a, (size_t)n + 2, sizeof(int));
}

/* ---- lists ---- */

static void
add_use(struct evicted_use *u, int v, int at, bool count)
{
	if (count)
		u->beg[v + 1]++;
	else
		u->at[u->beg[v + 1]++] = at;	/* beg has been moved on by one */
}

static void
list_uses(struct evicting *e, bool count)
{
	const struct model *m = e->m;
	int i, k, root;

	for (i = 0; i < m->nnodes; i++) {
		const struct model_node *n = &m->node[i];

		for (k = 0; k < n->nin; k++)
			if ((root = root_of(m, n->in[k])) >= 0)
				add_use(&e->uses, root, i, count);
		if (i >= m->forward || !n->nout || n->out[0] < 0 || !e->may_go[n->out[0]])
			continue;
		for (k = 0; k < n->again->nin; k++)
			if ((root = root_of(m, n->again->in[k])) >= 0)
				add_use(&e->makes, root, n->out[0], count);
	}
}

/* Counted at [v + 1], then summed to where each begins, which filling the lists moves to where it
 * ends. */
static void
begin_lists(struct evicting *e, struct evicted_use *u)
{
	int i;

	for (i = 0; i < e->m->nvalues; i++)
		u->beg[i + 1] += u->beg[i];
	u->at = arena_array(e->a, (size_t)u->beg[e->m->nvalues] + 1, sizeof(*u->at));
	memmove(u->beg + 1, u->beg, (size_t)e->m->nvalues * sizeof(*u->beg));
	u->beg[0] = 0;
}

/* Adds to a list, which ends there, each of these that may go, once. */
static void
list_those_that_may_go(struct evicting *e, struct evicted_use *u, int list, const int *in, int nin)
{
	int beg = u->beg[list], n = beg, k, j;

	for (k = 0; k < nin; k++) {
		int root = root_of(e->m, in[k]);

		if (root < 0 || !e->may_go[root])
			continue;
		for (j = beg; j < n && u->at[j] != root; j++)
			;
		if (j == n)
			u->at[n++] = root;
	}
	u->beg[list + 1] = n;
}

static void
list_inputs(struct evicting *e)
{
	const struct model *m = e->m;
	int i, n = 0, again = 0;

	for (i = 0; i < m->nnodes; i++)
		n += m->node[i].nin;
	for (i = 0; i < m->nvalues; i++)
		again += e->may_go[i] ? m->node[m->value[i].def].again->nin : 0;
	e->reads.at = ints(e, n);
	e->sources.at = ints(e, again);
	for (i = 0; i < m->nnodes; i++)
		list_those_that_may_go(e, &e->reads, i, m->node[i].in, m->node[i].nin);
	for (i = 0; i < m->nvalues; i++) {
		const struct remake *r = e->may_go[i] ? m->node[m->value[i].def].again : NULL;

		list_those_that_may_go(e, &e->sources, i, r ? r->in : NULL, r ? r->nin : 0);
	}
}

/* ---- bytes ---- */

/* What is no candidate, while each node runs, and before it. */
static void
sum_others(struct evicting *e)
{
	const struct model *m = e->m;
	int i, k, v;
	int *first = arena_array(e->a, (size_t)m->nvalues + 1, sizeof(*first));
	int *last = arena_array(e->a, (size_t)m->nvalues + 1, sizeof(*last));

	step_lives(m, first, last);
	for (v = 0; v < m->nvalues; v++) {
		int end = last[v] < m->nnodes ? last[v] + 1 : m->nnodes;

		if (e->may_go[v] || first[v] < 0)
			continue;
		e->during[first[v]] += m->value[v].bytes;
		e->during[end] -= m->value[v].bytes;
		e->between[first[v] + 1] += m->value[v].bytes;
		e->between[end] -= m->value[v].bytes;
	}
	for (i = 0; i < m->nnodes; i++) {
		e->during[i + 1] += e->during[i];
		e->between[i + 1] += e->between[i];
	}
	for (i = 0; i < m->nnodes; i++) {
		const struct model_node *n = &m->node[i];

		e->during[i] += n->work;
		for (k = 0; k < n->nin; k++) {
			int root = root_of(m, n->in[k]);

			if (root < 0 || e->may_go[root] || last[root] != i ||
			    !step_may_lie_on(m, n->in, n->nin, n->over, k, n->nout ? n->out[0] : -1))
				continue;
			e->during[i] -= m->value[n->out[0]].bytes;
			break;
		}
	}
}

static double
cost_of(const struct model *m, int v)
{
	const struct remake *r = m->node[m->value[v].def].again;

	return (double)r->macs + TRAFFIC * (double)r->traffic;
}

/* The first of its inputs that the event may lie on, of those that may go. */
static int
find_place(const struct evicting *e, const int *in, int nin, struct overwriting over, int out)
{
	int k;

	for (k = 0; k < nin; k++) {
		int root = root_of(e->m, in[k]);

		if (root >= 0 && e->may_go[root] && step_may_lie_on(e->m, in, nin, over, k, out))
			return root;
	}
	return -1;
}

/* Bytes of what making V again makes, with its workspace. */
static int64_t
bytes_made(const struct model *m, int v)
{
	const struct model_node *n = &m->node[m->value[v].def];
	int64_t sum = n->again->work;
	int k;

	for (k = 0; k < n->nout; k++)
		if (step_makes_again(m, n, k))
			sum += m->value[n->out[k]].bytes;
	return sum;
}

/* What is asked of each value that may go, by itself. */
static void
look_at_values(struct evicting *e)
{
	const struct model *m = e->m;
	int v, k;

	for (v = 0; v < m->nvalues; v++) {
		const struct remake *r = e->may_go[v] ? m->node[m->value[v].def].again : NULL;

		if (!r)
			continue;
		e->cost[v] = cost_of(m, v);
		e->making[v] = bytes_made(m, v);
		e->over_again[v] = find_place(e, r->in, r->nin, r->over, v);
		e->room[v] = e->making[v] - (e->over_again[v] < 0 ? 0 : m->value[v].bytes);
		for (k = e->sources.beg[v]; k < e->sources.beg[v + 1]; k++)
			e->room[v] += m->value[e->sources.at[k]].bytes;
	}
	for (k = 0; k < m->nnodes; k++) {
		const struct model_node *n = &m->node[k];

		e->over[k] = n->nout && n->out[0] >= 0 ? find_place(e, n->in, n->nin, n->over, n->out[0]) : -1;
	}
}

void
evict_begin(struct evicting *e)
{
	struct model *m = e->m;
	size_t values = (size_t)m->nvalues + 2, nodes = (size_t)m->nnodes + 2;
	int *changes = ints(e, m->nvalues), i;

	e->uses.beg = ints(e, m->nvalues);
	e->makes.beg = ints(e, m->nvalues);
	e->reads.beg = ints(e, m->nnodes);
	e->sources.beg = ints(e, m->nvalues);
	e->over = ints(e, m->nnodes);
	e->over_again = ints(e, m->nvalues);
	e->next = ints(e, m->nvalues);
	e->before = ints(e, m->nvalues);
	e->held = ints(e, m->nvalues);
	e->stamp = ints(e, m->nvalues);
	e->queue = ints(e, EVICT_NEIGHBOURS);
	e->may_go = arena_array(e->a, values, sizeof(bool));
	e->there = arena_array(e->a, values, sizeof(bool));
	e->price = arena_array(e->a, values, sizeof(*e->price));
	e->cost = arena_array(e->a, values, sizeof(double));
	e->room = arena_array(e->a, values, sizeof(int64_t));
	e->making = arena_array(e->a, values, sizeof(int64_t));
	e->power = arena_array(e->a, nodes, sizeof(double));
	e->during = arena_array(e->a, nodes, sizeof(int64_t));
	e->between = arena_array(e->a, nodes, sizeof(int64_t));
	step_changes(m, changes);
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		e->may_go[i] = v->root == i && !v->persistent && !v->fixed && v->def >= 0 && v->def < m->forward;
		e->before[i] = e->may_go[i] ? step_made_before(m, &m->node[v->def], changes) : -1;
	}
	list_inputs(e);
	look_at_values(e);
	list_uses(e, true);
	begin_lists(e, &e->uses);
	begin_lists(e, &e->makes);
	list_uses(e, false);
	sum_others(e);
}
