/*
 * A step that recomputes, as a list of what runs: nodes in their turn, and values that are made
 * again between them, each of which lasts to the last reader before the next time. That can say
 * what states cannot, and any way to the budget can be written so: the states of a descent, the
 * cheapest path of recompute_exact.c. What is made again though there is room to keep it is then
 * struck out, the dearest first.
 */
#include "schedule/recompute_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"

#define PLAN_WORK	64	/* events that planning a step is worth, for each node */
#define STRIKE_SHARE	80	/* of the work of a search, that for striking out once */
#define MOST_STRUCK	600	/* values made again that are looked at, to be kept instead */

struct steps
steps_new(struct model *m)
{
	struct step_event *event = arena_array(m->arena, (size_t)m->trial->most_events + 1,
	    sizeof(*event));

	return (struct steps){ event, 0, INT64_MAX, HUGE_VAL };
}

void
steps_copy(struct steps *to, const struct steps *from)
{
	memcpy(to->event, from->event, (size_t)from->n * sizeof(*to->event));
	to->n = from->n;
	to->peak = from->peak;
	to->cost = from->cost;
}

double
recompute_cost(const struct trial *t)
{
	return (double)t->macs + TRAFFIC * (double)t->traffic;
}

/* Views are not: they are made again as they are read. */
static bool
is_listed(const struct model *m, const struct event *e)
{
	int out = m->node[e->node].nout ? m->node[e->node].out[0] : -1;

	return !e->again || m->value[out].root == out;
}

/* The list that the last trial ran. */
void
steps_of_trial(const struct model *m, struct steps *s)
{
	const struct trial *t = m->trial;
	int i;

	s->n = 0;
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		if (is_listed(m, e))
			s->event[s->n++] = (struct step_event){ e->again,
			    e->again ? m->node[e->node].out[0] : e->node };
	}
	s->peak = t->peak;
	s->cost = recompute_cost(t);
}

bool
steps_try(struct model *m, struct steps *s)
{
	bool good = step_replay(m, s->event, s->n);

	s->peak = m->trial->peak;
	s->cost = good ? recompute_cost(m->trial) : HUGE_VAL;
	return good;
}

bool
steps_fit(struct state_search *s, struct steps *steps)
{
	if (steps->cost == HUGE_VAL || !steps_try(s->m, steps))
		return false;
	model_count_work(s->m, PLAN_WORK * (int64_t)s->m->nnodes);
	return s->limits->fits(s->m, s->limits->context);
}

/* ---- striking out ---- */

struct striking {
	struct state_search *search;
	struct model *m;
	struct arena *scratch;
	struct steps less;	/* without one of them */
};

static struct striking
striking(struct state_search *search)
{
	struct striking k = { .search = search, .m = search->m, .scratch = arena_child(search->m->arena) };

	k.less.event = arena_array(k.scratch, (size_t)k.m->trial->most_events + 1, sizeof(*k.less.event));
	return k;
}

/* ---- from the end to the beginning ---- */

/* Going back over a list, what is read from an event on is known, so that what nobody reads is left
 * out, and what is alive at an event is summed: all that is read behind it and made before, what it
 * reads itself, and what it makes, unless that lies on what dies there. A trial finds no less. */
struct sweep {
	struct trial *t;
	int64_t live;		/* bytes of what is wanted */
	struct steps_limit limit;
	double excess;
};

static bool
want(struct sweep *w, int root)
{
	if (w->t->wanted[root])
		return false;
	w->t->wanted[root] = true;
	w->live += w->t->bytes[root];
	return true;
}

static void
end_of_want(struct sweep *w, int root)
{
	if (!w->t->wanted[root])
		return;
	w->t->wanted[root] = false;
	w->live -= w->t->bytes[root];
}

/* What the event makes, which is wanted no more before it; if it runs again, WHAT alone, for other
 * outputs are kept from the first time. Returns their bytes. */
static int64_t
unmake(struct sweep *w, const struct uses *uses, int what)
{
	const struct use *u = &uses->use[uses->nin], *end = &uses->use[uses->n];
	int64_t made = 0;

	for (; u < end; u++) {
		if (u->root != u->value)
			continue;	/* a view */
		made += w->t->bytes[u->value];
		if (what < 0 || u->value == what)
			end_of_want(w, u->value);
	}
	return made;
}

static void
go_over(struct sweep *w, const struct uses *uses, int what, int64_t work)
{
	int64_t made = unmake(w, uses, what), above;
	unsigned dying = 0;
	int k;

	for (k = 0; k < uses->nin; k++)
		if (want(w, uses->use[k].root) && uses->use[k].at < 32)
			dying |= 1u << uses->use[k].at;
	if (dying & uses->inplace)
		made -= w->t->bytes[uses->use[uses->nin].value];
	above = w->live + made + work - w->limit.aim;
	w->excess += above > 0 ? (double)above : 0;
}

bool
steps_prune(struct model *m, struct steps *s, const struct steps *from, int without, struct steps_limit limit)
{
	struct sweep w = { .t = m->trial, .limit = limit };
	int i, at = from->n;

	memset(w.t->wanted, 0, (size_t)m->nvalues * sizeof(*w.t->wanted));
	for (i = 0; i < m->nresults; i++)
		if (!m->value[m->value[m->result[i]].root].persistent)
			want(&w, m->value[m->result[i]].root);
	for (i = from->n - 1; i >= 0 && w.excess <= limit.excess; i--) {
		const struct step_event e = from->event[i];
		const struct model_node *n = &m->node[e.again ? m->value[e.what].def : e.what];

		if (e.again && (i == without || !w.t->wanted[e.what]))
			continue;
		go_over(&w, e.again ? n->again->uses : n->uses, e.again ? e.what : -1, e.again ? n->again->work : n->work);
		s->event[--at] = e;
	}
	s->n = from->n - at;
	memmove(s->event, s->event + at, (size_t)s->n * sizeof(*s->event));
	return w.excess <= limit.excess;
}

