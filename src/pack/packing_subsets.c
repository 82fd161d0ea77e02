/*
 * packing_subsets: all that end and begin at one instant, told apart by all sums that they make.
 *
 * If nothing is wasted, what ends at an instant falls into groups, and so does what begins there:
 * each group of the latter has the room of one of the former, and so the same sum of sizes. Every
 * union of groups has, too. So of all pairs of sets with equal sums, those that have no other
 * within are the groups, unless sums are equal by chance: of 2^m sets that end and 2^n that begin,
 * that many pairs over the number of sizes are. Where two of these overlap one is by chance, and
 * neither is believed.
 *
 * That is what packing_divide.c does with up to four at once, for groups of any size, but of few
 * pieces. There are more of them if those with the same lifetime are taken for one.
 */
#include "pack/packing_pieces.h"

#define MOST_PIECES	200	/* that end, or begin */
#define MOST_PAIRS	256	/* seven groups make half of them */

/* What ends, or begins, at an instant; pieces of one unit are added all or none. */
struct units {
	int piece[MOST_PIECES], unit[MOST_PIECES], npieces;
	int64_t size[MOST_UNITS];
	int n;
};

struct pair {
	unsigned dead, born;
};

/* WHOLE: those with the same lifetime are one unit. False: they are too many. */
static bool
list_units(const struct glue *g, int side, int instant, bool whole, struct units *u)
{
	int i, k;

	u->n = u->npieces = 0;
	for (i = g->first[side][instant]; i >= 0; i = g->piece[i].next[side]) {
		for (k = 0; k < u->npieces && !(whole && g->piece[u->piece[k]].edge[!side] == g->piece[i].edge[!side]); k++)
			;
		if (u->npieces == MOST_PIECES || (k == u->npieces && u->n == MOST_UNITS))
			return false;
		u->unit[u->npieces] = k < u->npieces ? u->unit[k] : u->n;
		if (k == u->npieces)
			u->size[u->n++] = 0;
		u->piece[u->npieces] = i;
		u->size[u->unit[u->npieces++]] += g->piece[i].size;
	}
	return true;
}

/* Those of some units, but not of all, are at [1, the result), by size. */
static int
list_subsets(const struct units *u, struct subset *v)
{
	int n = 1, k, without, with, to;

	v[0] = (struct subset){ 0, 0 };
	/* they are merged with the same and one unit more, from the end, so that none is written
	 * over before it is read */
	for (k = 0; k < u->n; k++, n *= 2)
		for (without = with = n - 1, to = 2 * n - 1; to >= 0; to--) {
			bool plain = with < 0 || (without >= 0 && v[without].size > v[with].size + u->size[k]);

			v[to] = v[plain ? without-- : with--];
			v[to].size += plain ? 0 : u->size[k];
			v[to].units |= plain ? 0 : 1u << k;
		}
	return n - 1;
}

/* How many; -1: too many. */
static int
list_pairs(const struct subset *dead, int n, const struct subset *born, int m, struct pair *pair)
{
	int i = 1, k = 1, j, found = 0;

	while (i < n && k < m) {
		if (dead[i].size != born[k].size) {
			*(dead[i].size < born[k].size ? &i : &k) += 1;
			continue;
		}
		for (j = k; j < m && born[j].size == dead[i].size; j++) {
			if (found == MOST_PAIRS)
				return -1;
			pair[found++] = (struct pair){ dead[i].units, born[j].units };
		}
		i++;
	}
	return found;
}

/* Only those that no others are part of, and overlap none of these; how many. */
static int
drop_divisible(struct pair *pair, int n)
{
	struct pair least[MOST_PAIRS];
	int i, k, m = 0, found = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++)
			if (k != i && !(pair[k].dead & ~pair[i].dead) && !(pair[k].born & ~pair[i].born))
				break;
		if (k == n)
			least[m++] = pair[i];
	}
	for (i = 0; i < m; i++) {
		for (k = 0; k < m; k++)
			if (k != i && ((least[k].dead & least[i].dead) || (least[k].born & least[i].born)))
				break;
		if (k == m)
			pair[found++] = least[i];
	}
	return found;
}

static void
move_units(struct glue *g, const struct units *u, unsigned units, int side, int to)
{
	int i;

	for (i = 0; i < u->npieces; i++)
		if (units >> u->unit[i] & 1)
			glue_move_edge(g, u->piece[i], side, to);
}

bool
glue_divide_all(struct glue *g, int instant, bool whole)
{
	struct subset *dead = g->subset[DEATH], *born = g->subset[BIRTH];
	struct units d, b;
	struct pair pair[MOST_PAIRS];
	int n, m, i, to, found;

	if (!list_units(g, DEATH, instant, whole, &d) || !list_units(g, BIRTH, instant, whole, &b) ||
	    ((int64_t)1 << (d.n + b.n)) > g->in->max_live / g->in->unit / g->odds)
		return false;
	n = list_subsets(&d, dead);
	m = list_subsets(&b, born);
	effort_spend(g->effort, 4 * (n + m));
	found = list_pairs(dead, n, born, m, pair);
	found = found < 0 ? 0 : found;
	effort_spend(g->effort, found * found / 4);
	found = drop_divisible(pair, found);
	for (i = 0; i < found && (to = glue_new_instant(g, instant)) >= 0; i++) {
		move_units(g, &d, pair[i].dead, DEATH, to);
		move_units(g, &b, pair[i].born, BIRTH, to);
	}
	return i > 0;
}
