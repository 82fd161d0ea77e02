/* Source text: reading files, and turning byte offsets into lines and columns. */
#include "base/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/vec.h"

/* Far above what anybody writes, and little to have in memory. */
#define LARGEST_SOURCE	((size_t)16 << 20)

static const char too_large[] = "larger than 16 MiB, which is the most that is read";

/* Of a text that stays where it is, with a NUL behind it. */
static struct source *
source_of(struct arena *a, const char *path, const char *text, size_t size)
{
	struct source *s = ARENA_NEW(a, struct source);
	VEC(int) starts = { 0 };
	const char *line = text, *end = text + size;

	s->path = arena_strdup(a, path);
	s->text = text;
	s->size = (int)size;
	vec_push(a, &starts, 0);
	while (line < end && (line = memchr(line, '\n', (size_t)(end - line))))
		vec_push(a, &starts, (int)(++line - text));
	s->line_start = starts.v;
	s->lines = starts.n;
	return s;
}

struct source *
source_from_text(struct arena *a, const char *path, const char *text, size_t size)
{
	return source_of(a, path, arena_strndup(a, text, size), size);
}

/* The bytes of an open file, and *SIZE, in the arena; NULL and *WHY if there are too many. What has
 * a size needs one byte more, so that the read finds its end. */
static char *
read_all(struct arena *a, int fd, const struct stat *st, size_t *size, const char **why)
{
	size_t cap = S_ISREG(st->st_mode) && st->st_size > 0 ? (size_t)st->st_size + 1 :
	    (size_t)64 << 10;
	char *text = arena_alloc(a, cap);
	ssize_t got;

	for (*size = 0; (got = read(fd, text + *size, cap - *size)) != 0; ) {
		if (got < 0 && errno == EINTR)
			continue;
		*size += got < 0 ? 0 : (size_t)got;
		if (got < 0 || *size > LARGEST_SOURCE) {
			*why = got < 0 ? strerror(errno) : too_large;
			return NULL;
		}
		if (*size == cap) {
			text = arena_grow(a, text, cap, cap * 2);
			cap *= 2;
		}
	}
	return text;
}

static struct source *
read_open(struct arena *a, const char *path, int fd, const struct stat *st, const char **why)
{
	size_t size;
	char *text;

	if (S_ISREG(st->st_mode) && (uintmax_t)st->st_size > LARGEST_SOURCE) {
		*why = too_large;
		return NULL;
	}
	text = read_all(a, fd, st, &size, why);
	return text ? source_of(a, path, text, size) : NULL;
}

struct source *
source_read(struct arena *a, const char *path, const char **why)
{
	bool input = strcmp(path, "-") == 0;
	int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	struct source *s = NULL;
	struct stat st;

	*why = NULL;
	if (fd < 0 || fstat(fd, &st) != 0)
		*why = strerror(errno);
	else
		s = read_open(a, input ? "<stdin>" : path, fd, &st, why);
	if (fd >= 0 && !input)
		close(fd);
	return s;
}

enum place { BELOW, OUTSIDE, MOVED };

/* Where PATH leads to. MOVED: to another file than is open, or to none. */
static enum place
place_of(const char *root, const char *path, const struct stat *st)
{
	char real[PATH_MAX];
	struct stat there;

	if (!realpath(path, real) || stat(real, &there) != 0 || there.st_dev != st->st_dev || there.st_ino != st->st_ino)
		return MOVED;
	return filename_is_below(root, real) ? BELOW : OUTSIDE;
}

#define MOST_OPENED	100	/* times that another program may put a file in place of one while it is opened */

/* The file that PATH leads to while it is opened, so that it is known where it lies; -1: none, for
 * errno. Opening a device or a pipe may wait for ever, so it is opened not to wait. */
static int
open_in_place(const char *root, const char *path, struct stat *st, enum place *place)
{
	int fd, n;

	for (n = 1;; n++) {
		fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return -1;
		if (fstat(fd, st) != 0) {
			close(fd);
			return -1;
		}
		*place = place_of(root, path, st);
		if (*place != MOVED || n == MOST_OPENED)
			return fd;
		close(fd);
	}
}

