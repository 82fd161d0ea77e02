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

/* sum + a b, rounded once where the machine can. Which products GCC fuses with their sums by itself depends on what
 * a loop holds (for AMD's processors it leaves chains of sums apart), but instances for other numbers of rows must
 * agree to the bit. Clang fuses what stands in one expression. */
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

/* tile[rows][TILE_COLS] = A B over DEPTH terms, for VECS vectors of B that lie NEXT apart. Among a caller's own
 * variables a compiler would have too few registers for all sums. */
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

#endif
