/*
 * attention/attend_products_cuda.cu - tiles of attention in shared memory, and what warps multiply
 * of them on tensor cores (attend_warps_cuda.cu).
 *
 * Row r of a tile in shared memory is WIDEST elements, in packs of 16 bytes, of which pack p is in
 * place p ^ r % 8: eight rows of a matrix of ldmatrix lie in different banks.
 *
 * So do the lines that wgmma wants (product/wgmma_cuda.cu), and what its warps have of a product is
 * what they have of mma.sync's. So where WARPGROUPS, on sm_90a, the same kernels make their
 * products by it, of heads of 64 numbers: four warps have 64 rows together, for which the other
 * side is read from shared memory once and not by each. Which of both is run is measured:
 * attend_start_cuda.cu.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_PRODUCTS_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_PRODUCTS_CUDA_CU

#include "attention/attend_tile_cuda.cu"
#include "product/tile_cuda.cu"

#define ATTEND_HIGH	(BLOCK / 32 * 16)	/* rows of a tile, 16 of each warp */

#define ATTEND_WARPS_MOST	(NARROW ? 128 : 64)	/* heads of so many numbers are multiplied so */
/* The assembler needs more registers for the same from sm_100 to sm_110: there a warp has half as
 * many scores at a time, or would spill some; and dk and dv of wide heads, which warps make one
 * after the other, are a kernel each, and so a launch each, as the host knows too. */
#define ATTEND_ONE	64	/* numbers of a head of which one kernel makes both there */
#define ATTEND_FEW_ON(arch)	(GPU_TENSORS_ON(arch) && (arch) >= 100 && (arch) < 120)
#define ATTEND_FEW	ATTEND_FEW_ON(GPU_ARCH)

#if GPU_TENSORS

/* Where an element lies in a tile in shared memory. */
template <int WIDEST> DEVICE unsigned
attend_place_of(unsigned row, unsigned col)
{
	return row * WIDEST + (col / MAP_PACK ^ row % 8) * MAP_PACK + col % MAP_PACK;
}

/* Of an element in a column of the first step of terms, the one that is K steps further on: as a
 * tile begins at a multiple of a row, these are bits of its address. Places would be kept in
 * registers, one for each K. */
DEVICE const elem *
attend_further(const elem *at, int k)
{
	return (const elem *)((uintptr_t)at ^ (uintptr_t)(k * 32));
}

/* Do its rows lie so that they can be copied by packs? */
DEVICE bool
attend_packs(struct attend_rows r, int d)
{
	return d % MAP_PACK == 0 && r.row % MAP_PACK == 0 && (uintptr_t)r.at % 16 == 0;
}

/* HIGH rows to shared memory, with zeros behind the last row, and behind its end as far as products
 * go. They have arrived after gpu_wait() and a barrier. */
template <int HIGH, int WIDEST> DEVICE void
attend_fetch(elem *to, struct attend_rows r, int d)
{
	bool packs = attend_packs(r, d);

	for (int x = threadIdx.x; x < HIGH * WIDEST / MAP_PACK; x += BLOCK) {
		int row = x / (WIDEST / MAP_PACK), col = x % (WIDEST / MAP_PACK) * MAP_PACK;
		elem *at = &to[attend_place_of<WIDEST>(row, col)];
		const elem *from = r.at + row * r.row + col;

		if (col >= (d + MMA_STEP - 1) / MMA_STEP * MMA_STEP)
			continue;
		if (packs)
			gpu_copy<MAP_PACK>(at, row < r.n && col < d ? from : NULL);
		for (int j = 0; !packs && j < MAP_PACK; j++)
			at[j] = row < r.n && col + j < d ? from[j] : ELEM(0);
	}
}

/* Sixteen rows as a first factor: four registers for each step of columns. */
template <int WIDEST> DEVICE void
attend_factor(uint32_t (*to)[4], const elem *tile, int row, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &tile[attend_place_of<WIDEST>(row + q % 2 * 8 + r, q / 2 * MAP_PACK)];

#pragma unroll
	for (int k = 0; k < WIDEST / MMA_STEP; k++)
		if (k * MMA_STEP < d) {
			mma_load(to[k], attend_further(at, k));
			gpu_round(to[k]);
		}
}

/* Those rows of one side, in turn by way of ROOM. */
template <int WIDEST> DEVICE void
attend_take(uint32_t (*to)[4], elem *room, struct attend_rows rows, int d)
{
	attend_fetch<ATTEND_HIGH, WIDEST>(room, rows, d);
	gpu_begun();
	gpu_wait<0>();
	__syncthreads();
	attend_factor<WIDEST>(to, room, threadIdx.x / 32 * 16, d);
	__syncthreads();
}

template <int N> DEVICE void
attend_clear(float (*sum)[4])
{
#pragma unroll
	for (int i = 0; i < 4 * N; i++)
		sum[i / 4][i % 4] = 0;
}

#if GPU_GROUPS

DEVICE void
attend_step(float (*sum)[4], const uint32_t *a, uint64_t b, int columns)
{
	if (columns == 32)
		wgmma_add_32(sum, a, b);
	else
		wgmma_add_64(sum, a, b);
}

/* S = A B', of 64 rows of A and N of B. */
template <int N> DEVICE void
attend_times_by_group(float (*s)[4], uint32_t (*a)[4], const elem *b)
{
	const int TERMS = WGMMA_LINE / 16;
	uint64_t lines = wgmma_lines(b);

	static_assert(N == 32 || N == 64, "wgmma of so many columns");
	attend_clear<N / 8>(s);
	wgmma_hold_all<N / 8, TERMS>(s, a);
	wgmma_begin();
#pragma unroll
	for (int k = 0; k < TERMS; k++)
		attend_step(s, a[k], wgmma_from_term(lines, k * 16), N);
	wgmma_end();
	wgmma_hold_all<N / 8, TERMS>(s, a);
}

