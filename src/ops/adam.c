/* adam: steps scaled by running means of the gradient and its square. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/optimizers.h"

static const struct attr_spec attrs[] = {
	{ "lr", ATTR_REAL, "learning rate", .preset = "1e-3", .min = 0, .max = 1e6, .is_rate = true },
	{ "beta1", ATTR_REAL, "share kept of the mean gradient", .preset = "0.9",
	    .min = 0, .max = 0.9999999 },
	{ "beta2", ATTR_REAL, "share kept of the mean squared gradient", .preset = "0.999",
	    .min = 0, .max = 0.9999999 },
	{ "eps", ATTR_REAL, "added to the root of the mean square", .preset = "1e-8",
	    .min = 0, .max = 1 },
	{ "weight_decay", ATTR_REAL, "share of each weight added to its gradient", .preset = "0",
	    .min = 0, .max = 1e6 },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	static const char *const state[] = { "exp_avg", "exp_avg_sq" };

	return optimizer_shape(b, n, 2, state);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "adam_update", arg_text(e->together), arg_tensor(n->in[2]), arg_text("s"),
	    optimizer_adam_numbers(e, n), arg_text(emit_double(e, op_real(n, "beta1"))),
	    arg_text(emit_double(e, op_real(n, "beta2"))),
	    arg_text(emit_double(e, op_real(n, "eps"))), arg_int(0));
}

const struct op op_adam = {
	.name = "adam",
	.kind = OP_OPTIMIZER,
	.brief = "Adam",
	.doc = "g = gradient + weight_decay * p; m = beta1 * m + (1 - beta1) * g; v = beta2 * v + "
	    "(1 - beta2) * g^2; p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + "
	    "eps) at update t (Kingma and Ba, 2014). The formulas are those of PyTorch. State: "
	    "two numbers a weight.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.memory.alias = optimizer_alias,
	.torch = { .update = optimizer_torch_adam },
	.calls.row = optimizer_row,
	.calls.kernels = "update/adam.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
