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

struct groups {
	int64_t n[GROUPS];	/* extents; unused groups come first, as 1 */
	int64_t full[GROUPS];	/* strides of the full shape, */
	int64_t a[GROUPS];	/* of operand a, */
	int64_t b[GROUPS];	/* and of b: 0 where it stays put */
};

/* RUNS_A and RUNS_B have bit g set where the operand runs along group g. */
static inline struct groups
groups_of(int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t n4, int64_t n5, int64_t runs_a,
    int64_t runs_b)
{
	int64_t n[GROUPS] = { n0, n1, n2, n3, n4, n5 }, full = 1, a = 1, b = 1;
	struct groups s;

	for (int g = GROUPS - 1; g >= 0; g--) {
		s.n[g] = n[g];
		s.full[g] = full;
		s.a[g] = runs_a >> g & 1 ? a : 0;
		s.b[g] = runs_b >> g & 1 ? b : 0;
		full *= n[g];
		a *= runs_a >> g & 1 ? n[g] : 1;
		b *= runs_b >> g & 1 ? n[g] : 1;
	}
	return s;
}

static inline int64_t
groups_rows(struct groups s)
{
	return s.full[0] * s.n[0] / s.n[GROUPS - 1];
}

#endif
