/*
 * packing_glue: where nothing may be wasted, what can lie together is made one item.
 *
 * The instance is full all the time, as pieces of a rectangle are. At an instant S some items end
 * and others begin, which fill the places of the former. A *block* is what may be a rectangle by
 * itself: the least set of items that has all that end and begin at S, and at each instant but the
 * first and the last of its items all that end and begin there. It is solved alone, and becomes one
 * item.
 *
 *        +-------+------+-----+         +-------+------------+         +--------------------+
 *        |       |   2  |     |         |       |            |         |                    |
 *        |   1   +------+--+--+         |   1   |   2 to 5   |         |                    |
 *        |       |    3    | 5|   -->   |       |            |   -->   |       1 to 7       |
 *        +-------+----+----+--+         +-------+----+-------+         |                    |
 *        |      6     |    7  |         |      6     |   7   |         |                    |
 *        +------------+-------+         +------------+-------+         +--------------------+
 *
 * Blocks of a few items are looked for first, and larger ones as long as there are none. What was
 * cut again and again, each time at an instant of its own, is whole again at the end.
 *
 * Where pieces that have nothing to do with each other end at one instant, blocks are too large; so
 * then instants are divided (packing_divide.c), those first where chance is least likely, and more
 * small blocks are looked for. When nothing is left to divide, larger blocks are.
 *
 * What then cannot be told apart is guessed: first that those with the same lifetime lie on one
 * another, then by chance. Guesses differ from attempt to attempt, and often all comes together, or
 * so much that what is left is soon solved.
 *
 * What is glued may be wrong: whoever solves what is left must be ready to solve the whole if it
 * has no solution.
 */
#include "pack/packing_glue.h"

#include <stdlib.h>
#include <string.h>

#include "pack/packing_flat.h"
#include "pack/packing_pieces.h"

#define FIRST_BLOCK	4	/* items of the largest block that is looked for; then twice as many */
#define SMALL_BLOCK	16	/* is looked for before instants are divided that may be so by chance */
#define LARGEST_BLOCK	512
#define TRIES		4	/* of a block */
#define BEST_ODDS	4096	/* at first, to one; then a quarter of them */
#define WORSE		4

/* ---- pieces ---- */

static void
take_off_side(struct glue *g, int i, int side)
{
	struct piece *p = &g->piece[i];

	g->version[p->edge[side]]++;
	if (p->last[side] >= 0)
		g->piece[p->last[side]].next[side] = p->next[side];
	else
		g->first[side][p->edge[side]] = p->next[side];
	if (p->next[side] >= 0)
		g->piece[p->next[side]].last[side] = p->last[side];
}

static void
put_on_side(struct glue *g, int i, int side)
{
	struct piece *p = &g->piece[i];
	int *first = &g->first[side][p->edge[side]];

	g->version[p->edge[side]]++;
	p->last[side] = -1;
	p->next[side] = *first;
	if (*first >= 0)
		g->piece[*first].last[side] = i;
	*first = i;
}

static void
take_off(struct glue *g, int i)
{
	take_off_side(g, i, BIRTH);
	take_off_side(g, i, DEATH);
}

static void
put_on(struct glue *g, int i)
{
	put_on_side(g, i, BIRTH);
	put_on_side(g, i, DEATH);
}

void
glue_move_edge(struct glue *g, int i, int side, int instant)
{
	take_off_side(g, i, side);
	g->piece[i].edge[side] = instant;
	put_on_side(g, i, side);
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
	int i = g->first[BIRTH][p->edge[BIRTH]], k = g->first[DEATH][p->edge[DEATH]], alike = -1, asked = 0;

	for (; i >= 0 && k >= 0 && alike < 0; i = g->piece[i].next[BIRTH], k = g->piece[k].next[DEATH], asked++) {
		if (g->piece[i].edge[DEATH] == p->edge[DEATH])
			alike = i;
		else if (g->piece[k].edge[BIRTH] == p->edge[BIRTH])
			alike = k;
	}
	effort_spend(g->effort, 2 * asked);
	return alike;
}

/* Stacked on the one with its lifetime, if they are stacked and there is one: there is never more
 * than one. */
