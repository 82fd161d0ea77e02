/*
 * update/all_reduce.cu - what all ranks have, added up while the step goes on.
 *
 * MPI is called by one thread at a time (ranks.lock) and never waits inside: who waits asks again and again, so that
 * another thread can tell the other ranks meanwhile that this one lives (host/ranks.c), and sums move on while this
 * one computes. All ranks begin the same sums in the same order, which is that of the step.
 */
#ifndef STOWAGE_UPDATE_ALL_REDUCE_CU
#define STOWAGE_UPDATE_ALL_REDUCE_CU

#include "kernel.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static struct ranks {
	int rank, size;		/* this one, of so many */
	int here;		/* of them on this machine */
	MPI_Comm all;
	MPI_Op elements_sum;	/* of elements of 16 bits, which MPI does not know */
	pthread_mutex_t lock;
} ranks = { 0, 1, 1, MPI_COMM_NULL, MPI_OP_NULL, PTHREAD_MUTEX_INITIALIZER };

/* Of a large tensor some parts, in a row; NULL: there is none in this place. */
static struct reduction {
	void *sum;
	MPI_Request request;
} reductions[REDUCTIONS];

static void	ranks_wait_on(void);

/* Waits for a moment, the longer the longer it has waited: it may have the processor that others need. */
static void
ranks_nap(int waited)
{
	struct timespec moment = { 0, waited < 400 ? 20000 : 200000 };

	if (waited < 100) {
		sched_yield();
		return;
	}
	nanosleep(&moment, NULL);
	ranks_wait_on();
}

static void
ranks_await(MPI_Request *request)
{
	int there = 0;

	for (int waited = 0; !there; waited++) {
		if (waited)
			ranks_nap(waited);
		pthread_mutex_lock(&ranks.lock);
		MPI_Test(request, &there, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&ranks.lock);
	}
}

#if NARROW
static void
elements_add(void *from, void *to, int *n, MPI_Datatype *type)
{
	const elem *x = (const elem *)from;
	elem *y = (elem *)to;

	(void)type;
	for (int i = 0; i < *n; i++)
		y[i] = ELEM(VALUE(x[i]) + VALUE(y[i]));
}
#endif

static MPI_Datatype
reduced_type(int bytes)
{
	return bytes == 8 ? MPI_DOUBLE : bytes == 4 ? MPI_FLOAT : MPI_UINT16_T;
}

static void
all_reduce_start(char *sum, const char *own, int64_t n, int bytes)
{
	MPI_Datatype type = reduced_type(bytes);
	int k = 0;

	for (int64_t at = 0; at < n; at += MOST_REDUCED) {
		int64_t some = n - at < MOST_REDUCED ? n - at : MOST_REDUCED;
		const void *from = own == sum ? MPI_IN_PLACE : own + at * bytes;

		while (reductions[k].sum)
			k++;
		reductions[k].sum = sum;
		pthread_mutex_lock(&ranks.lock);
		MPI_Iallreduce(from, sum + at * bytes, (int)some, type, bytes == 2 ? ranks.elements_sum : MPI_SUM,
		    ranks.all, &reductions[k].request);
		pthread_mutex_unlock(&ranks.lock);
	}
}

/* Begins the sum of N elements of so many bytes each, which may lie where what is added does. */
static void
all_reduce_begin(void *sum, const void *own, int64_t n, int bytes)
{
	ALONE
		all_reduce_start((char *)sum, (const char *)own, n, bytes);
}

/* From here on the sum is there. */
static void
all_reduce_end(const void *sum)
{
	ALONE
		for (int k = 0; k < REDUCTIONS; k++)
			if (reductions[k].sum == sum) {
				ranks_await(&reductions[k].request);
				reductions[k].sum = NULL;
			}
}

#endif
