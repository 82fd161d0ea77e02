/*
 * Writing an edited text back: to a new file next to the old one, which then takes its name, so
 * that readers see either the old text or the new one.
 */
#include "cli/rewrite.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
failed(const char *path, const char *why)
{
	fprintf(stderr, "stowage: %s: %s; the file is as it was\n", path, why);
	return false;
}

/* Is it unchanged since it was read? */
static bool
is_as_read(struct arena *a, const struct source *old, const char *path)
{
	const char *why;
	struct source *now = source_read_below(a, "/", path, &why);

	return now && now->size == old->size &&
	    memcmp(now->text, old->text, (size_t)old->size) == 0;
}

static bool
write_all(int fd, const char *s, size_t n)
{
	ssize_t k;

	for (; n > 0; s += k, n -= (size_t)k) {
		k = write(fd, s, n);
		if (k < 0 && errno == EINTR)
			k = 0;
		if (k < 0)
			return false;
	}
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

/* Owner and group stay where we may say so; the mode always does. */
static bool
keep_mode(int fd, const struct stat *st)
{
	if (fchown(fd, st->st_uid, st->st_gid) != 0 && errno != EPERM)
		return false;
	return fchmod(fd, st->st_mode & 07777) == 0;
}

/* What open(2) would give a new file. */
static bool
usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0;
}

/* Writes NEW to the path REAL; OLD is what is there, and ST its state; NULL: nothing. */
static bool
replace(struct arena *a, const char *real, const struct source *old, const struct stat *st,
    const struct source *new)
{
	char *fresh = arena_printf(a, "%s.XXXXXX", real);
	int fd = mkstemp(fresh), why;
	bool good;

	if (fd < 0)
		return failed(new->path, strerror(errno));
	good = write_all(fd, new->text, (size_t)new->size) &&
	    (st ? keep_mode(fd, st) : usual_mode(fd));
	why = errno;
	if (close(fd) != 0 && good) {
		good = false;
		why = errno;
	}
	if (good && (old ? !is_as_read(a, old, real) : access(real, F_OK) == 0)) {
		unlink(fresh);
		return failed(new->path, "it was changed meanwhile");
	}
	if (good && rename(fresh, real) == 0)
		return true;
	why = good ? errno : why;
	unlink(fresh);
	return failed(new->path, strerror(why));
}

bool
rewrite_file(struct arena *a, const struct source *old, const struct source *new)
{
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(old->path, real) || stat(real, &st) != 0)
		return failed(old->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return failed(old->path, "not a regular file");
	return replace(a, real, old, &st, new);
}

bool
rewrite_new(struct arena *a, const struct source *new)
{
	return replace(a, new->path, NULL, NULL, new);
}

bool
rewrite_through(void)
{
	char buf[1 << 14];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		fwrite(buf, 1, n, stdout);
	if (!ferror(stdin))
		return true;
	fprintf(stderr, "stowage: standard input: %s\n", strerror(errno));
	return false;
}
