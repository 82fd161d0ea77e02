/* What people say made the difference: each where T says so, or NULL (oom_cure.c). */
#ifndef STOWAGE_OOM_OOM_CURE_H
#define STOWAGE_OOM_OOM_CURE_H

#include "oom/oom_lexicon.h"

/* It fails since, or only where, something was added or switched on. */
const char	*oom_cure_added(struct talk);
/* It ended by this. */
const char	*oom_cure_ended(struct talk);
/* Does it say that something else fails since then? */
bool		oom_cure_begins_other(struct talk);
/* It ended, or memory stayed, as what an allocator keeps was given back (empty_cache()). */
const char	*oom_cure_emptied(struct talk);

#endif
