/*
 * Advice that people are given against a full device and that does nothing for it: it is of the
 * machine's memory. Said, so that nobody has to try.
 */
#ifndef STOWAGE_FIT_IDLE_H
#define STOWAGE_FIT_IDLE_H

struct idle_advice {
	const char *what;	/* "more or fewer loader workers" */
	const char *why;
};

extern const struct idle_advice idle_advice[];	/* ends with what NULL */

#endif
