/*
 * Preloaded into a program, it lets the n-th of the calls that change files fail as on a full disk, or
 * sends a signal just before it:
 *
 *	FAIL_AT=3 FAIL_HOW=28 LD_PRELOAD=./failing.so stowage fmt net.nn	ENOSPC
 *	FAIL_AT=3 FAIL_HOW=-9 LD_PRELOAD=./failing.so stowage fmt net.nn	SIGKILL
 *
 * FAIL_COUNT names a file that gets a byte for each such call. FAIL_MEMORY=3 lets the third request for
 * memory fail, where the library is glibc, and with FAIL_ON=1 all that come after it; FAIL_REQUESTS names a
 * file that gets their number at the end, of each process a line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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

static int requests;

/* Is it this request's turn? */
static bool
starves(void)
{
	static int turn = -1, on;
	int now = __sync_add_and_fetch(&requests, 1);
	const char *at;

	if (turn < 0) {
		turn = (at = getenv("FAIL_MEMORY")) ? atoi(at) : 0;
		on = getenv("FAIL_ON") != NULL;
	}
	if (turn == 0 || (on ? now < turn : now != turn))
		return false;
	errno = ENOMEM;
	return true;
}

__attribute__((destructor)) static void
tell(void)
{
	const char *file = getenv("FAIL_REQUESTS");
	char line[20];
	int fd, n, i = sizeof(line);

	if (!file || (fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666)) < 0)
		return;
	line[--i] = '\n';
	for (n = requests; n > 0; n /= 10)
		line[--i] = (char)('0' + n % 10);
	syscall(SYS_write, fd, line + i, sizeof(line) - (size_t)i);
	syscall(SYS_close, fd);
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
