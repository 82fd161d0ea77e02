/*
 * update/near.cu - what goes between ranks that are all on one machine: each has mapped the arenas
 * of all, so nothing is sent. The rank whose piece of some tensors it is reads that piece where
 * each rank has it, adds it up, and writes the sum to where each is to have it, in one pass:
 *
 *     rank 0    x x x x      rank 0 reads x. of both, and writes X to both; rank 1 does y. meanwhile
 *     rank 1    y y y y
 *
 *     a rank shows       how many exchanges it has begun: their tensors are others' to read and write from then on
 *     the owner          does its piece of one that all have begun, and shows that: it is over when all have done theirs
 *     whom it concerns   is woken, if it waits (futex): nobody asks again and again
 *
 * Sums are made in the order in which a ring makes them, or with PARTS a tree (update/ring.cu), and
 * have the same bits. The arenas are files of memory, which the ranks open before the first step
 * (host/ranks_mpi.c); where one cannot, MPI sends.
 */
#ifndef STOWAGE_UPDATE_NEAR_CU
#define STOWAGE_UPDATE_NEAR_CU

#include "update/elements.cu"
#include "update/ranks.cu"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

enum { NEAR_STEP, NEAR_WATCH, NEAR_WHO };	/* who waits: the step, for an exchange, and the thread that watches, for work */

struct near_sign {		/* what a rank shows, and by what it is woken: behind its arena */
	int64_t begun;		/* exchanges */
	int64_t done;		/* those of which it has done its piece */
	struct near_bell {
		uint32_t rings;
		uint32_t waits;	/* threads that wait for the next */
	} bell[NEAR_WHO];
};

static struct near {
	char *arena;		/* of that rank, where this one sees it */
	struct near_sign *sign;
} *near;			/* by rank; NULL: MPI sends */

static int near_file = -1;	/* of this rank's arena; below 0: it is nobody else's */

/* ---- mapping ---- */

#define NEAR_HUGE	((int64_t)1 << 21)	/* bytes of a huge page */
#define NEAR_POPULATE	23			/* MADV_POPULATE_WRITE of Linux 5.14, which headers may not have */
#define NEAR_COLLAPSE	25			/* MADV_COLLAPSE of 6.1 */

#ifdef __linux__

/* Maps so many bytes of a file to where huge pages can hold them, if that place is free;
 * MAP_FAILED: it cannot be. */