/* A device or a pipe is never read. -1 and *WHY where the file may not be read. */
static int
open_below(struct arena *a, const char *root, const char *path, struct stat *st, const char **why)
{
	enum place place;
	int fd = open_in_place(root, path, st, &place);

	*why = NULL;
	if (fd < 0)
		*why = strerror(errno);
	else if (place == OUTSIDE)
		*why = arena_printf(a, "it lies outside %s; --allow-outside permits that", root);
	else if (place == MOVED)
		*why = "it is another file each time";
	else if (!S_ISREG(st->st_mode))
		*why = S_ISDIR(st->st_mode) ? strerror(EISDIR) : "not a regular file";
	if (fd >= 0 && *why) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct source *
source_read_below(struct arena *a, const char *root, const char *path, const char **why)
{
	struct source *s;
	struct stat st;
	int fd = open_below(a, root, path, &st, why);

	if (fd < 0)
		return NULL;
	s = read_open(a, path, fd, &st, why);
	close(fd);
	return s;
}

const unsigned char *
source_part_below(struct arena *a, const char *root, const char *path, int64_t at, size_t most, size_t *size,
    int64_t *all)
{
	unsigned char *bytes;
	const char *why;
	struct stat st;
	ssize_t got = 1;
	int fd = open_below(a, root, path, &st, &why);

	if (fd < 0)
		return NULL;
	most = st.st_size <= at ? 0 : (uint64_t)(st.st_size - at) < most ? (size_t)(st.st_size - at) : most;
	bytes = arena_array(a, most + 1, 1);
	for (*size = 0; got != 0 && *size < most; *size += got > 0 ? (size_t)got : 0) {
		got = pread(fd, bytes + *size, most - *size, (off_t)(at + (int64_t)*size));
		if (got < 0 && errno != EINTR)
			break;
	}
	close(fd);
	*all = (int64_t)st.st_size;
	return got < 0 ? NULL : bytes;
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *const *
source_names_below(struct arena *a, const char *root, const char *path, const char *end, int most, int *n)
{
	VEC(char *) names = { 0 };
	const struct dirent *e;
	enum place place;
	struct stat st;
	int fd = open_in_place(root, path, &st, &place);
	DIR *d = fd >= 0 && place == BELOW ? fdopendir(fd) : NULL;

	if (!d && fd >= 0)
		close(fd);
	while (d && names.n <= most && (e = readdir(d)))
		if (filename_ends(e->d_name, end))
			vec_push(a, &names, arena_strdup(a, e->d_name));
	if (d)
		closedir(d);
	*n = names.n;
	if (!d || *n > most)
		return NULL;
	vec_push(a, &names, NULL);	/* so that there is an array */
	qsort(names.v, (size_t)*n, sizeof(*names.v), by_bytes);
	return names.v;
}

int
loc_line(struct loc l)
{
	int lo = 0, hi, mid;

	if (!l.src)
		return 0;
	for (hi = l.src->lines; hi - lo > 1;) {
		mid = lo + (hi - lo) / 2;
		if (l.src->line_start[mid] <= l.beg)
			lo = mid;
		else
			hi = mid;
	}
	return lo + 1;
}

int
loc_column(struct loc l)
{
	return l.src ? l.beg - l.src->line_start[loc_line(l) - 1] + 1 : 0;
}

int
loc_column_chars(struct loc l)
{
	int i, n = 1;

	if (!l.src)
		return 0;
	for (i = l.src->line_start[loc_line(l) - 1]; i < l.beg; i++)
		n += ((unsigned char)l.src->text[i] & 0xc0) != 0x80;
	return n;
}

const char *
source_line(const struct source *s, int line, int *length)
{
	int beg = s->line_start[line - 1];
	int end = line < s->lines ? s->line_start[line] - 1 : s->size;

	if (end > beg && s->text[end - 1] == '\r')
		end--;
	*length = end - beg;
	return s->text + beg;
}
