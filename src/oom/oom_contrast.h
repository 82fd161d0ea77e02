/* A setting with whose value a run is well, where people set that against the one that failed. */
#ifndef STOWAGE_OOM_OOM_CONTRAST_H
#define STOWAGE_OOM_OOM_CONTRAST_H

#include "oom/oom_lexicon.h"

enum contrast {			/* what that value does */
	CONTRAST_NONE,
	CONTRAST_OFF,		/* switches something off: "cache=False" */
	CONTRAST_ASIDE,		/* moves something to the machine's memory, or to files: "placement 'cpu'" */
	CONTRAST_NUMBER,	/* says how many, or how large */
	CONTRAST_ON		/* or switches something on, or chooses another of a kind */
};

/* Where a line says that it runs with a setting, whose value does that; NULL: it does not. */
const char	*oom_contrast_told(struct talk line, enum contrast *);
/* Does a sentence say that a run is well with what stands from AT to TO? "It works with A", "if I
 * set A, it works", "OOM with A, with B it did not". */
bool	oom_contrast_is_well(struct talk sentence, const char *at, const char *to);
/* May it tell of one's own runs, on one machine? */
bool	oom_contrast_is_own(struct talk sentence);

#endif
