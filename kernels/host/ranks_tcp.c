/*
 * ranks_tcp.c - how ranks reach one another where NCCL joins their cards: what ranks.c asks for, by TCP. Who starts them (torchrun,
 * srun, mpirun) says by variables which rank this is, of how many, and where the first one runs.
 *
 *     rank 1 ===\		talk: numbers of the log, names, pieces for checkpoints: all wait for all
 *     rank 2 ===== rank 0	watch: a byte from time to time, heeded by a thread of its own (ranks.c)
 *     rank 3 ===/
 *
 * The first rank adds up and passes on, in the order of ranks, so sums are the same everywhere. What is large never comes here.
 * When a process ends, the system closes its connections, which the others notice at once; before it leaves in order it says so.
 */
#ifndef STOWAGE_HOST_RANKS_TCP_C
#define STOWAGE_HOST_RANKS_TCP_C

#include "update/exchange.cu"
#include "ranks_env.c"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#define RANKS_START	"torchrun --no-python --nproc-per-node %d ./%s"	/* how to start so many */
#define RANK_MAGIC	"stowage ranks 1"
#define RANK_TRIES	3		/* seconds for which one address is tried at a time */
#define RANK_ROUND	65536		/* bytes of a message that are added up at a time */

enum { RANK_TALKS, RANK_WATCHES, RANK_LINKS };
enum { RANK_LIVES = '.', RANK_ENDS = 'E', RANK_LEAVES = 'F' };	/* signs */

struct rank_hello {
	char magic[16];
	int rank, size, link;
};

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

/* Takes back the card from what waits on it for other ranks; if that does not return, the alarm ends the process. */
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

/* Seconds are left; the time limit is over where there are none. */
static int
ranks_time_left(int64_t since)
{
	return ranks_patience_at_start - (int)((ranks_clock() - since) / 1000000000);
}

static void
ranks_limit(int fd, int seconds)
{
	struct timeval t = { seconds > 0 ? seconds : 1, 0 };
	int yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

static void
ranks_no_limit(int fd)
{
	struct timeval t = { 0, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

/* Addresses of a host, of a family; what stands for all of this machine, if it is NULL. */
static struct addrinfo *
ranks_look_up(const char *host, int family, int *error)
{
	struct addrinfo how, *found = NULL;

	memset(&how, 0, sizeof(how));
	how.ai_family = family;
	how.ai_socktype = SOCK_STREAM;
	how.ai_flags = host ? 0 : AI_PASSIVE;
	*error = getaddrinfo(host, ranks_port, &how, &found);
	return *error ? NULL : found;
}

/* Listens at an address; -1: it cannot, as *NUMBER says. */
static int
ranks_listen_at(const struct addrinfo *a, int *number)
{
	int yes = 1, no = 0, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
		if (a->ai_family == AF_INET6)	/* for those of four bytes, too */
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
		if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1024))
			return fd;
	}
	*number = errno;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The first rank's: at this machine alone, if the others are told so. Else at all its addresses, since the one by which others know
 * it may be none that it knows: many a machine calls itself 127.0.1.1 by its name, and others are reached by an address that is
 * translated on the way. */
static int
ranks_listen(void)
{
	bool alone = !strncmp(ranks_where, "127.", 4) || !strcmp(ranks_where, "::1") || !strcmp(ranks_where, "localhost");
	int error = 0, fd = -1, number = 0;

	for (int turn = 0; turn < 2 && fd < 0 && number != EADDRINUSE; turn++) {
		struct addrinfo *found = ranks_look_up(alone ? ranks_where : NULL, (turn == 0) == alone ? AF_INET : AF_INET6, &error);

		for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
			fd = ranks_listen_at(a, &number);
		if (found)
			freeaddrinfo(found);
	}
	if (fd < 0 && number == 0)
		fail("MASTER_ADDR %s: %s", ranks_where, gai_strerror(error));
	if (fd < 0 && number == EADDRINUSE)
		fail("port %s of %s is another program's: MASTER_PORT says which the ranks meet at", ranks_port, ranks_where);
	if (fd < 0)
		fail("the ranks cannot meet at port %s of %s: %s", ranks_port, ranks_where, strerror(number));
	return fd;
}

/* Who came, if it is a rank; any other who finds the port is sent away. */
static void
ranks_welcome(int fd)
{
	struct rank_hello hello;
	struct rank_peer *p;

	ranks_limit(fd, 2);
	if (recv(fd, &hello, sizeof(hello), MSG_WAITALL) != (ssize_t)sizeof(hello) ||
	    memcmp(hello.magic, RANK_MAGIC, sizeof(hello.magic)) || hello.link < 0 || hello.link >= RANK_LINKS) {
		close(fd);
		return;
	}
	if (hello.size != ranks.size)
		fail("rank %d was told of %d ranks, and rank 0 of %d", hello.rank, hello.size, ranks.size);
	if (hello.rank < 1 || hello.rank >= ranks.size)
		fail("a process says that it is rank %d of %d", hello.rank, hello.size);
	p = ranks_peer(hello.rank);
	if (p->link[hello.link] >= 0)
		fail("two processes say that they are rank %d: does another run meet at port %s of %s, too?", hello.rank, ranks_port,
		    ranks_where);
	p->link[hello.link] = fd;
}

static int
ranks_missing(void)
{
	for (int k = 0; k < ranks_heeds(); k++)
		if (rank_peers[k].link[RANK_TALKS] < 0 || rank_peers[k].link[RANK_WATCHES] < 0)
			return k + 1;
	return 0;
}

static void
ranks_meet_all(void)
{
	int64_t since = ranks_clock();
	int door = ranks_listen();
	char go = RANK_LIVES;

	while (ranks_missing()) {
		struct pollfd f = { door, POLLIN, 0 };
		int left = ranks_time_left(since), fd;

		if (left <= 0)
			fail("rank %d has not come to port %s of %s within %d seconds: all %d ranks must be started, and reach it",
			    ranks_missing(), ranks_port, ranks_where, ranks_patience_at_start, ranks.size);
		if (poll(&f, 1, 1000) <= 0)
			continue;
		fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			ranks_welcome(fd);
	}
	close(door);
	for (int k = 1; k < ranks.size; k++) {
		ranks_no_limit(ranks_peer(k)->link[RANK_TALKS]);
		ranks_no_limit(ranks_peer(k)->link[RANK_WATCHES]);
		ranks_put(k, &go, 1);
	}
}

/* A connection to the first rank; -1: it cannot be reached yet, as *NUMBER says. Of several addresses one may lead nowhere. */
static int
ranks_reach(const struct addrinfo *found, int which, int left, int *number)
{
	struct rank_hello hello;
	int fd = -1;

	for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0)
			ranks_limit(fd, left < RANK_TRIES ? left : RANK_TRIES);
		if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		*number = errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	if (fd < 0)
		return -1;
	memset(&hello, 0, sizeof(hello));
	memcpy(hello.magic, RANK_MAGIC, sizeof(RANK_MAGIC));
	hello.rank = ranks.rank;
	hello.size = ranks.size;
	hello.link = which;
	if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == (ssize_t)sizeof(hello))
		return fd;
	*number = errno;
	close(fd);
	return -1;
}

