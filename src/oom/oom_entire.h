/* All of a set at once, as people tell it (oom_entire.c). */
#ifndef STOWAGE_OOM_OOM_ENTIRE_H
#define STOWAGE_OOM_OOM_ENTIRE_H

#include "oom/oom_lexicon.h"

/* Where a sentence of T says that all of a set is read or held at once, or asks for what would read
 * it as it is needed; or NULL. */
const char	*oom_entire(struct talk);
/* Where a line of a failure says that samples are cached. */
const char	*oom_entire_cached(struct talk);
/* Where it says that data themselves take a device's memory. */
const char	*oom_entire_on_device(struct talk);

#endif
