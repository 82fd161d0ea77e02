/*
 * What losses and metrics share: which axis of the logits holds the classes, and what targets suit.
 */
#ifndef STOWAGE_OPS_TARGETS_H
#define STOWAGE_OPS_TARGETS_H

#include "ir/op.h"

/* The axis of classes: 0 where [K, d...] fits a target of K classes and shape [d...], else the last
 * where [d..., K] does, else -1. */
int	target_axis(const struct tensor *logits, const struct tensor *target);
/* Reports what does not fit. */
bool	target_labels(struct build *, const struct node *, int *axis);
/* Operands of one shape; the second may be bytes. */
bool	target_alike(struct build *, const struct node *);

/* For torch.calls() of a loss whose target PyTorch wants in floating point; ROOM: bytes of the
 * loss' storage, where larger than a number. */
void	target_torch_loss(struct tape *, const struct node *, int64_t room);

/* Two arguments for a target that is floating point or u8: one of them is NULL. */
#define TARGET_ARGS(t)								\
	arg_tensor((t)->dtype == DT_U8 ? NULL : (t)), arg_tensor((t)->dtype == DT_U8 ? (t) : NULL)

/* op->memory.layout: labels go with places, so only classes on axis 0 may lie last. */
enum op_layout	target_layout(const struct node *);

#endif
