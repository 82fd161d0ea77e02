/*
 * packing_tree: depth-first search for a packing within a capacity, complete if given the time.
 *
 * The method is that of minimalloc (Moffitt, "MiniMalloc: a lightweight memory allocator for
 * hardware-accelerated machine learning", ASPLOS 2023). Items are placed from the bottom up, each
 * exactly at its current minimum, the top of what is placed already in its lifetime; so a packing
 * that nothing can be pushed down in is met in the order of its offsets. At every step
 *
 *  - an item may not lie below the last one placed, nor beside it with a lower rank (each packing
 *    is met once);
 *  - nor at or above min(minimum + size) over those to come: that one would fit below it;
 *  - in no section may max(floor, last offset) + bytes to come pass the capacity, where a section's
 *    floor is the lowest minimum of those to come in it;
 *  - nor in the sections of the last placed the stack of those to come, in the order of their
 *    minimums (one machine with release times);
 *  - of two with the same lifetime, the one above the other without a gap has the lower rank behind
 *    it (they can be exchanged); of two alike, the first is placed first;
 *  - where nothing to come crosses a border between sections, the two sides are solved alone. A
 *    side that is solved stays so; when one has no solution, neither has the whole.
 *
 * The state is flat arrays, indexed by birth, and sets of bits; what changes goes to a log, which
 * is played back. There is no recursion, so a search can be left at any node and resumed, which
 * lets several orders take turns (packing_search.c).
 *
 *     frame:  0        1        2 . . .        (a choice each)
 *     part:   A ------ A ------ B ---- B       B and C came of A by its second choice; when B is
 *                        \----- C (waiting)    solved, its frames go, its placements stay
 */
#include "pack/packing_tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define LONGEST_LOG	(1 << 22)	/* of minimums: one way down writes their square where all live together */
#define PATIENCE	2		/* part of the items: steps in vain that end the first way down */
#define TOO_LONG	1000000		/* visits of a turn that it has no room for, so that turns come to an end */

/* ---- choosing ---- */

/* Could job I be exchanged with another for a packing that is met elsewhere? */
static bool
is_mirrored(const struct tree *t, int i)
{
	int j;

	if (t->twin[i] >= 0 && has(t->left, t->twin[i]))
		return true;
	if (t->same[i] < 0)
		return false;
	j = t->topmost[t->same[i]];
	return j >= 0 && t->rank[j] > t->rank[i] && t->offset[j] + t->size[j] == t->minimum[i];
}

/* Among equals by their place in the list, which is the order in which they come. */
static void
add_choice(struct tree *t, struct frame *f, int place)
{
	int i = t->list[place], k = f->end++;
	struct choice c = { t->minimum[i], i, place };

	while (k > f->next && t->choice[k - 1].offset > c.offset) {
		t->choice[k] = t->choice[k - 1];
		k--;
	}
	t->choice[k] = c;
}

static void
make_choices(struct tree *t, struct frame *f, int n)
{
	f->next = f->end = t->nframes ? t->frame[t->nframes - 1].end : 0;
	if (f->end + n > t->maxchoices) {
		int grown = 2 * t->maxchoices + n;

		t->choice = arena_regrow(t->arena, t->choice,
		    (size_t)t->maxchoices * sizeof(*t->choice),
		    (size_t)grown * sizeof(*t->choice));
		t->maxchoices = grown;
	}
}

/* To the choice that was made here at a higher capacity: those before it led nowhere. */
static void
follow_guide(struct tree *t, struct frame *f)
{
	int k;

	if (t->nplaced >= t->nguide)
		return;
	for (k = f->next; k < f->end && t->choice[k].job != t->guide[t->nplaced]; k++)
		;
	if (k < f->end)
		f->next = k;
	else
		t->nguide = 0;
}

/* Opens a node of the part: what may come next, at or above OFFSET, and there from FROM on in the
 * list. False when nothing is to come: the part is solved. */
