/* Is this `make check-extended`, which has all cases of what the usual run has some of? */
#ifndef STOWAGE_TESTS_EXTENDED_H
#define STOWAGE_TESTS_EXTENDED_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool
extended(void)
{
	const char *more = getenv("EXTENDED");

	return more && *more;
}

#endif
