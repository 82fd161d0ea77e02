/* What people say of what was made or run before: each where T says so, or NULL. */
#ifndef STOWAGE_OOM_OOM_EARLIER_H
#define STOWAGE_OOM_OOM_EARLIER_H

#include "oom/oom_lexicon.h"

/* The model, picture or run before was not let go of. */
const char	*oom_earlier_held(struct talk);
/* The first went well, and the next fails. */
const char	*oom_earlier_first(struct talk);

#endif
