/* Do people say that it came with a version of a program, or went with one? */
#ifndef STOWAGE_OOM_OOM_VERSION_H
#define STOWAGE_OOM_OOM_VERSION_H

#include "oom/oom_lexicon.h"

/* Where a line says so; NULL: it does not. */
const char	*oom_version_told(struct talk line);

#endif
