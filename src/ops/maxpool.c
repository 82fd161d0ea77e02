/*
 * maxpool: the largest element of each window. Backward needs the place of each maximum in its
 * window, one byte an output for windows of up to 256 cells, and neither input nor output.
 *
 * maxpool_then does a formula to what it stores. Where that passes the gradient as it is or not at
 * all, as relu does, the pass fuse-norm makes it: where nothing passes, the stored position is that
 * of no cell, so that maxpool's backward gives the gradient to none, and backward of the formula is
 * done. Other formulas come from the pass fuse-activation.
 */
#include "ops/maxpool.h"

#include "ir/diff.h"

#include "calls/epilogue.h"
#include "ops/then.h"

static const struct attr_spec attrs[] = { MAXPOOL_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { MAXPOOL_ATTRS, THEN_ATTR, ATTRS_END };
static const struct attr_spec attrs_sized[] = { POOL_SIZE, ATTRS_END };
static const struct attr_spec attrs_sized_then[] = { POOL_SIZE, THEN_ATTR, ATTRS_END };
static const struct attr_spec attrs_global_then[] = { THEN_ATTR, ATTRS_END };

extern const struct op op_adaptive_maxpool_then, op_global_maxpool_then;

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
	.calls.listed = true,
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
	.calls.listed = true,
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

/* What of 1 and of a maximum passes that formula, if the places of maxima can say it: NULL, they
 * cannot. A window of 256 cells has no value of a byte to spare. */
static const struct formula *
gate(struct arena *a, const struct node *n, const struct formula *then)
{
	struct window w = pool_window(n, n->in[0], n->out[0]);
	const struct formula *f = window_cells(&w) == 256 ? NULL : formula_passed(a, then, 0, false);

	return f && formula_is_gate(f) ? f : NULL;
}

bool
maxpool_is_gated(struct arena *a, const struct node *grad)
{
	const struct node *n = grad->forward;

	return then_of(n) && gate(a, n, then_of(n));
}

static bool
can(struct arena *a, const struct node *n, const struct formula *then)
{
	return gate(a, n, then) != NULL;
}

/* Of a node in a program: where there is nothing to keep places for, none. */
static const struct formula *
gate_of(struct emitter *e, const struct node *n)
{
	return then_of(n) && n->out[n->nout - 1] ? gate(e->module->arena, n, then_of(n)) : NULL;
}

void
maxpool_note(struct emitter *e, const struct node *n)
{
	const struct formula *gate = gate_of(e, n);

	then_note(e, n);
	if (gate)
		epilogue_note(e, gate);
}

void
maxpool_define(struct emitter *e, const struct node *n)
{
	const struct formula *gate = gate_of(e, n);

	then_define(e, n);
	if (gate)
		epilogue_define(e, gate);
}

struct call_arg
maxpool_passed(struct emitter *e, const struct node *n)
{
	const struct formula *gate = gate_of(e, n);

	return gate ? epilogue_arg(e, gate, NULL) : arg_text("AS_IS");
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct tensor *index = n->out[1], *x = n->in[0], *y = n->out[0];
	bool is_small = index && index->dtype == DT_U8;
	struct tensor *small = is_small ? index : NULL, *large = is_small ? NULL : index;
	struct window w = pool_window(n, x, y);

	if (window_is_flat(&w))
		emit_call(e, is_last(n) ? "maxpool_last_forward" : "maxpool_forward", arg_tensor(y), arg_tensor(small),
		    arg_tensor(large), arg_tensor(x), then_arg(e, n, NULL), maxpool_passed(e, n),
		    POOL_ARGS(x, w));
	else
		emit_call(e, "maxpool_axes_forward", arg_tensor(y), arg_tensor(small), arg_tensor(large), arg_tensor(x),
		    then_arg(e, n, NULL), maxpool_passed(e, n), POOL_AXES_ARGS(x, w, is_last(n), false));
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
	.torch = { .saves = SAVES_IN(0), .beside = indices, .tf_saves = SAVES_IN(0) | SAVES_OUT(0),
	    .calls = space_torch_calls },
	.memory.layout = op_layout_either,
	.then = { &op_maxpool_then, 1, can },
	.calls.kernels = "pool/maxpool.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

#define THEN									\
	.kind = OP_INTERNAL,							\
	.operands = "x",							\
	.min_operands = 1, .max_operands = 1,					\
	.gradient.saves = SAVES_OUT(1),						\
	.memory.optional_out = 1u << 1,						\
	.memory.layout = op_layout_either,					\
	.calls.kernels = "pool/maxpool.cu",					\
	.calls.listed = true,							\
	.calls.note = maxpool_note,							\
	.calls.define = maxpool_define,							\
	.calls.emit = emit

const struct op op_maxpool_then = {
	.name = "maxpool_then",
	.brief = "maximum pooling, and a formula of its result",
	.attrs = attrs_then,
	.gradient.build = grad,
	THEN
};

const struct op op_adaptive_maxpool_then = {
	.name = "adaptive_maxpool_then",
	.brief = "maximum pooling to a size, and a formula of its result",
	.attrs = attrs_sized_then,
	.gradient.build = grad_sized,
	THEN
};

const struct op op_global_maxpool_then = {
	.name = "global_maxpool_then",
	.brief = "the largest of each channel, and a formula of it",
	.attrs = attrs_global_then,
	.gradient.build = grad_sized,
	THEN
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
	.calls.listed = true,								\
	.calls.emit = emit

const struct op op_adaptive_maxpool = {
	.name = "adaptive_maxpool",
	.brief = "maximum pooling to a size",
	.doc = "As maxpool, with windows that divide the input as evenly as they can: y[c, i, j] is the "
	    "largest x[c, u, v] with u from i * H / H', rounded down, to (i + 1) * H / H', rounded up, and v "
	    "alike. adaptive_maxpool(7) makes [C, 7, 7] of [C, H, W]; [C, L] and [C, D, H, W] have one axis "
	    "and three. Training keeps what maxpool does.",
	.attrs = attrs_sized,
	.then = { &op_adaptive_maxpool_then, 1, can },
	SIZED,
};

const struct op op_global_maxpool = {
	.name = "global_maxpool",
	.brief = "largest of each channel",
	.doc = "y[c] is the largest of x[c, ...] over all positions: [C, L] gives [C, 1], [C, H, W] gives "
	    "[C, 1, 1]. Follow it with flatten before a dense layer. Training keeps what maxpool does.",
	.then = { &op_global_maxpool_then, 1, can },
	SIZED,
};
