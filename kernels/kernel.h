/*
 * kernel.h - what every kernel file is written in.
 *
 * A kernel is written once and compiled twice: by a C compiler, where EACH is a loop that
 * threads share, and by nvcc, where it is a grid-stride loop. On the host side LAUNCH starts it on
 * either.
 *
 *     KERNEL(scale_kernel, (elem *y, const elem *x, real factor, int64_t n))
 *     {
 *             EACH (i, n)
 *                     y[i] = ELEM(factor * VALUE(x[i]));
 *     }
 *
 *     static void
 *     scale_forward(elem *y, const elem *x, real factor, int64_t n)
 *     {
 *             LAUNCH(scale_kernel, n, (y, x, factor, n));
 *     }
 *
 * There are two types. A `real` is what is computed with: float, or double in f64. An `elem` is how
 * activations, weights and their gradients are stored: a real, or a type of 16 bits, where NARROW
 * is 1. VALUE() makes a real of an elem and ELEM() rounds a real to an elem, to
 * the nearest, ties to even; where both types are one, so is either macro's argument and value.
 * Statistics, sums kept over steps, losses and the state of optimizers are reals whatever the
 * elem. A kernel rounds once, where it stores: what it adds up meanwhile are reals.
 *
 * For a sum along a row, ROWS gives each row to a thread (C) or to a block (CUDA):
 *
 *     KERNEL(sum_kernel, (real *y, const elem *x, int64_t rows, int64_t n))
 *     {
 *             ROWS (r, rows) {
 *                     double sum = 0;
 *                     ALONG (j, n)
 *                             sum += VALUE(x[r * n + j]);
 *                     sum = ROW_SUM(sum);
 *                     FIRST
 *                             y[r] = (real)sum;
 *             }
 *     }
 *
 * ALONG_EACH is ALONG whose rounds are independent; ALONG_ADD (j, n, sum, ...) is ALONG where the
 * body only adds to the variables named, so that a C compiler may keep several partial sums;
 * ALONG_MAX (j, n, top) the same for a maximum.
 * To reduce along an axis that is not the last one, a row is a STRIP of neighbouring columns: ALONG
 * (j, width) inside the loop over the axis, with `real sum[STRIP_LANES]` indexed by LANE(j): an
 * array in C, one number a thread on CUDA.
 * PLACES (r, c, rows, channels) inside ROWS visits the elements of [rows, channels], as images have
 * them whose channels lie last. To share out many such rows, ROWS goes over column_tiles(rows,
 * channels), each of column_tile(channels) rows, or for tile t of column_height(t, rows, channels).
 * EACH_PLACE (p, y, x, planes, h, w) visits the elements of [planes, h, w], without a division in
 * C. MAP (y, x, n, e, value) makes each of the N elements of y from that of x, which value calls
 * e, and MAP_2 (y, x, z, n, e, f, value) from those of x and z. y may be either. On CUDA a thread
 * takes 16 bytes of each: one that asks for an element at a time leaves most of the memory's width
 * unused. LAUNCH_MAP starts such a kernel. PART_FROM cuts a long sum into parts whose number does
 * not depend on that of the threads.
 *
 * In C all threads run all of a step, and share its loops (team.h): outside of EACH and ROWS a
 * kernel, and what launches it, writes nothing in the arena; and whether they come to a loop does
 * not depend on what lies there: a loop that may have nothing to do has no rounds. What is written
 * by one thread outside of kernels stands in ALONE.
 *
 * Sums are taken in a fixed order, so the same build on the same machine gives the same bits.
 * Kernels that may run in place carry no restrict.
 */
#ifndef STOWAGE_KERNEL_H
#define STOWAGE_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>

#ifdef USE_DOUBLE
typedef double real;
#define REAL(x)	x		/* a literal */
#define R(name)	name		/* a function of math.h: R(exp)(x) */
#else
typedef float real;
#define REAL(x)	x##f
#define R(name)	name##f
#endif

#ifdef ELEMENT	/* the file that says how elements are stored, where they are not reals */
#define NARROW	1
#define VALUE(x)	elem_value(x)
#define ELEM(x)	elem_of(x)
#include ELEMENT
#else
#define NARROW	0
#define VALUE(x)	(x)
#define ELEM(x)	(x)
typedef real elem;
#endif

/* the first of N items in part P of PARTS; PART_FROM(n, p + 1, parts) is one past its last */
#define PART_FROM(n, p, parts)	((n) / (parts) * (p) + (n) % (parts) * (p) / (parts))

