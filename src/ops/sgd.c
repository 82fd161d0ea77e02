/* sgd: stochastic gradient descent. Without momentum it has no state at all. With it, products add
 * weights' gradients onto it, and what is left to do is sgd_apply. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/optimizers.h"

static const struct attr_spec attrs[] = {
	{ "lr", ATTR_REAL, "learning rate", .preset = "0.01", .min = 0, .max = 1e6, .is_rate = true },
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

static int
alias_of_rest(const struct node *n, int k)
{
	(void)n;
	return k;
}

static void
row_of_rest(const struct node *n, struct update_row *r)
{
	r->name = n->in[0]->name;
	r->weight = n->out[0];
	r->state[0] = n->out[1];
	r->master = n->nout > 2 ? n->out[2] : NULL;
	r->decay = op_real(n, "weight_decay");
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct update_row r = { 0 };

	n->op->calls.row(n, &r);
	emit_call(e, "sgd_update", arg_text(e->together), arg_tensor(r.clip), arg_text("s"),
	    arg_text(emit_double(e, op_real(n, "momentum"))), arg_int(op_int(n, "nesterov")));
}

const struct op op_sgd_apply = {
	.name = "sgd_apply",
	.kind = OP_INTERNAL,
	.brief = "the rest of sgd, when momentum * v + gradient is there: weight decay, and the step",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "parameter momentum master",
	.min_operands = 2, .max_operands = 3,
	.memory.alias = alias_of_rest,
	.calls.row = row_of_rest,
	.calls.kernels = "update/sgd.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

/* A running average has to see the weight; Nesterov's step needs the gradient by itself, and
 * clipping a factor that is known later. */
static const struct op *
onto_state(const struct node *n, int *state, double *keep)
{
	if (n->in[2] || optimizer_average(n) || op_bool(n, "nesterov") || op_real(n, "momentum") == 0)
		return NULL;
	*state = FIRST_STATE;
	*keep = op_real(n, "momentum");
	return &op_sgd_apply;
}

/* Weight decay is added into a copy of the gradients. */
static struct torch_update
torch_update(const struct node *n)
{
	return (struct torch_update){ op_real(n, "momentum") > 0, op_real(n, "weight_decay") > 0 };
}

const struct op op_sgd = {
	.name = "sgd",
	.kind = OP_OPTIMIZER,
	.brief = "stochastic gradient descent",
	.doc = "g = gradient + weight_decay * p; with momentum, v = momentum * v + g, and g = v, "
	    "or with nesterov g = g + momentum * v; p = p - lr * g. The formulas are PyTorch's "
	    "SGD without dampening. State: nothing, or with momentum one number a weight.\n\n"
	    "With momentum, and neither nesterov nor clip, the products that make a weight's gradient "
	    "add it straight onto momentum * v: it takes no memory of its own, nor over micro-batches. Of "
	    "several ranks each does so with its share of v, and the sum of these is the new one. In 16 bits that is so of "
	    "one rank on a GPU, over micro-batches, of the weights of dense layers that are not small beside a bias.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "parameter gradient clip",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.memory.alias = optimizer_alias,
	.memory.onto_state = onto_state,
	.torch = { .update = torch_update },
	.calls.row = optimizer_row,
	.calls.kernels = "update/sgd.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
