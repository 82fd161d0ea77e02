/* Data that are read whole, as people name them (oom_data.c). */
#ifndef STOWAGE_OOM_OOM_DATA_H
#define STOWAGE_OOM_OOM_DATA_H

#include "oom/oom_told.h"

/* Line LINE of the log is a sentence, which was read for what it says of memory; KILLED: it says
 * that a process was ended. Kept in DATA. */
void	oom_data_line(struct oom_told *, struct talk, int line, bool killed);

#endif
