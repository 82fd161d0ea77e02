/*
 * pointwise/groups.cu - a broadcast, described by groups of neighbouring axes that every operand
 * either runs along or stays put in ([64, 256, 14, 14] * [256, 1, 1] is three groups: 64, 256, 196,
 * of which the second operand runs along the middle one). The innermost group is a loop without
 * index arithmetic.
 */
#ifndef STOWAGE_POINTWISE_GROUPS_CU
#define STOWAGE_POINTWISE_GROUPS_CU

#include "kernel.h"

#define GROUPS	6
#define GROUPS_CHUNK	4096	/* elements of the innermost group that a thread takes at once */

struct groups {
	int64_t n[GROUPS];	/* extents; unused groups come first, as 1 */
	int64_t full[GROUPS];	/* strides of the full shape, */
	int64_t a[GROUPS];	/* of operand a, */
	int64_t b[GROUPS];	/* and of b: 0 where it stays put */
};

/* The same as programs say it. */
struct axes {
	int64_t n[GROUPS];
	int runs_a, runs_b;	/* bit g: the operand runs along group g */
};

static inline struct groups
groups_of(struct axes of)
{
	int64_t full = 1, a = 1, b = 1;
	struct groups s;

	for (int g = GROUPS - 1; g >= 0; g--) {
		s.n[g] = of.n[g];
		s.full[g] = full;
		s.a[g] = of.runs_a >> g & 1 ? a : 0;
		s.b[g] = of.runs_b >> g & 1 ? b : 0;
		full *= of.n[g];
		a *= of.runs_a >> g & 1 ? of.n[g] : 1;
		b *= of.runs_b >> g & 1 ? of.n[g] : 1;
	}
	return s;
}

static inline int64_t
groups_rows(struct groups s)
{
	return s.full[0] * s.n[0] / s.n[GROUPS - 1];
}

#endif
