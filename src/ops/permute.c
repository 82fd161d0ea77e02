/* permute, transpose: the axes in another order. A matrix product reads a transposed operand as it
 * lies (passes/transposed.c). */
#include "ops/move.h"

#include "calls/tape.h"
#include "ops/matmul.h"
#include "ops/shapes.h"

extern const struct op op_permute, op_transpose;

static const struct attr_spec permute_attrs[] = {
	{ "axes", ATTR_INTS, "for each axis of the result the one of the input that it is", .required = true,
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

static const struct attr_spec transpose_attrs[] = {
	{ "axis", ATTR_INT, "one of the two axes: 0 is the first after the batch, -1 the last", .preset = "-2",
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	{ "with", ATTR_INT, "the other", .preset = "-1", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

/* What axis I of the result is in the input. */
static int
source(const struct node *n, int i)
{
	const struct tensor *x = n->in[0];
	int a, b;

	if (n->op == &op_permute)
		return shape_axis_at(op_attr(n, "axes")->v[i], x);
	a = shape_axis_at(op_int(n, "axis"), x);
	b = shape_axis_at(op_int(n, "with"), x);
	return i == a ? b : i == b ? a : i;
}

static void
moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++)
		move_part(m, i, source(n, i), x->dim[source(n, i)]);
}

static bool
output(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int i;

	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[source(n, i)];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static bool
permute_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *axes = op_attr(n, "axes");
	unsigned seen = 0;
	int i, axis;

	if (!shape_float(b, n, 0))
		return false;
	if (axes->n != x->rank)
		return op_error(b, n, "permute: input is %s, with %d axes besides the batch, but %d are named",
		    op_operand_text(b, x), x->rank, axes->n);
	for (i = 0; i < x->rank; i++) {
		if (!shape_axis_known(b, n, x, axes->v[i], &axis))
			return false;
		if (seen >> axis & 1)
			return op_error(b, n, "permute: axis %d is named twice; each axis of %s comes once", axis,
			    op_operand_text(b, x));
		seen |= 1u << axis;
	}
	return output(b, n);
}

static bool
transpose_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int axis;

	return shape_float(b, n, 0) && shape_needs_rank(b, n, 0, 2, "[..., rows, columns]") &&
	    shape_axis_known(b, n, x, op_int(n, "axis"), &axis) &&
	    shape_axis_known(b, n, x, op_int(n, "with"), &axis) && output(b, n);
}

bool
permute_is_transpose(const struct node *n)
{
	int rank = n->nin > 0 ? n->in[0]->rank : 0, i;

	if ((n->op != &op_permute && n->op != &op_transpose) || rank < 2)
		return false;
	for (i = 0; i < rank - 2; i++)
		if (source(n, i) != i)
			return false;
	return source(n, rank - 1) == rank - 2;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	int i;

	(void)g;
	for (i = 0; i < n->in[0]->rank; i++)
		if (source(n, i) != i)
			return NULL;
	return n->in[0];
}

/* A view, whose gradient is one too. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int axis[TAPE_AXES] = { 0 }, i;

	for (i = 0; i < x->rank; i++)
		axis[i + x->batched] = source(n, i) + x->batched;
	tape_result(t, n->out[0], tape_permute(t, tape_value(t, x), axis));
}

const struct op op_permute = {
	.name = "permute",
	.kind = OP_LAYER,
	.brief = "axes in another order",
	.doc = "Axis i of the result is axis axes[i] of the input: permute(1, 2, 0) of [C, H, W] gives [H, W, C]. "
	    "The batch is not counted and stays first. Elements are copied, but where only axes of one place change "
	    "theirs, which is a view. Backward needs neither input nor output.",
	.attrs = permute_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = permute_shape,
	.gradient.build = move_gradient,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = moves,
};

const struct op op_transpose = {
	.name = "transpose",
	.kind = OP_LAYER,
	.brief = "two axes exchanged",
	.doc = "Exchanges two axes, by default the last two: transpose of [H, T, D] gives [H, D, T], and "
	    "transpose(0, 1) gives [T, H, D]. The batch is not counted. Elements are copied, but where only matrix "
	    "products read the result of an exchange of the last two, which read it as it lies. Backward needs "
	    "neither input nor output.",
	.attrs = transpose_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = transpose_shape,
	.gradient.build = move_gradient,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = moves,
};
