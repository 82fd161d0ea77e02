/*
 * maxpool: the largest element of each window. Backward needs the place of each maximum in its
 * window, one byte an output for windows of up to 256 cells, and neither input nor output.
 *
 * maxpool_relu, which the pass fuse-pool makes, applies relu to what it stores. Where the result is
 * 0, the stored position is that of no cell, so that maxpool's backward gives the gradient to none.
 */
#include "ops/maxpool.h"

#include "ir/diff.h"

#include "ops/shapes.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "kernel", ATTR_PAIR, "height and width of the window", .required = true,
	    .min = 1, .max = 32768 },
	{ "stride", ATTR_PAIR, "steps from window to window; by default the kernel, so that "
	    "windows do not overlap", .min = 1, .max = 32768 },
	{ "pad", ATTR_PAIR, "rows and columns added on each side, which never win; at most half "
	    "the kernel", .preset = "0", .min = 0, .max = 16384 },
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
	struct tensor *index = n->in[1];
	struct window w = pool_window(n);

	emit_call(e, is_last(n) ? "maxpool_last_backward" : "maxpool_backward",
	    arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(index->dtype == DT_U8 ? index : NULL),
	    arg_tensor(index->dtype == DT_U8 ? NULL : index), arg_onto(n),
	    POOL_ARGS(n->out[0], n->in[0], w));
}

const struct op op_maxpool_grad = {
	.name = "maxpool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of maxpool: dy goes to the place of each maximum",
	.attrs = attrs,
	.operands = "dy index",
	.min_operands = 2, .max_operands = 2,
	.memory.onto = 2,
	.calls.kernels = "pool/maxpool.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_maxpool_grad, 1, &n->out[1]);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	struct window w;
	int64_t dim[3];

	if (!pool_output(b, n, dim))
		return false;
	w = pool_window(n);
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 3, dim);
	op_output(b, n, "index", T_SAVED, w.kernel[0] * w.kernel[1] <= 256 ? DT_U8 : DT_I32,
	    x->batched, 3, dim);
	return true;
}

static void
emit_forward(struct emitter *e, const struct node *n, const char *kernel)
{
	struct tensor *index = n->out[1];
	bool small = index && index->dtype == DT_U8;
	struct window w = pool_window(n);

	emit_call(e, kernel, arg_tensor(n->out[0]), arg_tensor(small ? index : NULL),
	    arg_tensor(small ? NULL : index), arg_tensor(n->in[0]),
	    POOL_ARGS(n->in[0], n->out[0], w));
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_forward(e, n, is_last(n) ? "maxpool_last_forward" : "maxpool_forward");
}

static void
emit_relu(struct emitter *e, const struct node *n)
{
	emit_forward(e, n, is_last(n) ? "maxpool_last_relu_forward" : "maxpool_relu_forward");
}

/* PyTorch keeps its input, and the place of each maximum in 8 bytes. */
static struct affine
indices(const struct node *n)
{
	struct affine e = tensor_elements(n->out[0]);

	return (struct affine){ 8 * e.fixed, 8 * e.per_sample };
}

const struct op op_maxpool = {
	.name = "maxpool",
	.kind = OP_LAYER,
	.brief = "2-D maximum pooling",
	.doc = "y[c, i, j] is the largest x[c, i * stride + u - pad, j * stride + v - pad] over "
	    "the cells (u, v) of the kernel. Input [C, H, W] gives [C, (H + 2 pad - kernel) / "
	    "stride + 1, ...], rounded down, as in PyTorch; the last rows that fill no window are "
	    "left out.\n\n"
	    "Training keeps the place of each maximum, one byte an output (four where the window "
	    "has more than 256 cells; PyTorch keeps eight). Backward reads that alone. Of equal "
	    "elements the first wins; not-a-number wins over all.",
	.flags = OP_MAXIMUM,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(1),
	.memory.optional_out = 1u << 1,
	.torch = { .saves = SAVES_IN(0), .beside = indices },
	.memory.layout = op_layout_either,
	.calls.kernels = "pool/maxpool.cu",
	.calls.emit = emit,
};

const struct op op_maxpool_relu = {
	.name = "maxpool_relu",
	.kind = OP_INTERNAL,
	.brief = "2-D maximum pooling, and a rectifier of its result",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(1),
	.memory.optional_out = 1u << 1,
	.memory.layout = op_layout_either,
	.calls.kernels = "pool/maxpool.cu",
	.calls.emit = emit_relu,
};

bool
maxpool_can_rectify(const struct node *pool)
{
	struct window w = pool_window(pool);

	return w.kernel[0] * w.kernel[1] != 256;
}