static void
add(struct glue *g, int i)
{
	const struct piece *p = &g->piece[i];
	int alike = g->alike ? find_alike(g, p) : -1, stack;

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

static int
time_of(const struct glue *g, int piece, int side)
{
	return g->time[g->piece[piece].edge[side]];
}

/* Instant S is not a border of the block: all that end and begin there are in it. */
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
			b->first = time_of(g, i, BIRTH) < b->first ? time_of(g, i, BIRTH) : b->first;
			b->last = time_of(g, i, DEATH) > b->last ? time_of(g, i, DEATH) : b->last;
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
	int side, k, time, known;

	g->marks++;
	b->n = b->ninner = 0;
	b->first = b->last = g->time[s];
	make_inner(g, s);
	do {
		known = b->ninner;
		for (k = 0; k < b->n && b->n <= most; k++)
			for (side = BIRTH; side <= DEATH; side++) {
				time = time_of(g, b->piece[k], side);
				if (time > b->first && time < b->last)
					make_inner(g, g->piece[b->piece[k]].edge[side]);
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

/* Of a time: the first is 0, then come the inner ones. */
static int
section_of(const struct block *b, int time)
{
	int lo = 0, hi = b->ntimes, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (b->time[mid] < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return time == b->first ? 0 : lo + 1;
}

static void
list_times(struct glue *g)
{
	struct block *b = &g->block;
	int k, n = 0;

	for (k = 0; k < b->ninner; k++)
		b->time[k] = g->time[b->inner[k]];
	qsort(b->time, (size_t)b->ninner, sizeof(*b->time), by_value);
	for (k = 0; k < b->ninner; k++)
		if (n == 0 || b->time[n - 1] != b->time[k])
			b->time[n++] = b->time[k];
	b->ntimes = n;
}

/* The block as an instance; its height. */
static int64_t
fill_instance(struct glue *g, struct instance *in)
{
	const struct block *b = &g->block;
	int64_t height = 0;
	int k;

	list_times(g);
	for (k = 0; k < b->n; k++) {
		int birth = time_of(g, b->piece[k], BIRTH), death = time_of(g, b->piece[k], DEATH);

		in->job[k] = (struct job){ .size = g->piece[b->piece[k]].size, .align = 1, .index = k,
		    .lower = section_of(b, birth), .upper = section_of(b, death) };
		height += birth == b->first ? in->job[k].size : 0;
	}
	in->n = b->n;
	in->sections = b->ntimes + 1;
	in->max_live = height;
	for (k = 0; k < in->sections; k++)
		in->live[k] = height;
	return height;
}

/* The instant at which the block begins or ends. If there are several, they are no longer told
 * apart. */
static int
border_of(struct glue *g, int side)
{
	const struct block *b = &g->block;
	int time = side == BIRTH ? b->first : b->last, border = -1, k, i, next, other, edge;

	for (k = 0; k < b->n; k++) {
		edge = g->piece[b->piece[k]].edge[side];
		if (g->time[edge] != time || edge == border)
			continue;
		if (border < 0) {
			border = edge;
			continue;
		}
		for (other = BIRTH; other <= DEATH; other++)
			for (i = g->first[other][edge]; i >= 0; i = next) {
				next = g->piece[i].next[other];
				glue_move_edge(g, i, other, border);
			}
	}
	return border;
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
		whole = new_piece(g, height, border_of(g, BIRTH), border_of(g, DEATH));
		for (k = 0; k < b->n; k++) {
			take_off(g, b->piece[k]);
			put_into(g, b->piece[k], whole, in.job[k].offset);
		}
		add(g, whole);
	}
	arena_free(a);
	return solved;
}

/* Changes where a block of an instant may have changed, near it. */
static int
versions_near(const struct glue *g, int s)
{
	int sum = g->version[s], side, i;

	for (side = BIRTH; side <= DEATH; side++)
		for (i = g->first[side][s]; i >= 0; i = g->piece[i].next[side])
			sum += g->version[g->piece[i].edge[!side]];
	return sum;
}

/* The block of an instant, unless it was looked for and nothing has changed. */
static bool
make_block(struct glue *g, int s, int most)
{
	int versions = versions_near(g, s);

	if (g->looked[s] == versions && g->most[s] >= most)
		return false;
	g->looked[s] = versions;
	g->most[s] = most;
	if (g->first[BIRTH][s] < 0 || g->first[DEATH][s] < 0 || !find_block(g, s, most) || g->block.n == g->vain[s])
		return false;
	if (solve_block(g))
		return true;
	g->vain[s] = g->block.n;
	return false;
}

static bool
make_blocks(struct glue *g, int most)
{
	bool any, ever = false;
	int s;

	do {
		any = false;
		for (s = 1; s < g->ninstants && effort_left(g->effort); s++)
			any |= make_block(g, s, most);
		effort_spend(g->effort, g->ninstants);
		ever |= any;
	} while (any);
	return ever;
}

static bool
make_blocks_or_divide(struct glue *g, int most)
{
	int kind;

	if (make_blocks(g, most))
		return true;
	for (kind = 0; kind < KINDS_OF_SUMS; kind++)
		if (glue_divide(g, (enum sums)kind))
			return true;
	return false;
}

static void
set_odds(struct glue *g, int64_t odds)
{
	size_t instants = (size_t)(g->in->sections + g->in->n + 1);
	int kind;

	g->odds = odds;
	for (kind = 0; kind < KINDS_OF_SUMS; kind++)
		memset(g->divided[kind], -1, instants * sizeof(*g->divided[kind]));
}

/* Small blocks before larger ones that they may be part of, and what is certain before what is
 * not. */
static void
glue(struct glue *g)
{
	int most = FIRST_BLOCK;

	set_odds(g, BEST_ODDS);
	while (most <= LARGEST_BLOCK && effort_left(g->effort)) {
		if (make_blocks_or_divide(g, most)) {
			most = FIRST_BLOCK;
		} else if (most == SMALL_BLOCK && g->odds > g->least_odds) {
			set_odds(g, g->odds / WORSE);
			most = FIRST_BLOCK;
		} else {
			most *= 2;
		}
	}
}

/* ---- all ---- */

static void
make_room(struct glue *g, struct arena *a)
{
	size_t n = (size_t)g->in->n, instants = (size_t)g->in->sections + n + 1;
	int side, kind;

	g->piece = arena_array(a, 2 * n, sizeof(*g->piece));
	g->mark = arena_array(a, 2 * n, sizeof(*g->mark));
	g->time = arena_array(a, instants, sizeof(*g->time));
	g->inner = arena_array(a, instants, sizeof(*g->inner));
	g->vain = arena_array(a, instants, sizeof(*g->vain));
	g->version = arena_array(a, instants, sizeof(*g->version));
	g->looked = arena_array(a, instants, sizeof(*g->looked));
	g->most = arena_array(a, instants, sizeof(*g->most));
	g->block.piece = arena_array(a, LARGEST_BLOCK + 2, sizeof(*g->block.piece));
	g->block.inner = arena_array(a, 2 * LARGEST_BLOCK + 4, sizeof(*g->block.inner));
	g->block.time = arena_array(a, 2 * LARGEST_BLOCK + 4, sizeof(*g->block.time));
	g->dead = arena_array(a, n + MOST_SUMS, sizeof(*g->dead));
	g->born = arena_array(a, n + MOST_SUMS, sizeof(*g->born));
	for (side = BIRTH; side <= DEATH; side++) {
		g->subset[side] = arena_array(a, (size_t)1 << (n < MOST_UNITS ? n : MOST_UNITS), sizeof(*g->subset[side]));
		g->first[side] = arena_array(a, instants, sizeof(*g->first[side]));
		memset(g->first[side], -1, instants * sizeof(*g->first[side]));
	}
	for (kind = 0; kind < KINDS_OF_SUMS; kind++)
		g->divided[kind] = arena_array(a, instants, sizeof(*g->divided[kind]));
}

static struct glue *
begin(struct instance *in, int attempt, struct effort *e)
{
	static const int64_t least_odds[] = { 64, 16, 4, 1 };
	struct glue *g = ARENA_NEW(in->arena, struct glue);
	int i;

	*g = (struct glue){ .in = in, .effort = e, .npieces = in->n, .ninstants = in->sections + 1,
	    .seed = (uint64_t)attempt + 1, .least_odds = least_odds[attempt % 4] };
	make_room(g, in->arena);
	for (i = 0; i <= in->sections; i++)
		g->time[i] = i;
	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];

		g->piece[i] = (struct piece){ .size = j->size, .edge = { j->lower, j->upper }, .parent = -1 };
		put_on(g, i);
	}
	return g;
}

/* What is left, with sections of its own; jobs know their pieces. */
static void
list_what_is_left(const struct glue *g, struct instance *left)
{
	const struct instance *in = g->in;
	size_t sections = (size_t)in->sections + 1;
	int *section = arena_array(in->arena, sections, sizeof(*section)), i, s;
	bool *used = arena_array(in->arena, sections, sizeof(*used));

	*left = *in;
	left->job = arena_array(in->arena, (size_t)in->n, sizeof(*left->job));
	left->live = arena_array(in->arena, sections, sizeof(*left->live));
	left->n = left->sections = 0;
	for (s = 0; s < g->ninstants; s++)
		used[g->time[s]] |= g->first[BIRTH][s] >= 0 || g->first[DEATH][s] >= 0;
	for (s = 0; s <= in->sections; s++) {
		left->sections += s > 0 && used[s];
		section[s] = left->sections;
		if (s < in->sections && in->live[s] > left->live[left->sections])
			left->live[left->sections] = in->live[s];
	}
	for (s = 0; s < g->ninstants; s++)
		for (i = g->first[BIRTH][s]; i >= 0; i = g->piece[i].next[BIRTH])
			left->job[left->n++] = (struct job){ .size = g->piece[i].size, .align = 1, .index = i,
			    .lower = section[time_of(g, i, BIRTH)], .upper = section[time_of(g, i, DEATH)],
			    .life = time_of(g, i, DEATH) - time_of(g, i, BIRTH) };
}

struct glue *
glue_new(struct instance *in, int attempt, struct instance *left, struct effort *e)
{
	struct glue *g = begin(in, attempt, e);

	glue(g);
	list_what_is_left(g, left);
	return g;
}

/* All with the same lifetime, now and from now on. */
static void
stack_alike(struct glue *g)
{
	int i, n = g->npieces;

	g->alike = true;
	for (i = 0; i < n; i++) {
		if (g->piece[i].parent >= 0)
			continue;
		take_off(g, i);
		add(g, i);
	}
	glue(g);
}

bool
glue_guess(struct glue *g, struct instance *left)
{
	if (g->guessed || !effort_left(g->effort))
		return false;
	if (!g->alike)
		stack_alike(g);
	else
		for (g->guessed = true; glue_divide_by_chance(g); )
			glue(g);
	list_what_is_left(g, left);
	return true;
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
