/* Lines that take tables, samples or data whole, or many of them at once. */
#ifndef STOWAGE_OOM_OOM_WHOLE_H
#define STOWAGE_OOM_OOM_WHOLE_H

#include "oom/oom_habit.h"

/* Line LINE of the log, which is code. */
void	oom_whole_line(struct oom_habits *, struct talk, int line);
/* What of it is told by a traceback's line, too. */
void	oom_whole_traced(struct oom_habits *, struct talk, int line);

#endif