struct step {			/* what differs from one micro-step to the next */
	int64_t update;		/* 1 for the first weight update */
	uint64_t draw;		/* micro-steps run so far: the counter of random numbers */
	uint64_t seed;
	double lr;
	real share;		/* of the update's samples in this micro-batch: 1 without accumulation */
	real keep;		/* 0 for an update's first micro-batch, 1 after: gradients add up */
#if defined(RANKS) || defined(PARTS)
	int64_t first, samples;	/* of a micro-batch on all ranks: the first of those here, and how many these are */
	int64_t all;		/* and how many all of them have */
	const struct step *alike;	/* draws the same numbers on all of them; on a device the one behind */
#endif
#ifdef STAGES
	int64_t micro;		/* which micro-batch of its update it is, from 0; the host alone asks */
#endif
#ifdef BACK_APART
	int64_t slot;		/* of this micro-batch: where what its backward reads of its forward lies */
#endif
#ifdef PARTS
	int64_t part;		/* of the parts of an update that this rank makes, one after the other */
#endif
#ifdef COUNTED
	double whole[COUNTED];	/* what the labels of a loss weigh in all of an update; 0: nobody knows */
#endif
};

/* Of N things of the samples here, all alike, the place of the first among those on all ranks. */
#if defined(RANKS) || defined(PARTS)
#define FIRST_OF(n, s)	((s)->first * ((n) / (s)->samples))
#ifdef __CUDACC__
#define ALIKE(s)	((s) + 1)
#else
#define ALIKE(s)	((s)->alike)
#endif
#else
#define FIRST_OF(n, s)	0
#endif

#ifdef BACK_APART
static int64_t slot_now;	/* of the micro-batch whose inputs come next; on a GPU, of whose step the calls are */
static bool slot_first;		/* of an update */

/* Of a step its slot, and whether it is an update's first. On a GPU a step of each slot is a graph
 * of its own, as S lies there. */
#ifdef __CUDACC__
#define SLOT(s)	((void)(s), slot_now)
#define UPDATE_BEGINS(s)	((void)(s), slot_first)
#else
#define SLOT(s)	(s)->slot
#define UPDATE_BEGINS(s)	((s)->keep == 0)
#endif
#endif

/* What a result does with what lies where it goes: C = keep * C + result. */
struct onto {
	real keep;		/* 0: C is overwritten, and not read, even if it is NaN */
	const struct step *step;	/* not NULL: only for an update's first micro-batch, 1 after */
};

static inline struct onto
onto_of(real keep, const struct step *step)
{
	struct onto o;

	o.keep = keep;
	o.step = step;
	return o;
}

#define ANEW	onto_of(0, NULL)
#define ONTO(keep)	onto_of(keep, NULL)
#define ONTO_FIRST(keep, step)	onto_of(keep, step)

#ifdef __CUDACC__

#define ALONE
#define DEVICE	static __device__ __forceinline__
#define APART	DEVICE
#define TABLE	static __device__ const
#define DEVICE_METHOD	__device__ __forceinline__
#define EACH(i, n)	for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n);	\
	    i += gridDim.x * (int64_t)blockDim.x)
#define ROWS(r, n)	for (int64_t r = blockIdx.x; r < (n); r += gridDim.x)
#define ALONG(j, n)	for (int64_t j = threadIdx.x; j < (n); j += blockDim.x)
#define PLACES(r, c, rows, channels)	for (int64_t j_ = threadIdx.x, r, c;			\
	    j_ < (rows) * (channels) && (r = quotient(j_, channels), c = j_ - r * (channels), true);	\
	    j_ += blockDim.x)
#define ROW_SUM(x)	block_sum(x)
#define ROW_MAX(x)	block_max(x)
#define FIRST	if (threadIdx.x == 0)
/* What all threads of a block have alike and one works out, which may take doubles: most cards are
 * slow at those. */
#define ONCE(type, name, value)	__shared__ type name; FIRST name = (value); __syncthreads()
#define ALONG_ADD(j, n, ...)	ALONG (j, n)
#define ALONG_EACH(j, n)	ALONG (j, n)
#define ALONG_MAX(j, n, top)	ALONG (j, n)
#define STRIP	BLOCK
#define STRIP_LANES	1
#define LANE(j)	0
#define EACH_PLACE(p, y, x, planes, h, w)	EACH (place_, (planes) * (h) * (w))		\
	for (int64_t row_ = quotient(place_, w), x = place_ - row_ * (w), p = quotient(row_, h),	\
	    y = row_ - p * (h), once_ = 1; once_; once_ = 0)

#define BLOCK	256
static cudaStream_t stream;

static inline unsigned
grid(int64_t work)
{
	return work < 1 ? 1 : work > 65535 ? 65535 : (unsigned)work;
}

