/* Do people say with what less it works? */
#ifndef STOWAGE_OOM_OOM_WORKS_H
#define STOWAGE_OOM_OOM_WORKS_H

#include "oom/oom_lexicon.h"

/* Where a line says so; NULL: it does not. */
const char	*oom_works_told(struct talk line);

#endif
