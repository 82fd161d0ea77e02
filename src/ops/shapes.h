/*
 * What shape rules and emissions of several operators share: common demands on operands with their
 * messages, products of extents, and the description of a broadcast.
 */
#ifndef STOWAGE_OPS_SHAPES_H
#define STOWAGE_OPS_SHAPES_H

#include "calls/emitter.h"

struct tape;

/* Each returns false, with a message, when operand K does not suit. */
bool	shape_float(struct build *, const struct node *, int k);
bool	shape_image(struct build *, const struct node *, int k);	/* [C, H, W] */
bool	shape_boxes(struct build *, const struct node *, int k, bool of_samples);	/* [n, 4], of each sample */
bool	shape_needs_rank(struct build *, const struct node *, int k, int least,
	    const char *form);

/* One operand of floating point, one output of its shape. */
bool	shape_same_float(struct build *, struct node *);

/* An axis attribute: -1 is the last axis. Returns false, with a message, outside the rank. */
bool	shape_axis(struct build *, const struct node *, const struct tensor *, int *axis);
int	shape_axis_of(const struct node *, const struct tensor *);	/* once known good */
/* The same of any number that names an axis. */
bool	shape_axis_known(struct build *, const struct node *, const struct tensor *, int64_t named, int *axis);
int	shape_axis_at(int64_t named, const struct tensor *);
/* An attribute `axis` of several axes of in[0]: false, with a message, if one does not exist or is
 * there twice. */
bool	shape_axes(struct build *, const struct node *);
/* Which of those, once known good, is axis I of in[0]; -1: none. */
int	shape_axis_named(const struct node *, int i);
/* An attribute's numbers for so many axes of in[0]: one is for all, and where there are to be two
 * for each, before and after, one for each is for both. False, with a message, where there are as
 * many as mean neither; WHAT says what the axes are: "of space". */
bool	shape_spread(struct build *, const struct node *, struct attr *, int axes, const char *what);

/* For operators that make a tensor of nothing: the shape of in[0], which is then no operand any
 * more, or where there is none that of the attribute `shape`, for each sample or not. */
#define SHAPE_ATTR	{ "shape", ATTR_INTS, "its extents, where there is no x", .min = 1, .max = LARGEST_EXTENT }
bool	shape_like(struct build *, struct node *, bool for_each_sample);

/* The product of extents [from, to). */
int64_t	shape_product(const struct tensor *, int from, int to);

/* out[0] of losses and metrics: a scalar, in at least f32 */
bool	shape_result(struct build *, struct node *);
/* Scratch of a mean over samples: LOSS_PARTS doubles (kernels/sizes.h). */
struct affine	shape_mean_work(const struct node *, const struct room *);

/* A double as C source, exact: for arguments that are double even where `real` is float. */
const char	*emit_double(struct emitter *, double);

/* "b * 49", "b" or "49": the product of T's extents before AXIS, times the batch if it has one. */
const char	*emit_rows(struct emitter *, const struct tensor *, int axis);

/* T as [rows, channels, places], for kernels that go by channels: with them first, the samples and
 * the places of each, last, all places as rows of one place. */
struct channels {
	const char *rows;
	int64_t channels, places;
};

struct channels	emit_channels(struct emitter *, const struct tensor *);
/* The same of an axis: as [rows, extent, places] in memory. */
struct channels	emit_axis(struct emitter *, const struct tensor *, int axis);

/* torch.calls() of reshape and flatten: a view where PyTorch finds one, else a copy. */
void	torch_reshape(struct tape *, const struct node *);

/* ---- rectangles (kernels/copy/rectangle.cu) ---- */

/* in[0] with its corner at (top, left) of out[0], and VALUE where it is not; added to what is to be
 * kept there if the node adds onto an operand. */
void	shape_emit_window(struct emitter *, const struct node *, int64_t top, int64_t left,
	    double value);

/* ---- broadcasting (kernels/pointwise/groups.cu) ---- */

#define GROUPS	6

/* Axes of the full shape, merged where both operands run along them or both stay put. */
struct groups {
	int n;
	bool batch[GROUPS];	/* its extent has the batch as a factor */
	int64_t extent[GROUPS];
	bool runs[2][GROUPS];
};

/* B may be NULL: it then never runs. False when more than GROUPS groups are needed. */
bool	groups_make(struct groups *, const struct tensor *full, const struct tensor *a,
	    const struct tensor *b);
/* "(struct axes){ { 1, 1, 1, b, 64, 196 }, .runs_a = 56, .runs_b = 16 }", as an argument of a
 * kernel: the extents, unused ones first, and along which of them operands run */
const char	*groups_text(struct emitter *, const struct groups *);

#endif
