/*
 * One descent on the list of what runs (recompute_steps.c). Where the peak is above the aim, some
 * values are idle: between one reader and the next they are only there. A move makes such a value
 * again, right before the reader behind the gap:
 *
 *     a made . read ......... read          a made . read         a made again, read
 *            |----idle----|          -->          |                |
 *
 * with all that it is made from and that is not there then, unless there is room to keep that for
 * so long. Each gap of each copy is a move of its own. States know but two ways for all of them, so
 * this gets to peaks that no choice of states has, and to others at a lower price.
 *
 * Where nothing else gets to a budget, a value is also made again before other nodes in the gap,
 * for it may be that there is room for that, and later there is none.
 */
#include "schedule/recompute_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define TRIED		12	/* moves tried exactly, of those estimated */
#define TRUSTED		0.8	/* of the next move's estimate, to be content with this one */
#define MOST_MADE	64	/* values made again by one move */
#define MOST_AT_ONCE	256
#define MANY		8	/* moves made at once: at most the gaps by this */
#define DETOURS		16	/* values that are kept though that does not help by itself */
#define LONGEST_DETOUR	8	/* moves after it, until there is less excess than before */
#define LOOK_WORK	4	/* trials that finding all gaps is worth */
#define DESCENT_SHARE	40	/* of the work of a search, a descent's */
#define MOST_STRUCK	400	/* values made again that are kept instead, to see what that is worth */
#define MOST_AHEAD	((int64_t)4 << 20)	/* nodes ahead of readers that are looked at for gaps, */
#define AHEAD_WORK	8	/* so many of which are worth an event, */
#define AHEAD_SORTED	16	/* and a gap there so many */
#define LEVELS		24	/* of the highest live bytes in ranges of events */

struct gap {
	double gain, cost;	/* excess removed, and what that takes: both estimated */
	double score;		/* the one for the other */
	int place;		/* in the list, before which values are made */
	int beg, n;		/* of them, in gaps->made */
};

struct gaps {
	struct state_search *s;
	struct model *m;
	struct arena *scratch;
	struct steps other;	/* a list that is tried */
	struct steps tried;	/* and one on a detour */
	int *last_read;		/* by value of the trial, of roots: event */
	int *seen;		/* by value of the trial, of roots: the last event so far that used it */
	int *born;		/* by value of the trial: the event that made it */
	int shunned;		/* value that is not made again on a detour, or -1 */
	int *place;		/* by event: where it stands in the list */
	int turn;		/* the last event so far that was no repetition: what is made again only for a
				 * later one need not be made before that, nor what it is made from */
	int *current;		/* by value of the model: the latest copy so far */
	int *stamp, stamps;	/* by value of the model: in the move that is being made */
	int64_t *highest[LEVELS];	/* by power of two and event */
	double most;		/* that a move may cost */
	bool hopeful;		/* where the moves there are seem too few, none is tried */
	int64_t ahead;		/* nodes before which values might be made in time, looked at so far */
	VEC(struct gap) gap;
	VEC(int) made;
	struct gap *first;	/* the best ones, by place */
	struct struck *list;	/* what is kept instead, one after the other */
};

/* ---- what the last trial showed ---- */

static void
note_reads(struct gaps *g)
{
	const struct trial *t = g->m->trial;
	int i, k;

	for (i = 0; i < t->nvalues; i++)
		g->last_read[i] = g->seen[i] = g->born[i] = -1;
	for (i = 0; i < g->m->nvalues; i++)
		g->current[i] = i;
	for (i = 0; i < t->nevents; i++)
		for (k = t->event[i].in; k < t->event[i].end; k++)
			if (t->operand[k] >= 0)
				g->last_read[t->root[t->operand[k]]] = i;
}

static void
note_highest(struct gaps *g)
{
	const struct trial *t = g->m->trial;
	int level, i;

	memcpy(g->highest[0], t->live, (size_t)t->nevents * sizeof(int64_t));
	for (level = 1; 1 << level <= t->nevents; level++)
		for (i = 0; i + (1 << level) <= t->nevents; i++) {
			int64_t a = g->highest[level - 1][i];
			int64_t b = g->highest[level - 1][i + (1 << (level - 1))];

			g->highest[level][i] = a > b ? a : b;
		}
}

/* The most that is alive from event BEG to before END. */
static int64_t
highest(const struct gaps *g, int beg, int end)
{
	int level = 0;
	int64_t a, b;

	if (beg >= end)
		return 0;
	while (2 << level <= end - beg)
		level++;
	a = g->highest[level][beg];
	b = g->highest[level][end - (1 << level)];
	return a > b ? a : b;
}

