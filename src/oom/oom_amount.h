/* How much of one thing fails, and how much of it runs, as people tell it (oom_amount.c). */
#ifndef STOWAGE_OOM_OOM_AMOUNT_H
#define STOWAGE_OOM_OOM_AMOUNT_H

#include <stdint.h>

#include "oom/oom_clause.h"

enum amount_of {		/* what is counted */
	AMOUNT_BATCH, AMOUNT_SIDES, AMOUNT_SAMPLES, AMOUNT_FRAMES, AMOUNT_PAGES, AMOUNT_TOKENS, AMOUNT_ROWS, AMOUNT_POINTS, AMOUNT_NETWORK,
	AMOUNT_THINGS,		/* the first of what has no kind of its own: each by its name, */
	AMOUNTS = AMOUNT_THINGS + 3	/* of three */
};

#define AMOUNT_NAME	20	/* bytes of one, and the zero behind it */

struct oom_amount {		/* of one thing; 0: not said */
	int64_t fails, runs;	/* the least with which it fails, and with which it runs, */
	int64_t tried;		/* and of the last that is told of with no word of how that went */
	struct said run, try;	/* where these stand */
};

struct oom_amounts {
	struct oom_amount of[AMOUNTS];
	char names[AMOUNTS - AMOUNT_THINGS][AMOUNT_NAME];	/* of things, in small letters */
	int line, last;		/* the last line with any, and of what it was, plus 1 */
	int whole;		/* the last line by which all of something fails, or more of it, however much that is */
};

/* Is it a word for several things that are counted, and not of time, devices or what a run does? */
bool	oom_amount_is_thing(struct talk word);
/* Where T, a person's sentences, and lines ahead of it tell of an amount that runs, and of more of
 * the same that fails: the former is put into TO. */
void	oom_amount_line(struct oom_amounts *, struct talk t, int line, struct said *to);

#endif
