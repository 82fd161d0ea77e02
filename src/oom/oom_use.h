/* What a network was used for, as people say it (oom_use.c). */
#ifndef STOWAGE_OOM_OOM_USE_H
#define STOWAGE_OOM_OOM_USE_H

#include "oom/oom_paste.h"

/* Line LINE is a sentence, which was read for what it says of memory. */
void	oom_use_line(struct oom_paste *, struct talk, int line, enum oom_source);
/* The same, of a line of a traceback: the script that was run. */
void	oom_use_script(struct oom_paste *, struct talk, int line);

#endif
