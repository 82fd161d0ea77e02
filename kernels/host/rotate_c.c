/*
 * rotate_c.c - on which processor a rank's step runs. A step is over when its slowest rank is, and processors are not all as fast:
 * those of virtual machines share theirs with others, by a third more or less for seconds, and some machines have two kinds. A system
 * leaves one thread a processor where it is, so all would wait for the rank that has the slowest. Where ranks are as many as the
 * processors that each of them may use, with a thread each, all move on to the next one at the same moments:
 *
 *     processor 0    rank 0 | rank 1 | rank 0 | ..
 *     processor 1    rank 1 | rank 0 | rank 1 | ..
 *                    ------ 20 ms
 *
 * so that each has as much of every processor, and a step takes the mean of their rates. What a processor kept in caches of its own
 * comes anew, which takes some tens of microseconds. The thread that watches moves the other one, by a clock that all ranks have.
 * Who starts ranks may bind each to processors of its own; then they stay there.
 */
#ifndef STOWAGE_HOST_ROTATE_C
#define STOWAGE_HOST_ROTATE_C

#include "update/ranks.cu"

#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#endif

#define ROTATE_TURN	20000000	/* nanoseconds on one processor */

static int64_t
rotate_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifdef __linux__

static struct {
	int step;		/* the thread that runs steps; 0: it stays where the system has it */
	int64_t turn;		/* whose move was made */
	cpu_set_t processors;
} rotating;

/* By the thread that runs steps, on so many threads in all. */
static void
rotate_open(int threads)
{
	if (ranks.here > 1 && threads == 1 && !sched_getaffinity(0, sizeof(rotating.processors), &rotating.processors) &&
	    CPU_COUNT(&rotating.processors) == ranks.here)
		__atomic_store_n(&rotating.step, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

/* The N-th of them. */
static int
rotate_processor(int n)
{
	int k = 0;

	for (; !CPU_ISSET(k, &rotating.processors) || n > 0; k++)
		n -= CPU_ISSET(k, &rotating.processors) ? 1 : 0;
	return k;
}

/* If a turn has begun, the step moves; returns the nanoseconds until the next one begins. */
static int64_t
rotate_on(void)
{
	int64_t now = rotate_clock(), turn = now / ROTATE_TURN;
	int step = __atomic_load_n(&rotating.step, __ATOMIC_ACQUIRE);
	cpu_set_t to;

	if (step && turn != rotating.turn) {
		CPU_ZERO(&to);
		CPU_SET(rotate_processor((int)((turn + ranks.local) % ranks.here)), &to);
		sched_setaffinity(step, sizeof(to), &to);
		rotating.turn = turn;
	}
	return ROTATE_TURN - now % ROTATE_TURN;
}

#else

static void
rotate_open(int threads)
{
	(void)threads;
}

static int64_t
rotate_on(void)
{
	return ROTATE_TURN - rotate_clock() % ROTATE_TURN;
}

#endif

#endif
