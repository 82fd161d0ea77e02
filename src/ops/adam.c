/*
 * adam: steps scaled by running means of the gradient and its square; adamw: the same, with a
 * weight decay that these means do not see.
 */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/optimizers.h"

static void
emit_update(struct emitter *e, const struct node *n, bool decoupled)
{
	emit_call(e, "adam_update", arg_text(e->together), arg_tensor(n->in[2]), arg_text("s"),
	    optimizer_adam_numbers(e, n), arg_text(emit_double(e, op_real(n, "beta1"))),
	    arg_text(emit_double(e, op_real(n, "beta2"))),
	    arg_text(emit_double(e, op_real(n, "eps"))), arg_int(decoupled));
}

/* ---- adam ---- */

static const struct attr_spec attrs[] = {
	ADAM_ATTRS("1e-8"),
	{ "weight_decay", ATTR_REAL, "share of each weight added to its gradient", .preset = "0",
	    .min = 0, .max = 1e6 },
	ATTRS_END
};

static void
emit(struct emitter *e, const struct node *n)
{
	emit_update(e, n, false);
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
	.shape = optimizer_shape_means,
	.memory.alias = optimizer_alias,
	.torch = { .update = optimizer_torch_adam },
	.calls.row = optimizer_row,
	.calls.kernels = "update/adam.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

/* ---- adamw ---- */

const struct attr_spec optimizer_adamw_attrs[] = {
	ADAM_ATTRS("1e-8"),
	{ "weight_decay", ATTR_REAL, "share of each weight, times lr, taken off before the step",
	    .preset = "0.01",
	    .min = 0, .max = 1e6 },
	ATTRS_END
};

static void
emit_decoupled(struct emitter *e, const struct node *n)
{
	emit_update(e, n, true);
}

const struct op op_adamw = {
	.name = "adamw",
	.kind = OP_OPTIMIZER,
	.brief = "Adam with decoupled weight decay",
	.doc = "p = p * (1 - lr * weight_decay), then as adam without weight decay (Loshchilov "
	    "and Hutter, 2017). The formulas are those of PyTorch. State: two numbers a weight.",
	.flags = OP_ELEMENTWISE,
	.attrs = optimizer_adamw_attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = optimizer_shape_means,
	.memory.alias = optimizer_alias,
	.torch = { .update = optimizer_torch_adam },
	.calls.row = optimizer_row,
	.calls.kernels = "update/adam.cu",
	.calls.listed = true,
	.calls.emit = emit_decoupled,
};
