/*
 * update/all_reduce.cu - what all ranks have, added up where it lies, while the step goes on.
 *
 * Around a ring (Patarasuk and Yuan, 2009): of N pieces each rank sends one on at every turn, and adds its own to the one
 * that it receives. After N - 1 turns rank r has piece r whole; after N - 1 more, in which whole pieces go round, all have
 * all. So each rank sends 2 (N - 1) / N of the bytes, less than which no way of adding up does, and the sums of one piece
 * are made in one order, so that the same number of ranks has the same bits. Pieces go in parts: one is added while the
 * next is on its way.
 *
 *     turn        0      1      2      3      4      5		of 4 ranks
 *     rank 0 has  +2     +1     0 !    3      2      1		the piece that comes from rank 3, and its own added to it
 *
 * MPI_Iallreduce takes over what is too small for this. It is not for the rest: of some MPIs it sends more from one of the
 * ranks, and copies what is added in place.
 *
 * MPI is called by one thread at a time (ranks.lock) and never waits inside: who waits asks again and again, so that
 * another thread can tell the other ranks meanwhile that this one lives, and move sums on while this one computes
 * (host/ranks.c). All ranks begin the same sums in the same order, which is that of the step.
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
	int64_t sent;		/* bytes of sums by this one so far */
	MPI_Comm all;
	MPI_Op elements_sum;	/* of elements of 16 bits, which MPI does not know */
	pthread_mutex_t lock;
} ranks = { 0, 1, 1, 0, MPI_COMM_NULL, MPI_OP_NULL, PTHREAD_MUTEX_INITIALIZER };

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

static void
elements_sum(char *to, const char *from, int64_t n, int bytes)
{
	if (bytes == 8)
		for (int64_t i = 0; i < n; i++)
			((double *)to)[i] += ((const double *)from)[i];
	else if (bytes == 4)
		for (int64_t i = 0; i < n; i++)
			((float *)to)[i] += ((const float *)from)[i];
#if NARROW
	else
		for (int64_t i = 0; i < n; i++)
			((elem *)to)[i] = ELEM(VALUE(((elem *)to)[i]) + VALUE(((const elem *)from)[i]));
#endif
}

/* ---- around the ring ---- */

#define RING_SIGN	78		/* the tag of parts */
#define RING_PART	65536		/* bytes */
#define RING_LEAST	4096		/* bytes of a piece for which its turns are worth their time */
#define RING_AHEAD	4		/* parts that may be on their way to the next rank, and from the one before */

/*
 * The sum that is on its way. Part k of the piece of turn t has number t parts + k: parts are sent and received in this
 * order, and one is sent as soon as the one that it is made of, a turn before, was received.
 */
static struct ring {
	char *sum;		/* NULL: none is on its way */
	int64_t n;
	int bytes;		/* of an element */
	int64_t parts;		/* of a piece */
	int64_t sent, over;	/* parts that were sent, and that have left */
	int64_t asked, received;
	MPI_Request send[RING_AHEAD], receive[RING_AHEAD];
} ring;

static char ring_parts[RING_AHEAD][RING_PART];	/* received, to be added */

struct ring_part {
	char *at;
	int64_t n;
};

/* What is sent as part number J; what is received as J is what is sent as that a turn later. */
static struct ring_part
ring_part(int64_t j)
{
	int64_t turn = j / ring.parts, k = j % ring.parts, piece = (ranks.rank + 2 * ranks.size - turn - 1) % ranks.size;
	int64_t from = PART_FROM(ring.n, piece, ranks.size), n = PART_FROM(ring.n, piece + 1, ranks.size) - from;
	int64_t first = PART_FROM(n, k, ring.parts);

	return (struct ring_part){ ring.sum + (from + first) * ring.bytes, PART_FROM(n, k + 1, ring.parts) - first };
}

static bool
ring_over(MPI_Request *request)
{
	int there;

	MPI_Test(request, &there, MPI_STATUS_IGNORE);
	return there;
}

/* Do all ranks' elements of part J come, and not those of some, to which this rank's are to be added? */
static bool
ring_is_whole(int64_t j)
{
	return j >= (ranks.size - 1) * ring.parts;
}

/* Asks for part number J; a whole one lands where what this rank has sent of it lay. */
static bool
ring_ask(int64_t j)
{
	struct ring_part p = ring_part(j + ring.parts);
	void *to = ring_is_whole(j) ? p.at : ring_parts[j % RING_AHEAD];

	if (ring_is_whole(j) && ring.over <= j - (ranks.size - 1) * ring.parts)
		return false;
	MPI_Irecv(to, (int)(p.n * ring.bytes), MPI_BYTE, (ranks.rank + ranks.size - 1) % ranks.size, RING_SIGN, ranks.all,
	    &ring.receive[j % RING_AHEAD]);
	return true;
}

