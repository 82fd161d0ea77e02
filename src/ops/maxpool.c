/*
 * maxpool: the largest element of each window. Backward needs the place of each maximum in its
 * window, one byte an output for windows of up to 256 cells, and neither input nor output.
 *
 * maxpool_relu, which the pass fuse-pool makes, applies relu to what it stores. Where the result is
 * 0, the stored position is that of no cell, so that maxpool's backward gives the gradient to none.
 */
#include "ops/maxpool.h"

#include "ir/diff.h"

static const struct attr_spec attrs[] = { MAXPOOL_ATTRS, ATTRS_END };
static const struct attr_spec attrs_sized[] = { POOL_SIZE, ATTRS_END };

static bool
is_last(const struct node *n)
{
	return n->in[0]->channels_last || n->out[0]->channels_last;
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	struct tensor *index = n->in[1], *dx = n->out[0], *dy = n->in[0];
	struct tensor *small = index->dtype == DT_U8 ? index : NULL, *large = small ? NULL : index;
	struct window w = pool_window(n, dx, dy);

	if (window_is_flat(&w))
		emit_call(e, is_last(n) ? "maxpool_last_backward" : "maxpool_backward",
		    arg_tensor(dx), arg_tensor(dy), arg_tensor(small), arg_tensor(large), arg_onto(n),
		    POOL_ARGS(dx, w));
	else
		emit_call(e, "maxpool_axes_backward", arg_tensor(dx), arg_tensor(dy),
		    arg_tensor(small), arg_tensor(large), arg_onto(n),
		    POOL_AXES_ARGS(dx, w, is_last(n), false));
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

const struct op op_adaptive_maxpool_grad = {
	.name = "adaptive_maxpool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of adaptive_maxpool and global_maxpool",
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
grad_sized(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_adaptive_maxpool_grad, 1, &n->out[1]);
}

static bool
make_outputs(struct build *b, struct node *n, const int64_t dim[1 + SPACE_AXES])
{
	const struct tensor *x = n->in[0];
	struct tensor y = { .rank = x->rank };
	struct window w;
	int i;

	for (i = 0; i < x->rank; i++)
		y.dim[i] = dim[i];
	w = pool_window(n, x, &y);
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim);
	op_output(b, n, "index", T_SAVED, window_cells(&w) <= 256 ? DT_U8 : DT_I32, x->batched, x->rank,
	    dim);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	int64_t dim[1 + SPACE_AXES];

	return pool_output(b, n, dim) && make_outputs(b, n, dim);
}

static bool
shape_sized(struct build *b, struct node *n)
{
	int64_t dim[1 + SPACE_AXES];

	return pool_sized(b, n, dim) && make_outputs(b, n, dim);
}

static void
emit_forward(struct emitter *e, const struct node *n, bool relu)
{
	static const char *const kernel[2][2] = { { "maxpool_forward", "maxpool_relu_forward" },
		{ "maxpool_last_forward", "maxpool_last_relu_forward" } };
	struct tensor *index = n->out[1], *x = n->in[0], *y = n->out[0];
	bool is_small = index && index->dtype == DT_U8;
	struct tensor *small = is_small ? index : NULL, *large = is_small ? NULL : index;
	struct window w = pool_window(n, x, y);

	if (window_is_flat(&w))
		emit_call(e, kernel[is_last(n)][relu], arg_tensor(y), arg_tensor(small),
		    arg_tensor(large), arg_tensor(x), POOL_ARGS(x, w));
	else
		emit_call(e, relu ? "maxpool_axes_relu_forward" : "maxpool_axes_forward", arg_tensor(y),
		    arg_tensor(small), arg_tensor(large), arg_tensor(x),
		    POOL_AXES_ARGS(x, w, is_last(n), false));
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_forward(e, n, false);
}

static void
emit_relu(struct emitter *e, const struct node *n)
{
	emit_forward(e, n, true);
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
	.brief = "maximum pooling",
	.doc = "y[c, i, j] is the largest x[c, i * stride + u - pad, j * stride + v - pad] over "
	    "the cells (u, v) of the kernel. Input [C, H, W] gives [C, (H + 2 pad - kernel) / "
	    "stride + 1, ...], rounded down, as in PyTorch; the last rows that fill no window are "
	    "left out, but with ceil=true. Inputs [C, L] and [C, D, H, W] have windows along one axis "
	    "and along three.\n\n"
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
	.torch = { .saves = SAVES_IN(0), .beside = indices, .calls = space_torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "pool/maxpool.cu",
	.calls.emit = emit,
};

const struct op op_maxpool_relu = {
	.name = "maxpool_relu",
	.kind = OP_INTERNAL,
	.brief = "maximum pooling, and a rectifier of its result",
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

#define SIZED									\
	.kind = OP_LAYER,								\
	.flags = OP_MAXIMUM,								\
	.operands = "x",								\
	.min_operands = 1, .max_operands = 1,						\
	.shape = shape_sized,								\
	.gradient.build = grad_sized,							\
	.gradient.saves = SAVES_OUT(1),							\
	.memory.optional_out = 1u << 1,							\
	.torch = { .saves = SAVES_IN(0), .beside = indices },				\
	.memory.layout = op_layout_either,						\
	.calls.kernels = "pool/maxpool.cu",						\
	.calls.emit = emit

const struct op op_adaptive_maxpool = {
	.name = "adaptive_maxpool",
	.brief = "maximum pooling to a size",
	.doc = "As maxpool, with windows that divide the input as evenly as they can: y[c, i, j] is the "
	    "largest x[c, u, v] with u from i * H / H', rounded down, to (i + 1) * H / H', rounded up, and v "
	    "alike. adaptive_maxpool(7) makes [C, 7, 7] of [C, H, W]; [C, L] and [C, D, H, W] have one axis "
	    "and three. Training keeps what maxpool does.",
	.attrs = attrs_sized,
	SIZED,
};

const struct op op_global_maxpool = {
	.name = "global_maxpool",
	.brief = "largest of each channel",
	.doc = "y[c] is the largest of x[c, ...] over all positions: [C, L] gives [C, 1], [C, H, W] gives "
	    "[C, 1, 1]. Follow it with flatten before a dense layer. Training keeps what maxpool does.",
	SIZED,
};

bool
maxpool_can_rectify(const struct node *pool)
{
	struct window w = pool_window(pool, pool->in[0], pool->out[0]);

	return window_cells(&w) != 256;
}
