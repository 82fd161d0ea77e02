/*
 * Whose shape is that? Frameworks order axes differently and put the batch in front, so a shape of
 * a message is compared with every tensor of the network in the orders that are in use; where
 * bytes are all that is known, they are compared instead.
 */
#ifndef STOWAGE_OOM_OOM_SHAPE_H
#define STOWAGE_OOM_OOM_SHAPE_H

#include "base/vec.h"
#include "oom/oom_pattern.h"

enum shape_order {
	SHAPE_AS_IS,		/* the spec's: channels first */
	SHAPE_CHANNELS_LAST,
	SHAPE_TRANSPOSED,	/* a weight as TensorFlow and Keras keep it */
	SHAPE_TIME_MAJOR,	/* the batch comes second */
	SHAPE_OTHER,		/* the same extents in another order */
	SHAPE_FLAT,		/* all axes but the batch are one */
	SHAPE_ROWS,		/* the batch and the first axis are one, or all but the channels */
	SHAPE_PADDED		/* a few larger in height and width */
};

const char	*shape_order_name(enum shape_order);

#define SHAPE_BATCH	(-1)	/* as axis */
#define SHAPE_MERGED	(-2)

struct shape_match {
	const struct tensor *tensor;
	enum shape_order order;
	int axis[MAX_RANK];	/* of each axis of the message: the tensor's, or the above */
	int64_t batch;		/* that the message implies; 0: none */
	int score;		/* the less, the likelier */
};

struct shape_matches {
	VEC(struct shape_match) all;	/* likeliest first */
};

/* Tensors of that shape. BATCH: the spec's. NODE: the framework's name of the operation, or "". */
void	shape_find(const struct module *, const struct oom_shape *, int64_t batch, const char *node,
	    struct shape_matches *);

/* The MOST tensors whose shapes differ least. */
void	shape_nearest(const struct module *, const struct oom_shape *, int64_t batch, int most,
	    struct shape_matches *);

/* Tensors that have between LO and HI bytes at some batch, that of the spec first. */
void	shape_by_bytes(const struct module *, int64_t lo, int64_t hi, int64_t batch,
	    struct shape_matches *);

/* What the tensor's axis is: "channels", "height", "time steps", ... */
const char	*shape_axis_name(const struct tensor *, int axis);

/* INT64_MAX when beyond 63 bits. */
int64_t	shape_bytes(const struct oom_shape *, int element);

#endif
