/*
 * ranks_mpi.c - how ranks reach one another by MPI, which starts them: what ranks.c asks for.
 *
 * MPI ends a run when a rank is killed; it does not notice one that stands still, be it stopped, or its machine lost. So each
 * rank tells the next one around a ring that it lives, and heeds the one before it.
 */
#ifndef STOWAGE_HOST_RANKS_MPI_C
#define STOWAGE_HOST_RANKS_MPI_C

#include "update/exchange.cu"

#define RANK_SIGN	77		/* the tag of signs of life */
#define PIECE_SIGN	79		/* of what goes to a file */
#define RANKS_START	"mpirun -n %d %s"	/* how to start so many */

static MPI_Comm ranks_watched = MPI_COMM_NULL;
static MPI_Request ranks_sign = MPI_REQUEST_NULL;	/* of life, that this one gave last */

/* ---- beginning and end ---- */

static void
ranks_connect(int *argc, char ***argv)
{
	MPI_Comm machine;
	int has;

#ifdef STAGES
	(void)argc, (void)argv;
	MPI_Query_thread(&has);		/* the program has asked which stage it is */
#else
	MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &has);
#endif
	MPI_Comm_dup(MPI_COMM_WORLD, &ranks.all);
	MPI_Comm_dup(MPI_COMM_WORLD, &ranks_watched);
	MPI_Comm_rank(ranks.all, &ranks.rank);
	MPI_Comm_size(ranks.all, &ranks.size);
	if (has < MPI_THREAD_SERIALIZED)
		fail("this MPI lets one thread alone call it, and a rank has two that do: it must be built with threads");
	MPI_Comm_split_type(ranks.all, MPI_COMM_TYPE_SHARED, ranks.rank, MPI_INFO_NULL, &machine);
	MPI_Comm_size(machine, &ranks.here);
	MPI_Comm_free(&machine);
#if NARROW
	MPI_Op_create(elements_add, 1, &ranks.elements_sum);
#endif
}

/* They have met already, and know which are on one machine. */
static void
ranks_meet(void)
{
}


static bool
ranks_joined(void)
{
	int done = 0;

	MPI_Finalized(&done);
	return !done && ranks.all != MPI_COMM_NULL;
}

/* Together, when all went well. */
static void
ranks_leave(void)
{
	if (ranks_sign != MPI_REQUEST_NULL)
		MPI_Request_free(&ranks_sign);
	MPI_Finalize();
}

/* Ends all ranks. What was said goes by way of mpirun, whose own words come between where it hears of the end at once. */
static void
ranks_abort(int status)
{
	struct timespec moment = { 0, 200000000 };

	if (ranks.all == MPI_COMM_NULL)
		return;
	fflush(stderr);
	nanosleep(&moment, NULL);
	MPI_Abort(MPI_COMM_WORLD, status);
}

/* ---- together ---- */

