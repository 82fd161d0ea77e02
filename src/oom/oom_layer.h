/* Layers that code makes, by the numbers that they are given. */
#ifndef STOWAGE_OOM_OOM_LAYER_H
#define STOWAGE_OOM_OOM_LAYER_H

#include "oom/oom_habit.h"

/* Line LINE of the log, which is code: HABIT_LAYER, the weights of the largest layer of two
 * extents, and HABIT_UNITS, units of dense ones, up to HABIT_LAYERS. */
void	oom_layer_line(struct oom_habits *, struct talk, int line);

#endif
