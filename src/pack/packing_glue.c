/*
 * packing_glue: where nothing may be wasted, what can lie together is made one item.
 *
 * The instance is full all the time, as pieces of a rectangle are. At an instant S some items end and others begin, which
 * fill the places of the former. A *block* is what may be a rectangle by itself: the least set of items that has all that
 * end and begin at S, and at each instant but the first and the last of its items all that end and begin there. It is
 * solved alone, and becomes one item.
 *
 *        +-------+------+-----+         +-------+------------+         +--------------------+
 *        |       |   2  |     |         |       |            |         |                    |
 *        |   1   +------+--+--+         |   1   |   2 to 5   |         |                    |
 *        |       |    3    | 5|   -->   |       |            |   -->   |       1 to 7       |
 *        +-------+----+----+--+         +-------+----+-------+         |                    |
 *        |      6     |    7  |         |      6     |   7   |         |                    |
 *        +------------+-------+         +------------+-------+         +--------------------+
 *
 * Blocks of a few items are looked for first, and larger ones as long as there are none. Items with the same lifetime
 * are stacked at once. What was cut again and again, each time at an instant of its own, is whole again at the end.
 *
 * Where pieces that have nothing to do with each other end at one instant, blocks are too large. So then two that have the
 * same size, which no other one has that ends or begins there, are taken for a row, and more blocks are looked for.
 *
 * What is glued may be wrong: whoever solves what is left must be ready to solve the whole if it has no solution.
 */
#include "pack/packing_glue.h"

#include <stdlib.h>
#include <string.h>

#include "pack/packing_flat.h"

#define FIRST_BLOCK	4	/* items of the largest block that is looked for; then twice as many */
#define LARGEST_BLOCK	512
#define TRIES		4	/* of a block */

enum side { BIRTH, DEATH };

struct piece {
	int64_t size;
	int64_t within;		/* its offset in the parent */
	int edge[2];		/* by side: sections */
	int next[2], last[2];	/* in the list of those with that edge; -1 */
	int parent;		/* the piece that it went into; -1 */
};

struct block {
	int *piece, n;
	int *inner, ninner;	/* sections at which all are in it */
	int first, last;	/* the others, at which some begin, and end */
};

struct glue {
	struct instance *in;
	struct piece *piece;	/* jobs first, in their order */
	int npieces;
	int *first[2];		/* by side and section: a list of pieces; -1 */
	struct block block;
	int *mark, *inner;	/* by piece, by section: of which block; so many were looked for: */
	int marks;
	int *vain;		/* by section: pieces of its block that has no solution */
	struct effort *effort;
};

/* ---- pieces ---- */

static void
take_off(struct glue *g, int i)
{
	struct piece *p = &g->piece[i];
	int side;

	for (side = BIRTH; side <= DEATH; side++) {
		if (p->last[side] >= 0)
			g->piece[p->last[side]].next[side] = p->next[side];
		else
			g->first[side][p->edge[side]] = p->next[side];
		if (p->next[side] >= 0)
			g->piece[p->next[side]].last[side] = p->last[side];
	}
}

static void
put_on(struct glue *g, int i)
{
	struct piece *p = &g->piece[i];
	int side, *first;

	for (side = BIRTH; side <= DEATH; side++) {
		first = &g->first[side][p->edge[side]];
		p->last[side] = -1;
		p->next[side] = *first;
		if (*first >= 0)
			g->piece[*first].last[side] = i;
		*first = i;
	}
}

static int
new_piece(struct glue *g, int64_t size, int birth, int death)
{
	g->piece[g->npieces] = (struct piece){ .size = size, .edge = { birth, death }, .parent = -1 };
	return g->npieces++;
}

static void
put_into(struct glue *g, int i, int parent, int64_t within)
{
	g->piece[i].parent = parent;
	g->piece[i].within = within;
}