/* ---- moves ---- */

static inline bool
can_repeat(const struct model *m, int v)
{
	const struct model_value *x = &m->value[v];

	return !x->fixed && !x->persistent && x->root == v && x->def >= 0 && x->def < m->forward;
}

/* Adds what V is made from and is not there at an event, nor can be kept till then; what was made
 * in the gap may have been made for V alone. */
static bool
add_sources(struct gaps *g, struct gap *gap, int v, int beg, int event)
{
	const struct model *m = g->m;
	const struct remake *r = m->node[m->value[v].def].again;
	int k;

	for (k = 0; k < r->nin; k++) {
		int root = r->in[k] < 0 ? -1 : m->value[r->in[k]].root, last;

		if (root < 0 || m->value[root].persistent || g->stamp[root] == g->stamps)
			continue;
		last = g->last_read[g->current[root]];
		if (last >= event)
			continue;
		g->stamp[root] = g->stamps;
		if (g->born[g->current[root]] <= beg && highest(g, last + 1, event) + m->value[root].bytes <= g->s->aim)
			continue;
		if (!can_repeat(m, root)) {
			gap->gain -= search_relief(g->s, m->value[root].bytes, last + 1, event);
			continue;
		}
		if (gap->n++ == MOST_MADE)
			return false;
		vec_push(g->scratch, &g->made, root);
	}
	return true;
}

static int
by_number(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

/* The gap of V before an event: what must be made there? */
static void
add_gap(struct gaps *g, int v, int beg, int event, int place)
{
	const struct model *m = g->m;
	struct gap gap = { .place = place, .beg = g->made.n, .n = 1 };
	int i;

	gap.gain = search_relief(g->s, m->value[v].bytes, beg + 1, event);
	if (gap.gain <= 0 || v == g->shunned)
		return;
	g->stamp[v] = ++g->stamps;
	vec_push(g->scratch, &g->made, v);
	for (i = 0; i < gap.n; i++) {
		const struct remake *r = m->node[m->value[g->made.v[gap.beg + i]].def].again;

		g->m->work++;
		gap.cost += (double)r->macs + TRAFFIC * (double)r->traffic;
		if (!add_sources(g, &gap, g->made.v[gap.beg + i], beg, event) || gap.gain <= 0 ||
		    gap.cost >= g->most) {
			g->made.n = gap.beg;
			return;
		}
	}
	for (i = 0; i < gap.n; i++)	/* in the order in which they are made */
		g->made.v[gap.beg + i] = m->value[g->made.v[gap.beg + i]].def;
	qsort(g->made.v + gap.beg, (size_t)gap.n, sizeof(int), by_number);
	gap.score = gap.gain / (gap.cost + 1);
	vec_push(g->scratch, &g->gap, gap);
}

static int
by_score(const void *x, const void *y)
{
	const struct gap *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->place != b->place ? a->place - b->place : a->beg - b->beg;
}

/* The gap of V before an event, or before nodes ahead of it. */
static void
add_gaps(struct gaps *g, int v, int beg, int event)
{
	int i, n = g->gap.n + 1;

	add_gap(g, v, beg, event, g->place[event]);
	for (i = event - 1; g->s->in_time && i > beg + 1 && i >= g->m->forward && g->ahead < MOST_AHEAD; i--, g->ahead++)
		if (!g->m->trial->event[i].again && g->m->trial->live[i] <= g->s->aim)
			add_gap(g, v, beg, i, g->place[i]);
	g->ahead += g->gap.n > n ? AHEAD_SORTED * (g->gap.n - n) : 0;
}

/* Uses of an event: gaps end before it. */
static void
use_operands(struct gaps *g, int i)
{
	const struct model *m = g->m;
	const struct trial *t = m->trial;
	const struct event *e = &t->event[i];
	int k;

	for (k = e->in; k < e->out; k++) {
		int root = t->operand[k] < 0 ? -1 : t->root[t->operand[k]];

		if (root < 0)
			continue;
		if (i >= m->forward && g->seen[root] >= 0 && g->seen[root] < i - 1 &&
		    can_repeat(m, t->origin[root]) && g->current[t->origin[root]] == root)
			add_gaps(g, t->origin[root], g->seen[root], i);
		g->seen[root] = i;
	}
	for (k = e->out; k < e->end; k++)
		if (t->operand[k] >= 0) {
			g->seen[t->root[t->operand[k]]] = e->again ? g->turn : i;
			g->born[t->root[t->operand[k]]] = i;
			g->current[t->origin[t->operand[k]]] = t->operand[k];
		}
}

/* All moves from the list that was tried last. */
static void
find_gaps(struct gaps *g)
{
	const struct model *m = g->m;
	const struct trial *t = m->trial;
	int place = 0, i;

	search_sum_excess(g->s);
	note_reads(g);
	note_highest(g);
	g->gap.n = g->made.n = g->ahead = 0;
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];
		int out = m->node[e->node].nout ? m->node[e->node].out[0] : -1;

		g->place[i] = place;
		use_operands(g, i);
		if (!e->again)
			g->turn = i;
		place += !e->again || m->value[out].root == out;	/* views are not listed */
	}
	if (g->gap.n > 1)
		qsort(g->gap.v, (size_t)g->gap.n, sizeof(*g->gap.v), by_score);
	g->m->work += g->ahead / AHEAD_WORK;
	model_count_work(g->m, LOOK_WORK * (int64_t)t->nevents);
}

