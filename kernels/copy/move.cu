/*
 * copy/move.cu - elements put elsewhere: transposes, slices, concatenations, pads, shuffles.
 *
 * What all of these do is said of each axis by itself. An axis has N indices, which step by TO in
 * y; in x they step by FROM:
 *
 *     [C, H, W] -> [H, W, C]     { H W, C, 1 }, { C, 1, H W }
 *     rows 2 to 5 of ten         { 3 W, 1, 1 }                    from 2 W on
 *     three copies               { 3, 4, 0 }, { 4, 1, 1 }
 *
 * Where one step is not enough, an axis is cut into runs: rolled by 2, the indices 0 1 2 3 4 of y
 * are 3 4 0 1 2 of x, { {2, 3, 1}, {5, 0, 1} }; a run that begins nowhere is a frame, which holds a
 * constant.
 *
 * Backward sums, for each element of dx, what was made of it, in the order of y: an axis at a time
 * it is found where that went, so nothing is added to by two threads. Most moves make each element
 * once, and turned round they are moves themselves; then dx is moved to as y was.
 */
#ifndef STOWAGE_COPY_MOVE_CU
#define STOWAGE_COPY_MOVE_CU

#include "kernel.h"

#define MOVE_AXES	9
#define MOVE_RUNS	3

struct move_run {
	int64_t end;		/* the index after its last */
	int64_t start, by;	/* its first index is START of x, the next BY more; START < 0: none */
};

struct move_axis {
	int64_t n, to, from;
	struct move_run run[MOVE_RUNS];	/* all zero: one, of which each index is the same in x */
	int64_t of;		/* for backward: how many indices x has, 0 where it has no such axis */
};

struct move {
	int axes;
	struct move_axis axis[MOVE_AXES];	/* outermost first; of backward, as they lie in dx */
};

/* Adds to AT where index J of the axis lies in x; false if it lies nowhere. */
DEVICE bool
move_place(const struct move_axis *a, int64_t j, int64_t *at)
{
	int64_t begin = 0;
	int r = 0;

	if (!a->run[0].end) {
		*at += j * a->from;
		return true;
	}
	for (; j >= a->run[r].end; r++)
		begin = a->run[r].end;
	*at += (a->run[r].start + (j - begin) * a->run[r].by) * a->from;
	return a->run[r].start >= 0;
}

static inline int64_t
move_elements(const struct move *m)
{
	int64_t n = 1;

	for (int k = 0; k < m->axes; k++)
		n *= m->axis[k].n;
	return n;
}

/* Axes that are turned round a tile at a time: the last, and this one, along which x lies. -1:
 * none. */
#define MOVE_TILE	32
#define MOVE_FEW	8	/* fewer fill no tile */

static inline int
move_turned(const struct move *m)
{
	const struct move_axis *last = &m->axis[m->axes - 1];

	if (m->axes < 2 || last->to != 1 || last->from == 1 || last->from == 0 || last->run[0].end ||
	    last->n < MOVE_FEW)
		return -1;
	for (int k = 0; k < m->axes - 1; k++)
		if (m->axis[k].from == 1 && !m->axis[k].run[0].end && m->axis[k].n >= MOVE_FEW)
			return k;
	return -1;
}

/* Where element I of all axes but the last, and but TURNED, lies. */
DEVICE bool
move_outer(const struct move *m, int turned, int64_t i, int64_t *to, int64_t *from)
{
	bool there = true;

	for (int k = m->axes - 2; k >= 0; k--) {
		int64_t rest, j;

		if (k == turned)
			continue;
		rest = quotient(i, m->axis[k].n), j = i - rest * m->axis[k].n;
		i = rest;
		*to += j * m->axis[k].to;
		there &= move_place(&m->axis[k], j, from);
	}
	return there;
}

#ifdef __CUDACC__
#include "copy/move_cuda.cu"
#else
#include "copy/move_c.cu"
#endif

/* The first index from J on that was read from index I of x; N: there is none. */
DEVICE int64_t
move_next(const struct move_axis *a, int64_t i, int64_t j)
{
	int64_t begin = 0;

	if (!a->of)
		return j;
	if (!a->run[0].end)
		return j <= i ? i : a->n;
	for (int r = 0; r < MOVE_RUNS && begin < a->n; r++) {
		const struct move_run *run = &a->run[r];
		int64_t ahead = i - run->start, least = j > begin ? j : begin, at = least;

		if (run->by != 0)
			at = ahead % run->by ? -1 : begin + ahead / run->by;
		else if (ahead != 0)
			at = -1;
		if (run->start >= 0 && at >= least && at < run->end)
			return at;
		begin = run->end;
	}
	return a->n;
}

/* dx = keep * dx + the sum over what was read from each element */
KERNEL(move_backward_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t n, struct move m))
{
	real keep = onto_keep(onto);

	EACH (e, n) {
		int64_t i[MOVE_AXES], j[MOVE_AXES], rest = e;
		bool some = true;
		double sum = 0;
		int k;

		for (k = m.axes - 1; k >= 0; k--) {
			int64_t of = m.axis[k].of ? m.axis[k].of : 1, next = quotient(rest, of);

			i[k] = rest - next * of;
			rest = next;
			j[k] = move_next(&m.axis[k], i[k], 0);
			some &= j[k] < m.axis[k].n;
		}
		while (some) {
			int64_t at = 0;

			for (k = 0; k < m.axes; k++)
				at += j[k] * m.axis[k].from;
			sum += VALUE(dy[at]);
			for (k = m.axes - 1; k >= 0; k--) {
				j[k] = move_next(&m.axis[k], i[k], j[k] + 1);
				if (j[k] < m.axis[k].n)
					break;
				j[k] = move_next(&m.axis[k], i[k], 0);
			}
			some = k >= 0;
		}
		onto_store(&dx[e], (real)sum, keep);
	}
}

/* M says of dy where it lies in dx: N, FROM and runs are dy's, OF is dx's. */
static void
move_backward(elem *dx, const elem *dy, struct onto onto, int64_t n, struct move m)
{
	LAUNCH(move_backward_kernel, n, (dx, dy, onto, n, m));
}

#endif
