/* A file that the program carries along as text: kernels, the page of a plan
 * (src/emit/embed.sh). */
#ifndef STOWAGE_BASE_EMBEDDED_H
#define STOWAGE_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *name;
	const char *text;
};

#endif