static int
by_place(const void *x, const void *y)
{
	const struct gap *a = x, *b = y;

	return a->place != b->place ? a->place - b->place : a->beg - b->beg;
}

/* The list with some moves made, which are sorted by place; false if it gets too long, or leaves as
 * much EXCESS as there is. */
static bool
make_moves(struct gaps *g, const struct steps *s, const struct gap *gap, int n, double excess)
{
	const struct model *m = g->m;
	struct step_event *to = g->other.event;
	int at = 0, i, k;

	for (i = 0; i < s->n; i++) {
		for (; n > 0 && gap->place == i; gap++, n--)
			for (k = 0; k < gap->n; k++) {
				int out = m->node[g->made.v[gap->beg + k]].out[0];

				if (at == m->trial->most_events - (s->n - i))
					return false;
				to[at++] = (struct step_event){ true, out };
			}
		to[at++] = s->event[i];
	}
	g->other.n = at;
	if (steps_prune(g->m, &g->other, &g->other, -1, (struct steps_limit){ g->s->aim, excess - 1 }))
		return true;
	model_count_work(g->m, at);
	return false;
}

/* ---- the descent ---- */

/* Far above the aim: the best gaps at once, up to half of the excess. */
static bool
move_many(struct gaps *g, struct steps *s, double *excess)
{
	struct gap *first = g->first;
	double gain = 0;
	int count = 0;

	while (count < g->gap.n / MANY && count < MOST_AT_ONCE && (gain += g->gap.v[count].gain) <= *excess / 2)
		count++;
	for (; count > 1; count /= 4) {
		memcpy(first, g->gap.v, (size_t)count * sizeof(*first));
		qsort(first, (size_t)count, sizeof(*first), by_place);
		if (make_moves(g, s, first, count, *excess) && steps_try(g->m, &g->other) &&
		    search_excess(g->s) < *excess) {
			*excess = search_excess(g->s);
			steps_copy(s, &g->other);
			return true;
		}
	}
	return false;
}

/* The best of the promising moves; false: none helps. */
static bool
move_one(struct gaps *g, struct steps *s, double *excess)
{
	double most = 0, worth, dearer;
	int i, from, best = -1;

	for (from = 0; from < g->gap.n && best < 0 && search_may(g->s); from += TRIED)
		for (i = from; i < from + TRIED && i < g->gap.n; i++) {
			if (most > 0 && most >= TRUSTED * g->gap.v[i].score)
				break;
			if (!make_moves(g, s, &g->gap.v[i], 1, *excess) || !steps_try(g->m, &g->other))
				continue;
			dearer = g->other.cost - s->cost;
			worth = (*excess - search_excess(g->s)) / (dearer > 1 ? dearer : 1);
			if (worth > most) {
				most = worth;
				best = i;
			}
		}
	if (best < 0)
		return false;
	make_moves(g, s, &g->gap.v[best], 1, *excess);
	steps_try(g->m, &g->other);
	*excess = search_excess(g->s);
	steps_copy(s, &g->other);
	return true;
}

/* No gap helps. Something that is made again is kept instead, and gaps are looked for that then
 * do. */
