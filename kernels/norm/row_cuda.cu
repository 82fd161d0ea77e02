/*
 * norm/row_cuda.cu - sums along a row on CUDA: each thread's own, of which a row has one for each
 * 256 elements, so that a real is wide enough. ROW_SUM makes them one. A thread takes packs of 16
 * bytes, of which four are on their way together, and of what is left, or where a row begins in
 * between, elements.
 */
#ifndef STOWAGE_NORM_ROW_CUDA_CU
#define STOWAGE_NORM_ROW_CUDA_CU

#include "kernel.h"

typedef real row_total;		/* a sum along a row */

struct row_dots {
	row_total sum, dot;	/* of g, and of g (x - mean) */
};

/* So many packs has a row of N elements that begins at all addresses whose bits OFF has. */
DEVICE int64_t
row_packs(uintptr_t off, int64_t n)
{
	return off % sizeof(struct map_pack) ? 0 : n / MAP_PACK;
}

#define ALONG_PACKS(p, packs)	_Pragma("unroll 4") for (int64_t p = threadIdx.x; p < (packs); p += BLOCK)
#define ALONG_REST(j, packs, n)	for (int64_t j = (packs) * MAP_PACK + threadIdx.x; j < (n); j += BLOCK)

DEVICE struct map_pack
row_pack(const elem *x, int64_t p)
{
	return ((const struct map_pack *)x)[p];
}

/* So many packs has a row of planes up to element END, if each is of one plane. A longer division
 * would be a call, around which what registers hold is put away. */
DEVICE int64_t
plane_packs(uintptr_t off, int64_t end, int64_t places)
{
	return places % MAP_PACK || end >> 31 ? 0 : row_packs(off, end);
}

DEVICE int64_t
plane_of_pack(int64_t p, int64_t places)
{
	return (uint32_t)(p * MAP_PACK) / (uint32_t)places;
}

/* A row of y, whose channels have each a WEIGHT, and a BIAS unless it is NULL: packs, if each is of
 * one channel. */
FOR_KIND void
planes_store(enum epilogue_kind kind, elem *y, const elem *x, const elem *weight, const elem *bias, real mean, real scale,
    int64_t n, int64_t places)
{
	int64_t packs = plane_packs((uintptr_t)y | (uintptr_t)x, n, places);

	struct map_pack v, next;

	if ((int64_t)threadIdx.x < packs)
		next = row_pack(x, threadIdx.x);
#pragma unroll 1	/* several at once need more registers than there are; but the next is on its way */
	for (int64_t p = threadIdx.x; p < packs; p += BLOCK) {
		int64_t c = plane_of_pack(p, places);
		real gain = scale * VALUE(weight[c]), offset = bias ? VALUE(bias[c]) : 0;

		v = next;
		if (p + BLOCK < packs)
			next = row_pack(x, p + BLOCK);
#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			v.at[j] = ELEM(epilogue_of_both(kind, plane_value(VALUE(v.at[j]) - mean, gain, offset), 0));
		((struct map_pack *)y)[p] = v;
	}
	ALONG_REST (j, packs, n) {
		int64_t c = quotient(j, places);

		y[j] = ELEM(epilogue_of_both(kind, plane_value(VALUE(x[j]) - mean, scale * VALUE(weight[c]),
		    bias ? VALUE(bias[c]) : 0), 0));
	}
}

DEVICE row_total
row_sum(const elem *x, real from, int64_t n)
{
	int64_t packs = row_packs((uintptr_t)x, n);
	real sum = 0;

	ALONG_PACKS (p, packs) {
		struct map_pack v = row_pack(x, p);

#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			sum += VALUE(v.at[j]) - from;
	}
	ALONG_REST (j, packs, n)
		sum += VALUE(x[j]) - from;
	return sum;
}

DEVICE row_total
row_squares(const elem *x, real from, int64_t n)
{
	int64_t packs = row_packs((uintptr_t)x, n);
	real sum = 0;

	ALONG_PACKS (p, packs) {
		struct map_pack v = row_pack(x, p);

#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			sum += (VALUE(v.at[j]) - from) * (VALUE(v.at[j]) - from);
	}
	ALONG_REST (j, packs, n)
		sum += (VALUE(x[j]) - from) * (VALUE(x[j]) - from);
	return sum;
}

/* Of elements of dy what passes KIND: at distance D from the mean, of them and of D * GAIN +
 * OFFSET, or where each has a WEIGHT, of D * GAIN * WEIGHT and a BIAS, which may be NULL. */
FOR_KIND struct row_dots
row_dots(enum epilogue_kind kind, const elem *dy, const elem *x, const elem *weight, const elem *bias, real mean,
    real gain, real offset, int64_t n)
{
	int64_t packs = weight ? 0 : row_packs((uintptr_t)dy | (uintptr_t)x, n);
	struct row_dots s = { 0, 0 };

	ALONG_PACKS (p, packs) {
		struct map_pack from = row_pack(dy, p), v = row_pack(x, p);

#pragma unroll
		for (int j = 0; j < MAP_PACK; j++) {
			real d = VALUE(v.at[j]) - mean, g = epilogue_of_both(kind, VALUE(from.at[j]), plane_value(d, gain, offset));

			s.sum += g;
			s.dot += g * d;
		}
	}
	ALONG_REST (j, packs, n) {
		real d = VALUE(x[j]) - mean;
		real g = epilogue_of_both(kind, VALUE(dy[j]), weight ? row_value(d, gain, weight, bias, j) :
		    plane_value(d, gain, offset));

		g = weight ? g * VALUE(weight[j]) : g;
		s.sum += g;
		s.dot += g * d;
	}
	return s;
}

#endif
