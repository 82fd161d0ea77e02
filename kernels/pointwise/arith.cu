/*
 * pointwise/arith.cu - sums, differences and products of two tensors, with broadcasting.
 */
#ifndef STOWAGE_POINTWISE_ARITH_CU
#define STOWAGE_POINTWISE_ARITH_CU

#include "pointwise/groups.cu"

enum { COMBINE_ADD, COMBINE_SUB, COMBINE_MUL, COMBINE_FIRST };

DEVICE real
combine(int how, real a, real b)
{
	return how == COMBINE_ADD ? a + b : how == COMBINE_SUB ? a - b :
	    how == COMBINE_MUL ? a * b : a;
}

KERNEL(combine_kernel, (int how, elem *y, const elem *a, const elem *b, int64_t n))
{
	MAP_2 (y, a, b, n, e, f, ELEM(combine(how, VALUE(e), VALUE(f))));
}

#define COMBINE_CHUNK	4096	/* elements of the innermost group that a thread takes at once */

KERNEL(combine_groups_kernel, (int how, elem *y, const elem *a, const elem *b, struct groups s,
    int64_t rows))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + COMBINE_CHUNK - 1) / COMBINE_CHUNK;

	ROWS (r, rows * chunks) {
		int64_t at = r % chunks * COMBINE_CHUNK, row = r / chunks;
		int64_t count = inner - at < COMBINE_CHUNK ? inner - at : COMBINE_CHUNK;
		int64_t i = row, ia = at * s.a[GROUPS - 1], ib = at * s.b[GROUPS - 1];
		elem *out = y + row * inner + at;

		for (int g = GROUPS - 2; g >= 0; g--) {
			ia += i % s.n[g] * s.a[g];
			ib += i % s.n[g] * s.b[g];
			i /= s.n[g];
		}
		if (s.a[GROUPS - 1] && s.b[GROUPS - 1]) {
			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, VALUE(a[ia + j]), VALUE(b[ib + j])));
		} else if (s.a[GROUPS - 1]) {
			real put = VALUE(b[ib]);

			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, VALUE(a[ia + j]), put));
		} else {
			real put = VALUE(a[ia]);

			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, put,
				    VALUE(b[ib + j * s.b[GROUPS - 1]])));
		}
	}
}

static void
combine_groups(int how, elem *y, const elem *a, const elem *b, struct groups s)
{
	int64_t chunks = (s.n[GROUPS - 1] + COMBINE_CHUNK - 1) / COMBINE_CHUNK;

	LAUNCH_ROWS(combine_groups_kernel, groups_rows(s) * chunks,
	    (how, y, a, b, s, groups_rows(s)));
}

static void
add_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_ADD, y, a, b, n));
}

static void
sub_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_SUB, y, a, b, n));
}

static void
mul_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_MUL, y, a, b, n));
}

static void
add_broadcast(elem *y, const elem *a, const elem *b, struct axes of)
{
	combine_groups(COMBINE_ADD, y, a, b, groups_of(of));
}

static void
sub_broadcast(elem *y, const elem *a, const elem *b, struct axes of)
{
	combine_groups(COMBINE_SUB, y, a, b, groups_of(of));
}

static void
mul_broadcast(elem *y, const elem *a, const elem *b, struct axes of)
{
	combine_groups(COMBINE_MUL, y, a, b, groups_of(of));
}

static void
broadcast_forward(elem *y, const elem *a, struct axes of)
{
	of.runs_b = of.runs_a;
	combine_groups(COMBINE_FIRST, y, a, a, groups_of(of));
}

/* ---- reals, where elements are narrow: losses are added up and weighted in f32 ---- */

#if NARROW

KERNEL(combine_reals_kernel, (int how, real *y, const real *a, const real *b, int64_t n))
{
	EACH (i, n)
		y[i] = combine(how, a[i], b[i]);
}

static void
add_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_ADD, y, a, b, n));
}

static void
sub_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_SUB, y, a, b, n));
}

static void
mul_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_MUL, y, a, b, n));
}

#endif

#endif
