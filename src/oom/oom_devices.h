/* The devices that a run had, as people say it: each where T says so, or NULL (oom_devices.c). */
#ifndef STOWAGE_OOM_OOM_DEVICES_H
#define STOWAGE_OOM_OOM_DEVICES_H

#include "oom/oom_lexicon.h"

/* Several; or that it works on one, in a line that speaks of several (oom_several.h). */
const char	*oom_devices_parallel(struct talk);
/* The first has more than the others; one is free; one alone is used, of several. */
const char	*oom_devices_first(struct talk);
bool		oom_devices_uses(struct talk sentence);	/* is that said of memory in use? */
const char	*oom_devices_unused(struct talk);
const char	*oom_devices_single(struct talk);
/* What all of them have is added up, or each has all of a model. */
const char	*oom_devices_summed(struct talk);
/* Others use it, too; or hardly anything of it is in use, by what lists who has it. */
const char	*oom_devices_shared(struct talk);
bool		oom_devices_little_used(struct talk);

#endif
