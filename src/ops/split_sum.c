/*
 * split_enter, split_sum, split_join, split_own: what stands between layers that are split over
 * ranks and the rest (ir/split.h). split_enter is its operand; as its gradient each rank has the
 * part that is through its share of a layer, so ranks add that up. split_sum is the sum of what
 * ranks have, and a bias; its gradient is dy as it is, which all have alike.
 *
 *     forward                          backward
 *     x = split_enter(x)               dx = split_sum(dx)
 *     y = split_sum(y, bias)           dbias = the sum of dy's rows
 *     y = split_join(y)                dy = split_own(dy)
 *
 * split_join brings all columns to all ranks: each puts its own into rows of zeros, and ranks add
 * these up. All of these sums are waited for at once: what comes next reads them.
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/dense.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "blocks", ATTR_INT, "of which the last axis is split, each by itself", .preset = "1", .min = 1, .max = MAX_RANK },
	ATTRS_END
};

extern const struct op op_split_sum, op_split_own;

static const char *
elements(struct emitter *e, const struct tensor *t)
{
	return emit_rows(e, t, t->rank);
}

static bool
grad_of_enter(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_split_sum, 0, NULL);
}

static struct tensor *
identity_of_enter(const struct graph *g, const struct node *n)
{
	return g->training ? NULL : n->in[0];
}

const struct op op_split_enter = {
	.name = "split_enter",
	.kind = OP_INTERNAL,
	.brief = "the same, whose gradient ranks add up",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad_of_enter,
	.memory.alias = op_alias_first,
	.memory.layout = op_layout_either,
	.simplify.identity = identity_of_enter,
};

static bool
grad_of_sum(struct diff *d, struct node *n)
{
	struct tensor *dy = diff_of(d, n->out[0]);

	if (n->nin > 1 && diff_wants(d, n->in[1]))
		dense_bias_gradient(d, n, dy, n->in[1]);
	if (diff_wants(d, n->in[0]))
		diff_add(d, n->in[0], dy);
	return true;
}

static void
emit_sum(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0], *bias = n->nin > 1 ? n->in[1] : NULL;

	emit_call(e, "split_sum", arg_tensor(y), arg_tensor(n->in[0]), arg_tensor(bias), arg_text(elements(e, y)),
	    arg_int(bias ? bias->dim[0] : 1));
}

const struct op op_split_sum = {
	.name = "split_sum",
	.kind = OP_INTERNAL,
	.brief = "the sum of what all ranks have, and a bias",
	.operands = "x bias",
	.min_operands = 1, .max_operands = 2,
	.gradient.build = grad_of_sum,
	.gradient.again = op_never_again,
	.memory.inplace = 1u << 0,
	.ranks.sums = true,
	.calls.kernels = "update/split.cu",
	.calls.emit = emit_sum,
};

/* OF has a rank's columns, WHOLE all. */
static void
emit_columns(struct emitter *e, const struct node *n, const char *function, const struct tensor *of, const struct tensor *whole)
{
	int last = of->rank - 1;

	emit_call(e, function, arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_text(emit_rows(e, of, last)),
	    arg_int(op_int(n, "blocks")), arg_int(of->dim[last] / op_int(n, "blocks")), arg_int(whole->dim[last] / of->dim[last]));
}

static void
emit_join(struct emitter *e, const struct node *n)
{
	emit_columns(e, n, "split_join", n->in[0], n->out[0]);
}

static bool
grad_of_join(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_split_own, 0, NULL);
}

const struct op op_split_join = {
	.name = "split_join",
	.kind = OP_INTERNAL,
	.brief = "the columns of all ranks",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad_of_join,
	.gradient.again = op_never_again,
	.ranks.sums = true,
	.calls.kernels = "update/split.cu",
	.calls.emit = emit_join,
};

static void
emit_own(struct emitter *e, const struct node *n)
{
	emit_columns(e, n, "split_own", n->out[0], n->in[0]);
}

const struct op op_split_own = {
	.name = "split_own",
	.kind = OP_INTERNAL,
	.brief = "a rank's own columns",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.calls.kernels = "update/split.cu",
	.calls.emit = emit_own,
};
