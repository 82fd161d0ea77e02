/* One device, and several, as people count them (oom_several.c). */
#ifndef STOWAGE_OOM_OOM_SEVERAL_H
#define STOWAGE_OOM_OOM_SEVERAL_H

#include "oom/oom_lexicon.h"

/* Where T counts several: "8xH800", "4 x RTX 3090", "8卡"; or NULL. */
const char	*oom_several_counted(struct talk);
/* Where it says that a run works on one, in a line that speaks of several, or where one ahead said
 * that it fails on SEVERAL; or NULL. */
const char	*oom_several_not_one(struct talk, bool several);
/* Does a sentence of T say that? */
bool		oom_several_fail(struct talk);

#endif
