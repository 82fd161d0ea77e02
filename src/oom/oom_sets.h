/* Whole sets of samples, and the size of pictures, in code. */
#ifndef STOWAGE_OOM_OOM_SETS_H
#define STOWAGE_OOM_OOM_SETS_H

#include "oom/oom_paste.h"

/* Line LINE is code, without its comment. */
void	oom_sets_line(struct oom_paste *, struct talk, int line);

#endif
