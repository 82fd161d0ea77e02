/*
 * A step to a peak in one pass over its nodes. What is made stays until room is needed; then
 * something goes that no event at hand reads, and is made again when it is next read, from what is
 * there:
 *
 *     aim  ________________________
 *         a|a b|a b c|b c d|...         a goes for d: it is the cheapest to make again for its bytes and for the
 *                                       time until it is needed
 *
 * So the peak is met wherever events fit at all, down to what one node needs, in time by what runs;
 * where descents would have to try each of thousands of moves. After Kirisame and others' dynamic
 * tensor rematerialization (2021), who evict by cost / (bytes x age), where the cost is that of all
 * neighbours that are gone, too; here the order is known, so that the time to the next reader takes
 * the place of age.
 */
#include "schedule/recompute_evict.h"

#include <math.h>
#include <string.h>

#define MOST_LOOKED_AT	64	/* neighbours of a value that are gone, for its price */
#define TOO_LARGE	1e6	/* times its price, where it could not be made within the aim */
#define MOST_NEIGHBOURS	256	/* that are told when one comes or goes; then all are */
#define CANDIDATES	8	/* that may go are worth an event of a trial, as is a neighbour */

static int
root_of(const struct model *m, int v)
{
	return v < 0 || m->value[v].persistent ? -1 : m->value[v].root;
}

/* ---- what is known of the step ---- */

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
		for (k = 0; k < n->again.nin; k++)
			if ((root = root_of(m, n->again.in[k])) >= 0)
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
	const struct remake *r = &m->node[m->value[v].def].again;

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

/* Bytes that making V takes, beside what is no candidate. */
static int64_t
room_to_make(const struct evicting *e, int v)
{
	const struct model *m = e->m;
	const struct model_node *n = &m->node[m->value[v].def];
	int64_t sum = n->again.work;
	int k, j;

	for (k = 0; k < n->again.nin; k++) {
		int root = root_of(m, n->again.in[k]);

		for (j = 0; j < k && root_of(m, n->again.in[j]) != root; j++)
			;
		if (root >= 0 && e->may_go[root] && j == k)
			sum += m->value[root].bytes;
	}
	for (k = 0; k < n->nout; k++)
		if (step_makes_again(m, n, k))
			sum += m->value[n->out[k]].bytes;
	return find_place(e, n->again.in, n->again.nin, n->again.over, v) < 0 ? sum : sum - m->value[v].bytes;
}

/* ---- what goes ---- */

/* V comes or goes: those that are there and know it as a neighbour, by what is gone, must be looked
 * at anew. */
static void
forget_prices(struct evicting *e, int v)
{
	const struct model *m = e->m;
	int n = 0, i, k;

	e->price[v].known = false;
	e->stamps++;
	e->queue[n++] = v;
	for (i = 0; i < n && n < MOST_NEIGHBOURS; i++)	/* down */
		for (k = e->makes.beg[e->queue[i]]; k < e->makes.beg[e->queue[i] + 1] && n < MOST_NEIGHBOURS; k++) {
			int made = e->makes.at[k];

			e->price[made].known = false;
			if (!e->there[made] && e->stamp[made] != e->stamps) {
				e->stamp[made] = e->stamps;
				e->queue[n++] = made;
			}
		}
	for (i = 0, n = n < MOST_NEIGHBOURS ? 1 : n; i < n && n < MOST_NEIGHBOURS; i++) {	/* up */
		const struct remake *r = &m->node[m->value[e->queue[i]].def].again;

		for (k = 0; k < r->nin && n < MOST_NEIGHBOURS; k++) {
			int root = root_of(m, r->in[k]);

			if (root < 0 || !e->may_go[root])
				continue;
			e->price[root].known = false;
			if (!e->there[root])
				e->queue[n++] = root;
		}
	}
	e->looks += n;
	for (i = 0; n == MOST_NEIGHBOURS && i < e->present.n; i++)
		e->price[e->present.v[i]].known = false;
}

