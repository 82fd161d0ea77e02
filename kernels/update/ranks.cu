/*
 * update/ranks.cu - several processes that train together, as far as kernels know of them: who this
 * one is, and which piece of a tensor is whose. How they reach one another is host/ranks.c's and
 * exchange_c.cu's or exchange_cuda.cu's.
 */
#ifndef STOWAGE_UPDATE_RANKS_CU
#define STOWAGE_UPDATE_RANKS_CU

#include "kernel.h"

#include <time.h>

#ifndef __CUDACC__
#include <mpi.h>
#include <pthread.h>
#endif

static struct ranks {
	int rank, size;		/* this one, of so many */
	int here;		/* of them on this machine */
	int local;		/* this one, of those */
	int64_t sent;		/* bytes of sums by this one so far, where that is known */
	int64_t waited;		/* nanoseconds for which its step has waited for others, where that is known */
#ifndef __CUDACC__
	MPI_Comm all;
	MPI_Comm machine;	/* those that are here */
	MPI_Op elements_sum;	/* of elements of 16 bits, which MPI does not know */
	pthread_mutex_t lock;
#endif
} ranks = {
	0, 1, 1, 0, 0, 0,
#ifndef __CUDACC__
	MPI_COMM_NULL, MPI_COMM_NULL, MPI_OP_NULL, PTHREAD_MUTEX_INITIALIZER
#endif
};

/* Nanoseconds, of a clock that nobody sets. */
static int64_t
ranks_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How many of them share out samples; the others have the same ones. */
static inline int
ranks_sharing(void)
{
#if defined(SPLIT) || defined(STAGES)
	return 1;
#else
	return ranks.size;
#endif
}

/* Adds up N numbers of the host over all ranks: the same sums on each of them. */
static void	ranks_sum(double *x, int n);

/* ---- pieces ---- */

/* What of N elements is one rank's, of so many ranks: they differ by one at most, and the largest
 * has N / RANKS, rounded up. One rank's optimizer state is of its piece of each parameter, where
 * that is shared out (SHARDS). */
struct rank_piece {
	int64_t first, n;
};

DEVICE_TOO struct rank_piece
rank_piece_of(int64_t n, int rank, int size)
{
	struct rank_piece p = { 0, 0 };

	if (rank < size) {
		p.first = PART_FROM(n, rank, size);
		p.n = PART_FROM(n, rank + 1, size) - p.first;
	}
	return p;
}

#ifdef SHARDS
#ifdef __CUDACC__
static __device__ int rank_on_device;	/* the same number as ranks.rank */
#endif

/* As the plan has it, however many ranks validate. */
DEVICE_TOO struct rank_piece
rank_own_piece(int64_t n)
{
#ifdef __CUDA_ARCH__
	return rank_piece_of(n, rank_on_device, RANKS);
#else
	return rank_piece_of(n, ranks.rank, RANKS);
#endif
}
#endif

/* ---- what goes between them ---- */

enum { RING_ADDS = 1, RING_SPREADS = 2 };	/* what a call does: both is a sum */

struct ring_span {			/* a tensor: places are bytes from a base on */
	int64_t at;
	int64_t own;		/* where what this rank adds lies; mostly there */
	int64_t piece;		/* where this rank's piece of the sum is to lie, or lies before all have it; below 0: there */
	int64_t n;		/* elements */
};

#endif
