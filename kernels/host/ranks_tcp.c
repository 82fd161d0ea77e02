/*
 * ranks_tcp.c - how ranks reach one another where NCCL joins their cards: what ranks.c asks for, by
 * TCP. Who starts them (torchrun, srun, mpirun) says by variables which rank this is, of how many,
 * and where the first one runs.
 *
 *     rank 1 ===\		talk: numbers of the log, names, pieces for checkpoints: all wait for all
 *     rank 2 ===== rank 0	watch: a byte from time to time, heeded by a thread of its own (ranks.c)
 *     rank 3 ===/
 *
 * The first rank adds up and passes on, in the order of ranks, so sums are the same everywhere.
 * What is large never comes here. When a process ends, the system closes its connections, which the
 * others notice at once; before it leaves in order it says so.
 */
#ifndef STOWAGE_HOST_RANKS_TCP_C
#define STOWAGE_HOST_RANKS_TCP_C

#include "update/exchange.cu"
#include "ranks_env.c"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#define RANKS_START	"torchrun --no-python --nproc-per-node %d ./%s"	/* how to start so many */
#define RANK_ROUND	65536		/* bytes of a message that are added up at a time */

enum { RANK_TALKS, RANK_WATCHES, RANK_LINKS };
enum { RANK_LIVES = '.', RANK_ENDS = 'E', RANK_LEAVES = 'F' };	/* signs */

static struct rank_peer {	/* of the first rank all others; of another the first, alone */
	int link[RANK_LINKS];
	bool left;		/* in order */
} *rank_peers;

static const char *ranks_where;	/* the first one's host, */
static char ranks_port[16];	/* and its port */
static int ranks_patience_at_start = 120;	/* seconds in which all must have come */

static void	ranks_wait_on(void);

/* ---- who this is ---- */

static void
ranks_connect(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	ranks_where = ranks_from_environment(ranks_port, sizeof(ranks_port));
}

static int
ranks_heeds(void)
{
	return ranks.size == 1 ? 0 : ranks.rank == 0 ? ranks.size - 1 : 1;
}

static int
ranks_heeded(int k)
{
	return ranks.rank == 0 ? k + 1 : 0;
}

/* Of another rank, the connections to it. */
static struct rank_peer *
ranks_peer(int rank)
{
	return &rank_peers[ranks.rank == 0 ? rank - 1 : 0];
}

/* Lets the thread that watches find out whether a rank is gone, which ends this one. */
static void
nccl_wait(void)
{
	struct timespec moment = { ranks_watching ? 3 : 0, 0 };

	nanosleep(&moment, NULL);
}

/* ---- bytes ---- */

/* The rank has ended: the thread that watches says so, and ends this one. */
__attribute__((noreturn)) static void
ranks_lost_link(int rank)
{
	nccl_wait();
	fail("rank %d has closed its connection", rank);
}

