/* Limits that a line tells (oom_limit.c). */
#ifndef STOWAGE_OOM_OOM_LIMIT_H
#define STOWAGE_OOM_OOM_LIMIT_H

#include "oom/oom_habit.h"

/* Line LINE of the log, of any kind but a person's sentence. */
void	oom_limit_line(struct oom_habits *, struct talk, int line);

#endif
