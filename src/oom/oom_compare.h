/* Do people compare how much fails with how much runs, by words and not by two numbers? */
#ifndef STOWAGE_OOM_OOM_COMPARE_H
#define STOWAGE_OOM_OOM_COMPARE_H

#include "oom/oom_lexicon.h"

/* Where a line says that less of it runs, "it is fine at half the resolution"; and that more of it
 * does, "it goes away with a larger batch". NULL: it does not. */
const char	*oom_compare_less(struct talk line);
const char	*oom_compare_more(struct talk line);

#endif
