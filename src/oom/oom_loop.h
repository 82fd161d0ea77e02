/* What code does again and again (oom_loop.c). */
#ifndef STOWAGE_OOM_OOM_LOOP_H
#define STOWAGE_OOM_OOM_LOOP_H

#include "oom/oom_habit.h"

/* Line LINE of the log, which is code. */
void	oom_loop_line(struct oom_habits *, struct talk, int line);

#endif
