/*
 * pointwise/sinusoid.cu - sines and cosines of positions, each pair slower than the one before it.
 * They are made as those of rope are: blocks of positions and pairs, whose speeds are worked out
 * once.
 */
#ifndef STOWAGE_POINTWISE_SINUSOID_CU
#define STOWAGE_POINTWISE_SINUSOID_CU

#include "pointwise/rope.cu"
#include "kernel.h"

struct sinusoid {
	int64_t t, d;
	int interleaved;
	double first, base;
};

KERNEL(sinusoid_kernel, (elem *y, struct sinusoid s))
{
	int64_t blocks = (s.t + ROPE_POSITIONS - 1) / ROPE_POSITIONS, half = s.d / 2;
	int64_t pieces = (half + ROPE_PAIRS - 1) / ROPE_PAIRS;

	ROPE_EACH (u, blocks * pieces) {
		int64_t from = u % pieces * ROPE_PAIRS, left = half - from, block = u / pieces;
		int64_t end = (block + 1) * ROPE_POSITIONS;
		int n = left < ROPE_PAIRS ? (int)left : ROPE_PAIRS;
		double speed[ROPE_PAIRS];

		for (int k = 0; k < n; k++)
			speed[k] = pow(s.base, -2.0 * (from + k) / s.d);
		for (int64_t p = block * ROPE_POSITIONS; p < end && p < s.t; p++)
			for (int k = 0; k < n; k++) {
				real angle = rope_angle((s.first + p) * speed[k]);
				elem *to = y + p * s.d + (s.interleaved ? 2 * (from + k) : from + k);

				to[0] = ELEM(R(sin)(angle));
				to[s.interleaved ? 1 : half] = ELEM(R(cos)(angle));
			}
	}
}

static void
sinusoid(elem *y, struct sinusoid s)
{
	ROPE_LAUNCH(sinusoid_kernel, s.t * (s.d / 2), (y, s));
}

#endif
