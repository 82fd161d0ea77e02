/* Names of files. Patterns are matched by following all positions in the pattern at once, so that
 * no pattern is slow. */
#include "base/filename.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
filename_normalise(char *path)
{
	char *from = path, *to = path;
	size_t n;

	while (*from) {
		from += strspn(from, "/");
		n = strcspn(from, "/");
		if (n == 2 && from[0] == '.' && from[1] == '.') {
			while (to > path && *--to != '/')
				;
		} else if (n > 0 && !(n == 1 && from[0] == '.')) {
			*to++ = '/';
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
}

char *
filename_join(struct arena *a, const char *folder, const char *path)
{
	if (*path == '/')
		return arena_strdup(a, path);
	return arena_printf(a, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", path);
}

static char *
by_the_letter(struct arena *a, const char *path)
{
	char here[PATH_MAX], *s;

	if (*path != '/' && !getcwd(here, sizeof(here)))
		strcpy(here, "/");
	s = filename_join(a, here, path);
	filename_normalise(s);
	return *s ? s : arena_strdup(a, "/");
}

char *
filename_absolute(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char real[PATH_MAX];

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return realpath(path, real) ? arena_strdup(a, real) : by_the_letter(a, path);
	if (!realpath(slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".", real))
		return by_the_letter(a, path);
	return filename_join(a, real, name);
}

char *
filename_folder(struct arena *a, const char *absolute)
{
	const char *slash = strrchr(absolute, '/');

	return slash == absolute ? arena_strdup(a, "/") :
	    arena_strndup(a, absolute, (size_t)(slash - absolute));
}

bool
filename_ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && strcmp(name + n - k, end) == 0;
}

bool
filename_is_below(const char *folder, const char *absolute)
{
	size_t n = strlen(folder);

	if (n == 1)	/* the root of all */
		n = 0;
	return strncmp(folder, absolute, n) == 0 && absolute[n] == '/';
}

char *
filename_relative(struct arena *a, const char *folder, const char *absolute)
{
	size_t n = strlen(folder), same;
	const char *up = "", *s;

	if (n == 1)
		n = 0;
	if (filename_is_below(folder, absolute))
		return arena_strdup(a, absolute + n + 1);
	for (same = 0, s = folder; *s && *s == absolute[s - folder]; s++)
		if (*s == '/')
			same = (size_t)(s - folder);
	if (!*s && absolute[s - folder] == '/')
		same = n;
	for (s = folder + same; (s = strchr(s, '/')); s++)
		up = arena_printf(a, "%s../", up);
	return arena_printf(a, "%s%s", up, absolute + same + 1);
}

const char *
filename_shown(struct arena *a, const char *absolute)
{
	char here[PATH_MAX], *from_here;

	if (!getcwd(here, sizeof(here)))
		return absolute;
	from_here = filename_relative(a, here, absolute);
	return strlen(from_here) < strlen(absolute) ? from_here : absolute;
}

/* ---- patterns ---- */

#define LONGEST		(PATH_MAX + 4)

enum mark {
	BYTE, ONE,	/* itself; "?" */
	PART,		/* "*" */
	ANY,		/* "**" that is no whole step */
	STEPS, INSIDE	/* the whole step and its '/', as two: not begun, and within a step */
};

struct glob {
	unsigned char mark[LONGEST];
	char byte[LONGEST];
	int n;
};

static void
add(struct glob *g, enum mark mark, char byte)
{
	g->mark[g->n] = (unsigned char)mark;
	g->byte[g->n++] = byte;
}

static void
read_pattern(struct glob *g, const char *p, size_t n)
{
	bool starts = true;
	size_t i;

	for (i = 0; i < n; i++) {
		if (starts && i + 3 <= n && strncmp(p + i, "**/", 3) == 0) {
			add(g, STEPS, 0);
			add(g, INSIDE, 0);
			i += 2;
			continue;
		}
		starts = p[i] == '/';
		if (p[i] == '*' && p[i + 1] == '*') {
			add(g, ANY, 0);
			i++;
		} else {
			add(g, p[i] == '*' ? PART : p[i] == '?' ? ONE : BYTE, p[i]);
		}
	}
}

/* The places that are reached without a byte of the path: behind what may be nothing. */
static void
reach(const struct glob *g, bool *at)
{
	int i;

	for (i = 0; i < g->n; i++) {
		if (!at[i])
			continue;
		if (g->mark[i] == PART || g->mark[i] == ANY)
			at[i + 1] = true;
		else if (g->mark[i] == STEPS)
			at[i + 1] = at[i + 2] = true;
	}
}

/* False: nothing is reached any more. */
static bool
step(const struct glob *g, const bool *at, bool *next, char c)
{
	int i;

	memset(next, 0, (size_t)g->n + 1);
	for (i = 0; i < g->n; i++) {
		if (!at[i])
			continue;
		switch (g->mark[i]) {
		case BYTE:
			next[i + 1] |= c == g->byte[i];
			break;
		case ONE:
			next[i + 1] |= c != '/';
			break;
		case PART:
			next[i] |= c != '/';
			break;
		case ANY:
			next[i] = true;
			break;
		case INSIDE:
			next[i] = true;
			next[i + 1] |= c == '/';
			break;
		}
	}
	return memchr(next, true, (size_t)g->n + 1) != NULL;
}

/* Does the pattern name a beginning of PATH that ends with a step? */
static bool
matches_here(const struct glob *g, const char *path)
{
	bool at[LONGEST], next[LONGEST];

	memset(at, 0, (size_t)g->n + 1);
	at[0] = true;
	reach(g, at);
	for (; *path; path++) {
		if (at[g->n] && *path == '/')
			return true;
		if (!step(g, at, next, *path))
			return false;
		memcpy(at, next, (size_t)g->n + 1);
		reach(g, at);
	}
	return at[g->n];
}

bool
filename_matches(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);
	bool any_depth;
	struct glob g;

	while (n > 0 && pattern[n - 1] == '/')
		n--;
	if (n == 0 || n > PATH_MAX)
		return false;
	g.n = 0;
	any_depth = !memchr(pattern, '/', n);
	if (any_depth && memmem(pattern, n, "**", 2)) {
		read_pattern(&g, "**/", 3);
		any_depth = false;
	}
	for (; n > 2 && strncmp(pattern, "./", 2) == 0; n -= 2)
		pattern += 2;
	if (*pattern == '/')
		read_pattern(&g, pattern + 1, n - 1);
	else
		read_pattern(&g, pattern, n);
	/* a pattern of one step leaves a step at its end at the latest, so each may be tried */
	for (; any_depth && !matches_here(&g, path); path++)
		if (!(path = strchr(path, '/')))
			return false;
	return any_depth || matches_here(&g, path);
}
