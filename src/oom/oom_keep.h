/*
 * The messages that a log has been found to hold, as it is read: oom_log.c hands them in one by
 * one.
 */
#ifndef STOWAGE_OOM_OOM_KEEP_H
#define STOWAGE_OOM_OOM_KEEP_H

#include "oom/oom_log.h"

/* Adds the message, or what it says more than one that is there. */
void	oom_keep(struct oom_log *, const struct oom_message *);
/* A line from which on the program goes on, behind the failure that was kept last; BESIDE: or on
 * its line, where that is worded as a sentence. */
void	oom_keep_caught(struct oom_log *, int line, bool beside);
/* In anyone's words: worth keeping only where nobody says it better. */
bool	oom_is_vague(const struct oom_message *);
/* Has a program's message been read, and not in a title alone? */
bool	oom_is_reported(const struct oom_log *);
/* Leaves out those of which IS is true. */
void	oom_forget(struct oom_log *, bool (*is)(const struct oom_log *, const struct oom_message *));
/* When all is read: what messages and lines say of each other (oom_settle.c). */
void	oom_settle(struct oom_log *);
/* Of a log without a program's message: what stands for one (oom_alone.c). */
void	oom_settle_alone(struct oom_log *);

#define OOM_TRACE_LINES		120	/* that a traceback may have */

/* Is the message whose last line is LAST a title by itself, below which frames stand in their own
 * order? */
bool	oom_is_title_alone(const struct oom_log *, int last);

#endif