/* BYTES of each rank, by rank, to all of them. */
static void
ranks_gather(const void *own, void *all, int bytes)
{
	MPI_Request request;

	pthread_mutex_lock(&ranks.lock);
	MPI_Iallgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, ranks.all, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

static void
ranks_sum(double *x, int n)
{
	MPI_Request request;

	if (ranks.size == 1 || n == 0)
		return;
	pthread_mutex_lock(&ranks.lock);
	MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, ranks.all, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

/* ---- on one machine ---- */

#ifdef __linux__

struct ring_trial {		/* what a rank tells others, so that they try to read its memory */
	int64_t key;
	const int64_t *at;	/* where the key lies */
	int page;		/* the first rank's: the file of the page */
};

/* May this rank read the memory of that process, and is it the other rank's? */
static bool
ring_knows(int64_t pid, const struct ring_trial *other)
{
	int64_t key;

	return ring_peek(pid, &key, other->at, (int64_t)sizeof(key)) && key == other->key;
}

/* A page of which each rank shows its part: the first rank's, opened by way of its process, which must be that of PID here. */
static struct ring_shown *
ring_page(const struct ring_trial *first, int64_t pid)
{
	size_t bytes = (size_t)ranks.size * sizeof(struct ring_shown);
	struct stat what;
	char name[64];
	int fd;
	void *page = MAP_FAILED;

	snprintf(name, sizeof(name), "/proc/%lld/fd/%d", (long long)pid, first->page);
	fd = ring_knows(pid, first) ? open(name, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &what) == 0 && S_ISREG(what.st_mode) && what.st_size == (off_t)bytes)
		page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : (struct ring_shown *)page;
}

/* Can this rank read the page, and the memory of all others? */
static bool
ring_tried(const struct ring_shown *page, const struct ring_trial *all, const struct rank_name *names)
{
	bool can = page && page->key == all->key;

	for (int k = 0; k < ranks.size && can; k++)
		can = ring_knows(names[k].pid, &all[k]);
	return can;
}

#ifdef RANKS_APART	/* for tests: as if on several machines */
#define RANKS_NEAR	false
#else
#define RANKS_NEAR	(ranks.here == ranks.size)
#endif

/* If all ranks are on one machine and may, they read parts out of one another's memory. */
static void
ranks_place(const struct rank_name *names)
{
	static int64_t key;
	struct ring_trial own, *all = (struct ring_trial *)calloc((size_t)ranks.size, sizeof(*all));
	size_t bytes = (size_t)ranks.size * sizeof(struct ring_shown);
	struct ring_shown *page = NULL;
	double can = 0;

	if (!all)
		fail("no memory to try %d ranks", ranks.size);
	key = ranks_clock() ^ (int64_t)getpid() << 40 ^ (int64_t)(uintptr_t)all;
	own = (struct ring_trial){ key, &key, -1 };
	if (ranks.rank == 0 && (own.page = memfd_create("ranks", MFD_CLOEXEC)) >= 0 && ftruncate(own.page, (off_t)bytes) == 0 &&
	    (page = ring_page(&own, getpid())))
		page->key = key;
	ranks_gather(&own, all, (int)sizeof(own));
	if (RANKS_NEAR) {
		page = page ? page : ring_page(all, names[0].pid);
		can = ring_tried(page, all, names);
	}
	if (can)
		page[ranks.rank].pid = getpid();
	ranks_sum(&can, 1);
	pthread_mutex_lock(&ranks.lock);	/* for the thread that watches */
	if (can == ranks.size)
		ring_shown = page;
	pthread_mutex_unlock(&ranks.lock);
	if (page && !ring_shown)
		munmap(page, bytes);
	if (own.page >= 0)
		close(own.page);
	free(all);
}

#else

static void
ranks_place(const struct rank_name *names)
{
	(void)names;
}

#endif

/* To the first rank, which takes it. */
static void
ranks_give(void *from, int64_t bytes)
{
	MPI_Request request;

	pthread_mutex_lock(&ranks.lock);
	MPI_Isend(from, (int)bytes, MPI_BYTE, 0, PIECE_SIGN, ranks.all, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

static void
ranks_take(void *to, int64_t bytes, int rank)
{
	MPI_Request request;

	pthread_mutex_lock(&ranks.lock);
	MPI_Irecv(to, (int)bytes, MPI_BYTE, rank, PIECE_SIGN, ranks.all, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

/* ---- signs of life ---- */

/* How many ranks this one heeds, and the K-th of them. */
static int
ranks_heeds(void)
{
	return 1;
}

static int
ranks_heeded(int k)
{
	return (ranks.rank + ranks.size - 1 - k) % ranks.size;
}

static void
ranks_tell(void)
{
	int sent = 1;

	pthread_mutex_lock(&ranks.lock);
	MPI_Test(&ranks_sign, &sent, MPI_STATUS_IGNORE);
	if (sent)
		MPI_Isend(NULL, 0, MPI_BYTE, (ranks.rank + 1) % ranks.size, RANK_SIGN, ranks_watched, &ranks_sign);
	pthread_mutex_unlock(&ranks.lock);
}

/* Has the rank before this one said that it lives? */
static void
ranks_hear(int64_t now)
{
	int more = 1;

	pthread_mutex_lock(&ranks.lock);
	while (more) {
		MPI_Iprobe(ranks_heeded(0), RANK_SIGN, ranks_watched, &more, MPI_STATUS_IGNORE);
		if (more) {
			MPI_Recv(NULL, 0, MPI_BYTE, ranks_heeded(0), RANK_SIGN, ranks_watched, MPI_STATUS_IGNORE);
			ranks_hears(0, now);
		}
	}
	pthread_mutex_unlock(&ranks.lock);
}

#define RANK_SOON	50000	/* nanoseconds */
#define RANK_LATER	1000000
#define RANK_WOKEN	20000000	/* if others wake this one */

#ifdef STAGES
#define RANKS_WAKE	false	/* MPI takes from one stage to the next, and moves that only while it is called */
#else
#define RANKS_WAKE	(exchanges_small == 0)
#endif

/* Moves along whatever is on its way, and rests. MPI moves only while it is called: soon again where something moved, and the
 * later the longer nothing has, as then others compute, who may need this processor. */
static void
ranks_push(void)
{
	static struct timespec moment = { 0, RANK_LATER };
	static int64_t was;
	uint32_t bell;
	int64_t moved;
	bool wakes, awaited;
	int there;

	pthread_mutex_lock(&ranks.lock);
	bell = ring_shown ? ring_bell(ranks.rank) : 0;
	awaited = exchanges_awaited;
	wakes = ring_shown && RANKS_WAKE && !awaited;
	if (!awaited)
		exchanges_turn();
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks.all, &there, MPI_STATUS_IGNORE);
	moved = ranks.sent + ring.received + exchanges_begun;
	if (moved != was && !awaited)
		moment.tv_nsec = RANK_SOON;
	else
		moment.tv_nsec = 2 * moment.tv_nsec < RANK_LATER ? 2 * moment.tv_nsec : RANK_LATER;
	was = moved;
	pthread_mutex_unlock(&ranks.lock);
	if (wakes)
		ring_sleep(ranks.rank, bell, RANK_WOKEN);
	else
		nanosleep(&moment, NULL);
}

#endif
