/* dropout: zeroes elements at random in training. No mask is stored: the generator is
 * counter-based, and backward draws the same numbers again. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "rate", ATTR_REAL, "share of elements that become 0", .preset = "0.5", .min = 0,
	    .max = 1 },
	ATTRS_END
};

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];
	const char *rate = emit_double(e, op_real(n, "rate"));

	if (y->channels_last)
		emit_call(e, "dropout_last", arg_tensor(y), arg_tensor(n->in[0]), arg_step(e, n->out[0]),
		    arg_stream(n), arg_text(rate), arg_batch(y), arg_int(y->dim[0]),
		    arg_int(shape_product(y, 1, y->rank)));
	else
		emit_call(e, "dropout", arg_tensor(y), arg_tensor(n->in[0]), arg_step(e, n->out[0]),
		    arg_stream(n), arg_text(rate), arg_count(y));
}

const struct op op_dropout_grad = {
	.name = "dropout_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of dropout: drops the same elements of dy",
	.flags = OP_ELEMENTWISE | OP_RANDOM,
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/dropout.cu",
	.calls.emit = emit,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_dropout_grad, 0, NULL);
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	return !g->training || op_real(n, "rate") == 0 ? n->in[0] : NULL;
}

/* PyTorch's CUDA kernel keeps a mask of bytes. */
static struct affine
mask(const struct node *n)
{
	return tensor_elements(n->out[0]);
}

const struct op op_dropout = {
	.name = "dropout",
	.kind = OP_LAYER,
	.brief = "zeroes elements at random in training",
	.doc = "In training, y = 0 with probability rate, else x / (1 - rate), independently for "
	    "each element (Srivastava and others, 2014, in the inverted form of PyTorch). In "
	    "validation y = x, and nothing runs.\n\n"
	    "Numbers come from Philox-4x32-7, a function of the seed, the step, this layer and "
	    "the element, so that the same seed gives the same network on any number of threads "
	    "and after a resume. Backward draws them again: no mask is kept.",
	.flags = OP_ELEMENTWISE | OP_RANDOM,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.memory.inplace = 1u << 0,
	.simplify.identity = identity,
	.torch = { .beside = mask },
	.calls.kernels = "pointwise/dropout.cu",
	.calls.emit = emit,
};
