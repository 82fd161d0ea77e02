/* softmax: exponentials that sum to 1 along an axis. Its gradient reads its own output. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, "axis along which y sums to 1: 0 is channels or classes, -1 the last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

/* The tensor as [b * outer, k, inner] with the axis in the middle. */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->in[1];
	struct channels k = emit_axis(e, y, shape_axis_of(n, y));

	emit_call(e, "softmax_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(y),
	    arg_text(k.rows), arg_int(k.channels), arg_int(k.places));
}

const struct op op_softmax_grad = {
	.name = "softmax_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of softmax: y * (dy - sum of dy * y)",
	.attrs = attrs,
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "norm/softmax.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_softmax_grad, 1, &n->out[0]);
}

static bool
shape(struct build *b, struct node *n)
{
	int axis;

	return shape_float(b, n, 0) && shape_axis(b, n, n->in[0], &axis) && op_shape_same(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct channels k = emit_axis(e, x, shape_axis_of(n, x));

	emit_call(e, "softmax_forward", arg_tensor(n->out[0]), arg_tensor(x), arg_text(k.rows),
	    arg_int(k.channels), arg_int(k.places));
}

const struct op op_softmax = {
	.name = "softmax",
	.kind = OP_LAYER,
	.brief = "exponentials that sum to 1 along an axis",
	.doc = "y[k] = exp(x[k] - m) / sum over j of exp(x[j] - m) along the axis, where m is the "
	    "largest x[j], as in PyTorch. The output has the shape of the input. By default the "
	    "axis is 0: channels of [C, H, W], classes of [K]; write softmax(axis=-1) for the "
	    "features of [T, D].\n\n"
	    "Backward reads the output alone. Before cross_entropy no softmax is wanted: that "
	    "loss takes logits.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.memory.layout = op_layout_either,
	.calls.kernels = "norm/softmax.cu",
	.calls.emit = emit,
};
