#include "common.h"
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef CHECK
#include <sanitizer/asan_interface.h>

/* What is taken at start is held to the end, even where fail() ends it: nothing leaks. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#pragma GCC diagnostic ignored "-Wunused-function"	/* a library lacks main() */