/* Another with that lifetime; -1: none. */
static int
find_alike(const struct glue *g, const struct piece *p)
{
	int i = g->first[BIRTH][p->edge[BIRTH]], k = g->first[DEATH][p->edge[DEATH]];

	for (; i >= 0 && k >= 0; i = g->piece[i].next[BIRTH], k = g->piece[k].next[DEATH]) {
		if (g->piece[i].edge[DEATH] == p->edge[DEATH])
			return i;
		if (g->piece[k].edge[BIRTH] == p->edge[BIRTH])
			return k;
	}
	return -1;
}

/* Stacked on the one with its lifetime, if there is one: there is never more than one. */
static void
add(struct glue *g, int i)
{
	const struct piece *p = &g->piece[i];
	int alike = find_alike(g, p), stack;

	if (alike >= 0) {
		take_off(g, alike);
		stack = new_piece(g, g->piece[alike].size + p->size, p->edge[BIRTH], p->edge[DEATH]);
		put_into(g, alike, stack, 0);
		put_into(g, i, stack, g->piece[alike].size);
		i = stack;
	}
	put_on(g, i);
}

/* ---- blocks ---- */

/* Section S is not a border of the block: all that end and begin there are in it. */
static void
make_inner(struct glue *g, int s)
{
	struct block *b = &g->block;
	int side, i;

	if (g->inner[s] == g->marks)
		return;
	g->inner[s] = g->marks;
	b->inner[b->ninner++] = s;
	for (side = BIRTH; side <= DEATH; side++)
		for (i = g->first[side][s]; i >= 0 && b->n <= LARGEST_BLOCK; i = g->piece[i].next[side]) {
			if (g->mark[i] == g->marks)
				continue;
			g->mark[i] = g->marks;
			b->piece[b->n++] = i;
			b->first = g->piece[i].edge[BIRTH] < b->first ? g->piece[i].edge[BIRTH] : b->first;
			b->last = g->piece[i].edge[DEATH] > b->last ? g->piece[i].edge[DEATH] : b->last;
		}
}

static int64_t
sum_of(const struct glue *g, int side, int s)
{
	int64_t sum = 0;
	int i;

	for (i = g->first[side][s]; i >= 0; i = g->piece[i].next[side])
		sum += g->piece[i].size;
	return sum;
}

/* The block with S inside, if it has no more than MOST pieces and wastes nothing. */
static bool
find_block(struct glue *g, int s, int most)
{
	struct block *b = &g->block;
	int side, k, edge, known;

	g->marks++;
	b->n = b->ninner = 0;
	b->first = b->last = s;
	make_inner(g, s);
	do {
		known = b->ninner;
		for (k = 0; k < b->n && b->n <= most; k++)
			for (side = BIRTH; side <= DEATH; side++) {
				edge = g->piece[b->piece[k]].edge[side];
				if (edge > b->first && edge < b->last)
					make_inner(g, edge);
			}
		effort_spend(g->effort, 4 * b->n + 4);
	} while (b->ninner > known && b->n <= most);
	if (b->n > most)
		return false;
	for (k = 0; k < b->ninner; k++)
		if (sum_of(g, BIRTH, b->inner[k]) != sum_of(g, DEATH, b->inner[k]))
			return false;
	return true;
}

static int
by_value(const void *x, const void *y)
{
	const int *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Of a border: the first is 0, then come the inner ones. */
static int
section_of(const struct block *b, int edge)
{
	int lo = 0, hi = b->ninner, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (b->inner[mid] < edge)
			lo = mid + 1;
		else
			hi = mid;
	}
	return edge == b->first ? 0 : lo + 1;
}