static void
arrive(struct evicting *e, int v)
{
	e->there[v] = true;
	e->bytes += e->m->value[v].bytes;
	vec_push(e->a, &e->present, v);
	forget_prices(e, v);
}

static void
leave(struct evicting *e, int v)
{
	int i;

	for (i = 0; e->present.v[i] != v; i++)
		;
	e->present.v[i] = e->present.v[--e->present.n];
	e->there[v] = false;
	e->bytes -= e->m->value[v].bytes;
	forget_prices(e, v);
}

/* The next node that reads V in its turn, after the one at hand if AFTER. */
static int
next_reader(struct evicting *e, int v, bool after)
{
	int *i = &e->next[v], k;

	while (*i < e->uses.beg[v + 1] && e->uses.at[*i] < e->node)
		++*i;
	for (k = *i; k < e->uses.beg[v + 1] && e->uses.at[k] < e->node + after; k++)
		;
	return k < e->uses.beg[v + 1] ? e->uses.at[k] : e->m->nnodes;
}

/* Adds what of V's neighbours is gone: on the way up, what it is made from. And how many bytes the
 * making takes. */
static double
gone_above(struct evicting *e, int v, int *before, int64_t *room)
{
	const struct model *m = e->m;
	double cost = 0;
	int n = 0, i, k;

	e->stamps++;
	e->queue[n++] = v;
	for (i = 0; i < n && i < MOST_LOOKED_AT; i++) {
		const struct remake *r = &m->node[m->value[e->queue[i]].def].again;

		e->looks++;
		cost += e->cost[e->queue[i]];
		if (e->room[e->queue[i]] > *room)
			*room = e->room[e->queue[i]];
		if (e->before[e->queue[i]] < *before)
			*before = e->before[e->queue[i]];
		for (k = 0; k < r->nin; k++) {
			int root = root_of(m, r->in[k]);

			if (root < 0 || !e->may_go[root] || e->there[root] || e->stamp[root] == e->stamps)
				continue;
			e->stamp[root] = e->stamps;
			if (n < MOST_LOOKED_AT)
				e->queue[n++] = root;
		}
	}
	return cost;
}

/* And down: what is made from it, and read later; also says when V is needed for that. */
static double
gone_below(struct evicting *e, int v, int *needed)
{
	double cost = 0;
	int n = 0, i, k;

	e->stamps++;
	e->queue[n++] = v;
	for (i = 0; i < n && i < MOST_LOOKED_AT; i++) {
		int at = next_reader(e, e->queue[i], i == 0 && e->lies_on == v);

		e->looks++;
		if (at < *needed)
			*needed = at;
		if (i > 0 && at < e->m->nnodes)
			cost += e->cost[e->queue[i]];
		for (k = e->makes.beg[e->queue[i]]; k < e->makes.beg[e->queue[i] + 1]; k++) {
			int made = e->makes.at[k];

			if (e->there[made] || e->stamp[made] == e->stamps || e->m->value[made].def > e->node)
				continue;
			e->stamp[made] = e->stamps;
			if (n < MOST_LOOKED_AT)
				e->queue[n++] = made;
		}
	}
	return cost;
}

static struct evicted_price
find_price(struct evicting *e, int v)
{
	struct evicted_price p = { true, 0, e->m->nnodes };
	int before = e->m->nnodes;
	int64_t room = 0;

	p.cost = gone_below(e, v, &p.needed);
	if (p.needed < e->m->forward)
		p.cost = HUGE_VAL;
	if (p.needed < e->m->forward || p.needed >= e->m->nnodes)
		return p;
	p.cost += gone_above(e, v, &before, &room);
	if (e->between[p.needed] + room > e->aim)
		p.cost *= TOO_LARGE;
	p.cost *= e->weight[v] / (double)e->m->value[v].bytes;
	if (before < p.needed)
		p.cost = HUGE_VAL;
	return p;
}

