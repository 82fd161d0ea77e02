/* Habits that a name tells wherever it stands, or several lines together: weights that are split
 * for one process, and a memory of what an agent saw. */
#ifndef STOWAGE_OOM_OOM_SEEN_H
#define STOWAGE_OOM_OOM_SEEN_H

#include "oom/oom_habit.h"

/* Line LINE of the log, no comment: a person's sentence, where TOLD, which may deny what it
 * names; or TRACED, of a traceback. */
void	oom_seen_named(struct oom_habits *, struct talk, int line, bool told, bool traced);
/* The same, of code. */
void	oom_seen_line(struct oom_habits *, struct talk, int line);
/* Loops of Python's that tf.function traces: any line, as decorators and the ends of functions are
 * of all forms. */
void	oom_seen_unrolled(struct oom_habits *, struct talk, int line);

#endif
