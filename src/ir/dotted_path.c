/* Dotted paths: building them, and matching the patterns of freeze, recompute and no_decay. */
#include "ir/dotted_path.h"

#include <string.h>

const char *
path_join(struct arena *a, const char *x, const char *y)
{
	return *x ? arena_join(a, x, ".", y) : y;
}

const char *
path_number(struct arena *a, const char *x, int n)
{
	return *x ? arena_printf(a, "%s.%d", x, n) : arena_printf(a, "%d", n);
}

/* Segment by segment from the start of both: the length of what the pattern matches, or 0. */
static size_t
beginning(const char *pattern, const char *path)
{
	const char *start = path;

	for (;;) {
		size_t p = strcspn(pattern, "."), q = strcspn(path, ".");

		if (!(p == 1 && *pattern == '*') && (p != q || strncmp(pattern, path, p) != 0))
			return 0;
		path += q;
		if (!pattern[p])
			return (size_t)(path - start);
		if (!*path)
			return 0;
		pattern += p + 1;
		path++;
	}
}

size_t
path_match(const char *pattern, const char *path)
{
	const char *start = path;
	size_t n = beginning(pattern, path);

	if (n || strncmp(pattern, "*.", 2) != 0)
		return n;
	while ((path = strchr(path, '.'))) {
		path++;
		if ((n = beginning(pattern + 2, path)))
			return (size_t)(path - start) + n;
	}
	return 0;
}

bool
path_matches(const char *pattern, const char *path)
{
	return path_match(pattern, path) > 0;
}

bool
path_matches_any(const struct pattern *pattern, int n, const char *path)
{
	int i;

	for (i = 0; i < n; i++)
		if (path_matches(pattern[i].text, path))
			return true;
	return false;
}