/* The block as an instance; its height. */
static int64_t
fill_instance(const struct glue *g, struct instance *in)
{
	const struct block *b = &g->block;
	int64_t height = 0;
	int k;

	qsort(b->inner, (size_t)b->ninner, sizeof(*b->inner), by_value);
	for (k = 0; k < b->n; k++) {
		const struct piece *p = &g->piece[b->piece[k]];

		in->job[k] = (struct job){ .size = p->size, .align = 1, .index = k,
		    .lower = section_of(b, p->edge[BIRTH]), .upper = section_of(b, p->edge[DEATH]) };
		height += p->edge[BIRTH] == b->first ? p->size : 0;
	}
	in->n = b->n;
	in->sections = b->ninner + 1;
	in->max_live = height;
	for (k = 0; k < in->sections; k++)
		in->live[k] = height;
	return height;
}

/* Makes the block one piece; false if its pieces cannot be put together. */
static bool
solve_block(struct glue *g)
{
	struct block *b = &g->block;
	struct arena *a = arena_child(g->in->arena);
	struct instance in = { .arena = a, .job = arena_array(a, (size_t)b->n, sizeof(*in.job)),
	    .live = arena_array(a, (size_t)b->ninner + 1, sizeof(*in.live)), .padding = 1, .unit = 1 };
	int64_t height = fill_instance(g, &in);
	bool solved = flat_solve(&in, TRIES, g->effort);
	int k, whole;

	if (solved) {
		whole = new_piece(g, height, b->first, b->last);
		for (k = 0; k < b->n; k++) {
			take_off(g, b->piece[k]);
			put_into(g, b->piece[k], whole, in.job[k].offset);
		}
		add(g, whole);
	}
	arena_free(a);
	return solved;
}

/* Smaller ones before larger ones that they may be part of. */
static void
make_blocks(struct glue *g)
{
	int most, s;
	bool any;

	for (most = FIRST_BLOCK; most <= LARGEST_BLOCK; most *= 2)
		do {
			any = false;
			for (s = 1; s < g->in->sections && effort_left(g->effort); s++) {
				if (g->first[BIRTH][s] < 0 || g->first[DEATH][s] < 0 || !find_block(g, s, most) ||
				    g->block.n == g->vain[s])
					continue;
				if (solve_block(g))
					any = true;
				else
					g->vain[s] = g->block.n;
			}
		} while (any);
}

/* ---- rows that may be ---- */

struct sized {
	int64_t size;
	int piece;
};

static int
by_size(const void *x, const void *y)
{
	const struct sized *a = x, *b = y;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->piece - b->piece;
}

/* Those of a list whose size no other of it has, by size. */
static int
find_unique(const struct glue *g, int side, int section, struct sized *v)
{
	int i, n = 0, k, found = 0;

	for (i = g->first[side][section]; i >= 0; i = g->piece[i].next[side])
		v[n++] = (struct sized){ g->piece[i].size, i };
	qsort(v, (size_t)n, sizeof(*v), by_size);
	for (k = 0; k < n; k++)
		if ((k == 0 || v[k - 1].size != v[k].size) && (k + 1 == n || v[k + 1].size != v[k].size))
			v[found++] = v[k];
	return found;
}

/* Y begins where X ends. */
static void
make_row(struct glue *g, int x, int y)
{
	int row = new_piece(g, g->piece[x].size, g->piece[x].edge[BIRTH], g->piece[y].edge[DEATH]);

	take_off(g, x);
	take_off(g, y);
	put_into(g, x, row, 0);
	put_into(g, y, row, 0);
	add(g, row);
}

/* False if the section has none. ROOM for all of both lists. */
static bool
guess_rows(struct glue *g, int section, struct sized *dead, struct sized *born)
{
	int n = find_unique(g, DEATH, section, dead), m = find_unique(g, BIRTH, section, born), i = 0, k = 0;
	bool any = false;

	while (i < n && k < m) {
		if (dead[i].size < born[k].size) {
			i++;
		} else if (dead[i].size > born[k].size) {
			k++;
		} else {
			if (g->piece[dead[i].piece].parent < 0 && g->piece[born[k].piece].parent < 0) {
				make_row(g, dead[i].piece, born[k].piece);
				any = true;
			}
			i++;
			k++;
		}
	}
	return any;
}

