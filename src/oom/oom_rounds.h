/* Rounds and items that people count in other languages than English (oom_rounds.c). */
#ifndef STOWAGE_OOM_OOM_ROUNDS_H
#define STOWAGE_OOM_OOM_ROUNDS_H

#include "oom/oom_lexicon.h"

#define EARLY_STEPS	20	/* "the 4th step" may be one of what is to be done */

/* Where T says that it fails at a later round than the first, or after so many items; or NULL. */
const char	*oom_rounds_late(struct talk t);
const char	*oom_rounds_items(struct talk t);
/* Where T says how many rounds it goes on for at most. */
const char	*oom_rounds_most(struct talk t);

/* Does T, which stands behind "after", begin with several rounds that went well? */
bool		oom_rounds_well(struct talk);
/* The same in other languages, but English. */
const char	*oom_rounds_abroad(struct talk);

#endif
