/*
 * packing_divide: what ends and begins at one instant, told apart by its sizes.
 *
 * Where pieces that have nothing to do with each other end at one instant, the blocks of
 * packing_glue.c are too large. So the instant is divided: up to four that end there and up to four
 * that begin, with the same sum of sizes, get an instant of their own, as if it were at another
 * time.
 *
 *          |  1  |    2    |                 1 and 2 end with 3 and 4 where 5 and 6 to 8 begin.
 *          +-----+-----+---+                 One instant:   1 2 3 4 | 5 6 7 8, of the sizes 6 10 | 4 6 6
 *          |  5  |  6  | 7 |                 Two instants:  1 | 5  and  2 | 6 7
 *
 * Sums may be equal by chance. That is unlikely where no others there are equal to them, few are
 * compared, and sizes are many. It is the less likely if those added up have the same lifetime, as
 * what was cut at that instant once, and then across. Where few enough end and begin, all sums are
 * compared (packing_subsets.c).
 */
#include "pack/packing_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

static const struct {
	int most;		/* added up */
	bool alike;		/* of the same lifetime */
} kind_table[WHOLE] = {
	[SINGLES] = { 1, false },
	[PAIRS_ALIKE] = { 2, true },
	[FOUR_ALIKE] = { 4, true },
	[PAIRS] = { 2, false },
	[FOUR] = { 4, false },
};

static int
by_size(const void *x, const void *y)
{
	const struct sum *a = x, *b = y;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->piece, b->piece, sizeof(a->piece));
}

/* The sums of a list's pieces, with each of SINGLES more added to those at [FROM, TO); how many
 * there are then, or TO, where they would be too many. Pieces are added in the order of the
 * list. */
static int
add_one(const struct glue *g, int side, bool alike, struct sum *v, int singles, int from, int to)
{
	int n = to, i, k;

	for (i = from; i < to; i++) {
		int last = v[i].piece[v[i].n - 1];

		for (k = 0; v[k].piece[0] != last; k++)
			;
		for (k++; k < singles; k++) {
			if (alike && g->piece[v[k].piece[0]].edge[!side] != g->piece[last].edge[!side])
				continue;
			if (n == MOST_SUMS + singles)
				return to;
			v[n] = v[i];
			v[n].size += v[k].size;
			v[n].piece[v[n].n++] = v[k].piece[0];
			n++;
		}
	}
	return n;
}

/* By size; how many. */
static int
find_sums(const struct glue *g, int side, int instant, enum sums kind, struct sum *v)
{
	int i, n = 0, singles, from = 0, to, added;

	for (i = g->first[side][instant]; i >= 0; i = g->piece[i].next[side])
		v[n++] = (struct sum){ g->piece[i].size, { i, -1, -1, -1 }, 1 };
	singles = n;
	for (added = 2; added <= kind_table[kind].most && n > from; added++) {
		to = n;
		n = add_one(g, side, kind_table[kind].alike, v, singles, from, to);
		from = to;
	}
	qsort(v, (size_t)n, sizeof(*v), by_size);
	effort_spend(g->effort, 10 * n);
	return n;
}

/* Only what no others have; how many. */
static int
drop_equal(struct sum *v, int n)
{
	int k, end, found = 0;

	for (k = 0; k < n; k = end) {
		for (end = k + 1; end < n && v[end].size == v[k].size; end++)
			;
		if (end == k + 1)
			v[found++] = v[k];
	}
	return found;
}

static bool
is_still_there(const struct glue *g, const struct sum *s, int side, int instant)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (g->piece[s->piece[i]].edge[side] != instant)
			return false;
	return true;
}

int
glue_new_instant(struct glue *g, int instant)
{
	int s = g->ninstants, most = g->in->sections + g->in->n;

	if (s < most) {
		g->ninstants++;
	} else {
		for (s = g->in->sections + 1; s < most && (g->first[BIRTH][s] >= 0 || g->first[DEATH][s] >= 0); s++)
			;
		effort_spend(g->effort, most / 4);
		if (s == most)
			return -1;
		g->vain[s] = 0;
	}
	g->time[s] = g->time[instant];
	return s;
}

