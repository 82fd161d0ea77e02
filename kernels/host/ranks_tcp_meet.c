/*
 * ranks_tcp_meet.c - how ranks that TCP joins find one another: the first one listens where
 * ranks_tcp.c says, and each of the others comes with who it is, once for each link. All wait for
 * all, for a limited time; who has not come then is named.
 */
#ifndef STOWAGE_HOST_RANKS_TCP_MEET_C
#define STOWAGE_HOST_RANKS_TCP_MEET_C

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>

#define RANK_MAGIC	"stowage ranks 1"
#define RANK_TRIES	3		/* seconds for which one address is tried at a time */

struct rank_hello {
	char magic[16];
	int rank, size, link;
};

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

/* The first rank's: at this machine alone, if the others are told so. Else at all its addresses,
 * since the one by which others know it may be none that it knows: many a machine calls itself
 * 127.0.1.1 by its name, and others are reached by an address that is translated on the way. */
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

/* A connection to the first rank; -1: it cannot be reached yet, as *NUMBER says. Of several
 * addresses one may lead nowhere. */
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

#endif
