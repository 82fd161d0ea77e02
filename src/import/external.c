/*
 * Files in which an ONNX model has weights beside it. A model comes from anybody, so a name leads
 * to a regular file in the model's own folder or below it, links resolved, or is refused; such a
 * file is mapped, never read whole.
 */
#include "import/external.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"

#define MOST_FILES	64	/* of one model; exporters write one */

/* "weights/a.bin": no part of it is "..", and it does not begin at the root. */
static bool
is_inside(const char *location)
{
	const char *s = location;

	if (!*s || *s == '/')
		return false;
	for (;;) {
		if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || s[2] == '\0'))
			return false;
		s = strchr(s, '/');
		if (!s)
			return true;
		s++;
	}
}

/* Is the open file the one that PATH leads to, and does it lie below FOLDER? */
static bool
lies_below(const char *folder, const char *path, const struct stat *st)
{
	char root[PATH_MAX], real[PATH_MAX];
	struct stat there;

	return realpath(folder, root) && realpath(path, real) && stat(real, &there) == 0 && there.st_dev == st->st_dev &&
	    there.st_ino == st->st_ino && filename_is_below(root, real);
}

static const char *
map_file(struct arena *a, const char *folder, const char *path, struct external *to)
{
	int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	const char *why = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		why = arena_strdup(a, strerror(errno));
	else if (!lies_below(folder, path, &st))
		why = "it lies outside the model's folder";
	else if (!S_ISREG(st.st_mode) || st.st_size == 0)
		why = "it is no regular file, or empty";
	if (!why) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED)
			why = arena_strdup(a, strerror(errno));
		else {
			madvise(at, (size_t)st.st_size, MADV_RANDOM);
			to->at = at;
			to->size = (size_t)st.st_size;
		}
	}
	if (fd >= 0)
		close(fd);
	return why;
}

static const struct external *
find(struct arena *a, struct externals *all, const char *model, const char *location, const char **why)
{
	const char *slash = strrchr(model, '/');
	const char *folder = slash ? arena_strndup(a, model, (size_t)(slash - model) + 1) : "./";
	struct external e = { .location = location };
	int i;

	for (i = 0; i < all->files.n; i++)
		if (strcmp(all->files.v[i].location, location) == 0)
			return &all->files.v[i];
	if (all->files.n == MOST_FILES)
		*why = "it names more than 64 files";
	else if (!is_inside(location))
		*why = arena_printf(a, "'%s' leads outside the model's folder, which is refused", location);
	else if ((*why = map_file(a, folder, arena_printf(a, "%s%s", folder, location), &e)))
		*why = arena_printf(a, "'%s': %s", location, *why);
	if (*why)
		return NULL;
	vec_push(a, &all->files, e);
	return &all->files.v[all->files.n - 1];
}

const unsigned char *
external_at(struct arena *a, struct externals *all, const char *model, const char *location, uint64_t offset, uint64_t size,
    const char **why)
{
	const struct external *e;

	*why = NULL;
	e = find(a, all, model, location, why);
	if (!e)
		return NULL;
	if (offset > e->size || size > e->size - offset) {
		*why = arena_printf(a, "'%s' has %zu bytes, and they would end behind it", location, e->size);
		return NULL;
	}
	return e->at + offset;
}

void
external_close(struct externals *all)
{
	int i;

	for (i = 0; i < all->files.n; i++)
		munmap((void *)(uintptr_t)all->files.v[i].at, all->files.v[i].size);
	all->files.n = 0;
}
