/* scale: factor * x + offset, both numbers of the spec. `0.1 * loss` is one of these. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "factor", ATTR_REAL, "what x is multiplied by", .required = true },
	{ "offset", ATTR_REAL, "what is added after that", .preset = "0" },
	ATTRS_END
};

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, emit_kernel(e, "scale_forward", n->out[0]), arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), arg_real(op_real(n, "factor")), arg_real(0.0),
	    arg_count(n->out[0]));
}

const struct op op_scale_grad = {
	.name = "scale_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of scale: factor * dy",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.formula = "factor * dy",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/scale.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_scale_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];

	return shape_float(b, n, 0) && op_output(b, n, NULL, x->rank ? T_ACTIVATION : T_SCALAR,
	    x->dtype, x->batched, x->rank, x->dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return op_real(n, "factor") == 1 && op_real(n, "offset") == 0 ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, emit_kernel(e, "scale_forward", n->out[0]), arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), arg_real(op_real(n, "factor")), arg_real(op_real(n, "offset")),
	    arg_count(n->out[0]));
}

/* In PyTorch a product with a number, then a sum with one. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int y = tape_value(t, n->in[0]);

	if (op_real(n, "factor") != 1)
		y = tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = bytes });
	if (op_real(n, "offset") != 0)
		y = tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = bytes,
		    .passes = 1u << 0 });
	tape_result(t, n->out[0], y);
}

const struct op op_scale = {
	.name = "scale",
	.kind = OP_LAYER,
	.brief = "factor * x + offset",
	.doc = "y = factor * x + offset with numbers of the spec, element by element; factor * x "
	    "may be written as such. The output has the shape of the input. Backward needs "
	    "neither input nor output.",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.attrs = attrs,
	.formula = "factor * x + offset",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.inplace = 1u << 0,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.calls.kernels = "pointwise/scale.cu",
	.calls.emit = emit,
};