/* what follows a launch: the program's prologue asks whether it was accepted */
#ifndef LAUNCHED
#define LAUNCHED(name)	((void)0)
#endif
#define LAUNCH(name, n, args)	LAUNCH_ROWS(name, ((n) + BLOCK - 1) / BLOCK, args)
#ifdef COOPERATIVE
#include "cooperative.h"
#else
#define KERNEL(name, params)	static __global__ void name params
#define KERNELS(name, what, one, other, params)	template <what> KERNEL(name, params)
#define ENTRY(name)	name	/* what the runtime is asked about */
#define IN_PLACE(type)	type	/* a parameter */
#define LAUNCH_ROWS(name, n, args)	(name<<<grid(n), BLOCK, 0, stream>>> args, LAUNCHED(name))
#endif
/* one for each column by itself, and one for as many as a pack has */
#define COLUMN_KERNEL(name, params)	KERNELS(name, int WIDTH, 1, COLUMN_WIDTH, params)

template <typename T> DEVICE T
block_sum(T x)
{
	__shared__ T part[BLOCK / 32];
	__shared__ T total;

	for (int lane = 16; lane; lane /= 2)
		x += __shfl_xor_sync(0xffffffffu, x, lane);
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = x;
	__syncthreads();
	if (threadIdx.x == 0) {
		total = part[0];
		for (int w = 1; w < BLOCK / 32; w++)
			total += part[w];
	}
	__syncthreads();
	return total;
}

/* Of so many neighbouring threads, a power of two within a warp, or of the block. */
template <typename T> DEVICE T
lanes_sum(T x, int lanes)
{
	if (lanes > 32)
		return block_sum(x);
	for (int lane = lanes / 2; lane; lane /= 2)
		x += __shfl_xor_sync(0xffffffffu, x, lane);
	return x;
}

template <typename T> DEVICE T
block_max(T x)
{
	__shared__ T part[BLOCK / 32];
	__shared__ T top;

	for (int lane = 16; lane; lane /= 2) {
		T y = __shfl_xor_sync(0xffffffffu, x, lane);

		x = y > x ? y : x;
	}
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = x;
	__syncthreads();
	if (threadIdx.x == 0) {
		top = part[0];
		for (int w = 1; w < BLOCK / 32; w++)
			top = part[w] > top ? part[w] : top;
	}
	__syncthreads();
	return top;
}

template <typename T> DEVICE T
lanes_max(T x, int lanes)
{
	if (lanes > 32)
		return block_max(x);
	for (int lane = lanes / 2; lane; lane /= 2) {
		T y = __shfl_xor_sync(0xffffffffu, x, lane);

		x = y > x ? y : x;
	}
	return x;
}

#define MAP(y, x, n, e, value)	map_2(y, x, x, n, [=](elem e, elem) -> elem { return value; })
#define MAP_2(y, x, z, n, e, f, value)	map_2(y, x, z, n,	\
	[=](elem e, elem f) -> elem { return value; })
#define LAUNCH_MAP(name, n, args)	LAUNCH(name, ((n) + MAP_PACK - 1) / MAP_PACK, args)

#else	/* C */

#include "team.h"

#define PRAGMA(x)	_Pragma(#x)
/* never inlined: a network calls the same few kernels hundreds of times */
#define KERNEL(name, params)	static __attribute__((noinline)) void name params
#define DEVICE	static inline
/* DEVICE that is compiled once, by itself. Which product of a b + c d is fused with the sum is the
 * compiler's choice; so it is the same wherever the function is called from. */
#define APART	static __attribute__((noinline))
#define TABLE	static const
/* a loop shorter than this is not worth sharing */
#define WORTH_THREADS	16384
/* elements, of which pieces begin in different cache lines */
#define EACH(i, n)	SHARE (i##_from, i##_to, n, 64, TEAM_PIECES * team_size())	\
	PRAGMA(omp simd) for (int64_t i = i##_from; i < i##_to; i++)
#define ROWS(r, n)	SHARE (r##_from, r##_to, n, 1, TEAM_PIECES * team_size())	\
	for (int64_t r = r##_from; r < r##_to; r++)
#define ALONG(j, n)	for (int64_t j = 0; j < (n); j++)
#define ALONG_EACH(j, n)	PRAGMA(omp simd) for (int64_t j = 0; j < (n); j++)
#define ALONG_ADD(j, n, ...)	PRAGMA(omp simd reduction(+ : __VA_ARGS__))	\
	for (int64_t j = 0; j < (n); j++)
#define ALONG_MAX(j, n, top)	PRAGMA(omp simd reduction(max : top))	\
	for (int64_t j = 0; j < (n); j++)
#define STRIP	64
#define STRIP_LANES	STRIP
#define LANE(j)	(j)
#define EACH_PLACE(p, y, x, planes, h, w)							\
	SHARE (y##_from, y##_to, (planes) * (h), 1, TEAM_PIECES * team_size())			\
	for (int64_t at_ = y##_from, p = at_ / (h), y = at_ % (h); at_ < y##_to;		\
	    at_++, ++y == (h) ? (void)(y = 0, p++) : (void)0)					\
	PRAGMA(omp simd) for (int64_t x = 0; x < (w); x++)
#define PLACES(r, c, rows, channels)	for (int64_t r = 0; r < (rows); r++)			\
	PRAGMA(omp simd) for (int64_t c = 0; c < (channels); c++)
#define ROW_SUM(x)	(x)
#define ROW_MAX(x)	(x)
#define FIRST
#define ONCE(type, name, value)	const type name = (value)
#define LAUNCH(name, n, args)	do {						\
	if ((n) > WORTH_THREADS)						\
		name args;							\
	else									\
		ALONE								\
			name args;						\
} while (0)
#define LAUNCH_ROWS(name, n, args)	do {					\
	(void)(n);								\
	name args;								\
} while (0)
#define MAP(y, x, n, e, value)	EACH (i_, n) {				\
	elem e = (x)[i_];							\
	(y)[i_] = value;							\
}
#define MAP_2(y, x, z, n, e, f, value)	EACH (i_, n) {				\
	elem e = (x)[i_], f = (z)[i_];						\
	(y)[i_] = value;							\
}
#define LAUNCH_MAP(name, n, args)	LAUNCH(name, n, args)

