/* avgpool: the mean of each window. Backward needs nothing but dy. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "kernel", ATTR_PAIR, "height and width of the window", .required = true,
	    .min = 1, .max = 32768 },
	{ "stride", ATTR_PAIR, "steps from window to window; by default the kernel, so that "
	    "windows do not overlap", .min = 1, .max = 32768 },
	{ "pad", ATTR_PAIR, "rows and columns of zeros added on each side, which count in the "
	    "mean; at most half the kernel", .preset = "0", .min = 0, .max = 16384 },
	ATTRS_END
};

static bool
is_last(const struct node *n)
{
	return n->in[0]->channels_last || n->out[0]->channels_last;
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	struct window w = pool_window(n);

	emit_call(e, is_last(n) ? "avgpool_last_backward" : "avgpool_backward",
	    arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_onto(n),
	    POOL_ARGS(n->out[0], n->in[0], w));
}

const struct op op_avgpool_grad = {
	.name = "avgpool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of avgpool: each window spreads dy / cells over its cells",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "pool/avgpool.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_avgpool_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[3];

	return pool_output(b, n, dim) &&
	    op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 3, dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct window w = pool_window(n);

	emit_call(e, is_last(n) ? "avgpool_last_forward" : "avgpool_forward", arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), POOL_ARGS(n->in[0], n->out[0], w));
}

const struct op op_avgpool = {
	.name = "avgpool",
	.kind = OP_LAYER,
	.brief = "2-D average pooling",
	.doc = "y[c, i, j] is the mean of x[c, i * stride + u - pad, j * stride + v - pad] over "
	    "the cells (u, v) of the kernel. Input [C, H, W] gives [C, (H + 2 pad - kernel) / "
	    "stride + 1, ...], rounded down. Padding counts as zeros in the mean (PyTorch's "
	    "count_include_pad=True). Backward needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.torch = { .saves = SAVES_IN(0) },
	.memory.layout = op_layout_either,
	.calls.kernels = "pool/avgpool.cu",
	.calls.emit = emit,
};