static void *
near_map(int file, int64_t bytes)
{
	size_t room = (size_t)(bytes + NEAR_HUGE);
	void *at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at != MAP_FAILED)
		munmap(at, room);
	at = at == MAP_FAILED ? NULL : (void *)(((uintptr_t)at + NEAR_HUGE - 1) / NEAR_HUGE * NEAR_HUGE);
	return mmap(at, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

/* Is memory there now? A system that cannot say so (before Linux 5.14) has it when it is written
 * to, or ends the process. */
static bool
near_populate(unsigned char *at, int64_t bytes)
{
	return !madvise(at, (size_t)bytes, NEAR_POPULATE) || errno == EINVAL || errno == ENOSYS;
}

/* Takes the memory of an arena, which no mapping of a file does; false: there is too little. Memory
 * that is shared has huge pages only where it is told so once some of each is there. */
static bool
near_take(unsigned char *at, int64_t bytes)
{
	bool there = true;

	for (int64_t i = 0; i < bytes && there; i += NEAR_HUGE)
		there = near_populate(at + i, 1);
	madvise(at, (size_t)bytes, NEAR_COLLAPSE);
	return there && near_populate(at, bytes);
}

/* Wakes all that wait for the bell, or waits until it is no more what it was, but not for
 * longer. */
static void
near_ring(uint32_t *rings)
{
	syscall(SYS_futex, rings, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void
near_hark(uint32_t *rings, uint32_t was, const struct timespec *most)
{
	syscall(SYS_futex, rings, FUTEX_WAIT, was, most, NULL, 0);
}

#else	/* no rank is near */

static void
near_ring(uint32_t *rings)
{
	(void)rings;
}

static void
near_hark(uint32_t *rings, uint32_t was, const struct timespec *most)
{
	(void)rings, (void)was;
	nanosleep(most, NULL);
}

#endif

/* ---- waiting ---- */

static uint32_t
near_rings(int who)
{
	return __atomic_load_n(&near[ranks.rank].sign->bell[who].rings, __ATOMIC_SEQ_CST);
}

/* Until this rank's bell rings again since it had rung so often, but not for longer than so many
 * nanoseconds. */
static void
near_sleep(int who, uint32_t rings, long most)
{
	struct near_bell *b = &near[ranks.rank].sign->bell[who];
	struct timespec moment = { most / 1000000000, most % 1000000000 };

	__atomic_fetch_add(&b->waits, 1, __ATOMIC_SEQ_CST);
	near_hark(&b->rings, rings, &moment);
	__atomic_fetch_sub(&b->waits, 1, __ATOMIC_SEQ_CST);
}

/* Rings, and returns whether any waits for it; WAKES: they go on. */
static bool
near_rings_for(struct near_bell *b, bool wakes)
{
	bool waits;

	__atomic_fetch_add(&b->rings, 1, __ATOMIC_SEQ_CST);
	waits = __atomic_load_n(&b->waits, __ATOMIC_SEQ_CST) > 0;
	if (waits && wakes)
		near_ring(&b->rings);
	return waits;
}

/* Wakes the steps of all others that wait; where a step does not, and there is WORK, the thread
 * that watches. */
static void
near_wake_others(bool work)
{
	for (int k = 0; k < ranks.size; k++) {
		struct near_bell *bell = near[k].sign->bell;
		bool woken = k == ranks.rank || near_rings_for(&bell[NEAR_STEP], true);

		if (work && k != ranks.rank)
			near_rings_for(&bell[NEAR_WATCH], !woken);
	}
}

/* ---- what ranks show ---- */

static bool
near_all_began(int64_t exchange)
{
	for (int k = 0; k < ranks.size; k++)
		if (__atomic_load_n(&near[k].sign->begun, __ATOMIC_SEQ_CST) <= exchange)
			return false;
	return true;
}

static bool
near_all_did(int64_t exchange)
{
	for (int k = 0; k < ranks.size; k++)
		if (__atomic_load_n(&near[k].sign->done, __ATOMIC_SEQ_CST) <= exchange)
			return false;
	return true;
}

/* The last to begin it wakes the others, and so does the last to have done its piece. */
static void
near_begin(int64_t exchange)
{
	__atomic_store_n(&near[ranks.rank].sign->begun, exchange + 1, __ATOMIC_SEQ_CST);
	if (near_all_began(exchange))
		near_wake_others(true);
}

static void
near_did(int64_t exchange)
{
	__atomic_store_n(&near[ranks.rank].sign->done, exchange + 1, __ATOMIC_SEQ_CST);
	if (near_all_did(exchange))
		near_wake_others(false);
}

/* ---- a rank's piece ---- */

#define NEAR_BLOCK	8192	/* bytes: as many of each of two ranks, and of their sum, are in the smallest cache */

static char near_block[16][NEAR_BLOCK];

#ifdef PARTS

/* The sum of N elements AT a place of the arenas of so many ranks, a power of two: in a block, or
 * of one where it lies. */
static const char *
near_sum_of(char (*block)[NEAR_BLOCK], int first, int count, int64_t at, int64_t n, int bytes)
{
	const char *one, *other;

	if (count == 1)
		return near[first].arena + at;
	one = near_sum_of(block, first, count / 2, at, n, bytes);
	other = near_sum_of(block + 1, first + count / 2, count / 2, at, n, bytes);
	elements_sum(*block, one, other, n, bytes);
	return *block;
}

static const char *
near_sum(int64_t at, int64_t n, int bytes)
{
	return near_sum_of(near_block, 0, ranks.size, at, n, bytes);
}

#else

/* The sum of N elements AT a place of all arenas, which is this rank's to make. */
static const char *
near_sum(int64_t at, int64_t n, int bytes)
{
	const char *sum = near[(ranks.rank + 1) % ranks.size].arena + at;

	for (int k = 2; k <= ranks.size; k++) {
		elements_sum(*near_block, near[(ranks.rank + k) % ranks.size].arena + at, sum, n, bytes);
		sum = *near_block;
	}
	return sum;
}

#endif

static struct {			/* how far this rank is with the exchange of which it does its piece */
	int span;
	int64_t at;		/* elements of its piece of that */
} near_now;

/* N elements from near_now on of this rank's piece, which begins with element FIRST of a span. */
static void
near_do(int64_t base, const struct ring_span *s, int64_t first, int64_t n, int bytes, int halves)
{
	int64_t at = base + s->at + (first + near_now.at) * bytes;
	const char *sum = halves & RING_ADDS ? near_sum(at, n, bytes) : near[ranks.rank].arena + at;

	if (!(halves & RING_SPREADS))
		memcpy(near[ranks.rank].arena + (s->piece < 0 ? at : base + s->piece + near_now.at * bytes), sum, (size_t)(n * bytes));
	for (int k = 0; k < ranks.size && halves & RING_SPREADS; k++)
		if (near[k].arena + at != sum)
			memcpy(near[k].arena + at, sum, (size_t)(n * bytes));
}

/* Bytes that a rank would send for N elements around a ring, as the plan has it: of a sum what
 * ranks send on average, of a half all pieces but one, this rank's own or the next one's. */
static int64_t
near_sends(int64_t n, int bytes, int halves)
{
	int kept = halves & RING_ADDS ? ranks.rank : (ranks.rank + 1) % ranks.size;

	if (halves == (RING_ADDS | RING_SPREADS))
		return 2 * n * bytes * (ranks.size - 1) / ranks.size;
	return (n - rank_piece_of(n, kept, ranks.size).n) * bytes;
}

/* Goes on with this rank's piece of SPANS of the arena at BASE, up to *LEFT bytes; true: it is
 * done. */
static bool
near_go_on(int64_t base, const struct ring_span *span, int spans, int bytes, int halves, int64_t *left)
{
	for (; near_now.span < spans; near_now.span++, near_now.at = 0) {
		const struct ring_span *s = &span[near_now.span];
		struct rank_piece p = rank_piece_of(s->n, ranks.rank, ranks.size);

		while (near_now.at < p.n) {
			int64_t n = p.n - near_now.at < NEAR_BLOCK / bytes ? p.n - near_now.at : NEAR_BLOCK / bytes;

			if (*left <= 0)
				return false;
			near_do(base, s, p.first, n, bytes, halves);
			near_now.at += n;
			*left -= n * bytes;
		}
		ranks.sent += near_sends(s->n, bytes, halves);
	}
	near_now.span = 0;
	return true;
}

#endif
