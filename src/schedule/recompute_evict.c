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
#define CANDIDATES	8	/* that may go are worth an event of a trial, as is a neighbour */

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
	for (i = 0; i < n && n < EVICT_NEIGHBOURS; i++)	/* down */
		for (k = e->makes.beg[e->queue[i]]; k < e->makes.beg[e->queue[i] + 1] && n < EVICT_NEIGHBOURS; k++) {
			int made = e->makes.at[k];

			if (m->value[made].def > e->node)
				continue;	/* it has not been made yet */
			e->price[made].known = false;
			if (!e->there[made] && e->stamp[made] != e->stamps) {
				e->stamp[made] = e->stamps;
				e->queue[n++] = made;
			}
		}
	for (i = 0, n = n < EVICT_NEIGHBOURS ? 1 : n; i < n && n < EVICT_NEIGHBOURS; i++) {	/* up */
		int end = e->sources.beg[e->queue[i] + 1];

		for (k = e->sources.beg[e->queue[i]]; k < end && n < EVICT_NEIGHBOURS; k++) {
			int root = e->sources.at[k];

			e->price[root].known = false;
			if (!e->there[root])
				e->queue[n++] = root;
		}
	}
	e->looks += n;
	for (i = 0; n == EVICT_NEIGHBOURS && i < e->present.n; i++)
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
	double cost = 0;
	int n = 0, i, k;

	e->stamps++;
	e->queue[n++] = v;
	for (i = 0; i < n && i < MOST_LOOKED_AT; i++) {
		e->looks++;
		cost += e->cost[e->queue[i]];
		if (e->room[e->queue[i]] > *room)
			*room = e->room[e->queue[i]];
		if (e->before[e->queue[i]] < *before)
			*before = e->before[e->queue[i]];
		for (k = e->sources.beg[e->queue[i]]; k < e->sources.beg[e->queue[i] + 1]; k++) {
			int root = e->sources.at[k];

			if (e->there[root] || e->stamp[root] == e->stamps)
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
				if (p < 0)
					break;		/* nobody needs it */
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

/* The Kth list of values is held, or no longer. */
static void
hold(struct evicting *e, const struct evicted_use *list, int k, int by)
{
	int i;

	for (i = list->beg[k]; i < list->beg[k + 1]; i++)
		e->held[list->at[i]] += by;
}

/* The sources of V are there. */
static bool
make(struct evicting *e, int v)
{
	int over;

	e->lies_on = e->over_again[v];
	over = make_room(e, e->between[e->node] + e->making[v], e->m->value[v].bytes);
	e->lies_on = -1;
	hold(e, &e->sources, v, -1);
	if (over >= 0)
		leave(e, over);
	arrive(e, v);
	return write_event(e, true, v);
}

/* Of the Kth list of values and what is not there, what takes the most room to make: it comes
 * first, while the others hold nothing. Or -1. */
static int
most_room(struct evicting *e, const struct evicted_use *list, int k)
{
	int64_t most = -1;
	int best = -1, i;

	for (i = list->beg[k]; i < list->beg[k + 1]; i++) {
		int root = list->at[i], before = e->m->nnodes;
		int64_t room = 0;

		if (e->there[root])
			continue;
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
	hold(e, &e->sources, v, 1);
	while (depth > 0) {
		int missing = most_room(e, &e->sources, stack[depth - 1]);

		if (missing < 0) {
			if (!make(e, stack[--depth]))
				return false;
		} else {
			if (e->node > e->before[missing] || depth == m->trial->most_operands)
				return false;
			stack[depth++] = missing;
			hold(e, &e->sources, missing, 1);
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
	hold(e, &e->reads, i, 1);
	while ((missing = most_room(e, &e->reads, i)) >= 0)
		if (!ensure(e, missing))
			return false;
	bytes += out >= 0 && e->may_go[out] ? m->value[out].bytes : 0;
	e->lies_on = e->over[i];
	over = make_room(e, bytes, out < 0 ? 0 : m->value[out].bytes);
	e->lies_on = -1;
	hold(e, &e->reads, i, -1);
	if (over >= 0)
		leave(e, over);
	if (out >= 0 && e->may_go[out])
		arrive(e, out);
	return write_event(e, false, i);
}

/* ---- all ---- */

const double evict_reach[3] = { 0.5, 0, 1 };

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
	m->work += e->looks;
	model_count_work(m, out->n);
	if (good)
		steps_prune(m, out, out, -1, STEPS_NO_LIMIT);
	return good;
}