#endif

/* J / BY, of what is not negative. On a GPU divisions of 32 bits are much cheaper. */
DEVICE int64_t
quotient(int64_t j, int64_t by)
{
#ifdef __CUDACC__
	if (!((j | by) >> 32))
		return (uint32_t)j / (uint32_t)by;
#endif
	return j / by;
}

#ifdef __CUDACC__
#define MAP_PACK	(16 / (int)sizeof(elem))

struct alignas(16) map_pack {
	elem at[MAP_PACK];
};

/* MAP and MAP_2. Where a tensor begins in between, all are taken one by one, as the rest is. */
template <class Value> DEVICE void
map_2(elem *y, const elem *x, const elem *z, int64_t n, const Value &value)
{
	bool aligned = ((uintptr_t)y | (uintptr_t)x | (uintptr_t)z) % sizeof(struct map_pack) == 0;
	int64_t packs = aligned ? n / MAP_PACK : 0, rest = n - packs * MAP_PACK;

	EACH (p, packs) {
		struct map_pack e = ((const struct map_pack *)x)[p], f = ((const struct map_pack *)z)[p];

#pragma unroll
		for (int j = 0; j < MAP_PACK; j++)
			e.at[j] = value(e.at[j], f.at[j]);
		((struct map_pack *)y)[p] = e;
	}
	EACH (i, rest)
		y[n - rest + i] = value(x[n - rest + i], z[n - rest + i]);
}
#endif

/* ---- rows of channels ---- */

#define COLUMN_TILE	4096	/* elements that a block takes at a time */

#ifdef __CUDACC__
#define DEVICE_TOO	static __host__ __device__ __forceinline__
#else
#define DEVICE_TOO	static inline
#endif

DEVICE_TOO int64_t
column_tile(int64_t channels)
{
	return channels < COLUMN_TILE ? COLUMN_TILE / channels : 1;
}

DEVICE_TOO int64_t
column_tiles(int64_t rows, int64_t channels)
{
	return (rows + column_tile(channels) - 1) / column_tile(channels);
}

/* How many rows tile T has. */
DEVICE_TOO int64_t
column_height(int64_t t, int64_t rows, int64_t channels)
{
	int64_t tall = column_tile(channels), left = rows - t * tall;

	return left < tall ? left : tall;
}

/* ---- adding onto ---- */

/* The factor itself; read inside kernels, since on CUDA the step's numbers lie on the device. */
DEVICE real
onto_keep(struct onto o)
{
	return o.step && o.step->keep != 0 ? 1 : o.keep;
}

DEVICE void
onto_store(elem *at, real value, real keep)
{
	*at = ELEM(keep != 0 ? keep * VALUE(*at) + value : value);
}

#if NARROW && defined(__CUDACC__)
/* The same onto a sum that is not narrow. */
DEVICE void
onto_store(real *at, real value, real keep)
{
	*at = keep != 0 ? keep * *at + value : value;
}
#endif

#if !NARROW
/* What N sums that are added up in place start from. */
DEVICE void
onto_start(real *to, int64_t n, real keep)
{
	for (int64_t i = 0; i < n && keep == 0; i++)
		to[i] = 0;
	for (int64_t i = 0; i < n && keep != 0 && keep != 1; i++)
		to[i] *= keep;
}
#endif

#endif	/* STOWAGE_KERNEL_H */
