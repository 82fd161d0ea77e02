/*
 * Preloaded into a program, it lets the n-th of the calls that change files fail as on a full disk, or
 * sends a signal just before it:
 *
 *	FAIL_AT=3 FAIL_HOW=28 LD_PRELOAD=./failing.so stowage fmt net.nn	ENOSPC
 *	FAIL_AT=3 FAIL_HOW=-9 LD_PRELOAD=./failing.so stowage fmt net.nn	SIGKILL
 *
 * FAIL_COUNT names a file that gets a byte for each such call. FAIL_MEMORY=3 lets the third request for
 * memory fail, where the library is glibc, and with FAIL_ON=1 all that come after it; FAIL_REQUESTS names a
 * file that gets the number of each request of a process, with "new" if none before was made by the same calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

/* Is it this call's turn to fail? Files alone count: what is said on a stream goes its way. */
static bool
fails(void)
{
	const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_HOW"), *count = getenv("FAIL_COUNT");
	int fd;

	calls++;
	if (count && (fd = open(count, O_WRONLY | O_CREAT | O_APPEND, 0666)) >= 0) {
		syscall(SYS_write, fd, "x", 1);
		syscall(SYS_close, fd);
	}
	if (!at || !how || calls != atoi(at))
		return false;
	if (atoi(how) < 0)
		kill(getpid(), -atoi(how));
	else
		errno = atoi(how);
	return atoi(how) > 0;
}

static bool
is_file(int fd)
{
	struct stat st;

	return fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

#define CALL(type, name, params, args, counted)				\
type									\
name params								\
{									\
	type (*next) params = (type (*) params)dlsym(RTLD_NEXT, #name);	\
									\
	return (counted) && fails() ? -1 : next args;			\
}

CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), is_file(fd))
CALL(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), is_file(fd))
CALL(int, fsync, (int fd), (fd), is_file(fd))
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), is_file(fd))
CALL(int, ftruncate, (int fd, off_t size), (fd, size), is_file(fd))
CALL(int, rename, (const char *from, const char *to), (from, to), true)
CALL(int, linkat, (int a, const char *from, int b, const char *to, int flags),
    (a, from, b, to, flags), true)

#ifdef __GLIBC__
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

enum { depth = 64, most_stacks = 1 << 14 };

static int requests;
static uint64_t stacks[most_stacks];	/* of requests so far, hashed; an open table */

/* Was no request before made by the same calls? */
static bool
is_new(void)
{
	void *calls_to[depth];
	int n = backtrace(calls_to, depth), i;
	uint64_t hash = 14695981039346656037u;
	uint32_t at;

	for (i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)calls_to[i]) * 1099511628211u;
	hash |= 1;
	for (at = (uint32_t)(hash >> 40) % most_stacks; stacks[at]; at = (at + 1) % most_stacks)
		if (stacks[at] == hash)
			return false;
	stacks[at] = hash;
	return true;
}

static void
list(const char *file, int number)
{
	static pid_t listing;	/* the thread that does; what it asks for meanwhile is not the program's */
	pid_t me = (pid_t)syscall(SYS_gettid);
	char line[32];
	int fd, n;

	if (listing == me)
		return;
	while (!__sync_bool_compare_and_swap(&listing, 0, me))
		;
	if ((fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666)) >= 0) {
		n = snprintf(line, sizeof(line), "%d %s\n", number, is_new() ? "new" : "again");
		syscall(SYS_write, fd, line, n);
		syscall(SYS_close, fd);
	}
	listing = 0;
}

/* Is it this request's turn? */
static bool
starves(void)
{
	static int turn = -1, on;
	static const char *file;
	int now = __sync_add_and_fetch(&requests, 1);
	const char *at;

	if (turn < 0) {
		turn = (at = getenv("FAIL_MEMORY")) ? atoi(at) : 0;
		on = getenv("FAIL_ON") != NULL;
		file = getenv("FAIL_REQUESTS");
	}
	if (file)
		list(file, now);
	if (turn == 0 || (on ? now < turn : now != turn))
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return starves() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return starves() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return starves() ? NULL : __libc_realloc(p, n);
}
#endif
