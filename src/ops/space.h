/*
 * Axes of space, along which windows move: of [channels, length], [channels, height, width] and
 * [channels, depth, height, width] all but the first. Kernels and attributes count them from the
 * depth on; an operand that has fewer has one place along each of those it lacks.
 */
#ifndef STOWAGE_OPS_SPACE_H
#define STOWAGE_OPS_SPACE_H

#include "ir/op.h"

enum { DEPTH, HEIGHT, WIDTH };	/* SPACE_AXES in all */

/* How many it has, and its extent along one, which is 1 where it has none such. */
int	space_axes(const struct tensor *);
int64_t	space_extent(const struct tensor *, int axis);

/* Is in[0] of floating point, with at most so many axes of space? Then the node's AXES and FRAME
 * have one number for each, or two. Otherwise false, with a message. */
bool	space_given(struct build *, struct node *, int most);

/* Of an AXES that was spread: the number for an axis, NONE for one that the operand lacks. */
int64_t	space_of(const struct attr *, int axis, int64_t none);
/* Of a FRAME: what comes before, or AFTER. */
int64_t	space_frame(const struct attr *, int axis, bool after);

/* A FRAME that is the word `same` becomes numbers: so many that there is a window for every
 * STRIDE-th place of in[0], the larger half after. DILATION may be NULL. */
void	space_same(struct node *, const char *frame, const struct attr *kernel, const struct attr *stride,
	    const struct attr *dilation);

/* op->torch.calls of what has `pad`: PyTorch pads first where the sides differ. */
void	space_torch_calls(struct tape *, const struct node *);

/* "12x3x3" of the numbers that an operand with so many axes has. */
const char	*space_text(struct arena *, const int64_t v[SPACE_AXES], int axes);
/* "3x3 kernel", "kernel of 3" */
const char	*space_kernel(struct arena *, const int64_t v[SPACE_AXES], int axes);
/* "length", "height", ... of an operand with so many axes. */
const char	*space_name(int axis, int axes);

#endif
