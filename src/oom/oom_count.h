/*
 * How many of what is worked on at once, where people say so beside a failure (oom_count.c): of a
 * kind the first line that has it. And numbers of things, as they are told anywhere, with which an
 * extent of a shape may be compared. That it is what had no room no sentence tells.
 */
#ifndef STOWAGE_OOM_OOM_COUNT_H
#define STOWAGE_OOM_OOM_COUNT_H

#include "oom/oom_source.h"
#include "oom/oom_told.h"

enum count_of {
	COUNT_OBJECTS,		/* that are masked or followed in a video or a picture */
	COUNT_ATOMS,
	COUNT_STEPS,		/* that are gone through one after the other, of a forecast or a rollout */
	COUNT_REQUESTS,		/* at the same time */
	COUNT_STREAMS,		/* of cameras */
	COUNT_WORLDS,		/* environments of an agent */
	COUNT_QUBITS,
	COUNT_VIEWS,		/* pictures that are looked at together */
	COUNT_USERS,		/* and what else has a row of a table */
	COUNTS
};

#define THINGS		8

struct oom_thing {		/* "about 2 million users" */
	int64_t least, most;	/* how many, as far as its digits go */
	struct said said;
};

struct oom_counts {
	struct said of[COUNTS];
	int64_t n[COUNTS];	/* 0: no number is told */
	struct oom_thing things[THINGS];
	int many;		/* of them */
};

/* Line LINE of the log. */
void	oom_count_line(struct oom_counts *, const struct oom_told *, struct talk, int line, enum oom_source);

#endif
