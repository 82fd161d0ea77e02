/* On what a report's program ran: whose device, which system, what kind of machine. */
#ifndef STOWAGE_OOM_OOM_PLATFORM_H
#define STOWAGE_OOM_OOM_PLATFORM_H

#include "oom/oom_paste.h"

/* Line LINE of the log; TOLD: a person's sentence. */
void	oom_platform_line(struct oom_paste *, struct talk, int line, bool told);

#endif
