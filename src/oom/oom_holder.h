/* Which processes have a card, by nvidia-smi's list of them. */
#ifndef STOWAGE_OOM_OOM_HOLDER_H
#define STOWAGE_OOM_OOM_HOLDER_H

#include "oom/oom_paste.h"

/* Line LINE of the log. */
void	oom_holder_line(struct oom_paste *, struct talk, int line);

#endif
