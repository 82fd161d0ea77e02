/* adamw: adam, with a weight decay that the running means do not see. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/optimizers.h"

const struct attr_spec optimizer_adamw_attrs[] = {
	{ "lr", ATTR_REAL, "learning rate", .preset = "1e-3", .min = 0, .max = 1e6, .is_rate = true },
	{ "beta1", ATTR_REAL, "share kept of the mean gradient", .preset = "0.9",
	    .min = 0, .max = 0.9999999 },
	{ "beta2", ATTR_REAL, "share kept of the mean squared gradient", .preset = "0.999",
	    .min = 0, .max = 0.9999999 },
	{ "eps", ATTR_REAL, "added to the root of the mean square", .preset = "1e-8",
	    .min = 0, .max = 1 },
	{ "weight_decay", ATTR_REAL, "share of each weight, times lr, taken off before the step",
	    .preset = "0.01",
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
	    arg_text(emit_double(e, op_real(n, "eps"))), arg_int(1));
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
	.shape = shape,
	.memory.alias = optimizer_alias,
	.torch = { .update = optimizer_torch_adam },
	.calls.row = optimizer_row,
	.calls.kernels = "update/adam.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
