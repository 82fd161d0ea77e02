/*
 * packing_sweep: for instances that are full nearly all the time, within a limit that is set: a
 * beam search over time.
 *
 * A *state* is what is alive at an instant, as runs of bytes above each other that end together;
 * what ends at the next instant, or is free, makes gaps, and each gap is filled by items that begin
 * (packing_sweep_fill.c). Nothing is moved later. What lies where in a run does not matter to what
 * comes, so states with the same runs are one.
 *
 *        limit  ________                ________
 *                 9                       9
 *               ________                ________
 *                 4   \                   9        at 4, two items end that lie together: a gap
 *               ________ a gap at 4     ________   for the two that begin then, one of which ends
 *                 4   /                   6        with what lies above it
 *               ________                ________
 *                 7                       7
 *
 * From each state some are made, and of all that are made at an instant the best go on: as many as
 * the width. Good is a state whose ends rise and fall little from one run to the next, seen from
 * now: they become gaps that are few and large. And what begins soon must find room among what ends
 * until then, the largest first: where one does not fit at all, the state is dropped.
 *
 * Far ends matter less. Time is measured in items that begin, so that instants may be few or many.
 *
 * Limits are tried below the best so far: nearer to it where one was not reached, and then with
 * greater width; every other time the other way through time.
 */
#include "pack/packing_sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define CHILDREN	20	/* of a state */
#define SOON		140.0	/* items: what is when so many more begin matters 1/e as much */
#define AHEAD		20	/* instants that are looked at for room, */
#define LARGEST		12	/* and items at each */
#define NO_ROOM		150.0	/* what it costs if one is not put there, times its part of the limit */
#define NARROW		16	/* the first width */
#define WIDER		1.5
#define MOST_BYTES	(64 << 20)	/* of a sweep: the width is not more than finds room in it */
#define FIRST_STEP	0.25	/* the part of the gap that is taken away */
#define SHORTER		0.6	/* of a step that failed, */
#define LONGER		1.3	/* and of another */

struct step {
	const struct step *before;
	struct put *put;
	int n;
};

struct state {
	struct run *run;
	struct put *put;	/* of what began last */
	int n, puts;
	const struct step *step;	/* those before */
	double cost;
	uint64_t hash;
	int64_t number;		/* as they were made */
};

/* What begins from now on up to an instant and lives then: the largest sizes. */
struct need {
	int instant, n;
	int64_t size[LARGEST];
};

struct sweep {
	const struct instance *in;
	bool backward;
	int *job, *first;	/* jobs by birth; by instant: its first of these */
	int instants, most_births, most_runs;
	int now;
	double *faded;		/* by items that begin until then: how much less it matters */
	double *lasting;
	struct need need[AHEAD];
	int needs;
	struct state *state, *next;	/* room for the width, and for twice that */
	int width, states, nexts;
	int64_t number;		/* of states that were made */
	struct state made;	/* room for one */
	int64_t *room;		/* by run */
	struct arena *steps;
	struct fill fill;
	int64_t limit;
};

static int
birth_of(const struct sweep *s, int job)
{
	return s->backward ? s->in->sections - s->in->job[job].upper : s->in->job[job].lower;
}

static int
end_of(const struct sweep *s, int job)
{
	return s->backward ? s->in->sections - s->in->job[job].lower : s->in->job[job].upper;
}

/* ---- what is to come ---- */

static void
add_need(struct need *n, int64_t size)
{
	int k = n->n;

	if (k == LARGEST && size <= n->size[LARGEST - 1])
		return;
	if (k == LARGEST)
		k--;
	else
		n->n++;
	for (; k > 0 && n->size[k - 1] < size; k--)
		n->size[k] = n->size[k - 1];
	n->size[k] = size;
}

/* Instants without births are passed over: they need less than those before, and have as much
 * room. */
static void
look_ahead(struct sweep *s)
{
	int at, i;

	s->needs = 0;
	for (at = s->now + 1; at < s->instants && s->needs < AHEAD; at++) {
		struct need *n = &s->need[s->needs];

		if (s->first[at] == s->first[at + 1])
			continue;
		n->instant = at;
		n->n = 0;
		for (i = s->first[s->now + 1]; i < s->first[at + 1]; i++)
			if (end_of(s, s->job[i]) > at)
				add_need(n, s->in->job[s->job[i]].size);
		effort_spend(s->fill.effort, s->first[at + 1] - s->first[s->now + 1]);
		s->needs++;
	}
	for (at = 0; at <= s->instants; at++)
		s->lasting[at] = at <= s->now ? 0 : 1 - s->faded[s->first[at] - s->first[s->now]];
	effort_spend(s->fill.effort, s->instants);
}

