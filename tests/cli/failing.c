/*
 * Preloaded into a program, it lets the n-th of the calls that change files fail as on a full disk, or
 * sends a signal just before it:
 *
 *	FAIL_AT=3 FAIL_HOW=28 LD_PRELOAD=./failing.so stowage fmt net.nn	ENOSPC
 *	FAIL_AT=3 FAIL_HOW=-9 LD_PRELOAD=./failing.so stowage fmt net.nn	SIGKILL
 *
 * FAIL_COUNT names a file that gets a byte for each such call. FAIL_MEMORY=3 lets the third request for
 * memory fail, where the library is glibc.
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

/* Is it this request's turn? What follows is granted again. */
static bool
starves(void)
{
	static int left = -1;
	const char *at;

	if (left < 0)
		left = (at = getenv("FAIL_MEMORY")) ? atoi(at) : 0;
	if (left == 0 || --left > 0)
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