static void
ranks_meet_first(void)
{
	int64_t since = ranks_clock();
	struct timespec moment = { 0, 100000000 };
	int error = 0, number = 0;
	char go;

	for (int k = 0; k < RANK_LINKS;) {
		int left = ranks_time_left(since);
		struct addrinfo *found = left > 0 ? ranks_look_up(ranks_where, AF_UNSPEC, &error) : NULL;

		if (left <= 0)
			fail("rank 0 cannot be reached at port %s of %s within %d seconds: %s", ranks_port, ranks_where,
			    ranks_patience_at_start, error ? gai_strerror(error) : strerror(number));
		rank_peers[0].link[k] = found ? ranks_reach(found, k, left, &number) : -1;
		if (found)
			freeaddrinfo(found);
		if (rank_peers[0].link[k] >= 0)
			k++;
		else
			nanosleep(&moment, NULL);
	}
	ranks_limit(rank_peers[0].link[RANK_TALKS], ranks_time_left(since));
	if (recv(rank_peers[0].link[RANK_TALKS], &go, 1, 0) != 1)
		fail("rank 0 has not begun within %d seconds, or has ended", ranks_patience_at_start);
	ranks_no_limit(rank_peers[0].link[RANK_TALKS]);
	ranks_no_limit(rank_peers[0].link[RANK_WATCHES]);
}

/* All ranks find one another. */
static void
ranks_meet(void)
{
	rank_peers = (struct rank_peer *)calloc((size_t)ranks_heeds(), sizeof(*rank_peers));
	if (!rank_peers)
		fail("no memory for %d ranks", ranks.size);
	for (int k = 0; k < ranks_heeds(); k++)
		for (int j = 0; j < RANK_LINKS; j++)
			rank_peers[k].link[j] = -1;
	if (ranks.rank == 0)
		ranks_meet_all();
	else
		ranks_meet_first();
}

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