/* What ends until then makes rooms, into the tightest of which the next largest goes. Negative:
 * even the first does not fit. */
static double
cost_of_need(const struct sweep *s, const struct state *st, const struct need *n)
{
	int rooms = 0, i, k, tightest;
	bool open = false;
	double cost = 0;

	for (i = 0; i < st->n; i++)
		if (st->run[i].end > n->instant) {
			open = false;
		} else if (open) {
			s->room[rooms - 1] += st->run[i].size;
		} else {
			s->room[rooms++] = st->run[i].size;
			open = true;
		}
	for (k = 0; k < n->n; k++) {
		for (tightest = -1, i = 0; i < rooms; i++)
			if (s->room[i] >= n->size[k] && (tightest < 0 || s->room[i] < s->room[tightest]))
				tightest = i;
		if (tightest >= 0)
			s->room[tightest] -= n->size[k];
		else if (k == 0)
			return -1;
		else
			cost += (double)n->size[k];
	}
	effort_spend(s->fill.effort, st->n + n->n * rooms);
	return cost * (1 - s->lasting[n->instant]) * NO_ROOM / (double)s->limit;
}

/* False: something finds no room. */
static bool
judge(struct sweep *s, struct state *st)
{
	int i, below = WALL;
	double cost;

	st->cost = 1e-4 * chance_share(&s->fill.seed);
	st->hash = 1469598103934665603u;
	st->number = s->number++;
	for (i = 0; i < st->n; i++) {
		st->cost += fill_border(&s->fill, below, st->run[i].end);
		below = st->run[i].end;
		st->hash = (st->hash ^ (uint64_t)st->run[i].size) * 1099511628211u;
		st->hash = (st->hash ^ (uint64_t)(unsigned)below) * 1099511628211u;
		st->hash ^= st->hash >> 29;
	}
	st->cost += fill_border(&s->fill, below, WALL);
	effort_spend(s->fill.effort, 8 * st->n);
	for (i = 0; i < s->needs; i++) {
		cost = cost_of_need(s, st, &s->need[i]);
		if (cost < 0)
			return false;
		st->cost += cost;
	}
	return true;
}

/* ---- states ---- */

static void
add_run(struct state *st, int64_t size, int end)
{
	if (st->n > 0 && st->run[st->n - 1].end == end)
		st->run[st->n - 1].size += size;
	else
		st->run[st->n++] = (struct run){ size, end };
}

/* What has ended is free. */
static void
open_gaps(struct sweep *s, struct state *st)
{
	struct fill *f = &s->fill;
	int i, n = st->n;

	st->n = 0;
	for (i = 0; i < n; i++)
		add_run(st, st->run[i].size, st->run[i].end <= s->now ? UNTIL_NOW : st->run[i].end);
	f->gaps = 0;
	for (i = 0; i < st->n; i++)
		if (st->run[i].end == UNTIL_NOW)
			f->gap[f->gaps++] = (struct gap){ st->run[i].size, i > 0 ? st->run[i - 1].end : WALL,
			    i < st->n - 1 ? st->run[i + 1].end : WALL };
}

static void
list_births(struct sweep *s)
{
	struct fill *f = &s->fill;
	int i;

	f->births = 0;
	for (i = s->first[s->now]; i < s->first[s->now + 1]; i++)
		f->birth[f->births++] = (struct birth){ s->in->job[s->job[i]].size, end_of(s, s->job[i]), s->job[i], -1 };
}

/* s->made: the state, with its gaps as they are filled. */
static void
make_state(struct sweep *s, const struct state *from)
{
	struct state *to = &s->made;
	struct fill *f = &s->fill;
	int64_t offset = 0, free;
	int i, k, n, gap = 0;

	to->n = to->puts = 0;
	to->step = from->step;
	for (i = 0; i < from->n; offset += from->run[i++].size) {
		int64_t at = offset;

		if (from->run[i].end != UNTIL_NOW) {
			add_run(to, from->run[i].size, from->run[i].end);
			continue;
		}
		n = fill_stack(f, gap++);
		free = from->run[i].size;
		for (k = 0; k < n; k++)
			free -= f->stack[k] < 0 ? 0 : f->birth[f->stack[k]].size;
		for (k = 0; k < n; k++) {
			const struct birth *b = f->stack[k] < 0 ? NULL : &f->birth[f->stack[k]];

			add_run(to, b ? b->size : free, b ? b->end : UNTIL_NOW);
			if (b)
				to->put[to->puts++] = (struct put){ at, b->job };
			at += b ? b->size : free;
		}
	}
	effort_spend(f->effort, 4 * from->n + 8 * f->births);
}

