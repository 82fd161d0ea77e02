/* When people say that memory grows. */
#ifndef STOWAGE_OOM_OOM_GROWTH_H
#define STOWAGE_OOM_OOM_GROWTH_H

#include "oom/oom_paste.h"

/* Line LINE is a sentence, of which oom_told.h has been told. */
void	oom_growth_line(struct oom_paste *, struct talk, int line);
/* Does T speak of a leak, or of memory that is not let go of, be it a guess, or of a change? */
bool	oom_growth_keeps(struct talk t);

#endif
