/* sgd: stochastic gradient descent. Without momentum it has no state at all. */
#include "ops/shapes.h"

#include "emit/emit.h"
#include "ops/optimizers.h"

static const struct attr_spec attrs[] = {
	{ "lr", ATTR_REAL, "learning rate", .preset = "0.01", .min = 0, .max = 1e6 },
	{ "momentum", ATTR_REAL, "share of the last update kept in the next", .preset = "0",
	    .min = 0, .max = 1 },
	{ "nesterov", ATTR_BOOL, "look ahead along the momentum", .preset = "false" },
	{ "weight_decay", ATTR_REAL, "share of each weight added to its gradient", .preset = "0",
	    .min = 0, .max = 1e6 },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	static const char *const state[] = { "momentum" };

	if (op_bool(n, "nesterov") && op_real(n, "momentum") == 0)
		return op_error(b, n, "sgd: nesterov=true needs a momentum above 0");
	return optimizer_shape(b, n, op_real(n, "momentum") > 0, state);
}

static void
emit(struct emitter *e, const struct node *n)
{
	bool momentum = op_real(n, "momentum") > 0;

	emit_call(e, "sgd_update", "ttttssisn", n->out[0], n->in[1], n->in[2],
	    momentum ? n->out[1] : NULL, "s", emit_double(e, op_real(n, "momentum")),
	    op_int(n, "nesterov"), emit_double(e, op_real(n, "weight_decay")), n->out[0]);
}

const struct op op_sgd = {
	.name = "sgd",
	.kind = OP_OPTIMIZER,
	.brief = "stochastic gradient descent",
	.doc = "g = gradient + weight_decay * p; with momentum, v = momentum * v + g, and g = v, "
	    "or with nesterov g = g + momentum * v; p = p - lr * g. The formulas are PyTorch's "
	    "SGD without dampening. State: nothing, or with momentum one number a weight.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.alias = optimizer_alias,
	.kernels = "optimizer.cu",
	.emit = emit,
};
