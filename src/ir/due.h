/*
 * Which of a step's updates a node is for, where steps leave some out (settings.turn[].every): it
 * runs in the steps that make one of these. Losses and metrics are computed in every step, so that
 * each is logged as it is; what then is left out is backward and the update itself.
 *
 * Where micro-batches are added up (and no update is left out then), it is which of them a node
 * runs in: of the last alone, if it adds up over ranks what all of them have made
 * (passes/last_sums.c).
 *
 * What a node reads was made by a node that is for the same updates, or for more. So it lies where
 * the plan says, whose step makes all updates.
 */
#ifndef STOWAGE_IR_DUE_H
#define STOWAGE_IR_DUE_H

#include "ir/ir.h"

#define EVERY_STEP	(~0u)
#define LAST_STEP	1u	/* where micro-batches add up: of the last of an update */

/* By the place of a node of train, the updates it is for, as bits of their turns, or EVERY_STEP.
 * NULL: so do all nodes. */
unsigned	*module_due(const struct module *);

/* Does the last micro-batch of an update begin sums over ranks that others do not? */
bool	module_sends_last(const struct module *);

#endif
