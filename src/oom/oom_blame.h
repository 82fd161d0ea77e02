/*
 * What people themselves say that filled memory, or that made the difference. As in oom_words.c
 * none of it is a fact of the run.
 */
#ifndef STOWAGE_OOM_OOM_BLAME_H
#define STOWAGE_OOM_OOM_BLAME_H

#include "oom/oom_paste.h"

/* Line LINE of the log, of which memory's failure was read already. */
void	oom_blame_line(struct oom_paste *, struct talk, int line, enum oom_source);

#endif
