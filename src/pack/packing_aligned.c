/*
 * packing_aligned: what those alive at one time need at least, where some must lie at multiples of
 * more than others.
 *
 * Take the multiples of A, and call those that must lie there coarse, and the others fine. What is
 * between the end of a coarse item and the next multiple of A, its *tail*, is wasted, unless fine
 * items lie there:
 *
 *        0                   A                   2A                  3A
 *        | coarse |  tail    | coarse    | fine     fine   | waste | coarse |
 *
 * Whatever the order, each coarse item but the topmost is followed by another, with fine ones
 * between, and ends up to A. So of K tails K - 1 are wasted, except what U fine items save: the P
 * largest of them no more than the P largest tails, and each other one no more than its size. That
 * holds for every P.
 *
 * Where alignments divide one another, the waste before an item is the way to the next multiple of
 * the second, from there to that of the third, and so on; so the bounds of all of them add up,
 * where at each one all sizes are padded to the one before. An alignment that does not divide the
 * next is taken for the largest before it that divides it.
 */
#include "pack/packing_impl.h"

#include <stdlib.h>

#define MOST_LEVELS	63
#define MOST_ASKED	100	/* sections: those that may need most */

struct levels {
	int64_t align[MOST_LEVELS];	/* each divides the next; the first divides all sizes */
	int n;
	int *of;			/* by job */
	int64_t *tail, *cap;		/* room: of coarse ones, and what fine ones may save */
};

/* What a section may need, at most as far as is known here. */
struct need {
	int64_t bytes;
	int section;
};

static int
ascending(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static int
by_need(const void *x, const void *y)
{
	const struct need *a = x, *b = y;

	return a->bytes != b->bytes ? a->bytes > b->bytes ? -1 : 1 : a->section - b->section;
}

static int64_t
padded(int64_t size, int64_t align)
{
	return (size + align - 1) / align * align;
}

/* DIVISOR: of all sizes and alignments. */
static struct levels
find_levels(struct arena *a, const struct instance *in, int64_t divisor)
{
	struct levels l = { .align = { divisor }, .n = 1, .of = arena_array(a, (size_t)in->n, sizeof(*l.of)),
	    .tail = arena_array(a, (size_t)in->n, sizeof(*l.tail)), .cap = arena_array(a, (size_t)in->n, sizeof(*l.cap)) };
	int i;

	for (i = 0; i < in->n; i++)
		l.tail[i] = in->job[i].align > 1 ? in->job[i].align : divisor;
	qsort(l.tail, (size_t)in->n, sizeof(*l.tail), ascending);
	for (i = 0; i < in->n && l.n < MOST_LEVELS; i++)
		if (l.tail[i] > l.align[l.n - 1] && l.tail[i] % l.align[l.n - 1] == 0)
			l.align[l.n++] = l.tail[i];
	for (i = 0; i < in->n; i++)
		while (l.of[i] + 1 < l.n && in->job[i].align % l.align[l.of[i] + 1] == 0)
			l.of[i]++;
	return l;
}

/* Of K tails and U that may save, both ascending. */
static int64_t
least_waste(const int64_t *tail, int k, const int64_t *cap, int u)
{
	int64_t waste = 0, most;
	int p, i;

	for (i = 0; i < k - 1 - u; i++)
		waste += tail[i];
	most = waste;
	for (p = u - 1; p >= 0; p--) {	/* one fewer of the large: its own size instead of a tail */
		waste -= cap[u - 1 - p];
		if (k - 2 - p >= 0)
			waste += tail[k - 2 - p];
		most = waste > most ? waste : most;
	}
	return most;
}

/* Below the topmost of those alive in a section. */
static int64_t
waste_in(const struct instance *in, const struct levels *l, int section)
{
	int64_t waste = 0;
	int q, i, k, u;

	for (q = 1; q < l->n; q++) {
		for (i = k = u = 0; i < in->n && in->job[i].lower <= section; i++) {
			const struct job *j = &in->job[i];
			int64_t below = padded(j->size, l->align[q - 1]);

			if (j->upper <= section)
				continue;
			if (l->of[i] >= q)
				l->tail[k++] = padded(j->size, l->align[q]) - below;
			else
				l->cap[u++] = below;
		}
		qsort(l->tail, (size_t)k, sizeof(*l->tail), ascending);
		qsort(l->cap, (size_t)u, sizeof(*l->cap), ascending);
		waste += least_waste(l->tail, k, l->cap, u);
	}
	return waste;
}

/* By section what it needs without waste, and with all tails wasted. */
static struct need *
most_needed(struct arena *a, const struct instance *in, const struct levels *l, const int64_t *need)
{
	struct need *most = arena_array(a, (size_t)in->sections + 1, sizeof(*most));
	int64_t waste = 0;
	int i, s;

	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];
		int64_t tail = padded(j->size, l->align[l->of[i]]) - j->size;

		most[j->lower].bytes += tail;
		most[j->upper].bytes -= tail;
	}
	for (s = 0; s < in->sections; s++) {
		waste += most[s].bytes;
		most[s] = (struct need){ need[s] + waste, s };
	}
	qsort(most, (size_t)in->sections, sizeof(*most), by_need);
	return most;
}

int64_t
packing_aligned(struct arena *scratch, const struct instance *in, int64_t divisor, const int64_t *need, int64_t best)
{
	struct levels l = find_levels(scratch, in, divisor);
	struct need *most;
	int64_t bytes;
	int i;

	if (l.n == 1)
		return best;
	most = most_needed(scratch, in, &l, need);
	for (i = 0; i < in->sections && i < MOST_ASKED && most[i].bytes > best; i++) {
		bytes = need[most[i].section] + waste_in(in, &l, most[i].section);
		best = bytes > best ? bytes : best;
	}
	return best;
}