static bool
make_detour(struct gaps *g, struct steps *s, double *excess)
{
	struct struck first[DETOURS];
	double now;
	int n = steps_rank(g->s, s, first, DETOURS), i, k;

	for (i = 0; i < n && search_may(g->s); i++) {
		now = first[i].excess;
		steps_strike(g->s, s, &first[i], &g->tried);
		g->shunned = first[i].what;
		for (k = 0; k < LONGEST_DETOUR && now >= *excess; k++) {
			steps_try(g->m, &g->tried);
			find_gaps(g);
			if (!move_one(g, &g->tried, &now))
				break;
		}
		g->shunned = -1;
		if (now < *excess) {
			steps_copy(s, &g->tried);
			*excess = now;
			return true;
		}
	}
	return false;
}

static struct gaps *
gaps_new(struct state_search *s)
{
	struct model *m = s->m;
	struct gaps *g = ARENA_NEW(m->arena, struct gaps);
	size_t values = (size_t)m->trial->most_values + 1, events = (size_t)m->trial->most_events + 1;
	int i;

	g->s = s;
	g->m = m;
	g->scratch = m->arena;
	g->shunned = -1;
	g->other = steps_new(m);
	g->tried = steps_new(m);
	g->last_read = arena_array(m->arena, values, sizeof(int));
	g->seen = arena_array(m->arena, values, sizeof(int));
	g->born = arena_array(m->arena, values, sizeof(int));
	g->current = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	g->stamp = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(int));
	g->list = arena_array(m->arena, MOST_STRUCK, sizeof(*g->list));
	g->first = arena_array(m->arena, MOST_AT_ONCE, sizeof(*g->first));
	g->place = arena_array(m->arena, events, sizeof(int));
	for (i = 0; i < LEVELS && 1u << i < events; i++)
		g->highest[i] = arena_array(m->arena, events, sizeof(int64_t));
	return g;
}

/* May the moves that are not too dear, the best ones first, remove the excess? As estimated: one
 * move may make room for another. */
static bool
is_hopeful(const struct gaps *g, double excess)
{
	double gain = 0, cost = 0;
	int i;

	for (i = 0; i < g->gap.n && cost < g->most && gain < excess; i++) {
		gain += g->gap.v[i].gain;
		cost += g->gap.v[i].cost;
	}
	return gain >= excess;
}

/* Nothing may cost MOST; detours are for those who have to get there. */
static bool
descend(struct gaps *g, struct steps *steps, double most, bool detours)
{
	int64_t most_work = g->m->work + search_share(g->s, DESCENT_SHARE);
	bool good = steps_try(g->m, steps);
	double excess = good ? search_excess(g->s) : 0;

	while (good && excess > 0 && search_may(g->s) && g->m->work < most_work && steps->cost < most) {
		steps_try(g->m, steps);
		g->most = most - steps->cost;
		find_gaps(g);
		good = (!g->hopeful || is_hopeful(g, excess)) && (move_many(g, steps, &excess) || move_one(g, steps, &excess) ||
		    (detours && make_detour(g, steps, &excess)));
	}
	return good && excess <= 0 && steps->cost < most;
}

static struct gaps *
begin(struct state_search *s, int64_t aim)
{
	if (!s->gaps)
		s->gaps = gaps_new(s);
	s->aim = aim;
	return s->gaps;
}

static bool
go_down(struct state_search *s, struct steps *steps, int64_t aim, double most, bool hopeful)
{
	int64_t stood = s->aim;
	struct gaps *g = begin(s, aim);
	bool good;

	g->hopeful = hopeful;
	good = descend(g, steps, most, !hopeful);
	s->aim = stood;
	return good;
}

bool
steps_descend(struct state_search *s, struct steps *steps, int64_t aim)
{
	return go_down(s, steps, aim, HUGE_VAL, false);
}

bool
steps_descend_below(struct state_search *s, struct steps *steps, int64_t aim, double most)
{
	return go_down(s, steps, aim, most, true);
}

bool
steps_improve(struct state_search *s, struct steps *steps, int64_t aim, int64_t work, bool hopeful)
{
	int64_t stood = s->aim, most_work = s->m->work + work;
	struct gaps *g = begin(s, aim);
	struct struck *list = g->list;
	int n = steps_list(s, steps, list, MOST_STRUCK), i;
	bool better = false;

	g->hopeful = hopeful;
	for (i = 0; i < n && search_may(s) && s->m->work < most_work; i++) {
		if (!steps_strike(s, steps, &list[i], &g->tried) ||
		    !descend(g, &g->tried, steps->cost, false))
			continue;
		steps_copy(steps, &g->tried);
		better = true;
	}
	s->aim = stood;
	return better;
}