static bool
open_frame(struct tree *t, int part, int64_t offset, int from)
{
	struct frame *f = &t->frame[t->nframes];
	const struct part *p = &t->part[part];
	int64_t lowest_end = INT64_MAX;
	int i, k, n = 0, *left = t->waiting;

	for (k = p->first; k < p->first + p->n; k++) {
		int64_t end;

		i = t->list[k];
		if (!has(t->left, i))
			continue;
		end = t->minimum[i] + t->size[i];
		lowest_end = end < lowest_end ? end : lowest_end;
		left[n++] = k;
	}
	t->visits += p->n + n;
	if (n == 0)
		return false;
	f->part = part;
	f->chosen = false;
	make_choices(t, f, n);
	for (; n > 0; n--, left++) {
		i = t->list[*left];
		if (t->minimum[i] >= lowest_end || t->minimum[i] < offset ||
		    (t->minimum[i] == offset && *left < from) || is_mirrored(t, i))
			continue;
		add_choice(t, f, *left);
	}
	follow_guide(t, f);
	t->nframes++;
	return true;
}

/* ---- parts ---- */

int
tree_key_order(const void *x, const void *y)
{
	const struct tree_key *a = x, *b = y;
	int k;

	for (k = 0; k < TREE_KEYS; k++)
		if (a->key[k] != b->key[k])
			return a->key[k] > b->key[k] ? -1 : 1;
	return a->index - b->index;
}

/* Sorts the N items at the end of the list by their keys, with what the sections hold now. */
static void
sort_list(struct tree *t, int first, int n)
{
	int i, k, s;

	for (k = 0; k < n; k++) {
		int64_t most = 0;

		i = t->list[first + k];
		t->sorted[k] = t->key[i];
		if (t->total_key < 0)
			continue;
		for (s = t->lower[i]; s < t->upper[i]; s++)
			most = t->total[s] > most ? t->total[s] : most;
		t->sorted[k].key[t->total_key] = (double)most;
	}
	qsort(t->sorted, (size_t)n, sizeof(*t->sorted), tree_key_order);
	for (k = 0; k < n; k++)
		t->list[first + k] = t->by_rank[t->sorted[k].index];
	t->visits += 10 * n;
}

/* Those of OF that are to come in sections [beg, end), if any. */
static void
add_part(struct tree *t, int of, int beg, int end, int frame)
{
	struct part *from = &t->part[of], *last = &t->part[t->nparts - 1];
	struct part p = { .beg = beg, .end = end, .parent = frame, .first = last->first + last->n };
	int i, k;

	if (p.first + from->n > t->maxlist) {
		int grown = 2 * t->maxlist + from->n;

		t->list = arena_grow(t->arena, t->list, (size_t)t->maxlist * sizeof(*t->list),
		    (size_t)grown * sizeof(*t->list));
		t->maxlist = grown;
	}
	for (k = from->first; k < from->first + from->n; k++) {
		i = t->list[k];
		if (has(t->left, i) && t->lower[i] >= beg && t->upper[i] <= end)
			t->list[p.first + p.n++] = i;
	}
	if (p.n == 0)
		return;
	sort_list(t, p.first, p.n);
	t->part[t->nparts++] = p;
}

/* After the choice of the topmost frame: cuts its part where nothing to come crosses any more.
 * Returns the first of the new parts, or the part itself when it is still whole; -1 when nothing
 * is to come. */
static int
split(struct tree *t, int job)
{
	int frame = t->nframes - 1, part = t->frame[frame].part, first = t->nparts, s;
	int from = t->part[part].beg, end = t->part[part].end;

	for (s = t->lower[job]; s + 1 < t->upper[job]; s++)
		if (t->crossing[s] == 0)
			break;
	if (s + 1 >= t->upper[job])
		return part;
	for (s = t->lower[job]; s + 1 < t->upper[job]; s++)
		if (t->crossing[s] == 0) {
			add_part(t, part, from, s + 1, frame);
			from = s + 1;
		}
	add_part(t, part, from, end, frame);
	if (t->nparts == first)
		return -1;
	t->part[t->nparts - 1].last = true;
	return first;
}

/* The part is solved: its choices are final. Opens the next that is waiting; false when none is. */
static bool
part_solved(struct tree *t, int part)
{
	for (;;) {
		const struct part *p = &t->part[part];
		const struct frame *parent = &t->frame[p->parent];

		if (p->parent < 0)
			return false;
		t->nframes = p->parent + 1;
		if (!p->last)
			return open_frame(t, part + 1, t->choice[parent->next - 1].offset, 0);
		part = parent->part;
	}
}

