/* Walking folders, in the order of names so that output does not depend on the file system. */
#include "cli/paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/filename.h"
#include "base/map.h"
#include "base/print.h"
#include "lang/project.h"

#define SUFFIX	".nn"

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
failed(struct paths *p, const char *path, const char *why)
{
	print_error("%s: %s", path, why);
	p->failures++;
}

/* A file that a link leads to is read only if it lies in the project. */
static void
take(struct arena *a, struct paths *p, const char *path, bool is_link)
{
	char real[PATH_MAX];

	if (is_link && (!realpath(path, real) || !filename_is_below(p->root, real)))
		failed(p, path, arena_printf(a, "this link leads outside %s; --allow-outside "
		    "permits that", p->root));
	else
		vec_push(a, &p->path, path);
}

static void walk(struct arena *, struct paths *, const char *folder);

static void
visit(struct arena *a, struct paths *p, const char *path)
{
	struct stat st;
	bool is_link;

	if (lstat(path, &st) != 0) {
		if (errno != ENOENT)	/* gone since the folder was read */
			failed(p, path, strerror(errno));
		return;
	}
	is_link = S_ISLNK(st.st_mode);
	if (p->skip && (S_ISDIR(st.st_mode) || filename_ends(path, SUFFIX)) && p->skip(p->context, path)) {
		p->skipped++;
		return;
	}
	if (S_ISDIR(st.st_mode))
		walk(a, p, path);
	else if (filename_ends(path, SUFFIX) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		take(a, p, path, is_link);
}

/* No deeper than a path can be long: links to folders are not entered. */
static void
walk(struct arena *a, struct paths *p, const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = strlen(folder);
	const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
	VEC(const char *) name = { 0 };
	struct dirent *e;
	int i;

	if (!d) {
		failed(p, folder, strerror(errno));
		return;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			vec_push(a, &name, arena_printf(a, "%s%s%s", folder, slash, e->d_name));
	closedir(d);
	if (name.n > 0)
		qsort(name.v, (size_t)name.n, sizeof(*name.v), by_name);
	for (i = 0; i < name.n; i++)
		visit(a, p, name.v[i]);
}

void
paths_add(struct arena *a, struct paths *p, const char *path)
{
	struct stat st;

	if (p->skip_named && strcmp(path, "-") != 0 && p->skip_named(p->context, path)) {
		p->skipped++;
	} else if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		p->root = p->allow_outside ? "/" : project_root(a, filename_join(a,
		    filename_absolute(a, arena_printf(a, "%s/.", path)), "x"));
		walk(a, p, path);
	} else {
		vec_push(a, &p->path, path);
	}
}

void
paths_once(struct arena *a, struct paths *p)
{
	struct map seen = { NULL, 0, 0, NULL, 0 };
	char real[PATH_MAX];
	int i, n = 0;

	for (i = 0; i < p->path.n; i++) {
		const char *path = p->path.v[i];

		if (strcmp(path, "-") != 0 && realpath(path, real)) {
			if (map_get(&seen, real))
				continue;
			map_put(a, &seen, arena_strdup(a, real), p);
		}
		p->path.v[n++] = path;
	}
	p->path.n = n;
}

bool
paths_are_none(const struct paths *p)
{
	return p->path.n == 0 && !(p->skip_named && p->skipped);
}

void
paths_none(const struct paths *p, const char *command)
{
	fprintf(stderr, "stowage %s: no .nn file in what was given", command);
	if (p->skipped)
		fprintf(stderr, ", but for %d that the project file excludes", p->skipped);
	putc('\n', stderr);
}
