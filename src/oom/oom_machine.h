/* How much memory a machine has, as people tell it: each where T says so, or NULL
 * (oom_machine.c). */
#ifndef STOWAGE_OOM_OOM_MACHINE_H
#define STOWAGE_OOM_OOM_MACHINE_H

#include <stdint.h>

#include "oom/oom_lexicon.h"

/* That it is little, or that a run fails with it. */
const char	*oom_machine_small(struct talk t);
const char	*oom_machine_limit(struct talk t);	/* what a container may have of it */
/* How many GiB, whether that is little or not. */
const char	*oom_machine_has(struct talk t, int64_t *gib);

#endif
