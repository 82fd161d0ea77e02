/*
 * product/gemm_cuda.cu - the CUDA side of product/gemm_c.cu: one tiled product whose operands are
 * functions.
 *
 * A block of 256 threads makes a tile of C, over slices of the sum that are kept in shared memory:
 * one is multiplied while the next, or the next two, arrive beside it, past the registers from
 * sm_80 on (cp.async). Where an element lies is a function of three things, each found out once and
 * kept in shared memory as well: its row or its column, for the whole tile, and its term of the
 * sum, for a slice. A job says:
 *
 *     rows, cols, depth                     of each of the products z
 *     term(z, k), row(z, m), col(z, n)      what is to be known of each
 *     a(row, term), b(term, col)            where elements lie; NULL: that one is 0
 *     store(z, split, m, n, value)
 *     A_ALONG_K, B_ALONG_K                  whether neighbours in memory lie along the sum, which
 *                                           decides what neighbouring threads copy
 *     a_packs, b_packs                      whether they do so by 16 bytes that begin at a multiple
 *                                           of 16, which a thread then copies at once
 *     C_ALONG_ROWS                          whether they lie along the rows of C, and not its columns
 *     SUMS_A                                whether the rows of A may be summed too; then also
 *     sums                                  where those sums go, in elements; NULL: they are not wanted
 *
 * A tile is 128 x 128, or 64 x 64 where there would be too few of the former to go round. A warp
 * has
 *
 *     64 x 32 or 32 x 16 of it      on tensor cores: elements of 16 bits, and f32 where tf32 is allowed,
 *                                   with sums in f32; f16 from sm_75 on, bf16 and tf32 from sm_80 on
 *     16 x 128                      of a large one in 16 bits in code for sm_90a, of 64 x 128 that four
 *                                   warps make together (tile_groups_cuda.cu)
 *     32 x 64 or 16 x 32            otherwise: 8 x 8 or 4 x 4 a thread, by fours in each direction, so
 *                                   that it reads 16 bytes at a time, and eight threads 128
 *
 * Whatever the tile, an element is summed in the same order, and, by the same instructions, comes
 * out the same to the bit.
 *
 * Tiles are numbered along blockIdx.x alone, whose limit, 2^31 - 1, is beyond any arena.
 *
 * No atomics: every element is summed by one thread, or one warp, in one order. A long sum over few
 * elements is split among blocks, each writing a partial result that a second kernel adds up.
 */
#ifndef STOWAGE_PRODUCT_GEMM_CUDA_CU
#define STOWAGE_PRODUCT_GEMM_CUDA_CU

#include "product/tile_groups_cuda.cu"

/* Piece by piece by way of OUT, so that what a warp stores at a time lies side by side in C. */
template <int SIDE, class Job> DEVICE void
gpu_store(const Job &job, const struct gpu_sums<SIDE> &sums, real *out, const struct gpu_tile &tile)
{
#pragma unroll
	for (int i = 0; i < sums.ROWS; i++)
#pragma unroll
		for (int j = 0; j < sums.COLS; j++) {
			sums.put(out, i, j);
			__syncwarp();
#pragma unroll 2
			for (int e = threadIdx.x % 32; e < GPU_HIGH * GPU_WIDE; e += 32) {
				int y = Job::C_ALONG_ROWS ? e % GPU_HIGH : e / GPU_WIDE;
				int x = Job::C_ALONG_ROWS ? e / GPU_HIGH : e % GPU_WIDE;
				int m = sums.row() + i * GPU_HIGH + y, n = sums.col() + j * GPU_WIDE + x;

				if (m < tile.high && n < tile.wide)
					job.store(tile.z, tile.split, tile.row + m, tile.col + n,
					    out[y * GPU_OUT + x]);
			}
			__syncwarp();
		}
}

/*
 * The sum of a row of A: where A is dy', the gradient of a bias. All of A goes by in the blocks of
 * the first column of tiles, whose first threads each add up a row as it lies in shared memory.
 */
template <bool SUMS_A> struct gpu_row_sum {
	double sum;
	bool mine;

	template <class Job> DEVICE_METHOD void
	start(const Job &job, bool has_row)
	{
		sum = 0;
		mine = has_row && job.sums;
	}

	template <class Panel> DEVICE_METHOD void
	add(const Panel &a)
	{
		real some = 0;

#pragma unroll
		for (int k = 0; mine && k < GPU_SLICE; k++)
			some += VALUE(*a.at(k, threadIdx.x));
		sum += some;
	}

	template <class Job> DEVICE_METHOD void
	store(const Job &job, int64_t row) const
	{
		if (mine)
			job.sums[row + threadIdx.x] = ELEM((real)sum);
	}
};

