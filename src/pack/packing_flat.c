/*
 * packing_flat: a search for instances that are full nearly all the time, such as rectangles cut to
 * pieces, where nothing may be wasted.
 *
 * Items are stacked on a skyline, each flat on what is below it. A valley of the skyline, from
 * section A up to B with higher walls on both sides, says much: if nothing is wasted, what comes
 * next in section A begins there, since it can neither lie across the wall nor float beside it, and
 * ends in the valley; and what comes next in section B - 1 ends at B. Of all such edges the one
 * with the fewest items to choose from is decided first, often among one.
 *
 *                 |_____
 *          ___    |     |       next at A: of those that begin at A, and end at B or before
 *             |___|             next at B: of those that end at B, and begin at A or after
 *             A   B
 *
 * An edge without a choice refutes what was decided about the sections that the valley and its
 * walls have, and nothing else, so the search goes back to the last item placed there
 * (conflict-directed backjumping, Prosser 1993). It begins anew a few times, where edges that
 * failed are decided sooner (weighted degrees, Boussemart and others 2004). If that does not help
 * it keeps the furthest that it came, gives up the valley it is stuck in, and goes on. Items that
 * find no edge of theirs go into the gaps at last.
 */
#include "pack/packing_flat.h"
#include "pack/packing_shelf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define TRIES		6	/* from the start, each with what it knows of failures, in half of the effort */
#define STEPS		6	/* an item, in each of them, or in the first */
#define MOST_DOUBLED	16	/* times, are these */
#define NOISE		0.3
#define PARTS		32	/* of the effort, that a search by itself may have, */
#define BY_ITSELF	300	/* and visits an item */
#define FEWER		16	/* a part of a step an item, when valleys are given up */

struct frame {
	int first, end, next;	/* in choices */
	int job;		/* placed by it */
};

struct flat {
	struct instance *in;
	struct job *job;	/* its own, by birth as the instance's */
	int64_t *height, *left;	/* by section: the skyline; the bytes to come */
	int *born, *dead;	/* by section: where its jobs are in by_birth, by_death */
	int *by_birth, *by_death;
	bool *placed;		/* by job */
	struct frame *frame;
	int nframes, base;	/* those below the base are final */
	int *choice, *furthest;
	int nchoices, maxchoices, nfurthest;
	uint64_t *conflict;	/* by frame: words of frames that it fails for */
	int words;
	double *rank;		/* of the choices that are being sorted */
	uint64_t seed;
	int *failed;		/* by section whose beginning is an edge: how often it had no choice */
	int from, to;		/* the valley of the edge that was chosen last */
	struct effort *effort;
};

/* Lists jobs by the section that EDGE gives: those of section s at [start[s], start[s + 1]). */
static int *
list_by(struct flat *f, const int *edge, int **start)
{
	int n = f->in->n, s, i, *list = arena_array(f->in->arena, (size_t)n, sizeof(*list));
	int *at = arena_array(f->in->arena, (size_t)f->in->sections + 3, sizeof(*at));

	for (i = 0; i < n; i++)
		at[edge[i] + 1]++;
	for (s = 0; s <= f->in->sections + 1; s++)
		at[s + 1] += at[s];
	for (i = n - 1; i >= 0; i--)
		list[--at[edge[i] + 1]] = i;
	*start = at + 1;	/* each end has become a start */
	return list;
}

static void
put(struct flat *f, int i, int sign)
{
	struct job *j = &f->job[i];
	int s;

	f->placed[i] = sign > 0;
	if (sign > 0)
		j->offset = f->height[j->lower];
	for (s = j->lower; s < j->upper; s++) {
		f->height[s] += sign * j->size;
		f->left[s] -= sign * j->size;
	}
	effort_spend(f->effort, j->upper - j->lower);
}

/* ---- edges ---- */

