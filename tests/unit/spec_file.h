/* A spec of specs/, as its source. */
#ifndef STOWAGE_TESTS_SPEC_FILE_H
#define STOWAGE_TESTS_SPEC_FILE_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/source.h"

static inline struct source *
spec_file(struct arena *a, const char *name)
{
	const char *top = getenv("top_srcdir"), *why;
	struct source *s = source_read(a, arena_printf(a, "%s/specs/%s", top ? top : ".", name), &why);

	cr_assert(s, "%s: %s", name, why);
	return s;
}

#endif
