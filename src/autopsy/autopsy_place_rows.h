/*
 * Causes that the place shows where memory ended, whatever the figures are (autopsy_place.c).
 */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_PLACE_ROWS_H
#define STOWAGE_AUTOPSY_AUTOPSY_PLACE_ROWS_H

#include <stdint.h>

struct place_cause {		/* a cause that a place shows by itself, and of which facts (TRACE_) */
	uint64_t any, all, unless;
	const char *cause;
};

/* Each ends with a row without a cause. */
extern const struct place_cause autopsy_places[];
extern const struct place_cause autopsy_host_places[];

#endif
