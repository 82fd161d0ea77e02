/*
 * ranks_gone.c - which rank has died, where MPI started them: mpirun ends a run as soon as one is
 * killed, names it, and knows of no checkpoint. It takes the dead process off the system's list,
 * tells all others to end, and kills them a second later. Before that, those on its machine see
 * that it is gone, those elsewhere only that the rank before them no longer says that it lives. One
 * of them says so, by a thread of its own that waits for that alone and never calls MPI: Open MPI
 * may hold those that do for good while it tells of a connection that has broken.
 */
#ifndef STOWAGE_HOST_RANKS_GONE_C
#define STOWAGE_HOST_RANKS_GONE_C

#define REASON_SIGN	80	/* the tag of a rank that ends all, and has said why */

/* Nanoseconds from when this rank is told to end: in which another may have said why, */
#define GONE_REASON	20000000
/* in which a process that is gone is the cause, */
#define GONE_SEEN	(2 * (int64_t)RANK_BEAT)
/* after which a rank elsewhere is, of which it has had no sign of life for as long, */
#define GONE_SILENT	(3 * (int64_t)RANK_BEAT)
/* and after which it is that MPI does not return. */
#define GONE_HELD	(4 * (int64_t)RANK_BEAT)

#include <semaphore.h>

static sem_t ranks_called;		/* by a signal, to end */
static pthread_t ranks_teller;

/* Tells the others that this one has said why all end, so that they need not ask who is gone. The
 * calling thread may be the one that moves messages along, or have the lock already. */
static void
ranks_take_leave(void)
{
	struct timespec moment = { 0, 10000000 };
	MPI_Request request;
	int there;
	bool told = false;

	ranks_be_silent();
	for (int turn = 0; turn < 20; turn++, nanosleep(&moment, NULL)) {
		if (pthread_mutex_trylock(&ranks.lock))
			continue;
		for (int k = 0; k < ranks.size && !told && ranks_watched != MPI_COMM_NULL; k++)
			if (k != ranks.rank && !MPI_Isend(NULL, 0, MPI_BYTE, k, REASON_SIGN, ranks_watched, &request))
				MPI_Request_free(&request);
		told = true;
		MPI_Iprobe(MPI_ANY_SOURCE, REASON_SIGN, ranks.all, &there, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&ranks.lock);
	}
}

/* If another rank has said why all end, this one need not. Of the thread that watches, which has
 * the lock. */
static void
ranks_hear_reason(void)
{
	int there;

	MPI_Iprobe(MPI_ANY_SOURCE, REASON_SIGN, ranks_watched, &there, MPI_STATUS_IGNORE);
	if (there)
		ranks_be_silent();
}

/* Is the rank's process one of this machine, of which the system has none any more? */
static bool
rank_has_died(const struct rank_name *name)
{
	return name->seen && kill(name->pid, 0) < 0 && errno == ESRCH;
}

/* The rank on this machine that is gone; -1: none. LEFT: the first that can say so. */
static int
ranks_gone_here(int *left)
{
	int gone = -1;

	*left = ranks.rank;
	for (int k = ranks.size - 1; k >= 0; k--) {
		if (rank_has_died(&rank_names[k]))
			gone = k;
		else if (rank_names[k].seen && k < *left)
			*left = k;
	}
	return gone;
}

/* Says why this rank has been told to end, at TOLD, if it knows that by now. */
static void
ranks_tell_gone(int64_t now, int64_t told)
{
	char name[RANK_NAME + 64], why[RANK_NAME + 96];
	int left, before = ranks_heeded(0), gone = now - told < GONE_SEEN ? ranks_gone_here(&left) : -1;
	bool held = now - __atomic_load_n(&ranks_looked, __ATOMIC_RELAXED) > GONE_SILENT;

	if (gone >= 0) {
		ranks_be_silent();
		if (left != ranks.rank)
			return;
	} else if (!rank_names[before].seen && now - told > GONE_SILENT && now - ranks_heard_last(0) > GONE_SILENT &&
	    (!held || ranks.size == 2)) {
		gone = before;
	}
	if (gone >= 0)
		snprintf(why, sizeof(why), "%s has ended: all ranks end", ranks_text(name, gone));
	else if (held && now - told > GONE_HELD)
		snprintf(why, sizeof(why), "rank %d has been told to end while MPI waits for others", ranks.rank);
	else
		return;
	ranks_be_silent();
	ranks_tell_end(why);
}

static bool
ranks_may_ask(void)
{
	return !ranks_are_silent() && !__atomic_load_n(&ranks_ended, __ATOMIC_ACQUIRE);
}

/* Waits for a signal, and then for what is behind it, until it is too late to say that. */
static void *
ranks_await_call(void *unused)
{
	struct timespec moment = { 0, GONE_REASON };
	int64_t told;

	while (sem_wait(&ranks_called) < 0)
		;
	told = ranks_clock();
	while (ranks_clock() - told < 2 * GONE_HELD && ranks_may_ask()) {
		nanosleep(&moment, NULL);
		if (ranks_may_ask())
			ranks_tell_gone(ranks_clock(), told);
	}
	return unused;
}

/* In the handler of a signal. */
static void
ranks_call(void)
{
	sem_post(&ranks_called);
}

/* Once they know one another's names. */
static void
ranks_begin_call(void)
{
	sem_init(&ranks_called, 0, 0);
	if (pthread_create(&ranks_teller, NULL, ranks_await_call, NULL))
		fail("no thread to tell which rank has ended: %s", strerror(errno));
}

/* Once the thread that watches has ended. */
static void
ranks_end_call(void)
{
	ranks_call();
	pthread_join(ranks_teller, NULL);
}

#endif
