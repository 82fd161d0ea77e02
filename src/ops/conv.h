/*
 * What conv and conv_concat share: the attributes of a convolution, first in both their tables, so
 * that a node of the one becomes a node of the other.
 */
#ifndef STOWAGE_OPS_CONV_H
#define STOWAGE_OPS_CONV_H

#include "ops/product.h"
#include "ops/space.h"

#define CONV_ATTRS									\
	{ "filters", ATTR_INT, "number of output channels", .required = true,		\
	    .min = 1, .max = (double)LARGEST_PLANE },					\
	{ "kernel", ATTR_AXES, "extents of the kernel", .required = true,		\
	    .min = 1, .max = 32768 },							\
	{ "stride", ATTR_AXES, "steps from window to window", .preset = "1",		\
	    .min = 1, .max = 32768 },							\
	{ "pad", ATTR_FRAME, "zeros added around the input: one number, (vertical, "	\
	    "horizontal) or (top, bottom, left, right), and so for other axes; same: as many as "	\
	    "make the output's extents those of the input divided by the stride, rounded up, the "	\
	    "larger half after", .preset = "0", .choices = "same", .min = 0, .max = 32768 },	\
	{ "dilation", ATTR_AXES, "distance between the kernel's elements", .preset = "1",	\
	    .min = 1, .max = 32768 },							\
	{ "groups", ATTR_INT, "input and output channels are cut into so many groups, each "	\
	    "convolved by itself; as many as input channels is a depthwise convolution",	\
	    .preset = "1", .min = 1, .max = (double)LARGEST_PLANE },			\
	BIAS_ATTR("add a trained number to each filter's output")

struct conv_attrs	conv_attrs(const struct node *);

extern const struct op op_conv, op_concat, op_crop;
/* in: as op_conv; out: a formula of what that makes */
extern const struct op op_conv_then;
/* in: as op_conv, without bias; out: what that makes, and [2, filters] floats, the sums of its
 * channels and of their squares, where the program finds an engine of cuDNN that makes these, too
 * (passes/conv_sums.c) */
extern const struct op op_conv_summed;
enum { SUMMED, SUMS };

/* Can it be one, of BATCH samples? Engines of cuDNN that add up channels want these last and to be
 * packs of 16 bytes, no groups, and a workspace. */
bool		 conv_can_sum(const struct node *, int64_t batch);
/* Then it is. Returns the sums. */
struct tensor	*conv_sum(struct module *, struct node *);
/* Of what a batchnorm reads: the sums that the node before it may have made of X; NULL: none. */
struct tensor	*conv_sums_of(const struct node *, const struct tensor *x);
/* Of those, in a program: their address, or NULL where they were not made; "NULL" where SUMS is
 * NULL. */
const char	*conv_sums_text(struct emitter *, const struct tensor *sums);

/* in: as op_conv_grad_input, before what it is added onto the result of the relu behind what it is
 * the gradient of; out: that gradient, or what of it passes the relu, where the program finds an
 * engine of cuDNN that makes this faster. Its reader, op_bias_grad_gated or op_pass_gated, makes
 * that in any case (passes/gated_gradients.c). */
extern const struct op op_conv_grad_gated;
enum { GATE = 2, GATED_ONTO };

/* in: a conv_grad_gated, a relu's result; out: what of the one passes, in the same bytes */
extern const struct op op_pass_gated;
/* Of a formula that in the same bytes makes what passes a relu: that relu's result. NULL: it is
 * none. */
struct tensor	*pass_gate(struct arena *, const struct node *);
/* Then it is a pass_gated. */
void		 pass_set_gated(struct module *, struct node *);

/* Can a gradient be one, of BATCH samples? */
bool		 conv_can_gate(const struct node *, int64_t batch);
/* Then it is. */
void		 conv_gate(struct module *, struct node *, struct tensor *gate);
/* What its reader asks the program which of the two it has made. */
const char	*conv_gate_text(struct emitter *, const struct node *);

/* Rows removed above and columns removed to the left, of X cropped by that node. */
void	crop_corner(const struct node *, const struct tensor *x, int64_t *top, int64_t *left);

/* ---- conv_concat ---- */

struct conv_source {		/* channels of an input, and where they are seen: in a rectangle */
	struct tensor *tensor;
	int64_t top, left;
};

/* Turns the conv node into a conv_concat that reads the sources in place of its input, of which
 * they are the channels. */
void	conv_join(struct module *, struct node *conv, const struct conv_source *, int n);

#endif