static void
ranks_put(int rank, const void *from, int64_t bytes)
{
	const char *p = (const char *)from;

	while (bytes > 0) {
		ssize_t n = send(ranks_peer(rank)->link[RANK_TALKS], p, (size_t)bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			ranks_lost_link(rank);
		p += n;
		bytes -= n;
	}
}

static void
ranks_get(int rank, void *to, int64_t bytes)
{
	char *p = (char *)to;
	int64_t began = ranks_clock();

	while (bytes > 0) {
		struct pollfd f = { ranks_peer(rank)->link[RANK_TALKS], POLLIN, 0 };
		ssize_t n;

		if (poll(&f, 1, 100) <= 0) {
			ranks_wait_on();
			continue;
		}
		n = recv(f.fd, p, (size_t)bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			ranks_lost_link(rank);
		p += n;
		bytes -= n;
	}
	ranks.waited += ranks_clock() - began;
}

/* ---- together ---- */

/* BYTES of each rank, by rank, to all of them. */
static void
ranks_gather(const void *own, void *all, int bytes)
{
	memcpy((char *)all + (size_t)ranks.rank * (size_t)bytes, own, (size_t)bytes);
	if (ranks.size == 1)
		return;
	if (ranks.rank > 0) {
		ranks_put(0, own, bytes);
		ranks_get(0, all, (int64_t)bytes * ranks.size);
		return;
	}
	for (int k = 1; k < ranks.size; k++)
		ranks_get(k, (char *)all + (size_t)k * (size_t)bytes, bytes);
	for (int k = 1; k < ranks.size; k++)
		ranks_put(k, all, (int64_t)bytes * ranks.size);
}

static void
ranks_sum(double *x, int n)
{
	static double added[RANK_ROUND / sizeof(double)];
	int most = RANK_ROUND / (int)sizeof(double);

	if (ranks.size == 1)
		return;
	for (; n > 0; x += most, n -= most) {
		int here = n < most ? n : most;
		int64_t bytes = here * (int64_t)sizeof(*x);

		if (ranks.rank > 0) {
			ranks_put(0, x, bytes);
			ranks_get(0, x, bytes);
			continue;
		}
		for (int k = 1; k < ranks.size; k++) {
			ranks_get(k, added, bytes);
			for (int i = 0; i < here; i++)
				x[i] += added[i];
		}
		for (int k = 1; k < ranks.size; k++)
			ranks_put(k, x, bytes);
	}
}

/* By way of the first. */
static void
ranks_move(void *x, int64_t bytes, int from, int to)
{
	static char passed[RANK_ROUND];

	if (ranks.rank == from)
		ranks_put(ranks.rank ? 0 : to, x, bytes);
	else if (ranks.rank == to)
		ranks_get(ranks.rank ? 0 : from, x, bytes);
	for (int64_t n; ranks.rank == 0 && from && to && bytes > 0; bytes -= n) {
		n = bytes < RANK_ROUND ? bytes : RANK_ROUND;
		ranks_get(from, passed, n);
		ranks_put(to, passed, n);
	}
}

/* ---- signs of life ---- */

static void
ranks_sign(char sign)
{
	for (int k = 0; k < ranks_heeds(); k++)
		if (rank_peers && !rank_peers[k].left)
			send(rank_peers[k].link[RANK_WATCHES], &sign, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static volatile sig_atomic_t ranks_status;	/* with which this one ends */

static void
ranks_end_now(int signal)
{
	(void)signal;
	_exit(ranks_status);
}

/* Takes back the card from what waits on it for other ranks; if that does not return, the alarm
 * ends the process. */
static void
ranks_let_go(int status)
{
	int n = __atomic_load_n(&communicators, __ATOMIC_ACQUIRE);

	if (n == 0)
		return;
	ranks_status = status;
	signal(SIGALRM, ranks_end_now);
	alarm(5);
	while (n > 0)
		ncclCommAbort(communicator[--n]);
}

/* Ends all ranks. */
static void
ranks_abort(int status)
{
	static volatile int ends;

	if (__atomic_exchange_n(&ends, 1, __ATOMIC_SEQ_CST))
		for (;;)
			pause();	/* the other thread does it already */
	ranks_sign(RANK_ENDS);
	fflush(stdout);
	fflush(stderr);
	ranks_let_go(status);
	_exit(status);
}

static void
ranks_tell(void)
{
	ranks_sign(RANK_LIVES);
}

/* Rank R is gone, and has not said why. */
__attribute__((noreturn)) static void
ranks_has_ended(int r)
{
	char name[RANK_NAME + 64], why[RANK_NAME + 96];

	/* where all but the first find the same, one on each machine says so */
	if (r > 0 || ranks.rank == 1 || (__atomic_load_n(&rank_names, __ATOMIC_ACQUIRE) && ranks.local == 0)) {
		snprintf(why, sizeof(why), "%s has ended: all ranks end", ranks_text(name, r));
		ranks_tell_end(why);
	}
	ranks_abort(3);
	_exit(3);
}

/* What NCCL has met on its own, of any communicator; ncclSuccess: nothing. */
static ncclResult_t
ranks_nccl_error(void)
{
	int n = __atomic_load_n(&communicators, __ATOMIC_ACQUIRE);
	ncclResult_t error;

	for (int k = 0; k < n; k++)
		if (ncclCommGetAsyncError(communicator[k], &error) == ncclSuccess && error != ncclSuccess && error != ncclInProgress)
			return error;
	return ncclSuccess;
}

/* Mostly a rank is gone, which is noticed here, too, and then told by its name. */
static void
ranks_hear_nccl(int64_t now)
{
	static int64_t since;
	char why[RANK_NAME + 160];
	ncclResult_t error = ranks_nccl_error();

	if (error == ncclSuccess)
		return;
	since = since ? since : now;
	if (now - since < (int64_t)3000000000)
		return;
	snprintf(why, sizeof(why), "rank %d: NCCL: %s: all ranks end", ranks.rank, ncclGetErrorString(error));
	ranks_tell_end(why);
	ranks_abort(3);
}

static void
ranks_hear(int64_t now)
{
	for (int k = 0; k < ranks_heeds(); k++) {
		struct rank_peer *p = &rank_peers[k];
		char signs[64];
		ssize_t n = 1;

		while (!p->left && (n = recv(p->link[RANK_WATCHES], signs, sizeof(signs), MSG_DONTWAIT)) > 0) {
			ranks_hears(k, now);
			if (memchr(signs, RANK_ENDS, (size_t)n))	/* which it has told */
				ranks_abort(3);
			p->left = memchr(signs, RANK_LEAVES, (size_t)n) != NULL;
		}
		if (p->left)
			ranks_hears(k, now);
		else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
			ranks_has_ended(ranks_heeded(k));
	}
	ranks_hear_nccl(now);
}

/* What NCCL has on its way moves by itself. */
static void
ranks_push(void)
{
	struct timespec moment = { 0, 20000000 };

	nanosleep(&moment, NULL);
}

/* A process that ends is noticed at once, without any call. */
static void
ranks_call(void)
{
}

static void
ranks_begin_call(void)
{
}

static void
ranks_end_call(void)
{
}

/* ---- beginning and end ---- */

static bool
ranks_joined(void)
{
	return ranks_watching;
}

/* Together, when all went well. */
static void
ranks_leave(void)
{
	if (exchanges_comm && !ranks_exits)	/* at exit the runtime may be gone before */
		ncclCommDestroy(exchanges_comm);
	ranks_sign(RANK_LEAVES);
	ranks_watching = false;
}

#include "ranks_tcp_meet.c"

/* Which of its machine's this is, as hosts' names say, unless who started it has said so. */
static void
ranks_place(const struct rank_name *names)
{
	int before = 0;

	ranks.here = 0;
	for (int k = 0; k < ranks.size; k++)
		if (!strncmp(names[k].host, names[ranks.rank].host, RANK_NAME)) {
			ranks.here++;
			before += k < ranks.rank;
		}
	if (ranks.local < 0)
		ranks.local = before;
}

#endif
