/* Do people say with what less it works? */
#ifndef STOWAGE_OOM_OOM_WORKS_H
#define STOWAGE_OOM_OOM_WORKS_H

#include <stdbool.h>

#include "oom/oom_lexicon.h"

/* Where a line says so; NULL: it does not. */
const char	*oom_works_told(struct talk line);
/* Does a line say that it works on another device, "on my 4060 (8 GB) it is fine"? */
bool	oom_works_elsewhere(struct talk line);
/* Where a line names tests, validation or inference that fail for want of memory, and says that
 * training works: "training is fine, testing runs out of memory"; NULL: it does not. */
const char	*oom_works_trained(struct talk line);
/* Where a line says that it runs with few processes of a loader, and not with more; or NULL. */
const char	*oom_works_workers(struct talk line);
/* Does a line say that tests had gone well before, or are given samples of training's size: "the
 * validations before were fine"? */
bool	oom_works_tests(struct talk line);

#endif
