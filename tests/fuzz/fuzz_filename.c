/*
 * A fuzzer of names of files and patterns of them; see fuzz.h. The first line of a text is a
 * pattern, the others are paths. What matches is asked of a second matcher, which tries all ways
 * and keeps a table of those that failed; paths that are taken apart must come together again.
 */
#include "base/filename.h"

#include "fuzz.h"

#define LONGEST_LINE	48
#define MOST_PATHS	4

static const char *const words[] = {
	"*", "**", "**/", "/", "//", "/**/", "/**", "?", "a", "b", ".", "..", "./", "../", "/.", "/..", ".nn", "\n",
	"a/b", "*.nn", "\\", "[ab]", "\xff", "\xc3\xa9", " ",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	(void)from;
	(void)nfrom;
	for (edits = 1 + (int)fuzz_below(6); edits > 0; edits--)
		fuzz_edit(t, words, COUNT_OF(words), 6);
}

/* ---- the second matcher ---- */

struct matcher {
	const char *pattern, *path;
	bool failed[LONGEST_LINE + 8][LONGEST_LINE + 1];
};

/* Before the byte I stands another, '/' where a step begins. */
static bool
matches(struct matcher *m, int i, int k)
{
	const char *p = m->pattern + i, *s = m->path + k;
	bool yes;
	int j;

	if (!*p)
		return !*s || *s == '/';
	if (m->failed[i][k])
		return false;
	if (p[-1] == '/' && strncmp(p, "**/", 3) == 0) {
		yes = matches(m, i + 3, k);
		for (j = k; !yes && m->path[j]; j++)
			yes = m->path[j] == '/' && matches(m, i + 3, j + 1);
	} else if (p[0] == '*' && p[1] == '*') {
		yes = matches(m, i + 2, k) || (*s && matches(m, i, k + 1));
	} else if (p[0] == '*') {
		yes = matches(m, i + 1, k) || (*s && *s != '/' && matches(m, i, k + 1));
	} else {
		yes = *s && (p[0] == '?' ? *s != '/' : *p == *s) && matches(m, i + 1, k + 1);
	}
	m->failed[i][k] = !yes;
	return yes;
}

/* As filename_matches() is described. */
static bool
should_match(const char *pattern, const char *path)
{
	char plain[LONGEST_LINE + 8];
	struct matcher m = { .pattern = plain, .path = path };
	int n = (int)strlen(pattern);
	bool any_depth;

	while (n > 0 && pattern[n - 1] == '/')
		n--;
	any_depth = !memchr(pattern, '/', (size_t)n);
	for (; n > 2 && strncmp(pattern, "./", 2) == 0; n -= 2)
		pattern += 2;
	snprintf(plain, sizeof(plain), "/%s%.*s", any_depth ? "**/" : "", n - (*pattern == '/'),
	    pattern + (*pattern == '/'));
	return matches(&m, 1, 0);
}

/* ---- paths ---- */

static void
check_normal(const char *s)
{
	const char *step;

	for (step = s; *step; step += 1 + strcspn(step + 1, "/"))
		if (*step != '/' || step[1] == '/' || !step[1] || strcmp(step, "/.") == 0 || strcmp(step, "/..") == 0 ||
		    strncmp(step, "/./", 3) == 0 || strncmp(step, "/../", 4) == 0)
			fuzz_failed("a path that is not normal");
}

static char *
absolute(struct arena *a, const char *s)
{
	char *path = filename_join(a, "/", s);

	filename_normalise(path);
	check_normal(path);
	return *path ? path : arena_strdup(a, "/");
}

static void
check_paths(struct arena *a, const char *x, const char *y)
{
	char *folder = absolute(a, x), *path = absolute(a, y), *seen, *again;

	if (strcmp(path, "/") == 0)
		return;
	seen = filename_relative(a, folder, path);
	again = filename_join(a, folder, seen);
	filename_normalise(again);
	if (strcmp(folder, path) != 0 && strcmp(again, path) != 0)
		fuzz_failed("a relative path that leads elsewhere");
	if (filename_is_below(folder, path) != (strncmp(seen, "../", 3) != 0) && strcmp(folder, path) != 0)
		fuzz_failed("below, and yet not");
	folder = filename_folder(a, path);
	if (!filename_is_below(folder, path))
		fuzz_failed("a file that is not in its folder");
}

/* ---- a case ---- */

static long
try(const struct sample *t)
{
	struct arena *a = fuzz_arena();
	char line[1 + MOST_PATHS][LONGEST_LINE] = { "" };
	long matched = 0;
	int n = 0, i, used = 0;
	size_t at;

	for (at = 0; at < t->n && n <= MOST_PATHS; at++)
		if (t->text[at] == '\n') {
			n++;
			used = 0;
		} else if (t->text[at] && used < LONGEST_LINE - 1) {
			line[n][used++] = t->text[at];
		}
	for (i = 1; i <= MOST_PATHS; i++) {
		check_paths(a, line[i - 1], line[i]);
		if (!*line[0] || strspn(line[0], "/") == strlen(line[0]) || *line[i] == '/')
			continue;
		if (filename_matches(line[0], line[i]) != should_match(line[0], line[i]))
			fuzz_failed("a match that is none, or none that is one");
		matched += should_match(line[0], line[i]);
	}
	return matched;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_filename",
	.outcome = "paths matched",
	.longest = 200,
	.mutate = mutate,
	.try = try,
};