/* The lower, the sooner V goes; HUGE_VAL: not at all. */
static double
price(struct evicting *e, int v)
{
	struct evicted_price p = e->price[v];

	if (!p.known || p.needed < e->node || v == e->lies_on) {
		p = find_price(e, v);
		e->price[v] = p;
		e->price[v].known = v != e->lies_on;
	}
	return p.needed >= e->m->nnodes ? -1 : p.cost / e->power[p.needed - e->node];
}

/* Makes room for an event that takes so many bytes beside what is there, of which SPARED if what it
 * may lie on goes with it. Best effort; returns what it lies on, or -1. */
static int
make_room(struct evicting *e, int64_t bytes, int64_t spared)
{
	int over = -1;

	while (e->bytes + bytes > e->aim) {
		double least = HUGE_VAL, p;
		int best = -1, i;

		e->looks += e->present.n / CANDIDATES;

		for (i = 0; i < e->present.n; i++) {
			int v = e->present.v[i];

			if (e->held[v] > (v == e->lies_on && over < 0) || v == over)
				continue;
			if ((p = price(e, v)) < least) {
				least = p;
				best = v;
			}
		}
		if (best < 0)
			break;
		if (best == e->lies_on) {
			over = best;
			bytes -= spared;
		} else {
			leave(e, best);
		}
	}
	return over;
}

/* ---- what runs ---- */

static bool
write_event(struct evicting *e, bool again, int what)
{
	if (e->out->n == e->m->trial->most_events || e->looks > e->most_looks)
		return false;
	e->out->event[e->out->n++] = (struct step_event){ again, what };
	return true;
}

static void
hold(struct evicting *e, const int *in, int nin, int by)
{
	int k, j, root;

	for (k = 0; k < nin; k++) {
		if ((root = root_of(e->m, in[k])) < 0 || !e->may_go[root])
			continue;
		for (j = 0; j < k && root_of(e->m, in[j]) != root; j++)
			;
		if (j == k)
			e->held[root] += by;
	}
}

/* The sources of V are there. */
static bool
make(struct evicting *e, int v)
{
	const struct model *m = e->m;
	const struct model_node *n = &m->node[m->value[v].def];
	int64_t bytes = e->between[e->node] + n->again.work;
	int k, over;

	for (k = 0; k < n->nout; k++)
		if (step_makes_again(m, n, k))
			bytes += m->value[n->out[k]].bytes;
	e->lies_on = find_place(e, n->again.in, n->again.nin, n->again.over, v);
	over = make_room(e, bytes, m->value[v].bytes);
	e->lies_on = -1;
	hold(e, n->again.in, n->again.nin, -1);
	if (over >= 0)
		leave(e, over);
	arrive(e, v);
	return write_event(e, true, v);
}

/* Of what is read and not there, what takes the most room to make: it comes first, while the others
 * hold nothing. Or -1. */
static int
most_room(struct evicting *e, const int *in, int nin)
{
	int64_t most = -1;
	int best = -1, last = -1, k;

	for (k = 0; k < nin; k++) {
		int root = root_of(e->m, in[k]), before = e->m->nnodes;
		int64_t room = 0;

		if (root < 0 || !e->may_go[root] || e->there[root] || root == last)
			continue;
		last = root;
		gone_above(e, root, &before, &room);
		if (room > most) {
			most = room;
			best = root;
		}
	}
	return best;
}

/* Makes V, after all that it is made from and that is not there. Each value on the way holds its
 * sources. */
static bool
ensure(struct evicting *e, int v)
{
	const struct model *m = e->m;
	int *stack = m->trial->stack, depth = 0;

	stack[depth++] = v;
	hold(e, m->node[m->value[v].def].again.in, m->node[m->value[v].def].again.nin, 1);
	while (depth > 0) {
		const struct remake *r = &m->node[m->value[stack[depth - 1]].def].again;
		int missing = most_room(e, r->in, r->nin);

		if (missing < 0) {
			if (!make(e, stack[--depth]))
				return false;
		} else {
			if (e->node > e->before[missing] || depth == m->trial->most_operands)
				return false;
			stack[depth++] = missing;
			hold(e, m->node[m->value[missing].def].again.in, m->node[m->value[missing].def].again.nin, 1);
		}
	}
	return true;
}

