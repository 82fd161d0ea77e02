/*
 * rotate_c.c - on which processor a rank's step runs. A step is over when its slowest rank is, and
 * processors are not all as fast: those of virtual machines share theirs with others, by a third
 * more or less for seconds, and some machines have two kinds. A system leaves one thread a
 * processor where it is, so all would wait for the rank that has the slowest. Where all ranks of a
 * machine may use the same processors, as many as they are, with a thread each, all move on to the
 * next one at the same moments:
 *
 *     processor 0    rank 0 | rank 1 | rank 0 | ..
 *     processor 1    rank 1 | rank 0 | rank 1 | ..
 *                    ------ 20 ms
 *
 * so that each has as much of every processor, and a step takes the mean of their rates. What a
 * processor kept in caches of its own comes anew, which takes some tens of microseconds. The thread
 * that watches moves the other one, by a clock that all ranks have.
 *
 * Ranks stay where the system has them if their sets of processors differ in anything, as where
 * each is bound to its own, or some to one socket and some to another: places in sets that differ
 * may be two halves of one core. So they do on machines of several nodes of memory, as an arena
 * stays where it was first touched, and where the system counts more than 1,024 processors
 * (CPU_SETSIZE). A rank whose processors somebody else sets later keeps those; one that the system
 * refuses to move is left to it. The others go on.
 */
#ifndef STOWAGE_HOST_ROTATE_C
#define STOWAGE_HOST_ROTATE_C

#include "update/ranks.cu"

#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#endif

#define ROTATE_TURN	20000000	/* nanoseconds on one processor */

static int64_t	ranks_clock(void);

#ifdef __linux__

static struct {
	int step;		/* the thread that runs steps; 0: it stays where the system has it */
	int64_t turn;		/* whose move was made */
	cpu_set_t processors;	/* of all ranks */
	cpu_set_t at;		/* what the thread was bound to last, as far as is known here */
} rotating;

static void	ranks_gather_among(MPI_Comm group, const void *own, void *all, int bytes);

/* Has the machine one node of memory? */
static bool
rotate_one_node(void)
{
	FILE *f = fopen("/sys/devices/system/node/online", "r");
	char nodes[64] = "";
	bool one;

	if (!f)
		return true;
	one = fgets(nodes, sizeof(nodes), f) && !strcmp(nodes, "0\n");
	fclose(f);
	return one;
}

/* By the thread that runs steps, on so many threads in all. All ranks call it. */
static void
rotate_open(int threads)
{
	cpu_set_t *own = &rotating.processors, *all;
	bool alike = true;

	if (ranks.here == 1)
		return;
	all = (cpu_set_t *)malloc((size_t)ranks.here * sizeof(*all));
	if (!all)
		fail("no memory for the processors of %d ranks", ranks.here);
	CPU_ZERO(own);
	if (threads > 1 || !rotate_one_node() || sched_getaffinity(0, sizeof(*own), own))
		CPU_ZERO(own);		/* as many as no ranks: none moves */
	ranks_gather_among(ranks.machine, own, all, (int)sizeof(*own));
	for (int k = 0; k < ranks.here; k++)
		alike = alike && CPU_EQUAL(own, &all[k]);
	free(all);
	rotating.at = *own;
	if (alike && CPU_COUNT(own) == ranks.here)
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

/* Moves the thread, which then stays where it is if somebody else has bound it, or the system
 * refuses. */
static void
rotate_to(int step, int processor)
{
	cpu_set_t is;

	if (!sched_getaffinity(step, sizeof(is), &is) && CPU_EQUAL(&is, &rotating.at)) {
		CPU_ZERO(&rotating.at);
		CPU_SET(processor, &rotating.at);
		if (!sched_setaffinity(step, sizeof(rotating.at), &rotating.at))
			return;
		sched_setaffinity(step, sizeof(rotating.processors), &rotating.processors);
	}
	__atomic_store_n(&rotating.step, 0, __ATOMIC_RELEASE);
}

/* If a turn has begun, the step moves; returns the nanoseconds until the next one begins. */
static int64_t
rotate_on(void)
{
	int64_t now = ranks_clock(), turn = now / ROTATE_TURN;
	int step = __atomic_load_n(&rotating.step, __ATOMIC_ACQUIRE);

	if (step && turn != rotating.turn) {
		rotate_to(step, rotate_processor((int)((turn + ranks.local) % ranks.here)));
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
	return ROTATE_TURN - ranks_clock() % ROTATE_TURN;
}

#endif

#endif
