/* Dotted paths: building them, and matching the patterns of freeze, recompute and no_decay. */
#include "ir/paths.h"

#include <string.h>

const char *
path_join(struct arena *a, const char *x, const char *y)
{
	return *x ? arena_printf(a, "%s.%s", x, y) : y;
}

const char *
path_number(struct arena *a, const char *x, int n)
{
	return *x ? arena_printf(a, "%s.%d", x, n) : arena_printf(a, "%d", n);
}

/* Segment by segment from the start of both. */
static bool
lies_under(const char *pattern, const char *path)
{
	for (;;) {
		size_t p = strcspn(pattern, "."), q = strcspn(path, ".");

		if (!(p == 1 && *pattern == '*') && (p != q || strncmp(pattern, path, p) != 0))
			return false;
		if (!pattern[p])
			return true;
		if (!path[q])
			return false;
		pattern += p + 1;
		path += q + 1;
	}
}

bool
path_matches(const char *pattern, const char *path)
{
	if (lies_under(pattern, path))
		return true;
	if (strncmp(pattern, "*.", 2) != 0)
		return false;
	while ((path = strchr(path, '.'))) {
		path++;
		if (lies_under(pattern + 2, path))
			return true;
	}
	return false;
}
