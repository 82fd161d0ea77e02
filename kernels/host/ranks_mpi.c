/*
 * ranks_mpi.c - how ranks reach one another by MPI, which starts them: what ranks.c asks for.
 *
 * MPI ends a run when a rank is killed; it does not notice one that stands still, be it stopped, or
 * its machine lost. So each rank tells the next one around a ring that it lives, and heeds the one
 * before it.
 */
#ifndef STOWAGE_HOST_RANKS_MPI_C
#define STOWAGE_HOST_RANKS_MPI_C

#include "update/exchange.cu"
#include "rotate_c.c"

#define RANK_SIGN	77		/* the tag of signs of life */
#define PIECE_SIGN	79		/* of what goes to a file */
#define RANKS_START	"mpirun -n %d %s"	/* how to start so many */

static MPI_Comm ranks_watched = MPI_COMM_NULL;
static MPI_Request ranks_sign = MPI_REQUEST_NULL;	/* of life, that this one gave last */

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

#include "ranks_gone.c"

/* ---- beginning and end ---- */

static void
ranks_connect(int *argc, char ***argv)
{
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
	MPI_Comm_split_type(ranks.all, MPI_COMM_TYPE_SHARED, ranks.rank, MPI_INFO_NULL, &ranks.machine);
	MPI_Comm_size(ranks.machine, &ranks.here);
	MPI_Comm_rank(ranks.machine, &ranks.local);
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

/* Ends all ranks. What was said goes by way of mpirun, whose own words come between where it hears
 * of the end at once. */
static void
ranks_abort(int status)
{
	if (ranks.all == MPI_COMM_NULL)
		return;
	fflush(stderr);
	ranks_take_leave();
	MPI_Abort(MPI_COMM_WORLD, status);
}

/* ---- together ---- */

/* BYTES of each rank of a group, by rank, to all of them. */
static void
ranks_gather_among(MPI_Comm group, const void *own, void *all, int bytes)
{
	MPI_Request request;

	pthread_mutex_lock(&ranks.lock);
	MPI_Iallgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, group, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

static void
ranks_gather(const void *own, void *all, int bytes)
{
	ranks_gather_among(ranks.all, own, all, bytes);
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

/* RANKS_APART, of tests: as if on several machines. Stages add nothing up. */
#if defined(__linux__) && !defined(STAGES) && !defined(RANKS_APART)

struct near_place {		/* where others find the file of a rank's arena */
	int64_t key;		/* by which it is named */
	int file;		/* of its process; below 0: there is none */
};

#define NEAR_NAME	"ranks.%016llx"

/* Bytes of the file before the sign: whole pages. */
static int64_t
near_sign_at(void)
{
	int64_t page = sysconf(_SC_PAGESIZE);

	return (ARENA_BYTES + page - 1) / page * page;
}

/* Makes the file; it takes no memory before it is written to. */
static struct near_place
near_create(void)
{
	struct near_place own = { ranks_clock() ^ (int64_t)getpid() << 40, -1 };
	char name[64];

	snprintf(name, sizeof(name), NEAR_NAME, (unsigned long long)own.key);
	own.file = memfd_create(name, MFD_CLOEXEC);
	if (own.file >= 0 && ftruncate(own.file, (off_t)(near_sign_at() + (int64_t)sizeof(struct near_sign))) < 0) {
		close(own.file);
		own.file = -1;
	}
	return own;
}

/* Opens a rank's file by way of its process, which must be that of PID here; below 0: it is not, or
 * may not. */
static int
near_open(const struct near_place *of, int pid)
{
	char path[64], name[64], there[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, of->file);
	snprintf(name, sizeof(name), "/memfd:" NEAR_NAME " (deleted)", (unsigned long long)of->key);
	if (of->file < 0 || readlink(path, there, sizeof(there) - 1) < 0 || strcmp(there, name))
		return -1;
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Maps what a rank shows, and its arena, of which a picture of this process after a fault has no
 * need. */
static bool
near_join(struct near *to, const struct near_place *of, int pid)
{
	int file = near_open(of, pid);
	void *sign = MAP_FAILED, *there = MAP_FAILED;

	if (file >= 0)
		sign = mmap(NULL, sizeof(struct near_sign), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)near_sign_at());
	if (sign != MAP_FAILED)
		there = near_map(file, near_sign_at());
	if (file >= 0)
		close(file);
	to->sign = sign == MAP_FAILED ? NULL : (struct near_sign *)sign;
	to->arena = there == MAP_FAILED ? NULL : (char *)there;
	if (to->arena)
		madvise(there, (size_t)near_sign_at(), MADV_DONTDUMP);
	return to->arena;
}

static void
near_leave_arena(struct near *of)
{
	if (of->arena)
		munmap(of->arena, (size_t)near_sign_at());
	of->arena = NULL;
}

/* All that a rank has mapped is as before: what may be mapped (RLIMIT_AS) is for its own arena
 * again. */
static void
near_leave(struct near *all)
{
	for (int k = 0; k < ranks.size; k++) {
		near_leave_arena(&all[k]);
		if (all[k].sign)
			munmap(all[k].sign, sizeof(struct near_sign));
	}
	free(all);
}

/* If all ranks are on one machine, and may, each maps the arenas of all; its own to see that there
 * is room, until device_open(). */
static void
ranks_place(const struct rank_name *names)
{
	struct near_place own = { 0, -1 }, *all = (struct near_place *)calloc((size_t)ranks.size, sizeof(*all));
	struct near *seen = (struct near *)calloc((size_t)ranks.size, sizeof(*seen));
	double can = ranks.here == ranks.size;

	if (!all || !seen)
		fail("no memory for the arenas of %d ranks", ranks.size);
	if (can)
		own = near_create();
	ranks_gather(&own, all, (int)sizeof(own));
	for (int k = 0; k < ranks.size && can; k++)
		can = near_join(&seen[k], &all[k], names[k].pid);
	ranks_sum(&can, 1);
	free(all);
	if (can < ranks.size) {
		near_leave(seen);
		if (own.file >= 0)
			close(own.file);
		return;
	}
	near_leave_arena(&seen[ranks.rank]);
	near_file = own.file;
	pthread_mutex_lock(&ranks.lock);	/* for the thread that watches */
	near = seen;
	pthread_mutex_unlock(&ranks.lock);
}

#else

static void
ranks_place(const struct rank_name *names)
{
	(void)names;
}

#endif

static void
ranks_move(void *x, int64_t bytes, int from, int to)
{
	MPI_Request request;

	if (ranks.rank != from && ranks.rank != to)
		return;
	pthread_mutex_lock(&ranks.lock);
	if (ranks.rank == from)
		MPI_Isend(x, (int)bytes, MPI_BYTE, to, PIECE_SIGN, ranks.all, &request);
	else
		MPI_Irecv(x, (int)bytes, MPI_BYTE, from, PIECE_SIGN, ranks.all, &request);
	pthread_mutex_unlock(&ranks.lock);
	ranks_await(&request);
}

/* ---- signs of life ---- */

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

/* Has the rank before this one said that it lives? And if this one is to end, has another said
 * why? */
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
	if (interrupted)
		ranks_hear_reason();
	pthread_mutex_unlock(&ranks.lock);
}

#define RANK_SOON	50000	/* nanoseconds */
#define RANK_LATER	1000000

/* Moves along whatever is on its way, and rests. Ranks that are near wake one another, and at the
 * latest the step is to move to another processor then. MPI moves only while it is called: soon
 * again where something moved, and the later the longer nothing has, as then others compute, who
 * may need this processor. */
static void
ranks_push(void)
{
	static struct timespec moment = { 0, RANK_LATER };
	static int64_t was;
	uint32_t rings;
	int64_t moved;
	bool is_near, more = false, awaited;
	int64_t rotates = rotate_on();
	int there;

	pthread_mutex_lock(&ranks.lock);
	is_near = near;
	rings = near ? near_rings(NEAR_WATCH) : 0;
	awaited = exchanges_awaited;
	if (!awaited)
		more = exchanges_turn();
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks.all, &there, MPI_STATUS_IGNORE);
	moved = ranks.sent + ring.received + exchanges_begun;
	if (moved != was && !awaited)
		moment.tv_nsec = RANK_SOON;
	else
		moment.tv_nsec = 2 * moment.tv_nsec < RANK_LATER ? 2 * moment.tv_nsec : RANK_LATER;
	was = moved;
	pthread_mutex_unlock(&ranks.lock);
	if (is_near && !more)
		near_sleep(NEAR_WATCH, rings, (long)rotates);
	else if (!more)
		nanosleep(&moment, NULL);
}

#endif
