/* Do people say that a run was killed? */
#ifndef STOWAGE_OOM_OOM_KILLED_H
#define STOWAGE_OOM_OOM_KILLED_H

#include "oom/oom_lexicon.h"

/* Where a line says that the run's own process was ended from outside, by whom is not said, and not
 * "the old server"; NULL: it does not. */
const char	*oom_killed_told(struct talk line);
/* Where it has the signal, or its code, by which a program ends for a fault of its own, as none
 * does that the system ends; NULL: nowhere. */
const char	*oom_killed_by_fault(struct talk);

#endif