/* Those of a list that fit between the walls, into choices from AT on. */
static int
gather(struct flat *f, const int *list, int n, int from, int to, int at)
{
	int k, found = 0;

	for (k = 0; k < n; k++) {
		const struct job *j = &f->job[list[k]];

		if (!f->placed[list[k]] && j->lower >= from && j->upper <= to)
			f->choice[at + found++] = list[k];
	}
	return found;
}

static void
make_room(struct flat *f, int n)
{
	int grown = 2 * n;

	if (n <= f->maxchoices)
		return;
	f->choice = arena_grow(f->in->arena, f->choice, (size_t)f->maxchoices * sizeof(*f->choice),
	    (size_t)grown * sizeof(*f->choice));
	f->maxchoices = grown;
}

/* Of an edge with N choices; the lowest is decided first. Those that failed before are, where there
 * is a choice. */
static double
edge_score(const struct flat *f, int edge, int n)
{
	return n <= 1 ? n : 1 + n / (double)(1 + f->failed[edge]);
}

/* The edge to decide, whose choices are put at the end of the list; how many, or -1: there is no
 * edge. */
static int
find_edge(struct flat *f)
{
	int n = f->in->sections, from, to, k, found, best = -1, room = f->nchoices + f->in->n;
	double score, lowest = INFINITY;

	make_room(f, room + f->in->n);
	for (from = 0; from < n && best != 0; from = to) {
		for (to = from + 1; to < n && f->height[to] == f->height[from]; to++)
			;
		if ((from > 0 && f->height[from - 1] < f->height[from]) || (to < n && f->height[to] < f->height[from]))
			continue;
		for (k = 0; k < 2; k++) {
			const int *start = k ? f->dead + to : f->born + from, *list = k ? f->by_death : f->by_birth;

			if (f->left[k ? to - 1 : from] == 0)
				continue;
			found = gather(f, list + start[0], start[1] - start[0], from, to, room);
			score = edge_score(f, k ? to : from, found);
			f->failed[k ? to : from] += found == 0;
			if (score >= lowest)
				continue;
			memcpy(f->choice + f->nchoices, f->choice + room, (size_t)found * sizeof(*f->choice));
			lowest = score;
			best = found;
			f->from = from;
			f->to = to;
		}
	}
	effort_spend(f->effort, n);
	return best;
}

/* The wider comes first, more or less: another order each time. */
static double
rank(struct flat *f, int i)
{
	return (f->job[i].upper - f->job[i].lower) * (1 + NOISE * chance_share(&f->seed));
}

/* Opens a frame with N choices that fails for whoever touches the valley. */
static void
open_frame(struct flat *f, int n)
{
	struct frame *top = &f->frame[f->nframes];
	uint64_t *conflict = f->conflict + (size_t)f->nframes * (size_t)f->words;
	int *c = f->choice + f->nchoices, k, i, moving;
	double key;

	for (k = 0; k < n; k++) {
		moving = c[k];
		key = n > 1 ? rank(f, moving) : 0;
		for (i = k; i > 0 && key > f->rank[i - 1]; i--) {
			c[i] = c[i - 1];
			f->rank[i] = f->rank[i - 1];
		}
		c[i] = moving;
		f->rank[i] = key;
	}
	*top = (struct frame){ f->nchoices, f->nchoices + n, f->nchoices, -1 };
	f->nchoices += n;
	memset(conflict, 0, (size_t)f->words * sizeof(*conflict));
	for (k = f->base; k < f->nframes; k++) {
		const struct job *j = &f->job[f->frame[k].job];

		if (j->lower <= f->to && j->upper >= f->from)
			conflict[k >> 6] |= (uint64_t)1 << (k & 63);
	}
	effort_spend(f->effort, f->nframes - f->base + 4 * (int64_t)f->words);
	f->nframes++;
}

/* ---- the search ---- */