/* Without one event. False where more than that is alive, which is as good as tried. */
static bool
copy_without(struct striking *k, const struct steps *s, int without, int64_t most)
{
	bool good = steps_prune(k->m, &k->less, s, without, (struct steps_limit){ most, 0 });

	if (!good)
		model_count_work(k->m, s->n);
	return good;
}

static double
cost_of_event(const struct model *m, const struct step_event *e)
{
	const struct remake *r = m->node[m->value[e->what].def].again;

	return (double)r->macs + TRAFFIC * (double)r->traffic;
}

static int
by_cost(const void *x, const void *y)
{
	const struct struck *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return a->what != b->what ? a->what - b->what : a->nth - b->nth;
}

/* What is made again, the dearest first. */
static struct struck *
list_struck(struct striking *k, const struct steps *s, int *n)
{
	struct struck *p = arena_array(k->scratch, (size_t)s->n + 1, sizeof(*p));
	int *times = arena_array(k->scratch, (size_t)k->m->nvalues + 1, sizeof(*times)), i;

	*n = 0;
	for (i = 0; i < s->n; i++)
		if (s->event[i].again) {
			int v = s->event[i].what;

			p[(*n)++] = (struct struck){ .cost = cost_of_event(k->m, &s->event[i]),
			    .what = v, .nth = times[v]++ };
		}
	qsort(p, (size_t)*n, sizeof(*p), by_cost);
	return p;
}

/* The event that makes a value for the nth time, or -1. */
static int
find_event(const struct steps *s, const struct struck *p)
{
	int i, nth = p->nth;

	for (i = 0; i < s->n; i++)
		if (s->event[i].again && s->event[i].what == p->what && nth-- == 0)
			return i;
	return -1;
}

/* Of these, as many as work allows. */
static void
strike_out(struct striking *k, struct steps *s, const struct struck *p, int n, int64_t least, int64_t most)
{
	int64_t most_work = k->m->work + search_share(k->search, STRIKE_SHARE);
	int i, at;

	for (i = 0; i < n && i < MOST_STRUCK && search_may(k->search) && k->m->work < most_work; i++) {
		if ((at = find_event(s, &p[i])) < 0)
			continue;
		if (copy_without(k, s, at, most) && steps_try(k->m, &k->less) && k->less.peak <= most && k->less.peak >= least &&
		    k->less.cost < s->cost)
			steps_copy(s, &k->less);
	}
}

void
steps_strike_out(struct state_search *search, struct steps *s, int64_t least, int64_t most)
{
	struct striking k = striking(search);
	struct struck *p;
	int n;

	p = list_struck(&k, s, &n);
	strike_out(&k, s, p, n, least, most);
	arena_free(k.scratch);
}

int
steps_strike_out_part(struct state_search *search, struct steps *s, int64_t most, int beg, int n)
{
	struct striking k = striking(search);
	struct struck *p;
	int all;

	p = list_struck(&k, s, &all);
	if (beg < all)
		strike_out(&k, s, p + beg, n < all - beg ? n : all - beg, 0, most);
	arena_free(k.scratch);
	return all;
}

static int
by_excess(const void *x, const void *y)
{
	const struct struck *a = x, *b = y;

	return a->excess != b->excess ? (a->excess < b->excess ? -1 : 1) : by_cost(x, y);
}

/* By place in the list: is that made again for a node in its turn, and somewhere on the way to it
 * there is more than the aim? The model's trial is of the list. */
static bool *
find_hot(const struct striking *k)
{
	const struct model *m = k->m;
	const struct trial *t = m->trial;
	bool *hot = arena_array(k->scratch, (size_t)t->nevents + 1, sizeof(*hot)), above = false;
	int place = 0, from = 0, i;

	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		above |= t->live[i] > k->search->aim;
		place += is_listed(m, e);
		if (e->again)
			continue;
		for (; from < place; from++)
			hot[from] = above;
		above = false;
	}
	return hot;
}

int
steps_rank(struct state_search *search, struct steps *s, struct struck *first, int most)
{
	struct striking k = striking(search);
	struct struck *p;
	bool *hot;
	int n, i, at, good = 0;

	p = list_struck(&k, s, &n);
	steps_try(k.m, s);
	hot = find_hot(&k);
	for (i = 0; i < n && i < MOST_STRUCK && search_may(search); i++) {
		if (!hot[at = find_event(s, &p[i])])
			continue;
		copy_without(&k, s, at, INT64_MAX);
		if (!steps_try(k.m, &k.less))
			continue;
		p[good] = p[i];
		p[good++].excess = search_excess(search);
	}
	qsort(p, (size_t)good, sizeof(*p), by_excess);
	good = good < most ? good : most;
	memcpy(first, p, (size_t)good * sizeof(*p));
	arena_free(k.scratch);
	return good;
}

int
steps_list(struct state_search *search, const struct steps *s, struct struck *first, int most)
{
	struct striking k = striking(search);
	struct struck *p;
	int n;

	p = list_struck(&k, s, &n);
	n = n < most ? n : most;
	memcpy(first, p, (size_t)n * sizeof(*p));
	arena_free(k.scratch);
	return n;
}

bool
steps_strike(struct state_search *search, const struct steps *s, const struct struck *which, struct steps *to)
{
	int at = find_event(s, which);

	if (at < 0)
		return false;
	steps_prune(search->m, to, s, at, STEPS_NO_LIMIT);
	return steps_try(search->m, to);
}
