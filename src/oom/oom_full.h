/* Whether all of a model's weights are trained, as people and settings tell it (oom_full.c). */
#ifndef STOWAGE_OOM_OOM_FULL_H
#define STOWAGE_OOM_OOM_FULL_H

#include "oom/oom_lexicon.h"

/* Where T says so; NULL: it does not. *BY_SETTING: a setting does, and not a sentence. */
const char	*oom_full(struct talk t, bool *by_setting);

#endif
