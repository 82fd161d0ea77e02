/* Arrays and lists of all samples, in code. */
#ifndef STOWAGE_OOM_OOM_ARRAY_H
#define STOWAGE_OOM_OOM_ARRAY_H

#include "oom/oom_habit.h"

/* Line LINE is code; the loops that it stands in have been noted. */
void	oom_array_line(struct oom_habits *, struct talk, int line);
/* The same of a line in a traceback, which ran. */
void	oom_array_traced(struct oom_habits *, struct talk, int line);
/* Where T makes an array of two extents or more, by numbers, that is large, and the bytes of it; or
 * NULL. */
const char	*oom_array_made(struct talk, int64_t *bytes);

/* Any line: a tensor that Theano was to fill, by its extents in an error. */
void		oom_array_seen(struct oom_habits *, struct talk, int line);

#endif
