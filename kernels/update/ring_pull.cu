/*
 * update/ring_pull.cu - the ring of ranks that are all on one machine: each reads a part where it lies in the memory of the rank
 * that has it (process_vm_readv), and to where it belongs, so it is copied once, and nobody waits for two to meet.
 *
 *     a rank shows       which parts may be read, and how many it has read itself, in a page that all of them have
 *     the one after it   reads a part that may be read, and shows that
 *     whom it concerns   is woken, if it waits (futex): nobody asks again and again
 *
 * The page and the right to read are tried before the first step (host/ranks_mpi.c); where either is missing, MPI sends the parts.
 */
#ifndef STOWAGE_UPDATE_RING_PULL_CU
#define STOWAGE_UPDATE_RING_PULL_CU

#include "kernel.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#endif

/* What a rank shows. Parts have numbers through all that ever goes around, which are the same on all ranks. */
static struct ring_shown {
	int64_t key;		/* of the first rank: by it others know the page */
	int64_t pid;
	char *base;		/* where it has what is on its way */
	int64_t ready;		/* the first part that may not be read yet */
	int64_t received;	/* the first part of others that it has not read */
	uint32_t bell;		/* counts what was shown to it */
	uint32_t waits;		/* threads of it that wait for the bell */
	char apart[16];		/* a line of the cache for each */
} *ring_shown;			/* by rank; NULL: MPI sends the parts */

static int ring_refused;	/* why another's memory, which could be read, cannot be any more: an error of the system's, or 0 */

#ifdef __linux__

/* Reads so many bytes of another process; false: it does not let this one, or is no more (errno). */
static bool
ring_peek(int64_t pid, void *to, const void *from, int64_t bytes)
{
	while (bytes > 0) {
		struct iovec here = { to, (size_t)bytes }, there = { (void *)(uintptr_t)from, (size_t)bytes };
		ssize_t n = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

		if (n <= 0)
			return false;
		to = (char *)to + n, from = (const char *)from + n, bytes -= n;
	}
	return true;
}

/* Wakes all that wait for the bell, or waits until it is no more what it was, but not for longer. */
static void
ring_ring(uint32_t *bell)
{
	syscall(SYS_futex, bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void
ring_hark(uint32_t *bell, uint32_t was, const struct timespec *most)
{
	syscall(SYS_futex, bell, FUTEX_WAIT, was, most, NULL, 0);
}

#else	/* MPI sends the parts */

static bool
ring_peek(int64_t pid, void *to, const void *from, int64_t bytes)
{
	(void)pid, (void)to, (void)from, (void)bytes;
	errno = ESRCH;
	return false;
}

static void
ring_ring(uint32_t *bell)
{
	(void)bell;
}

static void
ring_hark(uint32_t *bell, uint32_t was, const struct timespec *most)
{
	(void)bell, (void)was;
	nanosleep(most, NULL);
}

#endif

/* Reads a part's bytes, which lie so far behind the other's base; false: they are not ready. Nor are they if the other has died,
 * of which others tell, or where the system refuses (ring_refused, of which who waits for them tells). */
static bool
ring_pull(int rank, int64_t part, void *to, int64_t at, int64_t bytes)
{
	if (__atomic_load_n(&ring_shown[rank].ready, __ATOMIC_ACQUIRE) <= part)
		return false;
	if (ring_peek(ring_shown[rank].pid, to, ring_shown[rank].base + at, bytes))
		return true;
	if (errno != ESRCH && errno != EINTR && errno != EAGAIN && errno != ENOMEM)
		ring_refused = errno;
	return false;
}

static bool
ring_was_pulled(int rank, int64_t part)
{
	return __atomic_load_n(&ring_shown[rank].received, __ATOMIC_ACQUIRE) > part;
}

static void
ring_show(int64_t *number, int64_t value)
{
	__atomic_store_n(number, value, __ATOMIC_RELEASE);
}

/* ---- waiting ---- */

static void
ring_wake(int rank)
{
	struct ring_shown *s = &ring_shown[rank];

	__atomic_fetch_add(&s->bell, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->waits, __ATOMIC_SEQ_CST))
		ring_ring(&s->bell);
}

static uint32_t
ring_bell(int rank)
{
	return __atomic_load_n(&ring_shown[rank].bell, __ATOMIC_SEQ_CST);
}

/* Until something was shown to this rank since its bell was that, but not for longer than so many nanoseconds. */
static void
ring_sleep(int rank, uint32_t bell, long most)
{
	struct ring_shown *s = &ring_shown[rank];
	struct timespec moment = { most / 1000000000, most % 1000000000 };

	__atomic_fetch_add(&s->waits, 1, __ATOMIC_SEQ_CST);
	ring_hark(&s->bell, bell, &moment);
	__atomic_fetch_sub(&s->waits, 1, __ATOMIC_SEQ_CST);
}

#endif
