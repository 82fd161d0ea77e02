/*
 * Advice that is often given for a full device but has no effect on it, since it concerns the
 * machine's memory. It is listed so that no one has to try it.
 */
#ifndef STOWAGE_FIT_IDLE_H
#define STOWAGE_FIT_IDLE_H

#include <stdbool.h>

struct idle_advice {
	const char *what;	/* "more or fewer loader workers" */
	const char *why;
	bool of_machine;	/* true where the device's memory is its own, and no driver lends it the machine's */
};

extern const struct idle_advice idle_advice[];	/* ends with what NULL */

#endif