static void
ring_receive(int64_t j)
{
	struct ring_part p = ring_part(j + ring.parts);

	if (!ring_is_whole(j))
		elements_sum(p.at, ring_parts[j % RING_AHEAD], p.n, ring.bytes);
}

static void
ring_send(int64_t j)
{
	struct ring_part p = ring_part(j);

	MPI_Isend(p.at, (int)(p.n * ring.bytes), MPI_BYTE, (ranks.rank + 1) % ranks.size, RING_SIGN, ranks.all,
	    &ring.send[j % RING_AHEAD]);
	ranks.sent += p.n * ring.bytes;
}

static void
ring_start(char *sum, int64_t n, int bytes)
{
	int64_t piece = (n + ranks.size - 1) / ranks.size * bytes;

	ring = (struct ring){ .sum = sum, .n = n, .bytes = bytes, .parts = (piece + RING_PART - 1) / RING_PART };
}

/* Moves on as far as it goes; true: the sum is there. */
static bool
ring_turn(void)
{
	int64_t all = 2 * (ranks.size - 1) * ring.parts;
	bool moved = true;

	while (moved) {
		moved = false;
		while (ring.over < ring.sent && ring_over(&ring.send[ring.over % RING_AHEAD])) {
			ring.over++;
			moved = true;
		}
		while (ring.asked < all && ring.asked < ring.received + RING_AHEAD && ring_ask(ring.asked)) {
			ring.asked++;
			moved = true;
		}
		while (ring.received < ring.asked && ring_over(&ring.receive[ring.received % RING_AHEAD])) {
			ring_receive(ring.received++);
			moved = true;
		}
		while (ring.sent < all && ring.sent < ring.received + ring.parts && ring.sent < ring.over + RING_AHEAD) {
			ring_send(ring.sent++);
			moved = true;
		}
	}
	return ring.over == all && ring.received == all;
}

/* ---- sums ---- */

/* In the order in which they began, around and around. One goes around the ring at a time, small ones beside it. */
static struct reduction {
	char *sum;		/* NULL: there is none in this place, or it has been waited for */
	int64_t n;
	int bytes;
	bool rings;
	volatile bool there;
	MPI_Request request;
} reductions[REDUCTIONS];

static int reductions_begun, reductions_first;	/* the place of the next, and of the first that is not there */
static volatile int reductions_open;	/* how many are on their way */

/* With the lock: moves all sums on. */
static void
all_reduce_turn(void)
{
	for (; reductions_open > 0; reductions_first = (reductions_first + 1) % REDUCTIONS, reductions_open--) {
		struct reduction *r = &reductions[reductions_first];

		if (r->rings && !ring.sum)
			ring_start(r->sum, r->n, r->bytes);
		if (!(r->rings ? ring_turn() : ring_over(&r->request)))
			return;
		if (r->rings)
			ring.sum = NULL;
		r->there = true;
	}
}

static void
all_reduce_start(char *sum, const char *own, int64_t n, int bytes)
{
	struct reduction *r = &reductions[reductions_begun];
	MPI_Datatype type = bytes == 8 ? MPI_DOUBLE : bytes == 4 ? MPI_FLOAT : MPI_UINT16_T;

#ifdef CHECK
	ASAN_UNPOISON_MEMORY_REGION(sum, (size_t)(n * bytes));	/* what lies between two tensors, too */
#endif
	if (own != sum)
		memcpy(sum, own, (size_t)(n * bytes));
	pthread_mutex_lock(&ranks.lock);
	*r = (struct reduction){ .sum = sum, .n = n, .bytes = bytes, .rings = n * bytes >= RING_LEAST * (int64_t)ranks.size };
	reductions_begun = (reductions_begun + 1) % REDUCTIONS;
	reductions_open++;
	if (!r->rings) {
		MPI_Iallreduce(MPI_IN_PLACE, sum, (int)n, type, bytes == 2 ? ranks.elements_sum : MPI_SUM, ranks.all,
		    &r->request);
		ranks.sent += 2 * n * bytes * (ranks.size - 1) / ranks.size;
	}
	all_reduce_turn();
	pthread_mutex_unlock(&ranks.lock);
}

static void
all_reduce_await(struct reduction *r)
{
	for (int waited = 0; !r->there; waited++) {
		if (waited)
			ranks_nap(waited);
		pthread_mutex_lock(&ranks.lock);
		all_reduce_turn();
		pthread_mutex_unlock(&ranks.lock);
	}
	r->sum = NULL;
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
			if (reductions[k].sum == sum)
				all_reduce_await(&reductions[k]);
}

#endif
