/* lamb: adam's step, made as long as the parameter is. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/optimizers.h"

static const struct attr_spec attrs[] = {
	ADAM_ATTRS("1e-6"),
	{ "weight_decay", ATTR_REAL, "share of each weight added to its step", .preset = "0.01",
	    .min = 0, .max = 1e6 },
	{ "always_adapt", ATTR_BOOL, "adapt steps of parameters without weight decay too",
	    .preset = "false" },
	ATTRS_END
};

/* Pieces of a parameter, whose sums are added up; so many that any number of ranks divides them,
 * where sums are to be the same whatever that is. */
static int64_t
pieces(const struct node *n, bool alike)
{
	return alike ? NORM_PIECES : optimizer_parts(n);
}

/* Two sums for each: squares of weights, squares of steps. */
static struct affine
workspace(const struct node *n, const struct room *room)
{
	return (struct affine){ pieces(n, room->parts) * 2 * (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "lamb_update", arg_text(optimizer_share(e, n)), arg_tensor(n->in[2]),
	    arg_text("s"), optimizer_adam_numbers(e, n), arg_work(n),
	    arg_int(tensor_elements_per_sample(tensor_whole(n->out[0]))), arg_int(pieces(n, module_parts(e->module) > 0)),
	    arg_text(emit_double(e, op_real(n, "beta1"))),
	    arg_text(emit_double(e, op_real(n, "beta2"))),
	    arg_text(emit_double(e, op_real(n, "eps"))),
	    arg_int(op_bool(n, "always_adapt") || op_real(n, "weight_decay") > 0));
}

const struct op op_lamb = {
	.name = "lamb",
	.kind = OP_OPTIMIZER,
	.brief = "Adam whose steps are as long as the parameters are",
	.doc = "m and v as in adam; u = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * p "
	    "at update t; p = p - lr * |p| / |u| * u, the norms being those of the whole parameter, and 1 in place "
	    "of their quotient where either is 0 (You and others: Large batch optimization for deep learning, "
	    "2019). A parameter without weight decay (no_decay) takes the step u itself, as biases and "
	    "normalisations do in the authors' program, unless always_adapt is true. What the paper clips to norm "
	    "1 before, clip does. State: two numbers a weight.",
	.attrs = attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = optimizer_shape_means,
	.memory.workspace = workspace,
	.memory.alias = optimizer_alias,
	.torch.unknown = "PyTorch has no lamb, and those of others differ in what they take",
	.ranks.takes_pieces = true,
	.calls.kernels = "update/lamb.cu",
	.calls.emit = emit,
};
