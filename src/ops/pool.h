/*
 * What pooling shares: the windows of [channels, ...], along one, two or three axes of space,
 * whichever operator has them.
 */
#ifndef STOWAGE_OPS_POOL_H
#define STOWAGE_OPS_POOL_H

#include "calls/emitter.h"
#include "ops/space.h"

#define POOL_KERNEL									\
	{ "kernel", ATTR_AXES, "extents of the window", .required = true,		\
	    .min = 1, .max = 32768 },							\
	{ "stride", ATTR_AXES, "steps from window to window; by default the kernel, so that "	\
	    "windows do not overlap", .min = 1, .max = 32768 }

#define POOL_CEIL									\
	{ "ceil", ATTR_BOOL, "round the output's extents up, so that the last windows may reach "	\
	    "beyond the padding; none begins there", .preset = "false" }

#define POOL_SIZE									\
	{ "size", ATTR_AXES, "extents of the output", .required = true, .min = 1,	\
	    .max = LARGEST_POOL }

#define LARGEST_POOL	(1 << 30)	/* cells of a window, and places of what it lies on */

/* Along one axis: of SIZE places OUT windows. Window o begins at o * stride - before; with a stride
 * of 0 it has the places from o * size / out, rounded down, to (o + 1) * size / out, rounded up,
 * and KERNEL is as many as none exceeds. */
struct window_axis {
	int64_t size, out, kernel, stride, before, after;
};

struct window {
	int axes;
	struct window_axis at[SPACE_AXES];	/* those it lacks have one place and one window */
};

/* The windows that lie on IN, of which the node makes OUT, or the gradient of the one of the
 * other. */
struct window	pool_window(const struct node *, const struct tensor *in, const struct tensor *out);
int64_t		window_cells(const struct window *);
/* Has it at most two axes, and one stride along each? Then there are kernels made for it. */
bool		window_is_flat(const struct window *);

/* Checks, and works out the output's extents: of windows, or of so many as there are to be. */
bool	pool_output(struct build *, struct node *, int64_t dim[1 + SPACE_AXES]);
bool	pool_sized(struct build *, struct node *, int64_t dim[1 + SPACE_AXES]);

/* The last arguments of the pooling kernels: b, channels, and the windows. IN is the tensor that
 * windows lie on. */
#define POOL_ARGS(in, w)								\
	arg_batch(in), arg_int((in)->dim[0]), arg_text(pool_text(e, &(w)))
/* "(struct pool){ .h = 28, .w = 28, ... }", as an argument of a kernel */
const char	*pool_text(struct emitter *, const struct window *);
/* Of kernels for any windows: b, planes of a sample, and the windows with as many numbers to a
 * place. */
#define POOL_AXES_ARGS(in, w, last, counts)						\
	arg_batch(in), arg_int((last) ? 1 : (in)->dim[0]),				\
	arg_text(pool_axes_text(e, &(w), (last) ? (in)->dim[0] : 1, counts))
/* "(struct pool_axes){ .at = { ... } }": COUNTS says that padding counts in means. */
const char	*pool_axes_text(struct emitter *, const struct window *, int64_t inner, bool counts);

#endif
