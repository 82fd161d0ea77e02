/*
 * product/tile_cuda.cu - a tile of a product on CUDA: slices of its operands in shared memory, and
 * the sums of a thread or a warp, by multiply-adds or on tensor cores (mma_cuda.cu). How they are
 * used says gemm_cuda.cu.
 */
#ifndef STOWAGE_PRODUCT_TILE_CUDA_CU
#define STOWAGE_PRODUCT_TILE_CUDA_CU

#include "product/wgmma_cuda.cu"
#include "sizes.h"

#include <cuda_pipeline_primitives.h>

/*
 * Slices in shared memory, of which one is multiplied while the others arrive; on tensor cores a
 * large tile's slice has 16 KiB. A multiprocessor that multiplies it in a few hundred cycles has
 * two on their way, as long as memory takes; one with 100 KiB (sm_86, 88, 89, 120) takes a thousand
 * or more, and its memory has room for two blocks with two slices. On sm_75 with 64 KiB it is two
 * of half as many terms; on sm_90a twice as many, which are a line as wgmma reads it.
 */
#define GPU_TERMS_ON(arch, by_groups)	((by_groups) ? WGMMA_LINE :				\
    !NARROW || (GPU_TENSORS_ON(arch) && (arch) < 80) ? 16 : 32)
#define GPU_STAGES_ON(arch)	(GPU_TENSORS_ON(arch) && (arch) >= 80 && (arch) < 120 &&	\
    (arch) != 86 && (arch) != 88 && (arch) != 89 ? 3 : 2)

/* Are large tiles made by groups of four warps (tile_groups_cuda.cu)? Where one kernel carries out
 * all calls, there are none. */
#ifdef COOPERATIVE
#define GPU_BY_GROUPS	false
#define GPU_BY_GROUPS_ON(arch)	false
#else
#define GPU_BY_GROUPS	GPU_GROUPS
#define GPU_BY_GROUPS_ON(arch)	(NARROW && (arch) == 90)	/* or it is code for sm_90, which has room to spare */
#endif
#define GPU_SLICE	GPU_TERMS_ON(GPU_ARCH, GPU_BY_GROUPS)	/* terms */
#define GPU_STAGES	GPU_STAGES_ON(GPU_ARCH)
#define GPU_THREADS	256
#define GPU_SMALL	64	/* sides of tiles */
#ifdef USE_DOUBLE
#define GPU_LARGE	64	/* the sums of a larger one would take all registers */
#else
#define GPU_LARGE	128
#endif
#define GPU_HIGH	16	/* rows of a piece of C, which a warp stores at a time */
#define GPU_WIDE_ON(arch)	(GPU_TENSORS_ON(arch) ? 16 : 32)
#define GPU_WIDE	GPU_WIDE_ON(GPU_ARCH)
#define GPU_OUT_ON(arch)	(GPU_WIDE_ON(arch) + 4)	/* its pitch in shared memory */
#define GPU_OUT		GPU_OUT_ON(GPU_ARCH)
#define GPU_PAD_ON(arch)	(GPU_TENSORS_ON(arch) ? 0 : MAP_PACK)
#define GPU_PAD		GPU_PAD_ON(GPU_ARCH)

/*
 * A slice of an operand: SIDE rows or columns of it. Without tensor cores it lies term by term, at
 * a pitch that leaves room, so that what a warp reads or writes at a time lies in different banks.
 * Tensor cores read it in either direction, so it lies as in memory, without being turned around,
 * in packs of 16 bytes that change places instead: of the eight packs that ldmatrix reads at a time
 * none lies in the same four banks as another. TURNED, a line of 128 bytes has two rows of four
 * packs, or four of two:
 *
 *     rows 0, 1    0 1 2 3  0 1 2 3     a matrix of ldmatrix is a column of these, 8 rows high
 *     rows 2, 3    1 0 3 2  1 0 3 2
 *     rows 4, 5    2 3 0 1  2 3 0 1
 *     rows 6, 7    3 2 1 0  3 2 1 0
 *
 * Otherwise a line or several have a term, and pack P of term K is in place P ^ K % 8; of f32,
 * which a lane reads one by one (four terms of eight neighbours at a time), in P ^ 2 (K % 4).
 *
 * On sm_90a all lines are as wgmma reads them, with 64 terms of a row, or 64 rows of a term: those
 * of all terms for the first 64, then those for the next.
 */
