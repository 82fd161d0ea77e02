/* packing_piles: see packing_piles.h. */
#include "pack/packing_piles.h"

#include <string.h>

#define MOST_NODES	(1 << 22)	/* sections of all items: 96 MB */

/* ---- who lies next to whom ---- */

static inline int *
link_of(struct piles *p, int side, int i, int section)
{
	return i == NONE ? &p->end[!side][section] : &p->next[side][p->node[i] + section - p->job[i].lower];
}

/* K lies next to I in so many sections more, or less. */
static void
count_beside(struct piles *p, int side, int i, int k, int sections)
{
	struct beside *b;
	int q;

	if (i == NONE || k == NONE)
		return;
	b = p->beside[side] + p->node[i];
	for (q = 0; q < p->besides[side][i] && b[q].job != k; q++)
		;
	if (q == p->besides[side][i])
		b[p->besides[side][i]++] = (struct beside){ k, 0 };
	b[q].sections += sections;
	if (b[q].sections == 0)
		b[q] = b[--p->besides[side][i]];
}

/* Between two that are next to each other in a section, or an end of it. */
static inline void
put_between(struct piles *p, int i, int below, int above, int section)
{
	*link_of(p, BELOW, i, section) = below;
	*link_of(p, ABOVE, i, section) = above;
	*link_of(p, ABOVE, below, section) = i;
	*link_of(p, BELOW, above, section) = i;
}

/* The same in so many sections, counted: what is no longer next to each other first, so that there
 * is room. */
static void
count_between(struct piles *p, int i, int below, int above, int sections)
{
	count_beside(p, ABOVE, below, above, -sections);
	count_beside(p, BELOW, above, below, -sections);
	count_beside(p, ABOVE, below, i, sections);
	count_beside(p, BELOW, above, i, sections);
	count_beside(p, BELOW, i, below, sections);
	count_beside(p, ABOVE, i, above, sections);
}

static void
count_joined(struct piles *p, int i, int below, int above, int sections)
{
	count_beside(p, ABOVE, below, i, -sections);
	count_beside(p, BELOW, above, i, -sections);
	count_beside(p, ABOVE, below, above, sections);
	count_beside(p, BELOW, above, below, sections);
}

void
piles_take_out(struct piles *p, int i)
{
	const struct job *j = &p->job[i];
	int s, from = j->lower, below = NONE, above = NONE, b, a;

	for (s = j->lower; s < j->upper; s++) {
		b = *link_of(p, BELOW, i, s);
		a = *link_of(p, ABOVE, i, s);
		*link_of(p, ABOVE, b, s) = a;
		*link_of(p, BELOW, a, s) = b;
		if (b == below && a == above)
			continue;
		if (s > from)
			count_joined(p, i, below, above, s - from);
		below = b;
		above = a;
		from = s;
	}
	count_joined(p, i, below, above, s - from);
	p->placed[i] = false;
	effort_spend(p->effort, (int64_t)(j->upper - j->lower) + 10);
}

/* ---- reaches ---- */

/* Of an item for which so much is taken on that side. */
static inline int64_t
aligned_reach(const struct piles *p, int side, int i, int64_t taken)
{
	const struct job *j = &p->job[i];

	if (j->align <= 1)
		return taken;
	return side == BELOW ? job_aligned(j, taken) : taken + (p->limit - taken - j->size) % j->align;
}

/* Where it lies at the end of the side: the topmost need not have its padding within the limit. */
static inline int64_t
least_reach(const struct piles *p, int side, int i)
{
	return side == BELOW ? 0 : -p->job[i].tail;
}

static int64_t
find_reach(const struct piles *p, int side, int i)
{
	const struct beside *b = p->beside[side] + p->node[i];
	int64_t taken = least_reach(p, side, i), other;
	int k, n = p->besides[side][i];

	for (k = 0; k < n; k++) {
		other = p->reach[side][b[k].job] + p->job[b[k].job].size;
		taken = other > taken ? other : taken;
	}
	return aligned_reach(p, side, i, taken);
}

static void
push(struct piles *p, int side, int i)
{
	const int64_t *reach = p->reach[side];
	int *heap = p->changed, at = p->nchanged++, up;

	for (; at > 0; at = up) {
		up = (at - 1) / 2;
		if (reach[i] >= reach[heap[up]])
			break;
		heap[at] = heap[up];
	}
	heap[at] = i;
}

static int
pop(struct piles *p, int side)
{
	const int64_t *reach = p->reach[side];
	int *heap = p->changed, top = heap[0], last = heap[--p->nchanged], at = 0, down;

	while ((down = 2 * at + 1) < p->nchanged) {
		if (down + 1 < p->nchanged && reach[heap[down + 1]] < reach[heap[down]])
			down++;
		if (reach[heap[down]] >= reach[last])
			break;
		heap[at] = heap[down];
		at = down;
	}
	heap[at] = last;
	return top;
}

/* Those next to it on the other side that have a place, whose reach may depend on what its own was,
 * or is: so far. */
static void
push_beyond(struct piles *p, int side, int i, int64_t reach, bool farther)
{
	const struct beside *b = p->beside[!side] + p->node[i];
	int64_t end = reach + p->job[i].size;
	int q, n = p->besides[!side][i];

	for (q = 0; q < n; q++) {
		int k = b[q].job;

		if (!p->placed[k] || p->waiting[k] || (farther ? end <= p->reach[side][k] : aligned_reach(p, side, k, end) < p->reach[side][k]))
			continue;
		p->waiting[k] = true;
		push(p, side, k);
	}
}

