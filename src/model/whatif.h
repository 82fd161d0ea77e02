/*
 * What would the plan be if the spec said something else? Answers are never estimated: the passes
 * run again on the spec's forward graph with other settings, and the new plan's bytes are read.
 */
#ifndef STOWAGE_MODEL_WHATIF_H
#define STOWAGE_MODEL_WHATIF_H

#include "ir/ir.h"

/* A second module, planned for M's target and threads under SET; NULL when that has no plan. M is
 * as before afterwards. */
struct module	*whatif(struct module *, const struct settings *set);

/* The arena at micro-batch B, all else equal; INT64_MAX when there is no plan. Validation follows
 * where the spec leaves it at the micro-batch. */
int64_t	whatif_batch(struct module *, int64_t batch);

/* The largest micro-batch whose arena is at most BYTES, proven: it and its successor are planned.
 * 0 when not even one sample fits. *ARENA and *NEXT: the bytes at it and at its successor. */
int64_t	whatif_largest(struct module *, int64_t bytes, int64_t *arena, int64_t *next);

#endif