template <int SIDE, bool ALONG_K> struct gpu_panel {
	static const bool TURNED = GPU_TENSORS && ALONG_K;
	static const unsigned PACKS = GPU_SLICE / MAP_PACK, ROWS = 8 / PACKS;	/* of a row, in a line, TURNED */
	static const unsigned WIDE = GPU_BY_GROUPS && SIDE > WGMMA_LINE ? WGMMA_LINE : SIDE;
	elem all[GPU_SLICE * (SIDE + GPU_PAD)];

	/* Where term K of row or column I lies. */
	static DEVICE_METHOD unsigned
	place(unsigned k, unsigned i)
	{
		if (TURNED)
			return i * GPU_SLICE + (k / MAP_PACK ^ i / ROWS % PACKS) * MAP_PACK + k % MAP_PACK;
		if (GPU_TENSORS)
			return (WIDE < SIDE ? i / WIDE * GPU_SLICE * WIDE : 0) + k * WIDE +
			    (i % WIDE / MAP_PACK ^ (NARROW ? k % 8 : k % 4 * 2)) * MAP_PACK + i % MAP_PACK;
		return k * (SIDE + GPU_PAD) + i;
	}

	DEVICE_METHOD elem *
	at(int k, int i)
	{
		return &all[place(k, i)];
	}

	DEVICE_METHOD const elem *
	at(int k, int i) const
	{
		return &all[place(k, i)];
	}
};

template <int SIDE, class Job> struct gpu_slice {
	struct gpu_panel<SIDE, Job::A_ALONG_K> a;
	struct gpu_panel<SIDE, Job::B_ALONG_K> b;
};

/* The slices, and, at the end, each warp's piece on its way to C. How much it is depends on the
 * card, so that the host says it at the launch: gpu_room_on(). On sm_90a it begins at a multiple of
 * GPU_ALIGNED, which is not for the host to say. */
template <int SIDE, class Job> union gpu_room {
	struct gpu_slice<SIDE, Job> slice[GPU_STAGES];
	real out[GPU_THREADS / 32][GPU_HIGH * GPU_OUT];
};

#define GPU_ALIGNED	1024	/* bytes: eight lines, by which wgmma's packs change places */

/* Its size in code for ARCH. */
template <int SIDE> DEVICE_TOO constexpr size_t
gpu_room_on(int arch, bool by_groups)
{
	size_t slice = 2 * sizeof(elem) * GPU_TERMS_ON(arch, by_groups) * (SIDE + GPU_PAD_ON(arch));
	size_t slices = GPU_STAGES_ON(arch) * slice, out = GPU_THREADS / 32 * sizeof(real) * GPU_HIGH * GPU_OUT_ON(arch);

	return slices > out ? slices : out;
}

/* Where it begins in what was given. */
DEVICE char *
gpu_room_in(char *given)
{
#if GPU_BY_GROUPS
	return given + (0u - wgmma_address(given)) % GPU_ALIGNED;
#else
	return given;
#endif
}

/* Which tile a block makes. It lies in shared memory too: the sums need the registers. */
struct gpu_tile {
	int64_t row, col;	/* its first */
	int64_t from;		/* its first term */
	int high, wide;		/* as far as there are rows and columns */
	int slices;		/* of its sum */
	int z, split;
};

/* What is known of the tile, of its rows, columns and terms: those of the slice that is fetched,
 * and of the next. */
template <int SIDE, class Job> struct gpu_known {
	struct gpu_tile tile;
	typename Job::Row row[SIDE];
	typename Job::Col col[SIDE];
	typename Job::Term term[2][GPU_SLICE];
};

/* Where this thread's I-th WIDTH elements of a slice begin: their term, and their row or column. */
template <int SIDE, bool ALONG_K, int WIDTH> DEVICE void
gpu_place(int i, int *k, int *side)
{
	const int along = (ALONG_K ? GPU_SLICE : SIDE) / WIDTH;
	int on = threadIdx.x % along * WIDTH, off = threadIdx.x / along + i * (GPU_THREADS / along);

	*k = ALONG_K ? on : off;
	*side = ALONG_K ? off : on;
}

