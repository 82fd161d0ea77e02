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

/*
 * Sanitizers look at each access, not at answers, and make what searches four times as long: of
 * cases that are alike some are enough for them, and what shows only how good an answer is has
 * nothing to say.
 */
static inline bool
sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
	return !extended();
#else
	return false;
#endif
}

#endif