/* SUM += A B, of N rows of B, which A has as terms. */
template <int N> DEVICE void
attend_onto_by_group(float (*sum)[4], uint32_t (*a)[4], const elem *b)
{
	uint64_t lines = wgmma_lines(b);

	wgmma_hold_all<WGMMA_LINE / 8, N / 16>(sum, a);
	wgmma_begin();
#pragma unroll
	for (int k = 0; k < N / 16; k++)
		wgmma_add_turned_64(sum, a[k], wgmma_from_line(lines, k * 16));
	wgmma_end();
	wgmma_hold_all<WGMMA_LINE / 8, N / 16>(sum, a);
}

#endif

/* S = A B', of N rows of B. */
template <int N, int WIDEST> DEVICE void
attend_times_by_warp(float (*s)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &b[attend_place_of<WIDEST>(q / 2 * 8 + r, q % 2 * MAP_PACK)];

	attend_clear<N / 8>(s);
#pragma unroll
	for (int k = 0; k < WIDEST / MMA_STEP; k++)
		if (k * MMA_STEP < d)
#pragma unroll
			for (int n = 0; n < N / 16; n++) {
				uint32_t f[4];

				mma_load(f, attend_further(at, k) + n * 16 * WIDEST);
				gpu_round(f);
				mma_add(s[2 * n], a[k], f);
				mma_add(s[2 * n + 1], a[k], f + 2);
			}
}

struct alignas(2 * sizeof(elem)) attend_two {
	elem at[2];
};

DEVICE struct attend_two
attend_two(real low, real high)
{
	struct attend_two two = { { ELEM(low), ELEM(high) } };

	return two;
}

#if NARROW

/* What comes out of a product as a factor of the next: registers of 16 columns are those of 16
 * terms. */
template <int N> DEVICE void
attend_terms(uint32_t (*a)[4], const float (*p)[4])
{
#pragma unroll
	for (int k = 0; k < N / 16; k++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			struct attend_two two = attend_two(p[2 * k + i / 2][i % 2 * 2], p[2 * k + i / 2][i % 2 * 2 + 1]);

			memcpy(&a[k][i], &two, sizeof(two));
		}
}

/* SUM += A B, of N rows of B. */
template <int N, int WIDEST> DEVICE void
attend_onto_by_warp(float (*sum)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int q = threadIdx.x % 32 / 8, r = threadIdx.x % 8;
	const elem *at = &b[attend_place_of<WIDEST>(q % 2 * 8 + r, q / 2 * 8)];

#pragma unroll
	for (int k = 0; k < N / 16; k++)
#pragma unroll
		for (int c = 0; c < WIDEST / 16; c++)
			if (c * 16 < d) {
				uint32_t f[4];

				mma_load_turned(f, attend_further(at, c) + k * 16 * WIDEST);
				mma_add(sum[2 * c], a[k], f);
				mma_add(sum[2 * c + 1], a[k], f + 2);
			}
}

#else

/* Of eight columns a thread has 2 t and 2 t + 1, which as terms would be t and t + 4. The order of
 * terms is nothing to a sum, so they are taken for these, */
template <int N> DEVICE void
attend_terms(uint32_t (*a)[4], const float (*p)[4])
{
#pragma unroll
	for (int k = 0; k < N / 8; k++) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			memcpy(&a[k][i], &p[k][i % 2 * 2 + i / 2], sizeof(a[k][i]));
		gpu_round(a[k]);
	}
}

/* and of B, rows 2 t and 2 t + 1 of eight: SUM += A B. Nothing turns what has 32 bits, so a lane
 * reads its column of a row by itself, each in a bank of its own. */
template <int N, int WIDEST> DEVICE void
attend_onto_by_warp(float (*sum)[4], const uint32_t (*a)[4], const elem *b, int d)
{
	int t = threadIdx.x % 4, g = threadIdx.x % 32 / 4;
	const elem *even = &b[attend_place_of<WIDEST>(2 * t, g)], *odd = &b[attend_place_of<WIDEST>(2 * t + 1, g)];

#pragma unroll
	for (int k = 0; k < N / 8; k += 2)
#pragma unroll
		for (int c = 0; c < WIDEST / 8; c++)
			if (c * 8 < d) {
				uint32_t f[4];

#pragma unroll
				for (int i = 0; i < 4; i++)
					memcpy(&f[i], attend_further(i % 2 ? odd : even, c) + (k + i / 2) * 8 * WIDEST, sizeof(f[i]));
				gpu_round(f);
				mma_add(sum[c], a[k], f);
				mma_add(sum[c], a[k + 1], f + 2);
			}
}

#endif

/* S = A B', of N rows of B. */
template <int N, int WIDEST, bool WARPGROUPS> DEVICE void
attend_times(float (*s)[4], uint32_t (*a)[4], const elem *b, int d)
{
#if GPU_GROUPS
	if constexpr (WARPGROUPS)
		attend_times_by_group<N>(s, a, b);
	else
#endif
		attend_times_by_warp<N, WIDEST>(s, a, b, d);
}

/* SUM += P B, of N rows of B. */
template <int N, int WIDEST, bool WARPGROUPS> DEVICE void
attend_onto(float (*sum)[4], const float (*p)[4], const elem *b, int d)
{
	uint32_t a[N / MMA_STEP][4];

	attend_terms<N>(a, p);
#if GPU_GROUPS
	if constexpr (WARPGROUPS)
		attend_onto_by_group<N>(sum, a, b);
	else
#endif
		attend_onto_by_warp<N, WIDEST>(sum, a, b, d);
}

#endif

#endif