/* One choice, or one step back; true while the end is not known. */
static bool
step(struct tree *t)
{
	struct frame *f = &t->frame[t->nframes - 1];
	int part;
	struct choice c;

	if (f->chosen) {
		tree_take_back(t, f);
		t->nguide = 0;
	}
	if (f->next == f->end) {
		/* below a part's first frame is its parent: where a part has no solution, neither
		 * has what it is a part of */
		t->nframes--;
		t->end = SEARCH_IMPOSSIBLE;
		return t->nframes > 0;
	}
	c = t->choice[f->next++];
	f->placed = t->nplaced;
	f->raised = t->nraised;
	f->lifted = t->nlifted;
	f->parts = t->nparts;
	f->highest = t->highest;
	f->chosen = true;
	if (!tree_place(t, &t->part[f->part], c.job))
		return true;
	part = split(t, c.job);
	if (part == f->part && open_frame(t, part, c.offset, c.place))
		return true;
	if (part >= 0 && part != f->part && open_frame(t, part, c.offset, 0))
		return true;
	t->end = SEARCH_FOUND;
	return part_solved(t, f->part);
}

/* PATIENCE: steps that do not place more than any before, after which it is left. */
static enum search_end
run(struct tree *t, int64_t visits, int patience, int64_t *used)
{
	bool going = t->nframes > 0;
	int most = 0, vain = 0;

	t->visits = 0;
	while (going && t->visits < visits && t->nraised < LONGEST_LOG && vain < patience) {
		going = step(t);
		vain = t->nplaced > most ? 0 : vain + 1;
		most = t->nplaced > most ? t->nplaced : most;
	}
	t->stuck = vain >= patience;
	if (t->nraised >= LONGEST_LOG)
		t->visits += TOO_LONG;
	*used += t->visits;
	if (!going)
		t->nframes = 0;
	return going ? SEARCH_GIVEN_UP : t->end;
}

enum search_end
tree_run(struct tree *t, int64_t visits, int64_t *used)
{
	t->dives = false;
	return run(t, visits, INT_MAX, used);
}

enum search_end
tree_dive(struct tree *t, int64_t visits, int64_t *used)
{
	t->dives = true;
	return run(t, visits, t->n / PATIENCE + 1, used);
}

bool
tree_is_stuck(const struct tree *t)
{
	return t->stuck;
}

void
tree_answer(const struct tree *t, struct instance *in)
{
	int i;

	for (i = 0; i < t->n; i++)
		in->job[t->job[i] - in->job].offset = t->offset[i];
}

/* ---- beginning ---- */

void
tree_shake(struct tree *t, const struct tree *from, double amount, uint64_t *seed)
{
	int i, k;

	tree_take_back(t, &(struct frame){ .parts = 1 });
	t->total_key = from->total_key;
	for (i = 0; i < t->n; i++) {
		t->list[i] = i;
		t->key[i] = from->key[i];
		t->key[i].index = t->rank[i];
		for (k = 0; k < TREE_KEYS; k++)
			t->key[i].key[k] *= 1 + amount * (2 * chance_share(seed) - 1);
	}
	sort_list(t, 0, t->n);
}

static void
begin(struct tree *t, int64_t capacity)
{
	tree_take_back(t, &(struct frame){ .parts = 1 });
	t->nframes = 0;
	t->capacity = capacity;
	t->padded = (capacity + t->padding - 1) / t->padding * t->padding;
	open_frame(t, 0, 0, 0);
}

void
tree_start(struct tree *t, int64_t capacity)
{
	t->nguide = 0;
	begin(t, capacity);
}

void
tree_lower(struct tree *t, int64_t capacity)
{
	if (!t->guide)
		t->guide = arena_array(t->arena, (size_t)t->n, sizeof(*t->guide));
	if (t->nguide < t->nplaced) {	/* else it is still on its way there */
		t->nguide = t->nplaced;
		memcpy(t->guide, t->placed, (size_t)t->nplaced * sizeof(*t->guide));
	}
	begin(t, capacity);
}

int64_t
tree_capacity(const struct tree *t)
{
	return t->capacity;
}
