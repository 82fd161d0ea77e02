/*
 * whole.c - files that are there as a whole or not at all: checkpoints and predictions. They are
 * written to a file without a name in the same folder, flushed to the disk, and take the old file's
 * name in one step: it is linked to a name that nobody else has, and renamed. So a program that is
 * killed leaves nothing behind, but between those two; that file is whole, and a checkpoint's next
 * writer takes it away. Where a file system has no files without names, the file has that name from
 * the start. The old file's mode stays, and links are followed; a device or a pipe is written to.
 *
 * Functions that return false leave the reason in errno.
 */
struct whole {
	const char *given;	/* as the user calls it */
	char path[PATH_MAX];	/* links followed */
	char fresh[PATH_MAX + 64];	/* the file's name until it has its own; "": none */
	int fd;
	bool direct;		/* it is a device or a pipe */
	bool is_old;		/* a file is there */
	struct stat old;
};

static void
folder_of(char *folder, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(folder, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
}

#define LINKS	40	/* followed, as by the system */

/* Where a link leads to that is not there yet. It is not made to ask for its name: several ranks
 * ask, and one would take away what another has made. */
static bool
whole_follow(char *to, const char *path)
{
	char at[PATH_MAX], link[PATH_MAX], next[2 * PATH_MAX];
	const char *name;
	ssize_t n;
	int links = 0;

	snprintf(at, sizeof(at), "%s", path);
	while ((n = readlink(at, link, sizeof(link))) >= 0) {
		const char *slash = strrchr(at, '/');

		errno = ELOOP;
		if (links++ == LINKS)
			return false;
		errno = ENAMETOOLONG;
		if (n == sizeof(link))
			return false;
		snprintf(next, sizeof(next), "%.*s%.*s", *link == '/' || !slash ? 0 : (int)(slash - at) + 1, at, (int)n, link);
		if ((size_t)snprintf(at, sizeof(at), "%s", next) >= sizeof(at))
			return false;
	}
	folder_of(link, sizeof(link), at);
	if (!realpath(link, next))
		return false;
	name = strrchr(at, '/') ? strrchr(at, '/') + 1 : at;
	errno = *name ? ENAMETOOLONG : ENOENT;
	return *name && (size_t)snprintf(to, PATH_MAX, "%s/%s", strcmp(next, "/") ? next : "", name) < PATH_MAX;
}

/* Follows links, but to a device or a pipe. */
static bool
whole_find(struct whole *w, const char *path)
{
	struct stat st;

	w->given = path;
	w->fd = -1;
	w->fresh[0] = '\0';
	if ((!stat(path, &st) && !S_ISREG(st.st_mode)) || lstat(path, &st)) {
		errno = ENAMETOOLONG;
		return (size_t)snprintf(w->path, sizeof(w->path), "%s", path) < sizeof(w->path);
	}
	return realpath(path, w->path) || (errno == ENOENT && whole_follow(w->path, path));
}

/* What may be there: nothing, a file that is not read-only, a device. */
static bool
whole_look(struct whole *w)
{
	w->is_old = !stat(w->path, &w->old);
	w->direct = w->is_old && !S_ISREG(w->old.st_mode);
	if (!w->is_old)
		return errno == ENOENT;
	errno = EISDIR;
	if (S_ISDIR(w->old.st_mode))
		return false;
	errno = EACCES;
	return w->direct || ((w->old.st_mode & 0222) && !access(w->path, W_OK));
}

/* The name that a file may have until it is whole, which the process writes. */
static void
whole_name_of(char *name, size_t size, const char *path, long process, int at)
{
	snprintf(name, size, "%s.%ld-%d.new", path, process, at);
}

static bool
whole_name(struct whole *w, int at)
{
	errno = EEXIST;
	if (at > 1000)
		return false;
	whole_name_of(w->fresh, sizeof(w->fresh), w->path, (long)getpid(), at);
	return true;
}

static int
whole_open_named(struct whole *w)
{
	int fd = -1;

	for (int at = 0; fd < 0 && whole_name(w, at); at++) {
		fd = open(w->fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		w->fresh[0] = '\0';
	return fd;
}

static bool
whole_open(struct whole *w)
{
	char folder[PATH_MAX];

	w->fresh[0] = '\0';
	if (!whole_look(w))
		return false;
	if (w->direct) {
		w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
		return w->fd >= 0;
	}
	folder_of(folder, sizeof(folder), w->path);
#ifdef O_TMPFILE
	w->fd = access("/proc/self/fd", F_OK) ? -1 :
	    open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#endif
	if (w->fd < 0)
		w->fd = whole_open_named(w);
	return w->fd >= 0;
}

/* Owner and group stay where we may say so; the mode always does. A new file has what open(2) would
 * give it. */
static bool
whole_mode(const struct whole *w)
{
	mode_t mask;

	if (w->is_old) {
		if (fchown(w->fd, w->old.st_uid, w->old.st_gid) && errno != EPERM)
			return false;
		return !fchmod(w->fd, w->old.st_mode & 07777);
	}
	mask = umask(0);
	umask(mask);
	return !fchmod(w->fd, 0666 & ~mask);
}

/* Gives a file without a name one that is free. */
static bool
whole_link(struct whole *w)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", w->fd);
	for (int at = 0; whole_name(w, at); at++) {
		if (!linkat(AT_FDCWD, self, AT_FDCWD, w->fresh, AT_SYMLINK_FOLLOW))
			return true;
		if (errno != EEXIST)
			break;
	}
	w->fresh[0] = '\0';
	return false;
}

/* Flushes the folder's entry for PATH: the new name must outlive a power cut too. */
static void
sync_folder(const char *path)
{
	char folder[PATH_MAX];
	int fd;

	folder_of(folder, sizeof(folder), path);
	fd = open(folder, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/* Ends it without a trace. */
static void
whole_drop(struct whole *w)
{
	int error = errno;

	if (w->fd >= 0)
		close(w->fd);
	if (w->fresh[0])
		unlink(w->fresh);
	w->fd = -1;
	w->fresh[0] = '\0';
	errno = error;
}

/* Puts what was written in the file's place; if that fails, it is dropped. */
static bool
whole_close(struct whole *w)
{
	bool good = w->direct || (!fsync(w->fd) && whole_mode(w));
	int fd = w->fd;

	if (good && !w->direct && !w->fresh[0])
		good = whole_link(w);
	if (good) {
		w->fd = -1;
		good = !close(fd);
	}
	if (good && !w->direct)
		good = !rename(w->fresh, w->path);
	if (good)
		w->fresh[0] = '\0';
	whole_drop(w);
	if (good && !w->direct)
		sync_folder(w->path);
	return good;
}

static bool
write_all(int fd, const void *from, int64_t bytes)
{
	const char *p = (const char *)from;

	while (bytes > 0) {
		ssize_t n = write(fd, p, (size_t)bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		bytes -= n;
	}
	return true;
}

/* ---- one writer at a time ---- */

struct writer {			/* holds PATH.lock, which the system lets go of when it dies */
	char name[PATH_MAX + 8];
	int fd;
	bool made;		/* the file says who we are, and goes when we do */
};

/* Locks the file, unless it was put away since it was opened; false: that was so. */
static bool
writer_lock(struct writer *w, const char *given)
{
	char holder[32] = "";
	struct stat open_now, there;

	w->fd = open(w->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (w->fd < 0 || fstat(w->fd, &open_now) || !S_ISREG(open_now.st_mode))
		fail("%s: cannot be written: %s", w->name, w->fd < 0 ? strerror(errno) :
		    "expected a file, found something else");
	if (flock(w->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		ssize_t n = pread(w->fd, holder, sizeof(holder) - 1, 0);

		holder[n > 0 ? strspn(holder, "0123456789") : 0] = '\0';
		fail("%s: process %s saves its checkpoints there (it holds %s); wait for it, or "
		    "--save to another file", given, *holder ? holder : "of somebody else", w->name);
	}
	if (!stat(w->name, &there) && there.st_ino == open_now.st_ino &&
	    there.st_dev == open_now.st_dev)
		return true;
	close(w->fd);
	return false;
}

/* Takes away what the last writer, which was killed, had not given its name yet. */
static void
writer_inherit(const struct whole *file, long process)
{
	char name[sizeof(file->fresh)];

	for (int at = 0;; at++) {
		whole_name_of(name, sizeof(name), file->path, process, at);
		if (unlink(name))
			return;
	}
}

/* Only one process at a time writes to the file; another ends in a message that names this one. */
static void
writer_begin(struct writer *w, const struct whole *file)
{
	char text[32] = "";
	ssize_t n;

	snprintf(w->name, sizeof(w->name), "%s.lock", file->path);
	while (!writer_lock(w, file->given))
		;
	n = pread(w->fd, text, sizeof(text) - 1, 0);
	w->made = n >= 0 && n < (ssize_t)sizeof(text) - 1;
	for (ssize_t i = 0; w->made && i < n; i++)
		w->made = (text[i] >= '0' && text[i] <= '9') || text[i] == '\n';
	if (!w->made)		/* a file of the user's own */
		return;
	if (n > 0)
		writer_inherit(file, strtol(text, NULL, 10));
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(w->fd, 0) || pwrite(w->fd, text, (size_t)n, 0) != n)
		fail("%s: cannot be written: %s", w->name, strerror(errno));
}

static void
writer_end(struct writer *w)
{
	if (w->made)
		unlink(w->name);
	w->made = false;
}