/* Takes back frames down to AT, and the job of that one. */
static void
take_back(struct flat *f, int at)
{
	while (f->nframes > at + 1) {
		f->nframes--;
		f->nchoices = f->frame[f->nframes].first;
		if (f->frame[f->nframes].job >= 0)
			put(f, f->frame[f->nframes].job, -1);
	}
	put(f, f->frame[at].job, -1);
	f->frame[at].job = -1;
}

/* The topmost frame has no choice left: back to the last that it fails for. False if there is
 * none. */
static bool
jump_back(struct flat *f)
{
	const uint64_t *failed = f->conflict + (size_t)(f->nframes - 1) * (size_t)f->words;
	uint64_t *conflict;
	int w = f->words - 1, at, k;

	while (w >= 0 && failed[w] == 0)
		w--;
	if (w < 0)
		return false;
	at = 64 * w + 63 - __builtin_clzll(failed[w]);
	conflict = f->conflict + (size_t)at * (size_t)f->words;
	for (k = 0; k < f->words; k++)
		conflict[k] |= failed[k];
	conflict[at >> 6] &= ~((uint64_t)1 << (at & 63));
	take_back(f, at);
	return true;
}

static void
note_furthest(struct flat *f)
{
	int k;

	if (f->nframes <= f->nfurthest)
		return;
	for (k = f->base; k < f->nframes; k++)
		f->furthest[k] = f->frame[k].job;
	f->nfurthest = f->nframes;
}

/* Down until no edge is left, or as far as it can in so many steps. */
static void
descend(struct flat *f, int steps)
{
	int n;

	f->nfurthest = f->base;
	while (steps-- > 0 && effort_left(f->effort)) {
		struct frame *top = &f->frame[f->nframes - 1];

		if (f->nframes == f->base || top->job >= 0) {
			note_furthest(f);
			n = find_edge(f);
			if (n < 0)
				return;
			open_frame(f, n);
		} else if (top->next < top->end) {
			top->job = f->choice[top->next++];
			put(f, top->job, 1);
		} else if (!jump_back(f)) {
			return;
		}
	}
}

/* Takes back all that is not final. */
static void
restart(struct flat *f)
{
	if (f->nframes > f->base && f->frame[f->nframes - 1].job < 0)
		f->nframes--;
	if (f->nframes > f->base)
		take_back(f, f->base);
	f->nframes = f->base;
	f->nchoices = 0;
}

/* What came furthest is final. */
static void
settle(struct flat *f)
{
	int k;

	restart(f);
	for (k = f->base; k < f->nfurthest; k++) {
		f->frame[k] = (struct frame){ .job = f->furthest[k] };
		put(f, f->furthest[k], 1);
	}
	f->nframes = f->base = f->nfurthest;
}

/* The valley without a choice, if there is, else the lowest, is wasted up to the lower of its
 * walls. False: all is level. */
static bool
give_up_valley(struct flat *f)
{
	int n = f->in->sections, s;
	int64_t wall = INT64_MAX;

	if (find_edge(f) < 0) {
		for (f->from = 0, s = 1; s < n; s++)
			f->from = f->height[s] < f->height[f->from] ? s : f->from;
		for (f->to = f->from + 1; f->to < n && f->height[f->to] == f->height[f->from]; f->to++)
			;
	}
	if (f->from > 0)
		wall = f->height[f->from - 1];
	if (f->to < n && f->height[f->to] < wall)
		wall = f->height[f->to];
	if (wall == INT64_MAX)
		return false;
	for (s = f->from; s < f->to; s++)
		f->height[s] = wall;
	return true;
}

static int
by_area(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	double p = (double)a->size * (a->upper - a->lower), q = (double)b->size * (b->upper - b->lower);

	return p > q ? -1 : p < q ? 1 : a->index - b->index;
}

