/* dropout: zeroes elements at random in training. No mask is stored: the generator is
 * counter-based, and backward draws the same numbers again. dropout_then and dropout_grad_then
 * do a formula to what they make, such as the addition of a skip; the pass fuse-activation makes
 * them. */
#include "ops/shapes.h"
#include "ops/then.h"

#include "ir/diff.h"

#include "calls/emitter.h"

#define RATE_ATTR	{ "rate", ATTR_REAL, "share of elements that become 0", .preset = "0.5", .min = 0, .max = 1 }

static const struct attr_spec attrs[] = { RATE_ATTR, ATTRS_END };
static const struct attr_spec attrs_then[] = { RATE_ATTR, THEN_ATTR, ATTRS_END };

extern const struct op op_dropout_then, op_dropout_grad_then;

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];
	const char *rate = emit_double(e, op_real(n, "rate"));
	struct call_arg then = then_arg(e, n, then_beside(n));

	if (y->channels_last)
		emit_call(e, "dropout_last", arg_tensor(y), arg_tensor(n->in[0]), then, arg_step(e, n->out[0]),
		    arg_stream(n), arg_text(rate), arg_batch(y), arg_int(y->dim[0]),
		    arg_int(shape_product(y, 1, y->rank)));
	else
		emit_call(e, "dropout", arg_tensor(y), arg_tensor(n->in[0]), then, arg_step(e, n->out[0]),
		    arg_stream(n), arg_text(rate), arg_count(y));
}

#define THEN_OF(what)								\
	.kind = OP_INTERNAL,							\
	.flags = OP_ELEMENTWISE | OP_RANDOM,					\
	.attrs = attrs_then,							\
	.operands = what " beside",						\
	.min_operands = 1, .max_operands = 2,					\
	.memory.inplace = 1u << 0 | 1u << 1,					\
	.calls.kernels = "pointwise/dropout.cu",				\
	.calls.listed = true,							\
	.calls.note = then_note,						\
	.calls.define = then_define,						\
	.calls.emit = emit

const struct op op_dropout_grad_then = {
	.name = "dropout_grad_then",
	.brief = "gradient of dropout, and a formula of what it makes",
	.then = { &op_dropout_grad_then, 2 },
	THEN_OF("dy")
};

const struct op op_dropout_grad = {
	.name = "dropout_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of dropout: drops the same elements of dy",
	.flags = OP_ELEMENTWISE | OP_RANDOM,
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.inplace = 1u << 0,
	.then = { &op_dropout_grad_then, 2 },
	.calls.kernels = "pointwise/dropout.cu",
	.calls.listed = true,
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

const struct op op_dropout_then = {
	.name = "dropout_then",
	.brief = "dropout, and a formula of what it makes",
	.then = { &op_dropout_then, 2 },
	THEN_OF("x")
};

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
	.then = { &op_dropout_then, 2 },
	.calls.kernels = "pointwise/dropout.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
