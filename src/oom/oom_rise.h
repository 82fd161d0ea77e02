/* That memory grows, by classes of words (oom_rise.c). */
#ifndef STOWAGE_OOM_OOM_RISE_H
#define STOWAGE_OOM_OOM_RISE_H

#include "oom/oom_clause.h"

/* Where T says of memory that it goes on to grow, but where REFUSES is true of that; or NULL. */
const char	*oom_rise(struct talk t, clause_refuse *refuses);
/* Where it says that the machine's memory grows with how many devices or processes there are. */
const char	*oom_rise_by_count(struct talk);
/* That memory falls as each epoch ends; or NULL. */
const char	*oom_rise_falls(struct talk t);

#endif