static void
copy_state(struct state *to, const struct state *from)
{
	struct state old = *to;

	*to = *from;
	to->run = old.run;
	to->put = old.put;
	memcpy(to->run, from->run, (size_t)from->n * sizeof(*to->run));
	memcpy(to->put, from->put, (size_t)from->puts * sizeof(*to->put));
}

static int
by_cost(const void *x, const void *y)
{
	const struct state *a = x, *b = y;

	return a->cost != b->cost ? (a->cost > b->cost ? 1 : -1) : (a->number > b->number) - (a->number < b->number);
}

/* Of states whose runs are the same costs differ by chance alone, and little, so they are not far
 * from each other. */
static bool
is_known(const struct sweep *s, const struct state *st, int kept)
{
	int i;

	for (i = kept - 1; i >= 0 && s->next[i].cost > st->cost - 2e-4; i--)
		if (s->next[i].hash == st->hash)
			return true;
	return false;
}

/* The best remain, as many as the width. */
static void
keep_best(struct sweep *s)
{
	int i, kept = 0;

	qsort(s->next, (size_t)s->nexts, sizeof(*s->next), by_cost);
	for (i = 0; i < s->nexts && kept < s->width; i++) {
		struct state other = s->next[kept];

		if (is_known(s, &s->next[i], kept))
			continue;
		s->next[kept] = s->next[i];
		s->next[i] = other;
		kept++;
	}
	effort_spend(s->fill.effort, 20 * s->nexts);
	s->nexts = kept;
}

static void
go_on_from(struct sweep *s, struct state *from)
{
	int k, made = 0;

	open_gaps(s, from);
	for (k = 0; k < CHILDREN && (made > 0 || k < CHILDREN / 2) && effort_left(s->fill.effort); k++) {
		if (!fill_gaps(&s->fill))
			continue;
		make_state(s, from);
		made++;
		if (!judge(s, &s->made))
			continue;
		if (s->nexts == 2 * s->width)
			keep_best(s);
		copy_state(&s->next[s->nexts++], &s->made);
	}
}

/* The best of what was made are the states, and what was put for them is written down. */
static void
take_best(struct sweep *s)
{
	int i;

	keep_best(s);
	s->states = s->nexts;
	for (i = 0; i < s->states; i++) {
		struct state *st = &s->state[i];
		struct step *step = ARENA_NEW(s->steps, struct step);

		copy_state(st, &s->next[i]);
		*step = (struct step){ st->step, arena_array(s->steps, (size_t)st->puts + 1, sizeof(*step->put)), st->puts };
		memcpy(step->put, st->put, (size_t)st->puts * sizeof(*step->put));
		st->step = step;
	}
}

/* ---- sweeps ---- */

static struct state *
new_states(struct arena *a, const struct sweep *s, int n)
{
	struct state *state = arena_array(a, (size_t)n, sizeof(*state));
	struct run *run = arena_array(a, (size_t)n * (size_t)s->most_runs, sizeof(*run));
	struct put *put = arena_array(a, (size_t)n * (size_t)s->most_births, sizeof(*put));
	int i;

	for (i = 0; i < n; i++) {
		state[i].run = run + (size_t)i * (size_t)s->most_runs;
		state[i].put = put + (size_t)i * (size_t)s->most_births;
	}
	return state;
}

/* Jobs by birth, and how many there may be of what. */
static void
sort_births(struct arena *a, struct sweep *s)
{
	int n = s->in->n, i, at, *alive;

	s->instants = s->in->sections;
	s->job = arena_array(a, (size_t)n, sizeof(*s->job));
	s->first = arena_array(a, (size_t)s->instants + 2, sizeof(*s->first));
	alive = arena_array(a, (size_t)s->instants + 1, sizeof(*alive));
	for (i = 0; i < n; i++) {
		s->first[birth_of(s, i) + 2]++;
		alive[birth_of(s, i)]++;
		alive[end_of(s, i)]--;
	}
	for (at = 0; at < s->instants; at++) {
		int births = s->first[at + 2];

		s->most_births = births > s->most_births ? births : s->most_births;
		s->first[at + 2] += s->first[at + 1];
		alive[at] += at > 0 ? alive[at - 1] : 0;
		s->most_runs = alive[at] > s->most_runs ? alive[at] : s->most_runs;
	}
	for (i = 0; i < n; i++)
		s->job[s->first[birth_of(s, i) + 1]++] = i;
	s->most_runs = 2 * s->most_runs + 1;	/* something free between any two */
}

