/* With what less it runs, by numbers that people tell (oom_less.c). */
#ifndef STOWAGE_OOM_OOM_LESS_H
#define STOWAGE_OOM_OOM_LESS_H

#include "oom/oom_lexicon.h"

/* Where T says that it works with a number, if it says that it fails with a larger one; or NULL. */
const char	*oom_less_runs(struct talk t);

#endif