/* Elements to shared memory; FROM is NULL for zeros. They may arrive as late as gpu_wait(). */
template <int WIDTH> DEVICE void
gpu_copy(elem *to, const elem *from)
{
	const size_t bytes = WIDTH * sizeof(elem);

	if (bytes < 4)
		*to = from ? *from : ELEM(0);
	else
		__pipeline_memcpy_async(to, from, bytes, from ? 0 : bytes);
}

/* All copies of this thread, but for the last LATER times that gpu_begun() was called, have
 * arrived. */
template <int LATER> DEVICE void
gpu_wait(void)
{
	__pipeline_wait_prior(LATER);
}

/* The same of all threads, whose tensor cores may read them too. */
template <int LATER, bool BY_GROUPS> DEVICE void
gpu_arrived(void)
{
	gpu_wait<LATER>();
#if GPU_GROUPS
	if (BY_GROUPS)
		wgmma_seen();
#endif
	__syncthreads();
}

DEVICE void
gpu_begun(void)
{
	__pipeline_commit();
}

/* A slice of SIDES rows or columns and TERMS terms, whose elements lie AT(k, side). */
template <int SIDE, bool ALONG_K, class At> DEVICE void
gpu_fetch(struct gpu_panel<SIDE, ALONG_K> &panel, bool packs, int sides, int64_t terms, const At &at)
{
	const int all = SIDE * GPU_SLICE / GPU_THREADS, rounds = (all + MAP_PACK - 1) / MAP_PACK;
	const int ahead = GPU_TENSORS ? rounds : 1;	/* without tensor cores sums take all registers */
	const bool turn = panel.TURNED != ALONG_K;
	int k, side;

#pragma unroll ahead
	for (int i = 0; packs && i < rounds; i++) {
		gpu_place<SIDE, ALONG_K, MAP_PACK>(i, &k, &side);
		if (all < MAP_PACK && (ALONG_K ? side >= SIDE : k >= GPU_SLICE))
			break;
		const elem *from = side < sides && k < terms ? at(k, side) : NULL;

		if (!turn)
			gpu_copy<MAP_PACK>(panel.at(k, side), from);
		for (int j = 0; turn && j < MAP_PACK; j++)
			gpu_copy<1>(panel.at(k + j, side), from ? from + j : NULL);
	}
#pragma unroll 4
	for (int i = 0; !packs && i < all; i++) {
		gpu_place<SIDE, ALONG_K, 1>(i, &k, &side);
		gpu_copy<1>(panel.at(k, side), side < sides && k < terms ? at(k, side) : NULL);
	}
}

/*
 * The sums of a tile, as far as they are this thread's (or its warp's): ROWS x COLS pieces of a
 * warp's part of it, which begins at row() and col().
 */
#if GPU_TENSORS

/* f32 in shared memory, which tensor cores want rounded to tf32 */
DEVICE void
gpu_round(uint32_t *f)
{
#ifdef USE_TF32
#pragma unroll
	for (int i = 0; i < 4; i++)
		f[i] = mma_round(f[i]);
#else
	(void)f;
#endif
}

/*
 * Of 16 rows or columns from I on and a step's terms from K on: four registers, in which the halves
 * of the former alternate, as mma_add() has it of A, or (TERMS_FIRST) of the latter, so that they
 * are those of two columns of B.
 */
template <int SIDE, bool ALONG_K> DEVICE void
gpu_load(uint32_t *to, const struct gpu_panel<SIDE, ALONG_K> &panel, bool terms_first, int k, int i)
{
	auto term = [=](int q) { return k + MMA_STEP / 2 * (terms_first ? q % 2 : q / 2); };
	auto side = [=](int q) { return i + 8 * (terms_first ? q / 2 : q % 2); };
	int lane = threadIdx.x % 32, q = lane / 8, r = lane % 8;

	if constexpr (gpu_panel<SIDE, ALONG_K>::TURNED) {
		mma_load(to, panel.at(term(q), side(q) + r));
	} else if constexpr (NARROW) {
		mma_load_turned(to, panel.at(term(q) + r, side(q)));
	} else {	/* nothing turns what has 32 bits */
#pragma unroll
		for (q = 0; q < 4; q++)
			to[q] = *(const uint32_t *)panel.at(term(q) + lane % 4, side(q) + lane / 4);
	}
}