/* How many states there may be at an instant: each has room, and so have the two that are made for
 * it; and what was put for it stays until the sweep ends. */
static int
most_width(const struct sweep *s)
{
	size_t n = (size_t)s->in->n, steps = s->in->n < s->instants ? n : (size_t)s->instants;
	size_t each = 3 * (sizeof(struct state) + (size_t)s->most_runs * sizeof(struct run) +
	    (size_t)s->most_births * sizeof(struct put)) + steps * (sizeof(struct step) + sizeof(struct put)) +
	    n * sizeof(struct put);

	return each < MOST_BYTES ? (int)(MOST_BYTES / each) : 1;
}

static void
prepare(struct arena *a, struct sweep *s, uint64_t seed, struct effort *e)
{
	size_t room;
	int i;

	sort_births(a, s);
	room = (size_t)(s->most_births + s->most_runs) + 1;
	s->width = s->width < most_width(s) ? s->width : most_width(s);
	s->faded = arena_array(a, (size_t)s->in->n + 1, sizeof(*s->faded));
	for (i = 0; i <= s->in->n; i++)
		s->faded[i] = i == 0 ? 1 : s->faded[i - 1] * (1 - 1 / SOON);
	s->lasting = arena_array(a, (size_t)s->instants + 1, sizeof(*s->lasting));
	s->room = arena_array(a, (size_t)s->most_runs, sizeof(*s->room));
	s->state = new_states(a, s, s->width);
	s->next = new_states(a, s, 2 * s->width);
	s->made = *new_states(a, s, 1);
	s->steps = a;
	s->fill = (struct fill){ .gap = arena_array(a, room, sizeof(struct gap)),
	    .birth = arena_array(a, room, sizeof(struct birth)), .spare = arena_array(a, room, sizeof(struct birth)),
	    .order = arena_array(a, room, sizeof(int)), .rank = arena_array(a, room, sizeof(struct rank)),
	    .stack = arena_array(a, room, sizeof(int)), .lasting = s->lasting, .seed = seed, .effort = e };
	s->states = 1;
	add_run(&s->state[0], s->limit, UNTIL_NOW);
}

static bool
sweep_once(struct arena *a, const struct instance *in, int64_t limit, int width, uint64_t seed, int64_t *offset, struct effort *e)
{
	struct sweep s = { .in = in, .backward = seed % 2 == 1, .limit = limit, .width = width };
	const struct step *step;
	int i;

	prepare(a, &s, seed, e);
	effort_spend(e, 10 * (int64_t)in->n + s.instants + 4 * (int64_t)s.width * (s.most_runs + s.most_births));
	for (s.now = 0; s.now < s.instants && s.states > 0; s.now++) {
		if (s.first[s.now] == s.first[s.now + 1])
			continue;
		look_ahead(&s);
		list_births(&s);
		for (s.nexts = 0, i = 0; i < s.states && effort_left(e); i++)
			go_on_from(&s, &s.state[i]);
		take_best(&s);
	}
	if (s.states == 0 || !effort_left(e))	/* what is cut off must not differ from what would have been found */
		return false;
	for (step = s.state[0].step; step; step = step->before)
		for (i = 0; i < step->n; i++)
			offset[step->put[i].job] = step->put[i].offset;
	return true;
}

int64_t
packing_sweep(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	int64_t *offset = arena_array(in->arena, (size_t)in->n, sizeof(*offset)), limit;
	double step = FIRST_STEP, width = NARROW;
	uint64_t tries;
	int i;

	for (tries = 1; best > target && effort_left(e); tries++) {
		struct arena *a = arena_child(in->arena);
		bool found;

		limit = best - (int64_t)ceil(step * (double)(best - target));
		found = sweep_once(a, in, limit, (int)width, tries, offset, e);
		arena_free(a);
		step *= found ? LONGER : SHORTER;
		step = step < 1 ? step : 1;
		if (!found) {
			width = width < MOST_BYTES ? width * WIDER : width;
			continue;
		}
		for (i = 0; i < in->n; i++)
			in->job[i].offset = offset[i];
		best = packing_height(in);
	}
	return best;
}
