/*
 * pointwise/rope.cu - rotary position embedding (Su and others, RoFormer, 2021): each pair of
 * numbers of a head is turned by an angle that grows with its position, faster for the first pairs
 * than for the last.
 *
 *     row:  | head 0: a a a a b b b b | head 1 | ... | rest |      pairs half a head apart,
 *           | head 0: a b a b a b a b | head 1 | ... | rest |      or interleaved
 *
 *     (a, b) becomes (a cos t - b sin t, a sin t + b cos t),   t = position base^(-2 pair / dims)
 *
 * Angles are worked out in double precision and brought within half a turn before a float takes
 * them over, so that far positions are as exact as near ones. There is no table: a cosine serves
 * the same pair of all heads of some samples.
 */
#ifndef STOWAGE_POINTWISE_ROPE_CU
#define STOWAGE_POINTWISE_ROPE_CU

#include "kernel.h"

struct rope {
	int64_t b, t;			/* sequences, and positions of each */
	int64_t row;			/* from one position to the next */
	int64_t heads, d, dims;		/* numbers of a head, of which the first DIMS are turned */
	int interleaved;
	int turn;			/* 1; -1: back */
	double first, stretch, base;	/* position p stands for (first + p) / stretch */
};

/* Positions, pairs and sequences that are taken together. */
#ifdef __CUDACC__
#define ROPE_POSITIONS	1
#define ROPE_PAIRS	1
#define ROPE_SHARES	8
#define ROPE_EACH	EACH
#define ROPE_LAUNCH	LAUNCH
#else
#define ROPE_POSITIONS	16
#define ROPE_PAIRS	64
#define ROPE_SHARES	1
#define ROPE_EACH	ROWS
#define ROPE_LAUNCH	LAUNCH_ROWS
#endif

/* Within half a turn, or nearly. */
DEVICE real
rope_angle(double angle)
{
	const double turn = 6.283185307179586476925;

	return (real)(sizeof(real) < sizeof(double) ? angle - turn * rint(angle / turn) : angle);
}

/* N pairs of a head from X to Y; the second of each pair is APART from the first. */
DEVICE void
rope_head(elem *y, const elem *x, const real *c, const real *s, int n, int64_t step, int64_t apart)
{
#ifndef __CUDACC__
	PRAGMA(omp simd)
#endif
	for (int k = 0; k < n; k++) {
		real v = VALUE(x[k * step]), w = VALUE(x[k * step + apart]);

		y[k * step] = ELEM(v * c[k] - w * s[k]);
		y[k * step + apart] = ELEM(v * s[k] + w * c[k]);
	}
}

/* Pairs [FROM, FROM + N) of position P, in the sequences [B0, B1). */
DEVICE void
rope_turn(elem *y, const elem *x, struct rope r, const double *speed, int64_t p, int64_t from, int n,
    int64_t b0, int64_t b1)
{
	int64_t step = r.interleaved ? 2 : 1, apart = r.interleaved ? 1 : r.dims / 2;
	real c[ROPE_PAIRS], s[ROPE_PAIRS];

	for (int k = 0; k < n; k++) {
		real angle = rope_angle((r.first + p) / r.stretch * speed[k]);

		c[k] = R(cos)(angle);
		s[k] = r.turn * R(sin)(angle);
	}
	for (int64_t b = b0; b < b1; b++)
		for (int64_t h = 0; h < r.heads; h++) {
			int64_t at = (b * r.t + p) * r.row + h * r.d + from * step;

			rope_head(y + at, x + at, c, s, n, step, apart);
		}
}

KERNEL(rope_kernel, (elem *y, const elem *x, struct rope r))
{
	int64_t blocks = (r.t + ROPE_POSITIONS - 1) / ROPE_POSITIONS;
	int64_t pieces = (r.dims / 2 + ROPE_PAIRS - 1) / ROPE_PAIRS;

	ROPE_EACH (u, ROPE_SHARES * blocks * pieces) {
		int64_t piece = u % pieces, block = u / pieces % blocks, share = u / pieces / blocks;
		int64_t from = piece * ROPE_PAIRS, left = r.dims / 2 - from;
		int64_t end = (block + 1) * ROPE_POSITIONS;
		int n = left < ROPE_PAIRS ? (int)left : ROPE_PAIRS;
		double speed[ROPE_PAIRS];

		for (int k = 0; k < n; k++)
			speed[k] = pow(r.base, -2.0 * (from + k) / r.dims);
		for (int64_t p = block * ROPE_POSITIONS; p < end && p < r.t; p++)
			rope_turn(y, x, r, speed, p, from, n, PART_FROM(r.b, share, ROPE_SHARES),
			    PART_FROM(r.b, share + 1, ROPE_SHARES));
	}
}

/* What is not turned. */
KERNEL(rope_rest_kernel, (elem *y, const elem *x, struct rope r))
{
	EACH (i, r.b * r.t * r.row) {
		int64_t at = i % r.row;

		if (at >= r.heads * r.d || at % r.d >= r.dims)
			y[i] = x[i];
	}
}

/* Y may be X. */
static void
rope(elem *y, const elem *x, struct rope r)
{
	if (y != x && (r.dims < r.d || r.heads * r.d < r.row))
		LAUNCH(rope_rest_kernel, r.b * r.t * r.row, (y, x, r));
	ROPE_LAUNCH(rope_kernel, ROPE_SHARES * r.t * (r.dims / 2), (y, x, r));
}

#endif
