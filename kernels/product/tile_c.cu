/*
 * product/tile_c.cu - the innermost loops of all products in C: a tile of sums that stay in
 * registers.
 */
#ifndef STOWAGE_PRODUCT_TILE_C_CU
#define STOWAGE_PRODUCT_TILE_C_CU

#include "kernel.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES	64
#define TILE_ROWS	14	/* 28 sums, 2 vectors of B, 1 broadcast, of 32 registers */
#elif defined(__AVX__)
#define VECTOR_BYTES	32
#define TILE_ROWS	6	/* 12 sums, 2 vectors of B, 1 broadcast, of 16 registers */
#elif defined(__aarch64__)
#define VECTOR_BYTES	16
#define TILE_ROWS	14
#else
#define VECTOR_BYTES	16
#define TILE_ROWS	6
#endif
#ifdef __clang__
#define UNROLL	PRAGMA(clang loop unroll(full))
#else
#define UNROLL	PRAGMA(GCC unroll 16)
#endif
#define LANES		((int)(VECTOR_BYTES / sizeof(real)))
#define TILE_VECS	2
#define TILE_COLS	(TILE_VECS * LANES)

typedef real vec __attribute__((vector_size(VECTOR_BYTES)));
/* a vector anywhere in memory */
typedef real vec_at __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

#ifdef USE_DOUBLE
typedef int64_t bits;
#else
typedef int32_t bits;
#endif

/* lanes LO and up: load at 16 - LO; lanes below HI: load at 32 - HI, of the other half */
static const bits lane_mask[48] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

struct place {			/* of one term of a sum: offsets in A and in B */
	int64_t a, b;
};

/* x in all lanes; -0 stays what it is. */
static inline vec
everywhere(real x)
{
	return x - (vec){ 0 };
}

/* sum + a b, rounded once where the machine can. Which products GCC fuses with their sums by itself
 * depends on what a loop holds (for AMD's processors it leaves chains of sums apart), but instances
 * for other numbers of rows must agree to the bit. Clang fuses what stands in one expression. */
static inline vec
fused(vec a, vec b, vec sum)
{
#if defined(__FMA__) && !defined(__clang__) && VECTOR_BYTES == 64 && defined(USE_DOUBLE)
	return __builtin_ia32_vfmaddpd512_mask(a, b, sum, -1, 4);	/* 4: rounding as it is set */
#elif defined(__FMA__) && !defined(__clang__) && VECTOR_BYTES == 64
	return __builtin_ia32_vfmaddps512_mask(a, b, sum, -1, 4);
#elif defined(__FMA__) && !defined(__clang__) && defined(USE_DOUBLE)
	return __builtin_ia32_vfmaddpd256(a, b, sum);
#elif defined(__FMA__) && !defined(__clang__)
	return __builtin_ia32_vfmaddps256(a, b, sum);
#else
	return sum + a * b;
#endif
}

/* ROWS and VECS are constants wherever this is called, so that all sums stay in registers. */
static inline __attribute__((always_inline)) void
tile_of(const int rows, const int vecs, real *restrict tile, const real *a, int64_t step,
    const real *b, int64_t next, const struct place *at, int64_t depth)
{
	vec sum[TILE_ROWS][TILE_VECS];
	int i, v;

	UNROLL
	for (i = 0; i < rows; i++)
		UNROLL
		for (v = 0; v < vecs; v++)
			sum[i][v] = (vec){ 0 };
	for (int64_t k = 0; k < depth; k++) {
		const real *ak = a + at[k].a, *bk = b + at[k].b;
		vec bv[TILE_VECS];

		UNROLL
		for (v = 0; v < vecs; v++)
			bv[v] = *(const vec_at *)(bk + v * next);
		UNROLL
		for (i = 0; i < rows; i++) {
			const real *row = ak + (i & ~3) * step;
			vec x = everywhere(row[(i & 3) * step]);

			UNROLL
			for (v = 0; v < vecs; v++)
				sum[i][v] = fused(x, bv[v], sum[i][v]);
		}
	}
	UNROLL
	for (i = 0; i < rows; i++)
		UNROLL
		for (v = 0; v < vecs; v++)
			*(vec *)(tile + i * TILE_COLS + v * LANES) = sum[i][v];
}

/* tile[rows][TILE_COLS] = A B over DEPTH terms, for VECS vectors of B that lie NEXT apart. Among a
 * caller's own variables a compiler would have too few registers for all sums. */