template <> struct gpu_row_sum<false> {
	template <class Job> DEVICE_METHOD void start(const Job &, bool) { }
	template <class Panel> DEVICE_METHOD void add(const Panel &) { }
	template <class Job> DEVICE_METHOD void store(const Job &, int64_t) const { }
};

template <int SIDE, class Job> DEVICE struct gpu_tile
gpu_tile_of(const Job &job, int splits, int64_t tile)
{
	int64_t cols = (job.cols + SIDE - 1) / SIDE, rows = (job.rows + SIDE - 1) / SIDE;
	int64_t slices = (job.depth + GPU_SLICE - 1) / GPU_SLICE, each = (slices + splits - 1) / splits;
	int64_t row = quotient(tile, cols), part = quotient(row, rows);
	struct gpu_tile t;

	t.col = (tile - row * cols) * SIDE, t.row = (row - part * rows) * SIDE;
	t.z = (int)part / splits, t.split = (int)part % splits;
	t.high = (int)(job.rows - t.row < SIDE ? job.rows - t.row : SIDE);
	t.wide = (int)(job.cols - t.col < SIDE ? job.cols - t.col : SIDE);
	t.from = t.split * each * GPU_SLICE;
	t.slices = (int)(slices - t.split * each < each ? slices - t.split * each : each);
	return t;
}

/* What is known of the terms of slice I, which is half I % 2 of s.term. */
template <int SIDE, class Job> DEVICE void
gpu_terms(const Job &job, struct gpu_known<SIDE, Job> &s, int i)
{
	int64_t k = s.tile.from + (int64_t)i * GPU_SLICE + threadIdx.x;

	if (i < s.tile.slices && threadIdx.x < GPU_SLICE && k < job.depth)
		s.term[i & 1][threadIdx.x] = job.term(s.tile.z, k);
}

#ifdef COOPERATIVE
#define GPU_KNOWN	8192

/* The same shared memory for all kinds of products. */
DEVICE unsigned char *
gpu_known_room(void)
{
	__shared__ __align__(16) unsigned char known[GPU_KNOWN];

	return known;
}
#endif

/*
 * Makes a tile. The slice that is begun to be fetched lies where one was whose products all threads
 * are done with, since they met after that; the terms of the next, where those were that it was
 * fetched by.
 */
template <int SIDE, class Job> DEVICE void
gpu_make(const Job &job, int splits, int64_t tile)
{
	extern __shared__ __align__(128) char gpu_given[];
	union gpu_room<SIDE, Job> &room = *(union gpu_room<SIDE, Job> *)gpu_room_in((char *)gpu_given);
#ifdef COOPERATIVE
	struct gpu_known<SIDE, Job> &s = *(struct gpu_known<SIDE, Job> *)gpu_known_room();
#else
	__shared__ struct gpu_known<SIDE, Job> s;
#endif
	int t = threadIdx.x, n = t - (GPU_THREADS - SIDE);	/* whose row and whose column */
	struct gpu_sums<SIDE> sums;
	struct gpu_row_sum<Job::SUMS_A> row_sum;

#ifdef COOPERATIVE
	static_assert(sizeof(s) <= GPU_KNOWN, "what is known of a tile has room there");
#endif
	static_assert(sizeof(room) == gpu_room_on<SIDE>(GPU_ARCH, GPU_BY_GROUPS), "the host knows how much there is");
	if (t == 0)
		s.tile = gpu_tile_of<SIDE>(job, splits, tile);
	__syncthreads();
	if (t < s.tile.high)
		s.row[t] = job.row(s.tile.z, s.tile.row + t);
	if (n >= 0 && n < s.tile.wide)
		s.col[n] = job.col(s.tile.z, s.tile.col + n);
	gpu_terms(job, s, 0);
	sums.clear();
	row_sum.start(job, s.tile.col == 0 && t < s.tile.high);
	/* multiplies slice I and begins to fetch another; the first times, there is only that */
	for (int i = 1 - GPU_STAGES; i < s.tile.slices; i++) {
		int next = i + GPU_STAGES - 1;

		gpu_arrived<GPU_STAGES - 2, GPU_BY_GROUPS && SIDE == GPU_LARGE>();
		if (next < s.tile.slices) {
			int64_t left = job.depth - s.tile.from - (int64_t)next * GPU_SLICE;
			struct gpu_slice<SIDE, Job> &to = room.slice[next % GPU_STAGES];
			const typename Job::Term *term = s.term[next % 2];

			gpu_fetch(to.a, job.a_packs, s.tile.high, left,
			    [&](int k, int m) { return job.a(s.row[m], term[k]); });
			gpu_fetch(to.b, job.b_packs, s.tile.wide, left,
			    [&](int k, int m) { return job.b(term[k], s.col[m]); });
		}
		gpu_begun();
		gpu_terms(job, s, next + 1);
		if (i >= 0) {
			sums.add(room.slice[i % GPU_STAGES]);
			row_sum.add(room.slice[i % GPU_STAGES].a);
		}
	}
	__syncthreads();
	gpu_store(job, sums, room.out[t / 32], s.tile);
	row_sum.store(job, s.tile.row);
}

