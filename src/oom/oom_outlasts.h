/* A run that goes on for longer where a card has more memory (oom_outlasts.c). */
#ifndef STOWAGE_OOM_OOM_OUTLASTS_H
#define STOWAGE_OOM_OOM_OUTLASTS_H

#include "oom/oom_lexicon.h"

#define OUTLASTS	4

struct oom_outlasts {		/* the last runs that people tell of */
	struct {
		int64_t least, most;	/* GB that a card has, by its name or as it is told; */
		int64_t rounds;		/* how long it went on, */
		int unit, line;		/* in which unit; 0: none is kept here */
	} of[OUTLASTS];
	int next;
};

/* Where T, or T and a line near it, tell that it went on for longer on a card with more memory; or
 * NULL. */
const char	*oom_outlasts_line(struct oom_outlasts *, struct talk t, int line);

#endif
