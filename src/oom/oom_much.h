/* Complaints of memory, as people make them (oom_much.c). */
#ifndef STOWAGE_OOM_OOM_MUCH_H
#define STOWAGE_OOM_OOM_MUCH_H

#include "oom/oom_lexicon.h"

/* Where T complains that memory is taken, of how much of it, that it is not let go of, or that it
 * rose; or NULL. */
const char	*oom_much(struct talk);

#endif
