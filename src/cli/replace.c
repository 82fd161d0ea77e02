/* Putting a new text in a file's place. */
#include "cli/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"

/* Links are followed, but to a device or a pipe; one to what is not there yet too: by making that,
 * and asking for its name. */
static bool
follow(struct replacement *r, const char *path)
{
	struct stat st;
	bool good;
	int fd;

	if ((stat(path, &st) == 0 && !S_ISREG(st.st_mode)) || lstat(path, &st) != 0) {
		errno = ENAMETOOLONG;
		return (size_t)snprintf(r->path, sizeof(r->path), "%s", path) < sizeof(r->path);
	}
	if (realpath(path, r->path))
		return true;
	if (errno != ENOENT)
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	close(fd);
	good = realpath(path, r->path) != NULL;
	if (good)
		unlink(r->path);
	return good;
}

/* Nobody may write to it, not even root by mistake. */
static bool
is_read_only(const struct replacement *r)
{
	return (r->old.st_mode & 0222) == 0 || access(r->path, W_OK) != 0;
}

static bool
open_fresh(struct replacement *r)
{
	snprintf(r->fresh, sizeof(r->fresh), "%s.XXXXXX", r->path);
	r->fd = mkostemp(r->fresh, O_CLOEXEC);
	return r->fd >= 0;
}

static bool
open_it(struct replacement *r, const char *path)
{
	r->fresh[0] = '\0';
	memset(&r->old, 0, sizeof(r->old));
	if (!follow(r, path))
		return false;
	if (stat(r->path, &r->old) != 0) {
		memset(&r->old, 0, sizeof(r->old));
		return errno == ENOENT && open_fresh(r);
	}
	if (!S_ISREG(r->old.st_mode)) {
		r->fd = open(r->path, O_WRONLY | O_CLOEXEC);
		return r->fd >= 0;
	}
	if (is_read_only(r)) {
		errno = EACCES;
		return false;
	}
	return open_fresh(r);
}

bool
replace_begin(struct replacement *r, const char *path)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
	sigset_t set;
	int why;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&set, ends[i]);
	pthread_sigmask(SIG_BLOCK, &set, &r->signals);
	r->fd = -1;
	if (open_it(r, path))
		return true;
	why = errno;
	r->fresh[0] = '\0';
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	errno = why;
	return false;
}

bool
replace_write(struct replacement *r, const char *s, size_t n)
{
	ssize_t k;

	for (; n > 0; s += k, n -= (size_t)k) {
		k = write(r->fd, s, n);
		if (k < 0 && errno == EINTR)
			k = 0;
		if (k < 0)
			return false;
	}
	return true;
}

/* Owner and group stay where we may say so; the mode always does. A new file has what open(2) would
 * give it. */
static bool
settle_mode(const struct replacement *r)
{
	mode_t mask;

	if (r->old.st_nlink) {
		if (fchown(r->fd, r->old.st_uid, r->old.st_gid) != 0 && errno != EPERM)
			return false;
		return fchmod(r->fd, r->old.st_mode & 07777) == 0;
	}
	mask = umask(0);
	umask(mask);
	return fchmod(r->fd, 0666 & ~mask) == 0;
}

/* Copies what FROM holds into the file itself, for which room is made first. */
static bool
overwrite(const char *path, int from, off_t size)
{
	int to = open(path, O_WRONLY | O_CLOEXEC);
	char buf[1 << 14];
	ssize_t n = 0;
	off_t at;
	bool good;

	if (to < 0)
		return false;
	good = size == 0 || posix_fallocate(to, 0, size) == 0;
	for (at = 0; good && at < size; at += n) {
		n = pread(from, buf, sizeof(buf), at);
		good = n > 0 && pwrite(to, buf, (size_t)n, at) == n;
	}
	good = good && ftruncate(to, size) == 0 && fsync(to) == 0;
	return close(to) == 0 && good;
}

/* The whole text is on the disk beside the file, or in it if that is a device. */
static bool
take_place(struct replacement *r)
{
	struct stat st;
	int from;
	bool good;

	if (r->old.st_nlink <= 1)
		return rename(r->fresh, r->path) == 0;
	from = open(r->fresh, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return false;
	good = fstat(from, &st) == 0 && overwrite(r->path, from, st.st_size);
	close(from);
	if (!good)	/* its text comes before its other names */
		return rename(r->fresh, r->path) == 0;
	unlink(r->fresh);
	return true;
}

static void
leave(struct replacement *r)
{
	int why = errno;

	if (r->fd >= 0)
		close(r->fd);
	if (*r->fresh)
		unlink(r->fresh);
	r->fd = -1;
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	errno = why;
}

void
replace_abandon(struct replacement *r)
{
	leave(r);
}

bool
replace_finish(struct replacement *r)
{
	bool good = fsync(r->fd) == 0 || errno == EINVAL || errno == EROFS;
	int fd = r->fd;

	if (good && *r->fresh)
		good = settle_mode(r);
	if (good) {
		r->fd = -1;
		good = close(fd) == 0;
	}
	if (good && *r->fresh && (good = take_place(r)))
		r->fresh[0] = '\0';
	leave(r);
	return good;
}

FILE *
replace_stream(struct replacement *r)
{
	int fd = dup(r->fd);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		if (fd >= 0)
			close(fd);
		replace_abandon(r);
	}
	return f;
}

bool
replace_close(struct replacement *r, FILE *f, bool good)
{
	good = fflush(f) == 0 && !ferror(f) && good;
	good = fclose(f) == 0 && good;
	if (good)
		return replace_finish(r);
	replace_abandon(r);
	return false;
}

static bool
failed(const char *path, bool began)
{
	print_error("%s: %s%s", path, strerror(errno),
	    began ? "; what was there is as it was" : "");
	return false;
}

bool
replace_text(const char *path, const char *s, size_t n)
{
	struct replacement r;

	if (!replace_begin(&r, path))
		return failed(path, false);
	if (replace_write(&r, s, n))
		return replace_finish(&r) || failed(path, true);
	replace_abandon(&r);
	return failed(path, true);
}

bool
replace_copy(const char *path, FILE *from)
{
	char buf[1 << 14];
	struct replacement r;
	bool good = true;
	size_t n;

	if (!replace_begin(&r, path))
		return failed(path, false);
	while (good && (n = fread(buf, 1, sizeof(buf), from)) > 0)
		good = replace_write(&r, buf, n);
	if (good && !ferror(from))
		return replace_finish(&r) || failed(path, true);
	replace_abandon(&r);
	return failed(path, true);
}
