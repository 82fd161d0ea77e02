/*
 * What the operators made of matrix products share: the geometry of a convolution, as their kernels
 * take it, scratch memory, and saturating counts. The sizes are the kernels' own (kernels/sizes.h).
 */
#ifndef STOWAGE_OPS_PRODUCT_H
#define STOWAGE_OPS_PRODUCT_H

#include "calls/emitter.h"

/* What says whether the product has a bias, or whose it is. */
#define BIAS_ATTR(words)									\
	{ "bias", ATTR_BOOL, words "; or the tensor that is added, bias=parameter((64), init=zeros)",	\
	    .preset = "true", .shares = true }

/* Kernels count places along an axis, and positions of a plane, in 31 bits. */
#define LARGEST_PLANE	((int64_t)1 << 30)

/* a convolution's attributes, whichever way it runs */
struct conv_attrs {
	int64_t filters, groups;
	int64_t kernel[SPACE_AXES], stride[SPACE_AXES], dilation[SPACE_AXES];
	int64_t before[SPACE_AXES], after[SPACE_AXES];	/* padding: front, top and left; the others */
};

/* LARGE is the tensor that windows lie on (a convolution's input, a transposed one's output), SMALL
 * the other. Their layout is that of whatever of the three has one. Only for nodes whose shapes
 * were found good. */
struct conv	product_conv(const struct conv_attrs *, const struct tensor *large,
		    const struct tensor *small, const struct tensor *weight);
/* op->memory.layout of convolutions */
enum op_layout	product_layout(const struct node *);
/* "(struct conv){ .c = 3, .h = 32, ... }": the same as an argument of a kernel */
const char	*product_conv_text(struct emitter *, const struct conv *);

/* Is it over so soon, of BATCH samples, that a library gets no workspace for it? */
bool		product_is_small(const struct node *, int64_t batch);
/* Are in[0]'s elements of 16 bits? */
bool		product_narrow(const struct node *);
/* Bytes of so many of them, and of so many of the numbers that are computed with. */
struct affine	product_elements(const struct node *, int64_t elements);
struct affine	product_reals(const struct node *, int64_t reals);

/* Sizes that grow with the batch: any beyond a block. */
#define LONG_SUM	(BLOCK_DEPTH + 1)
#define MANY_COLUMNS	BLOCK_COLS

/* Bytes of scratch for products of that depth and so many columns on the C target, by all
 * threads. */
struct affine	product_work(const struct node *, const struct room *, int64_t depth,
		    int64_t cols);
struct affine	product_work_depthwise(const struct node *, const struct room *,
		    const struct conv *);
/* For the gradient of a convolution's weights; on a GPU cuDNN's, and that of our own sum in parts,
 * which takes its place where need be. */
struct affine	product_work_weight(const struct node *, const struct room *,
		    const struct conv *);
/* On a GPU what cuBLASLt or cuDNN may use, for all but small products; else as product_work. */
struct affine	product_work_library(const struct node *, const struct room *, int64_t depth,
		    int64_t cols);

/* Per sample where TENSOR is batched; INT64_MAX on overflow. */
struct affine	product_macs(const struct tensor *, int64_t a, int64_t b);
/* op->macs of a product's gradients: as many as the product has. */
struct affine	product_macs_of_forward(const struct node *);
int64_t		product_of(int64_t a, int64_t b);	/* saturating */

/* uniform in +-1/sqrt(fan_in), as PyTorch starts weights and biases of these layers */
struct init	product_init(int64_t fan_in);

/* A convolution's parameters, whichever way it runs: weight [outer, inner, the kernel's extents]
 * and, unless the node has none, a bias for each of so many filters. */
bool		product_params(struct build *, struct node *, int64_t outer, int64_t inner, int64_t filters);

/* Is in[0] something whose windows the kernels can count, with at most so many axes of space? */
bool		product_space(struct build *, struct node *, int most);
/* Can in[0]'s channels and the filters be cut into the groups? */
bool		product_groups(struct build *, const struct node *, const struct conv_attrs *);
/* out[0]: alike in type, batch and rank */
bool		product_output(struct build *, struct node *, const int64_t dim[1 + SPACE_AXES]);

/* For the gradient of a bias that is summed in so many parts for each channel, on a GPU. */
struct affine	product_work_bias(int64_t channels, int64_t parts, const struct room *);

/* The gradients of a product of in[0] by the weights in[1], with a bias in[2] where there is one,
 * by these operators of dy and the other factor. The weights' comes first: x may be dead after it,
 * before dx needs room. */
bool		product_grad(struct diff *, struct node *, const struct op *of_weight,
		    const struct op *of_input, void (*of_bias)(struct diff *, struct node *,
		    struct tensor *dy, struct tensor *bias));
/* of a bias with one value for each filter, or for each element */
void		product_bias_gradient(struct diff *, struct node *, struct tensor *dy, struct tensor *bias);

/* db = the sum of dy over samples and positions (bias_grad.c) */
extern const struct op op_bias_grad;
/* in: the gradient of maxima and their places; out: db of what passes to these */
extern const struct op op_bias_grad_pooled;
/* in: two tensors; out: db, and what a formula makes of them, of which db is the sum */
extern const struct op op_bias_grad_of;
/* Can GRAD, a bias's gradient, make what N, a formula, gives it? Then it does, and N is not
 * needed. */
bool		bias_takes(const struct node *n, const struct node *grad);
void		bias_give(struct module *, const struct node *n, struct node *grad);
/* in, out: as op_bias_grad_of, of a conv_grad_gated, in the same bytes */
extern const struct op op_bias_grad_gated;
/* Of a bias_grad_of that in the same bytes makes what passes a relu: that relu's result. NULL: it
 * is none. */
struct tensor	*bias_gate(struct arena *, const struct node *);

#endif
