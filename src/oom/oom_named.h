/* What a report in words names beside memory: batches, sizes, frameworks, devices, and when it
 * was. */
#ifndef STOWAGE_OOM_OOM_NAMED_H
#define STOWAGE_OOM_OOM_NAMED_H

#include "oom/oom_told.h"

/* Line LINE of the log is a sentence, which was read for what it says of memory. */
void	oom_named_line(struct oom_told *, struct talk, int line);

#endif