static bool
run_node(struct evicting *e, int i)
{
	const struct model *m = e->m;
	const struct model_node *n = &m->node[i];
	int out = n->nout ? n->out[0] : -1, missing, over;
	int64_t bytes = e->during[i];

	e->node = i;
	hold(e, n->in, n->nin, 1);
	while ((missing = most_room(e, n->in, n->nin)) >= 0)
		if (!ensure(e, missing))
			return false;
	bytes += out >= 0 && e->may_go[out] ? m->value[out].bytes : 0;
	e->lies_on = out < 0 ? -1 : find_place(e, n->in, n->nin, n->over, out);
	over = make_room(e, bytes, out < 0 ? 0 : m->value[out].bytes);
	e->lies_on = -1;
	hold(e, n->in, n->nin, -1);
	if (over >= 0)
		leave(e, over);
	if (out >= 0 && e->may_go[out])
		arrive(e, out);
	return write_event(e, false, i);
}

/* ---- all ---- */

static int *
ints(struct evicting *e, int n)
{
	return arena_array(e->a, (size_t)n + 2, sizeof(int));
}

void
evict_begin(struct evicting *e)
{
	struct model *m = e->m;
	size_t values = (size_t)m->nvalues + 2, nodes = (size_t)m->nnodes + 2;
	int *changes = ints(e, m->nvalues), i;

	e->uses.beg = ints(e, m->nvalues);
	e->makes.beg = ints(e, m->nvalues);
	e->next = ints(e, m->nvalues);
	e->before = ints(e, m->nvalues);
	e->held = ints(e, m->nvalues);
	e->stamp = ints(e, m->nvalues);
	e->queue = ints(e, MOST_NEIGHBOURS);
	e->may_go = arena_array(e->a, values, sizeof(bool));
	e->there = arena_array(e->a, values, sizeof(bool));
	e->price = arena_array(e->a, values, sizeof(*e->price));
	e->cost = arena_array(e->a, values, sizeof(double));
	e->room = arena_array(e->a, values, sizeof(int64_t));
	e->power = arena_array(e->a, nodes, sizeof(double));
	e->during = arena_array(e->a, nodes, sizeof(int64_t));
	e->between = arena_array(e->a, nodes, sizeof(int64_t));
	step_changes(m, changes);
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		e->may_go[i] = v->root == i && !v->persistent && !v->fixed && v->def >= 0 && v->def < m->forward;
		e->before[i] = e->may_go[i] ? step_made_before(m, &m->node[v->def], changes) : -1;
	}
	for (i = 0; i < m->nvalues; i++)
		if (e->may_go[i]) {
			e->cost[i] = cost_of(m, i);
			e->room[i] = room_to_make(e, i);
		}
	list_uses(e, true);
	begin_lists(e, &e->uses);
	begin_lists(e, &e->makes);
	list_uses(e, false);
	sum_others(e);
}

bool
evict_pass(struct evicting *e, double reach, const double *weight, struct steps *out)
{
	struct model *m = e->m;
	size_t values = (size_t)m->nvalues;
	bool good = true;
	int i;

	e->out = out;
	e->weight = weight;
	for (i = 0; e->reach != reach && i <= m->nnodes; i++)
		e->power[i] = pow(i + 1, reach);
	e->reach = reach;
	memcpy(e->next, e->uses.beg, values * sizeof(int));
	memset(e->held, 0, values * sizeof(int));
	memset(e->there, 0, values * sizeof(bool));
	memset(e->price, 0, values * sizeof(*e->price));
	e->present.n = 0;
	e->bytes = e->looks = 0;
	e->lies_on = -1;
	out->n = 0;
	for (i = 0; i < m->nnodes && good; i++)
		good = run_node(e, i);
	m->work += e->looks + out->n;
	if (!good)
		return false;
	steps_prune(m, out, -1);
	return steps_try(m, out);
}