/* The others go into the tightest gaps, the largest first. */
static void
place_rest(struct flat *f)
{
	struct shelf *shelf = shelf_new(f->in->arena, f->in->n);
	struct job moving;
	int i, done = 0;

	for (i = 0; i < f->in->n; i++) {
		if (!f->placed[i])
			continue;
		shelf_put(shelf, &f->job[i]);
		moving = f->job[i];
		f->job[i] = f->job[done];
		f->job[done++] = moving;
	}
	qsort(f->job + done, (size_t)(f->in->n - done), sizeof(*f->job), by_area);
	for (i = done; i < f->in->n; i++) {
		f->job[i].offset = shelf_room(shelf, &f->job[i], FIT_BEST);
		shelf_put(shelf, &f->job[i]);
	}
	effort_spend(f->effort, shelf_visits(shelf));
}

static void
prepare(struct flat *f)
{
	struct instance *in = f->in;
	size_t n = (size_t)in->n, sections = (size_t)in->sections;
	int *edge = arena_array(in->arena, n, sizeof(*edge)), i, s;

	f->job = arena_array(in->arena, n, sizeof(*f->job));
	memcpy(f->job, in->job, n * sizeof(*f->job));
	f->placed = arena_array(in->arena, n, sizeof(*f->placed));
	f->height = arena_array(in->arena, sections, sizeof(*f->height));
	f->left = arena_array(in->arena, sections, sizeof(*f->left));
	f->rank = arena_array(in->arena, n, sizeof(*f->rank));
	f->failed = arena_array(in->arena, sections + 1, sizeof(*f->failed));
	for (s = 0; s < in->sections; s++) {
		f->left[s] = in->live[s];
		f->height[s] = in->max_live - in->live[s];	/* what is not full is so at the bottom */
	}
	for (i = 0; i < in->n; i++)
		edge[i] = f->job[i].lower;
	f->by_birth = list_by(f, edge, &f->born);
	for (i = 0; i < in->n; i++)
		edge[i] = f->job[i].upper;
	f->by_death = list_by(f, edge, &f->dead);
	f->frame = arena_array(in->arena, n + 1, sizeof(*f->frame));
	f->furthest = arena_array(in->arena, n + 1, sizeof(*f->furthest));
	f->words = (in->n + 64) / 64;
	f->maxchoices = 4 * in->n;
	f->choice = arena_array(in->arena, (size_t)f->maxchoices, sizeof(*f->choice));
	f->conflict = arena_array(in->arena, (n + 1) * (size_t)f->words, sizeof(*f->conflict));
}

/* Until one reaches the end, or in half of the effort. LONGER: each takes twice as long as the one
 * before. */
static bool
try_often(struct flat *f, int tries, bool longer)
{
	int64_t half = f->effort->visits / 2;
	int i;

	prepare(f);
	for (i = 0; i < tries && f->nfurthest < f->in->n && f->effort->visits > half && effort_left(f->effort); i++) {
		restart(f);
		descend(f, (longer ? STEPS << (i < MOST_DOUBLED ? i : MOST_DOUBLED) : STEPS) * f->in->n);
	}
	return f->nfurthest == f->in->n;
}

bool
flat_solve(struct instance *in, int tries, struct effort *e)
{
	struct effort part = *e;
	struct flat f = { .in = in, .effort = &part };
	int64_t most = (int64_t)BY_ITSELF * in->n;
	bool solved;
	int i;

	most = e->visits / PARTS < most ? e->visits / PARTS : most;
	part.visits = most;
	solved = try_often(&f, tries, false);
	e->visits -= most - part.visits;

	for (i = 0; solved && i < in->n; i++)
		in->job[i].offset = f.job[i].offset;
	return solved;
}

void
flat_stack(struct instance *in, struct effort *e)
{
	struct flat f = { .in = in, .effort = e };
	int stage = e->stage < 8 ? e->stage : 8;

	try_often(&f, TRIES << stage, true);
	settle(&f);
	while (f.nframes < in->n && effort_left(e) && give_up_valley(&f)) {
		descend(&f, in->n / FEWER);
		settle(&f);
	}
	place_rest(&f);
	memcpy(in->job, f.job, (size_t)in->n * sizeof(*in->job));
}