/* To a new instant at the same time; false: there is none. */
static bool
tell_apart(struct glue *g, int instant, const struct sum *dead, const struct sum *born)
{
	int i, s = glue_new_instant(g, instant);

	if (s < 0)
		return false;
	for (i = 0; i < dead->n; i++)
		glue_move_edge(g, dead->piece[i], DEATH, s);
	for (i = 0; i < born->n; i++)
		glue_move_edge(g, born->piece[i], BIRTH, s);
	return true;
}

/* Some end there and some begin, and more than one of either. */
static bool
is_shared(const struct glue *g, int instant)
{
	int dead = g->first[DEATH][instant], born = g->first[BIRTH][instant];

	return dead >= 0 && born >= 0 && (g->piece[dead].next[DEATH] >= 0 || g->piece[born].next[BIRTH] >= 0);
}

static bool
divide(struct glue *g, int instant, enum sums kind)
{
	struct sum *dead = g->dead, *born = g->born;
	int n = drop_equal(dead, find_sums(g, DEATH, instant, kind, dead));
	int m = drop_equal(born, find_sums(g, BIRTH, instant, kind, born)), i = 0, k = 0;
	bool any = false;

	if ((int64_t)n * m > g->in->max_live / g->in->unit / g->odds)
		return false;
	while (i < n && k < m) {
		if (dead[i].size != born[k].size) {
			*(dead[i].size < born[k].size ? &i : &k) += 1;
			continue;
		}
		if (is_still_there(g, &dead[i], DEATH, instant) && is_still_there(g, &born[k], BIRTH, instant)) {
			if (!tell_apart(g, instant, &dead[i], &born[k]))
				return any;
			if (g->first[DEATH][instant] < 0)
				return any;		/* that was all that was left */
			any = true;
		}
		i++;
		k++;
	}
	return any;
}

bool
glue_divide(struct glue *g, enum sums kind)
{
	int s, instants = g->ninstants;
	bool any = false;

	for (s = 1; s < instants && effort_left(g->effort); s++) {
		if (!is_shared(g, s) || g->divided[kind][s] == g->version[s])
			continue;
		g->divided[kind][s] = g->version[s];
		any |= kind < WHOLE ? divide(g, s, kind) : glue_divide_all(g, s, kind == WHOLE);
	}
	effort_spend(g->effort, instants);
	return any;
}

/* ---- by chance ---- */

static int
end_of_equal(const struct sum *v, int n, int i)
{
	int end = i + 1;

	while (end < n && v[end].size == v[i].size)
		end++;
	return end;
}

/* One of all equal ones that are not all that end there; false: there are none. */
static bool
choose(struct glue *g, int n, int m, int64_t all, struct sum *dead, struct sum *born)
{
	int i = 0, k = 0, seen = 0;

	while (i < n && k < m) {
		int i_end = end_of_equal(g->dead, n, i), k_end = end_of_equal(g->born, m, k);
		int64_t size = g->dead[i].size, other = g->born[k].size;

		if (size == other && size < all) {
			int pairs = (i_end - i) * (k_end - k);

			seen += pairs;
			if (chance_below(&g->seed, seen) < pairs) {
				*dead = g->dead[i + chance_below(&g->seed, i_end - i)];
				*born = g->born[k + chance_below(&g->seed, k_end - k)];
			}
		}
		i = size <= other ? i_end : i;
		k = other <= size ? k_end : k;
	}
	return seen > 0;
}

static bool
divide_by_chance(struct glue *g, int instant, enum sums kind)
{
	int n = find_sums(g, DEATH, instant, kind, g->dead), m = find_sums(g, BIRTH, instant, kind, g->born), i;
	struct sum dead, born;
	int64_t all = 0;

	for (i = g->first[DEATH][instant]; i >= 0; i = g->piece[i].next[DEATH])
		all += g->piece[i].size;
	if (!choose(g, n, m, all, &dead, &born))
		return false;
	return tell_apart(g, instant, &dead, &born);
}

bool
glue_divide_by_chance(struct glue *g)
{
	int kind, from, k, s;

	for (kind = 0; kind < WHOLE; kind++) {
		from = chance_below(&g->seed, g->ninstants);
		for (k = 0; k < g->ninstants && effort_left(g->effort); k++) {
			s = (from + k) % g->ninstants;
			if (s > 0 && is_shared(g, s) && divide_by_chance(g, s, (enum sums)kind))
				return true;
		}
	}
	return false;
}
