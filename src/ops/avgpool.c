/* avgpool: the mean of each window, and avgpool_then, which does a formula to it before it is
 * stored (the pass fuse-activation makes it). Backward needs nothing but dy. */
#include "ops/pool.h"

#include "ir/diff.h"

#include "calls/tape.h"
#include "ops/then.h"

#define AVGPOOL_ATTRS										\
	POOL_KERNEL,										\
	{ "pad", ATTR_FRAME, "places added around the input, which hold 0; at most half the kernel; same: "	\
	    "as many as make the output's extents those of the input divided by the stride, rounded "	\
	    "up", .preset = "0", .choices = "same", .min = 0, .max = 16384 },			\
	POOL_CEIL,										\
	{ "count_pad", ATTR_BOOL, "padding counts in the mean", .preset = "true" }

static const struct attr_spec attrs[] = { AVGPOOL_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { AVGPOOL_ATTRS, THEN_ATTR, ATTRS_END };
static const struct attr_spec attrs_sized[] = { POOL_SIZE, ATTRS_END };
static const struct attr_spec attrs_sized_then[] = { POOL_SIZE, THEN_ATTR, ATTRS_END };

extern const struct op op_avgpool_then, op_adaptive_avgpool_then;

static bool
is_last(const struct node *n)
{
	return n->in[0]->channels_last || n->out[0]->channels_last;
}

static bool
is_sized(const struct node *n)
{
	return n->op->attrs == attrs_sized || n->op->attrs == attrs_sized_then || !n->op->attrs;
}

static bool
counts(const struct node *n)
{
	return !is_sized(n) && op_bool(n, "count_pad");
}

/* Is every mean one of as many places as the kernel has? */
static bool
is_uniform(const struct node *n, const struct window *w)
{
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		const struct window_axis *a = &w->at[i];
		int64_t beyond = (a->out - 1) * a->stride + a->kernel - a->before - a->size;

		if (beyond > (counts(n) ? a->after : 0) || (!counts(n) && a->before))
			return false;
	}
	return window_is_flat(w);
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0], *dy = n->in[0];
	struct window w = pool_window(n, dx, dy);

	if (is_uniform(n, &w))
		emit_call(e, is_last(n) ? "avgpool_last_backward" : "avgpool_backward",
		    arg_tensor(dx), arg_tensor(dy), arg_onto(n), POOL_ARGS(dx, w));
	else
		emit_call(e, "avgpool_axes_backward", arg_tensor(dx), arg_tensor(dy), arg_onto(n),
		    POOL_AXES_ARGS(dx, w, is_last(n), counts(n)));
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
	.calls.listed = true,
	.calls.emit = emit_backward,
};

const struct op op_adaptive_avgpool_grad = {
	.name = "adaptive_avgpool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of adaptive_avgpool",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "pool/avgpool.cu",
	.calls.listed = true,
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, is_sized(n) ? &op_adaptive_avgpool_grad : &op_avgpool_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[1 + SPACE_AXES];

	return (is_sized(n) ? pool_sized : pool_output)(b, n, dim) &&
	    op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];
	struct window w = pool_window(n, x, y);

	if (is_uniform(n, &w))
		emit_call(e, is_last(n) ? "avgpool_last_forward" : "avgpool_forward", arg_tensor(y), arg_tensor(x),
		    then_arg(e, n, then_beside(n)), POOL_ARGS(x, w));
	else
		emit_call(e, "avgpool_axes_forward", arg_tensor(y), arg_tensor(x), then_arg(e, n, then_beside(n)),
		    POOL_AXES_ARGS(x, w, is_last(n), counts(n)));
}

/* A mean of all places is that of a tensor, of which nothing is kept. */
static void
torch_sized(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]), i;
	bool one = true;

	for (i = 1; i < n->out[0]->rank; i++)
		one &= n->out[0]->dim[i] == 1;
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes(t, n->out[0]), .saves = one ? 0 : SAVES_IN(0) }));
}

const struct op op_avgpool = {
	.name = "avgpool",
	.kind = OP_LAYER,
	.brief = "average pooling",
	.doc = "y[c, i, j] is the mean of x[c, i * stride + u - pad, j * stride + v - pad] over "
	    "the cells (u, v) of the kernel. Input [C, H, W] gives [C, (H + 2 pad - kernel) / "
	    "stride + 1, ...], rounded down, or up with ceil=true; [C, L] and [C, D, H, W] have windows "
	    "along one axis and along three. Padding counts as zeros in the mean (PyTorch's "
	    "count_include_pad=True), but what lies beyond it does not; with count_pad=false the mean is "
	    "one of what lies in the input. Backward needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.torch = { .saves = SAVES_IN(0), .tf_saves = SAVES_NOTHING, .calls = space_torch_calls },
	.memory.layout = op_layout_either,
	.then = { &op_avgpool_then, 2 },
	.calls.kernels = "pool/avgpool.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

const struct op op_adaptive_avgpool = {
	.name = "adaptive_avgpool",
	.kind = OP_LAYER,
	.brief = "average pooling to a size",
	.doc = "As avgpool, with windows that divide the input as evenly as they can: y[c, i, j] is the mean "
	    "of x[c, u, v] with u from i * H / H', rounded down, to (i + 1) * H / H', rounded up, and v alike. "
	    "adaptive_avgpool(7) makes [C, 7, 7] of [C, H, W]; [C, L] and [C, D, H, W] have one axis and "
	    "three. Backward needs neither input nor output.",
	.attrs = attrs_sized,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.torch = { .calls = torch_sized },
	.memory.layout = op_layout_either,
	.then = { &op_adaptive_avgpool_then, 2 },
	.calls.kernels = "pool/avgpool.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

#define THEN(joined)								\
	.kind = OP_INTERNAL,							\
	.operands = "x beside",							\
	.min_operands = 1, .max_operands = 2,					\
	.then = { &joined, 2 },							\
	.calls.kernels = "pool/avgpool.cu",					\
	.calls.listed = true,							\
	.calls.note = then_note,						\
	.calls.define = then_define,						\
	.calls.emit = emit

const struct op op_avgpool_then = {
	.name = "avgpool_then",
	.brief = "average pooling, and a formula of its result",
	.attrs = attrs_then,
	THEN(op_avgpool_then)
};

const struct op op_adaptive_avgpool_then = {
	.name = "adaptive_avgpool_then",
	.brief = "average pooling to a size, and a formula of its result",
	.attrs = attrs_sized_then,
	THEN(op_adaptive_avgpool_then)
};
