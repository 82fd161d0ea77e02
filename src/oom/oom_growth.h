/* When people say that memory grows. */
#ifndef STOWAGE_OOM_OOM_GROWTH_H
#define STOWAGE_OOM_OOM_GROWTH_H

#include "oom/oom_paste.h"

/* Line LINE is a sentence, of which oom_told.h has been told. */
void	oom_growth_line(struct oom_paste *, struct talk, int line);

#endif