#ifdef COOPERATIVE
/* As many blocks as there are, of a job that stays where it lies. */
template <int SIDE, class Job> DEVICE void
gpu_product_kernel(IN_PLACE(Job) job, int splits, int64_t tiles)
{
	for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
		gpu_make<SIDE>(job, splits, tile);
		__syncthreads();
	}
}
#else
/* Two blocks to a multiprocessor, so that one works while the other waits. */
template <int SIDE, class Job> static __global__ void __launch_bounds__(GPU_THREADS, 2)
gpu_product_kernel(Job job, int splits)
{
	gpu_make<SIDE>(job, splits, blockIdx.x);
}
#endif

/* May rows of N elements from P on be copied by packs? */
static inline bool
gpu_packs(const elem *p, int64_t n)
{
	return n % MAP_PACK == 0 && (uintptr_t)p % sizeof(struct map_pack) == 0;
}

template <class Job> static int64_t
gpu_tiles(const Job &job, int side, int blocks)
{
	return parts(job.cols, side) * parts(job.rows, side) * blocks;
}

/* For which cards the code of its kernel is that this one runs. */
template <int SIDE, class Job> static int
gpu_code_of(void)
{
	struct cudaFuncAttributes of;

	cudaFuncGetAttributes(&of, ENTRY((gpu_product_kernel<SIDE, Job>)));
	return of.ptxVersion;
}

/* What its kernel wants of shared memory on this card, which more than 48 KiB have to be asked
 * for. */
template <int SIDE, class Job> static size_t
gpu_room_of(void)
{
	static size_t room;
	int code;

	if (room)
		return room;
	code = gpu_code_of<SIDE, Job>();
	room = gpu_room_on<SIDE>(code, GPU_BY_GROUPS_ON(code));
	if (GPU_BY_GROUPS_ON(code))
		room += GPU_ALIGNED;	/* as far as it may begin behind what is given */
	cudaFuncSetAttribute(ENTRY((gpu_product_kernel<SIDE, Job>)), cudaFuncAttributeMaxDynamicSharedMemorySize,
	    (int)room);
	return room;
}

template <int SIDE, class Job> static void
gpu_product_by(const Job &job, int products, int splits)
{
	int64_t blocks = gpu_tiles(job, SIDE, products * splits);
	size_t room = gpu_room_of<SIDE, Job>();

#ifdef COOPERATIVE
	grid_call<gpu_product_kernel<SIDE, Job>>((unsigned)blocks, room)(job, splits, blocks);
#else
	gpu_product_kernel<SIDE><<<(unsigned)blocks, GPU_THREADS, room, stream>>>(job, splits);
#endif
	LAUNCHED(gpu_product_kernel);
}

/* A large tile takes about five halves of the time of a small one, for four times its elements;
 * what counts is the multiprocessor with most of them. */
static bool
gpu_is_large(int64_t large, int64_t small)
{
	int device = 0, processors = 1;

	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	return 5 * parts(large, processors) < 2 * parts(small, processors);
}

#ifndef COOPERATIVE
#if NARROW
#define TILES_BY_GROUPS		/* device_open() asks whether they are right (host/ask_tiles_cuda.cu) */

static bool gpu_groups_agree;	/* they are */
#endif

/* Groups of warps make large tiles only where they have made what they should when the program
 * started; other large tiles are as small ones are. */
template <class Job> static bool
gpu_trusts_large(void)
{
#if NARROW
	static int code;

	if (!gpu_groups_agree && !code)
		code = gpu_code_of<GPU_LARGE, Job>();
	return gpu_groups_agree || !GPU_BY_GROUPS_ON(code);
#else
	return true;
#endif
}
#endif

template <class Job> static void
gpu_product(const Job &job, int products, int splits)
{
#ifdef COOPERATIVE	/* products are small; and each kind of a tile takes shared memory beside all others' */
	gpu_product_by<GPU_SMALL>(job, products, splits);
#else
	int blocks = products * splits;

	if (gpu_trusts_large<Job>() &&
	    gpu_is_large(gpu_tiles(job, GPU_LARGE, blocks), gpu_tiles(job, GPU_SMALL, blocks)))
		gpu_product_by<GPU_LARGE>(job, products, splits);
	else
		gpu_product_by<GPU_SMALL>(job, products, splits);
#endif
}

/* The sum of SPLITS partial results, in order. */
KERNEL(gpu_sum_kernel, (elem *c, const real *part, struct onto onto, int64_t n, int splits))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		real sum = part[i];

		for (int s = 1; s < splits; s++)
			sum += part[s * n + i];
		onto_store(&c[i], sum, keep);
	}
}

#endif
