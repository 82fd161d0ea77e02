/*
 * running: a sum along the last axis that forgets, y[j] = x[j] + keep y[j - 1]. Its gradient is the
 * same from the end, dx[j] = dy[j] + keep dx[j + 1], and reads neither input nor output.
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ .name = "keep", .type = ATTR_REAL, .preset = "1", .min = 0.001, .max = 1,
	    .doc = "how much of the sum so far is kept from one element to the next" },
	ATTRS_END
};

static void
emit_from(struct emitter *e, const struct node *n, const char *function)
{
	const struct tensor *y = n->out[0];
	int last = y->rank - 1;

	emit_call(e, function, arg_tensor(y), arg_tensor(n->in[0]), arg_real(op_real(n, "keep")),
	    arg_text(emit_rows(e, y, last)), arg_int(y->dim[last]));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_from(e, n, "running_backward");
}

const struct op op_running_grad = {
	.name = "running_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of running: the same from the end",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.inplace = 1u << 0,
	.calls.kernels = "sweep/running.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_running_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	return shape_float(b, n, 0) && shape_needs_rank(b, n, 0, 1, "[..., length]") && op_shape_same(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_from(e, n, "running_forward");
}

const struct op op_running = {
	.name = "running",
	.kind = OP_LAYER,
	.brief = "running sum along the last axis",
	.doc = "y[j] = x[j] + keep y[j - 1] along the last axis. The output has the shape of the input.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.inplace = 1u << 0,
	.calls.kernels = "sweep/running.cu",
	.calls.emit = emit,
};