template <int HIGH, int WIDE> struct gpu_pieces {
	static const int ROWS = HIGH, COLS = WIDE;
	float sum[ROWS][COLS][2][4];	/* of a piece, its two halves of 8 columns */

	DEVICE_METHOD void
	clear()
	{
#pragma unroll
		for (int i = 0; i < ROWS * COLS * 8; i++)
			sum[i / 8 / COLS][i / 8 % COLS][i / 4 % 2][i % 4] = 0;
	}

	DEVICE_METHOD void
	put(real *out, int i, int j) const
	{
		real *to = out + threadIdx.x % 32 / 4 * GPU_OUT + threadIdx.x % 4 * 2;

#pragma unroll
		for (int half = 0; half < 2; half++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				to[e / 2 * 8 * GPU_OUT + half * 8 + e % 2] = sum[i][j][half][e];
	}
};

template <int SIDE> struct gpu_sums : gpu_pieces<SIDE / 32, SIDE / 64> {
	using gpu_pieces<SIDE / 32, SIDE / 64>::ROWS;
	using gpu_pieces<SIDE / 32, SIDE / 64>::COLS;
	using gpu_pieces<SIDE / 32, SIDE / 64>::sum;

	static DEVICE_METHOD int
	row()
	{
		return threadIdx.x / 128 * (SIDE / 2);
	}

	static DEVICE_METHOD int
	col()
	{
		return threadIdx.x / 32 % 4 * (SIDE / 4);
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_slice<SIDE, Job> &s)
	{
#pragma unroll 1
		for (int k = 0; k < GPU_SLICE; k += MMA_STEP) {
			uint32_t a[4], b[COLS][4];

#pragma unroll
			for (int j = 0; j < COLS; j++) {
				gpu_load(b[j], s.b, true, k, col() + j * 16);
				gpu_round(b[j]);
			}
#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				gpu_load(a, s.a, false, k, row() + i * 16);
				gpu_round(a);
#pragma unroll
				for (int j = 0; j < COLS * 2; j++)
					mma_add(sum[i][j / 2][j % 2], a, b[j / 2] + j % 2 * 2);
			}
		}
	}
};

#else

struct alignas(4 * sizeof(elem) < 16 ? 4 * sizeof(elem) : 16) gpu_four {
	elem at[4];
};

template <int SIDE> struct gpu_sums {
	static const int ROWS = SIDE / 64, COLS = SIDE / 64;
	real sum[ROWS * 4][COLS * 4];

	static DEVICE_METHOD int
	row()
	{
		return threadIdx.x / 64 * (SIDE / 4);
	}

	static DEVICE_METHOD int
	col()
	{
		return threadIdx.x / 32 % 2 * (SIDE / 2);
	}

	/* Where the thread's four rows of a piece begin, and its four columns. */
	static DEVICE_METHOD int
	high()
	{
		return threadIdx.x % 32 / 8 * 4;
	}

	static DEVICE_METHOD int
	wide()
	{
		return threadIdx.x % 8 * 4;
	}

	DEVICE_METHOD void
	clear()
	{
#pragma unroll
		for (int i = 0; i < ROWS * 4; i++)
#pragma unroll
			for (int j = 0; j < COLS * 4; j++)
				sum[i][j] = 0;
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_slice<SIDE, Job> &s)
	{
		struct gpu_four a[ROWS], b[COLS];

#pragma unroll
		for (int k = 0; k < GPU_SLICE; k++) {
#pragma unroll
			for (int i = 0; i < ROWS; i++)
				a[i] = *(const struct gpu_four *)s.a.at(k, row() + i * GPU_HIGH + high());
#pragma unroll
			for (int j = 0; j < COLS; j++)
				b[j] = *(const struct gpu_four *)s.b.at(k, col() + j * GPU_WIDE + wide());
#pragma unroll
			for (int i = 0; i < ROWS * 4; i++)
#pragma unroll
				for (int j = 0; j < COLS * 4; j++)
					sum[i][j] += VALUE(a[i / 4].at[i % 4]) * VALUE(b[j / 4].at[j % 4]);
		}
	}

	DEVICE_METHOD void
	put(real *out, int i, int j) const
	{
#pragma unroll
		for (int y = 0; y < 4; y++)
#pragma unroll
			for (int x = 0; x < 4; x++)
				out[(high() + y) * GPU_OUT + wide() + x] = sum[i * 4 + y][j * 4 + x];
	}
};

#endif

#endif
