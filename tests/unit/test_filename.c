/*
 * Names of files, and patterns of them. What a pattern matches is asked of a second matcher, which
 * tries all ways by recursion, over random patterns and paths of few letters.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(filename, .init = setup, .fini = teardown);

Test(filename, normalised)
{
	static const char *const pair[][2] = {
		{ "/a/b", "/a/b" }, { "//a//b/", "/a/b" }, { "/a/./b/.", "/a/b" },
		{ "/a/../b", "/b" }, { "/../../b", "/b" }, { "/a/b/../..", "" }, { "/", "" },
		{ "/a/..b/...", "/a/..b/..." },
	};
	char buf[64];
	size_t i;

	for (i = 0; i < sizeof(pair) / sizeof(*pair); i++) {
		strcpy(buf, pair[i][0]);
		filename_normalise(buf);
		cr_expect_str_eq(buf, pair[i][1], "%s: %s", pair[i][0], buf);
	}
}

Test(filename, relative)
{
	static const struct {
		const char *folder, *path, *want;
	} c[] = {
		{ "/a/b", "/a/b/c.nn", "c.nn" }, { "/a/b", "/a/b/d/c.nn", "d/c.nn" },
		{ "/a/b", "/a/c.nn", "../c.nn" }, { "/a/b", "/a/bc/c.nn", "../bc/c.nn" },
		{ "/a/b/c", "/a/x/y/c.nn", "../../x/y/c.nn" }, { "/", "/a/c.nn", "a/c.nn" },
		{ "/a", "/c.nn", "../c.nn" }, { "/a/b", "/c.nn", "../../c.nn" },
		{ "/abc", "/abd/c.nn", "../abd/c.nn" },
	};
	char *joined;
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(*c); i++) {
		char *is = filename_relative(arena, c[i].folder, c[i].path);

		cr_expect_str_eq(is, c[i].want, "%s from %s: %s", c[i].path, c[i].folder, is);
		joined = filename_join(arena, c[i].folder, is);
		filename_normalise(joined);
		cr_expect_str_eq(joined, c[i].path);
	}
	cr_expect_str_eq(filename_folder(arena, "/a/b.nn"), "/a");
	cr_expect_str_eq(filename_folder(arena, "/b.nn"), "/");
}

/* Links in the folder are followed, those of the file itself are not. */
Test(filename, absolute)
{
	char dir[] = "/tmp/stowage-path-XXXXXX", real[4096], *want;

	cr_assert(mkdtemp(dir) && realpath(dir, real) && chdir(dir) == 0);
	cr_assert(mkdir("here", 0777) == 0 && symlink("here", "link") == 0);
	want = filename_join(arena, real, "here/x.nn");
	cr_expect_str_eq(filename_absolute(arena, "link/x.nn"), want);
	cr_expect_str_eq(filename_absolute(arena, "here/../link/./x.nn"), want);
	cr_expect_str_eq(filename_absolute(arena, "link"), filename_join(arena, real, "link"));
	cr_expect_str_eq(filename_absolute(arena, "."), real);
	cr_expect_str_eq(filename_absolute(arena, "none/../x.nn"), filename_join(arena, real, "x.nn"));
	cr_assert(unlink("link") == 0 && rmdir("here") == 0 && chdir("/") == 0 && rmdir(dir) == 0);
}

Test(filename, patterns)
{
	static const struct {
		const char *pattern, *path;
		bool want;
	} c[] = {
		{ "legacy", "legacy/a.nn", true }, { "legacy", "x/legacy/a.nn", true },
		{ "legacy/", "x/legacy/y/a.nn", true }, { "legacy", "legacy2/a.nn", false },
		{ "/legacy", "x/legacy/a.nn", false }, { "/legacy", "legacy/a.nn", true },
		{ "./legacy", "x/legacy/a.nn", false }, { "a/b", "x/a/b", false },
		{ "*.nn", "x/a.nn", true }, { "x/*.nn", "x/y/a.nn", false },
		{ "x/*.nn", "x/a.nn", true }, { "x/**", "x/y/a.nn", true },
		{ "x/**/a.nn", "x/a.nn", true }, { "x/**/a.nn", "x/y/z/a.nn", true },
		{ "x/**/a.nn", "x/ya.nn", false }, { "**/gen/*", "gen/a.nn", true },
		{ "**/gen/*", "p/gen/a/b.nn", true }, { "?.nn", "ab.nn", false },
		{ "?.nn", "b.nn", true }, { "a?b", "a/b", false }, { "", "a", false },
		{ "/", "a", false }, { "a[b]", "a[b]", true }, { "**", "a", true }, { "x/**/", "x/a/b", true },
	};
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(*c); i++)
		cr_expect_eq(filename_matches(c[i].pattern, c[i].path), c[i].want, "%s %s",
		    c[i].pattern, c[i].path);
}

/* The same by trying all ways; before P stands a byte, '/' where it begins a step. */
static bool
slow(const char *p, const char *s)
{
	if (!*p)
		return !*s || *s == '/';
	if (p[-1] == '/' && strncmp(p, "**/", 3) == 0) {
		if (slow(p + 3, s))
			return true;
		for (; *s; s++)
			if (*s == '/' && slow(p + 3, s + 1))
				return true;
		return false;
	}
	if (p[0] == '*' && p[1] == '*')
		return slow(p + 2, s) || (*s && slow(p, s + 1));
	if (p[0] == '*')
		return slow(p + 1, s) || (*s && *s != '/' && slow(p, s + 1));
	if (!*s || (p[0] == '?' ? *s == '/' : p[0] != *s))
		return false;
	return slow(p + 1, s + 1);
}

Test(filename, patterns_against_a_second_matcher)
{
	static const char letters[] = "ab/*?**/";
	char pattern[12], path[12], at_any_depth[16];
	unsigned seed = 1;
	int i, k, n, matched = 0;

	for (i = 0; i < 200000; i++) {
		n = rand_r(&seed) % 8 + 1;
		for (k = 0; k < n; k++)
			pattern[k] = letters[rand_r(&seed) % 8];
		pattern[k] = '\0';
		if (pattern[n - 1] == '/' || pattern[0] == '/')
			continue;
		n = rand_r(&seed) % 8 + 1;
		for (k = 0; k < n; k++)
			path[k] = letters[rand_r(&seed) % 3];
		path[k] = '\0';
		sprintf(at_any_depth, "/%s%s", strchr(pattern, '/') ? "" : "**/", pattern);
		cr_assert_eq(filename_matches(pattern, path), slow(at_any_depth + 1, path), "'%s' '%s'",
		    pattern, path);
		matched += slow(at_any_depth + 1, path);
	}
	cr_assert_gt(matched, 10000);
}

Test(filename, many_stars)	/* steps.c counts what they cost */
{
	char pattern[1000], path[4000];
	int i;

	for (i = 0; i + 2 < 900; i += 2)
		memcpy(pattern + i, "*a", 2);
	strcpy(pattern + i, "b");
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	cr_assert(!filename_matches(pattern, path));
	memset(pattern, 'a', sizeof(pattern) - 1);
	pattern[sizeof(pattern) - 1] = '\0';
	cr_assert(filename_matches(pattern, pattern));
}