APART void
tile_product(int rows, int vecs, real *restrict tile, const real *a, int64_t step, const real *b,
    int64_t next, const struct place *at, int64_t depth)
{
#define TILE_CASE(r)	case r:								\
	if (vecs > 1)									\
		tile_of(r, 2, tile, a, step, b, next, at, depth);			\
	else										\
		tile_of(r, 1, tile, a, step, b, next, at, depth);			\
	break;
	switch (rows) {
	TILE_CASE(1)
	TILE_CASE(2)
	TILE_CASE(3)
	TILE_CASE(4)
	TILE_CASE(5)
	TILE_CASE(6)
#if TILE_ROWS > 6
	TILE_CASE(7)
	TILE_CASE(8)
	TILE_CASE(9)
	TILE_CASE(10)
	TILE_CASE(11)
	TILE_CASE(12)
	TILE_CASE(13)
	TILE_CASE(14)
#endif
	}
#undef TILE_CASE
}

#if !NARROW

/* Lanes of two rows that change places, D apart, of lane L of either: see turn_square(). */
#ifdef __clang__
#define TURN_PICK(a, b, ...)	__builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef bits vec_bits __attribute__((vector_size(VECTOR_BYTES)));
#define TURN_PICK(a, b, ...)	__builtin_shuffle(a, b, (vec_bits){ __VA_ARGS__ })
#endif
#define TURN_FIRST(l, d)	((l) & (d) ? TURN_LANES + (l) - (d) : (l))
#define TURN_SECOND(l, d)	((l) & (d) ? TURN_LANES + (l) : (l) + (d))
#define TURN_2(pick, l, d)	pick(l, d), pick((l) + 1, d)
#define TURN_4(pick, l, d)	TURN_2(pick, l, d), TURN_2(pick, (l) + 2, d)
#define TURN_8(pick, l, d)	TURN_4(pick, l, d), TURN_4(pick, (l) + 4, d)
#define TURN_16(pick, l, d)	TURN_8(pick, l, d), TURN_8(pick, (l) + 8, d)
#ifdef USE_DOUBLE
#define TURN_BYTES	8
#else
#define TURN_BYTES	4
#endif
#if VECTOR_BYTES / TURN_BYTES == 16
#define TURN_LANES	16
#define TURN_ALL	TURN_16
#elif VECTOR_BYTES / TURN_BYTES == 8
#define TURN_LANES	8
#define TURN_ALL	TURN_8
#elif VECTOR_BYTES / TURN_BYTES == 4
#define TURN_LANES	4
#define TURN_ALL	TURN_4
#else
#define TURN_LANES	2
#define TURN_ALL	TURN_2
#endif

/* Squares of D x D on either side of the diagonal of one of 2 D x 2 D change places. */
#define TURN_STAGE(d)										\
	UNROLL											\
	for (int i = 0; i < LANES; i++)								\
		if (!(i & (d))) {								\
			vec a = v[i], b = v[i + (d)];						\
												\
			v[i] = TURN_PICK(a, b, TURN_ALL(TURN_FIRST, 0, d));			\
			v[i + (d)] = TURN_PICK(a, b, TURN_ALL(TURN_SECOND, 0, d));		\
		}

/* Element q of row i, of LANES rows and as many of each, becomes element i of row q; rows lie STEP
 * and TO_STEP apart. */
static inline __attribute__((always_inline)) void
turn_square(real *to, int64_t to_step, const real *from, int64_t step)
{
	vec v[LANES];

	UNROLL
	for (int i = 0; i < LANES; i++)
		v[i] = *(const vec_at *)(from + i * step);
#if TURN_LANES > 8
	TURN_STAGE(8)
#endif
#if TURN_LANES > 4
	TURN_STAGE(4)
#endif
#if TURN_LANES > 2
	TURN_STAGE(2)
#endif
	TURN_STAGE(1)
	UNROLL
	for (int i = 0; i < LANES; i++)
		*(vec_at *)(to + i * to_step) = v[i];
}

#endif

/* Rows of N elements, each STEP from the next, as N rows that lie TO_STEP apart: to[q * to_step +
 * i] is element q of row i. Some elements of all rows at a time, so that what is written stays in
 * the first cache. */
static inline void
turn_rows(real *to, int64_t to_step, const elem *from, int64_t step, int rows, int n)
{
	for (int q = 0, end; q < n; q = end) {
		int i = 0, each = 0;

		end = (int)(n - q < 64 ? n : q + 64);
#if !NARROW
		each = (end - q) / LANES * LANES;
		for (; i + LANES <= rows; i += LANES) {
			for (int k = q; k < q + each; k += LANES)
				turn_square(to + k * to_step + i, to_step, from + i * step + k, step);
			for (int k = q + each; k < end; k++)
				for (int r = i; r < i + LANES; r++)
					to[k * to_step + r] = from[r * step + k];
		}
#endif
		(void)each;
		for (; i < rows; i++)
			for (int k = q; k < end; k++)
				to[k * to_step + i] = VALUE(from[i * step + k]);
	}
}

#endif