/* Reaches of one side that were pushed, and of whatever depends on them; all become greater
 * (FARTHER), or all less. The least comes first, so what an item depends on is known before. */
static void
change_reaches(struct piles *p, int side, bool farther)
{
	int64_t reach, was;
	int i, n = 0;

	for (; p->nchanged > 0; n++) {
		i = pop(p, side);
		p->waiting[i] = false;
		reach = find_reach(p, side, i);
		was = p->reach[side][i];
		if (reach == was)
			continue;
		p->reach[side][i] = reach;
		push_beyond(p, side, i, farther ? reach : was, farther);
	}
	effort_spend(p->effort, 30 * (int64_t)n + 10);
}

/* What lay next to them is still known. */
void
piles_sink(struct piles *p, const int *out, int n)
{
	int side, k;

	for (side = BELOW; side <= ABOVE; side++) {
		for (k = 0; k < n; k++)
			push_beyond(p, side, out[k], p->reach[side][out[k]], false);
		change_reaches(p, side, false);
	}
}

void
piles_put_in(struct piles *p, int i, int64_t x)
{
	const struct job *j = &p->job[i];
	int s, below = NONE, above, steps = 0, from = j->lower, b = NONE, a = NONE, side;

	p->besides[BELOW][i] = p->besides[ABOVE][i] = 0;
	for (s = j->lower; s < j->upper; s++) {
		if (below != NONE && p->job[below].upper <= s)
			below = NONE;
		for (; below != NONE && low_of(p, below) + p->job[below].size > x; steps++)
			below = *link_of(p, BELOW, below, s);
		for (; (above = *link_of(p, ABOVE, below, s)) != NONE && low_of(p, above) + p->job[above].size <= x; steps++)
			below = above;
		if (s > from && (below != b || above != a)) {
			count_between(p, i, b, a, s - from);
			from = s;
		}
		b = below;
		a = above;
		put_between(p, i, below, above, s);
	}
	count_between(p, i, b, a, s - from);
	p->placed[i] = true;
	effort_spend(p->effort, 2 * (int64_t)(j->upper - j->lower) + 2 * (int64_t)steps);
	for (side = BELOW; side <= ABOVE; side++)
		p->reach[side][i] = find_reach(p, side, i);
	for (side = BELOW; side <= ABOVE; side++) {
		push_beyond(p, side, i, p->reach[side][i], true);
		change_reaches(p, side, true);
	}
}

int64_t
piles_height(const struct piles *p)
{
	int64_t height = 0, end;
	int i;

	for (i = 0; i < p->n; i++) {
		end = low_of(p, i) + p->job[i].size - p->job[i].tail;
		height = end > height ? end : height;
	}
	return height;
}

/* ---- beginning ---- */

/* By sections, as they lie on one another; each on the topmost so far. */
static void
stack(struct piles *p, int i)
{
	const struct job *j = &p->job[i];
	int s;

	for (s = j->lower; s < j->upper; s++) {
		int below = p->end[ABOVE][s];

		put_between(p, i, below, NONE, s);
		count_beside(p, BELOW, i, below, 1);
		count_beside(p, ABOVE, below, i, 1);
	}
	p->reach[BELOW][i] = find_reach(p, BELOW, i);
	p->placed[i] = true;
}

void
piles_begin(struct piles *p, const int *order, int n)
{
	int k, s, side;

	for (side = BELOW; side <= ABOVE; side++) {
		for (s = 0; s < p->sections; s++)
			p->end[side][s] = NONE;
		memset(p->besides[side], 0, (size_t)p->n * sizeof(int));
	}
	memset(p->placed, 0, (size_t)p->n * sizeof(*p->placed));
	for (k = 0; k < n; k++)
		stack(p, order[k]);
	for (k = n - 1; k >= 0; k--)
		p->reach[ABOVE][order[k]] = find_reach(p, ABOVE, order[k]);
	effort_spend(p->effort, 20 * (int64_t)p->n);
}

bool
piles_new(struct arena *a, struct instance *in, struct effort *effort, struct piles *p)
{
	size_t n = (size_t)in->n;
	int64_t nodes = 0;
	int i, side;

	*p = (struct piles){ .job = in->job, .n = in->n, .sections = in->sections, .effort = effort };
	p->node = arena_array(a, n, sizeof(*p->node));
	for (i = 0; i < p->n; i++) {
		p->node[i] = (int)nodes;
		nodes += p->job[i].upper - p->job[i].lower;
		if (nodes > MOST_NODES)
			return false;
	}
	for (side = BELOW; side <= ABOVE; side++) {
		p->next[side] = arena_array(a, (size_t)nodes, sizeof(int));
		p->end[side] = arena_array(a, (size_t)in->sections, sizeof(int));
		p->beside[side] = arena_array(a, (size_t)nodes, sizeof(struct beside));
		p->besides[side] = arena_array(a, n, sizeof(int));
		p->reach[side] = arena_array(a, n, sizeof(int64_t));
	}
	p->placed = arena_array(a, n, sizeof(*p->placed));
	p->waiting = arena_array(a, n, sizeof(*p->waiting));
	p->changed = arena_array(a, n, sizeof(int));
	return true;
}