/* ---- all ---- */

static struct glue *
begin(struct instance *in, struct effort *e)
{
	struct glue *g = ARENA_NEW(in->arena, struct glue);
	size_t n = (size_t)in->n, sections = (size_t)in->sections + 1;
	int side, i;

	*g = (struct glue){ .in = in, .effort = e, .npieces = in->n };
	g->piece = arena_array(in->arena, 2 * n, sizeof(*g->piece));
	g->mark = arena_array(in->arena, 2 * n, sizeof(*g->mark));
	g->inner = arena_array(in->arena, sections, sizeof(*g->inner));
	g->vain = arena_array(in->arena, sections, sizeof(*g->vain));
	g->block.piece = arena_array(in->arena, LARGEST_BLOCK + 2, sizeof(*g->block.piece));
	g->block.inner = arena_array(in->arena, 2 * LARGEST_BLOCK + 4, sizeof(*g->block.inner));
	for (side = BIRTH; side <= DEATH; side++) {
		g->first[side] = arena_array(in->arena, sections, sizeof(*g->first[side]));
		memset(g->first[side], -1, sections * sizeof(*g->first[side]));
	}
	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];

		g->piece[i] = (struct piece){ .size = j->size, .edge = { j->lower, j->upper }, .parent = -1 };
		add(g, i);
	}
	return g;
}

/* What is left, with sections of its own; jobs know their pieces. */
static void
list_what_is_left(const struct glue *g, struct instance *left)
{
	const struct instance *in = g->in;
	int *section = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*section)), i, s;

	*left = *in;
	left->job = arena_array(in->arena, (size_t)in->n, sizeof(*left->job));
	left->live = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*left->live));
	left->n = left->sections = 0;
	for (s = 0; s <= in->sections; s++) {
		left->sections += s > 0 && (g->first[BIRTH][s] >= 0 || g->first[DEATH][s] >= 0);
		section[s] = left->sections;
		if (s < in->sections && in->live[s] > left->live[left->sections])
			left->live[left->sections] = in->live[s];
	}
	for (s = 0; s < in->sections; s++)
		for (i = g->first[BIRTH][s]; i >= 0; i = g->piece[i].next[BIRTH]) {
			const struct piece *p = &g->piece[i];

			left->job[left->n++] = (struct job){ .size = p->size, .align = 1, .index = i,
			    .lower = section[p->edge[BIRTH]], .upper = section[p->edge[DEATH]] };
		}
}

struct glue *
glue_new(struct instance *in, struct instance *left, struct effort *e)
{
	struct glue *g = begin(in, e);

	make_blocks(g);
	list_what_is_left(g, left);
	return g;
}

bool
glue_guess(struct glue *g, struct instance *left)
{
	struct arena *a = g->in->arena;
	struct sized *dead = arena_array(a, 2 * (size_t)g->in->n, sizeof(*dead)), *born = dead + g->in->n;
	bool any, ever = false;
	int s;

	do {
		any = false;
		for (s = 1; s < g->in->sections; s++)
			any |= guess_rows(g, s, dead, born);
		if (any)
			make_blocks(g);
		ever |= any;
	} while (any);
	list_what_is_left(g, left);
	return ever;
}

void
glue_undo(const struct glue *g, const struct instance *left, struct job *job)
{
	int64_t *offset = arena_array(g->in->arena, (size_t)g->npieces, sizeof(*offset));
	int i;

	for (i = 0; i < left->n; i++)
		offset[left->job[i].index] = left->job[i].offset;
	for (i = g->npieces - 1; i >= 0; i--) {
		if (g->piece[i].parent >= 0)
			offset[i] = offset[g->piece[i].parent] + g->piece[i].within;
		if (i < g->in->n)
			job[i].offset = offset[i];
	}
}
