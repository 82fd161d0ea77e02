/*
 * Reductions: one number of all elements along some axes of a tensor. Each is a row at the end.
 *
 *     sum mean    kernels/pointwise/reduce.cu; _then: with a formula of each (the pass fuse-activation)
 *     max min     extreme.cu; the place of each is kept, one number a result
 *     argmax argmin   that place alone, which is a class
 *     var std     variance.cu; the mean of each is kept, and the operand
 *
 * Gradients of all but max and min are formulas of elements, in which what there is one of for each
 * result is repeated (ops/pointwise.h). Where axes are not kept, backward sees results with them: a
 * view.
 */
#include "ir/diff.h"

#include <string.h>

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/shapes.h"
#include "ops/then.h"

extern const struct op op_sum, op_sum_then, op_mean, op_mean_then, op_min, op_std, op_argmin;

#define AXES										\
	{ "axis", ATTR_INTS, "which axes, counted without the batch, -1 being the last; by default all of them",	\
	    .min = -MAX_RANK, .max = MAX_RANK - 1 }
#define KEEP	{ "keep", ATTR_BOOL, "leave reduced axes in the shape, with an extent of 1", .preset = "false" }

static const struct attr_spec attrs[] = { AXES, KEEP, ATTRS_END };
static const struct attr_spec attrs_then[] = { AXES, KEEP, THEN_ATTR, ATTRS_END };
static const struct attr_spec spread_attrs[] = {
	AXES, KEEP,
	{ "unbiased", ATTR_BOOL, "divide by one less than the number of elements, as for a sample of them",
	    .preset = "true" },
	ATTRS_END
};

/* ---- shapes ---- */

/* The operand's shape with extents of 1 where it is reduced. */
static struct tensor
kept(const struct node *n, const struct tensor *x)
{
	const struct attr *a = op_attr(n, "axis");
	struct tensor t = tensor_value(x);
	int i;

	for (i = 0; i < x->rank && a->n == 0; i++)
		t.dim[i] = 1;
	for (i = 0; i < a->n; i++)
		t.dim[shape_axis_at(a->v[i], x)] = 1;
	return t;
}

/* How many elements each result is of. */
static int64_t
reduced(const struct node *n, const struct tensor *x)
{
	struct tensor t = kept(n, x);

	return tensor_elements_per_sample(x) / tensor_elements_per_sample(&t);
}

static bool
axes_exist(struct build *b, const struct node *n)
{
	static const char *const idle[] = { "mean", "sum", "max", "min" };	/* of one number it is that number */
	struct diags *d = b->module->diags;
	size_t i;

	if (n->in[0]->rank > 0)
		return shape_axes(b, n);
	op_error(b, n, "%s: input is %s, which has no axes (the batch is not counted)", n->op->name, op_operand_text(b, n->in[0]));
	for (i = 0; i < sizeof(idle) / sizeof(*idle); i++)
		if (strcmp(n->op->name, idle[i]) == 0)
			diag_help(d, d->all.v[d->all.n - 1], "leave %s out: that is one number already; over the batch, losses and metrics are "
			    "averaged anyway", n->op->name);
	return false;
}

static bool
spread_is_some(struct build *b, const struct node *n)
{
	return !op_bool(n, "unbiased") || reduced(n, n->in[0]) > 1 ||
	    op_error(b, n, "%s: of one element there is no unbiased %s, which is 0 / 0; unbiased=false makes it 0",
	    n->op->name, n->op->name);
}

static bool
places_fit(struct build *b, const struct node *n)
{
	return reduced(n, n->in[0]) <= INT32_MAX ||
	    op_error(b, n, "%s: a result would be of %lld elements, more than 2^31 - 1; reduce one axis after another",
	    n->op->name, (long long)reduced(n, n->in[0]));
}

static struct tensor *
result_of(struct build *b, struct node *n, const struct dtype *type)
{
	const struct attr *a = op_attr(n, "axis");
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	bool gone[MAX_RANK] = { false };
	struct tensor t;
	struct groups g;
	int i, rank = 0;

	if (!shape_float(b, n, 0) || !axes_exist(b, n))
		return NULL;
	t = kept(n, x);
	if (!groups_make(&g, x, &t, NULL)) {
		op_error(b, n, "%s: axes that are reduced and axes that are not alternate more than %d times; "
		    "reduce some after the others", n->op->name, GROUPS - 1);
		return NULL;
	}
	for (i = 0; i < a->n; i++)
		gone[shape_axis_at(a->v[i], x)] = true;
	for (i = 0; i < x->rank; i++)
		if (op_bool(n, "keep") || (a->n > 0 && !gone[i]))
			dim[rank++] = t.dim[i];
	return op_output(b, n, NULL, rank > 0 || x->batched || type == DT_I32 ? T_ACTIVATION : T_SCALAR, type, x->batched,
	    rank, dim);
}

static bool
result_shape(struct build *b, struct node *n)
{
	return result_of(b, n, n->in[0]->dtype) != NULL;
}

/* A number kept for each result. */
static bool
keep_output(struct build *b, struct node *n, const char *name, const struct dtype *type)
{
	struct tensor t = kept(n, n->in[0]);

	return op_output(b, n, name, T_SAVED, type, t.batched, t.rank, t.dim) != NULL;
}

static bool
extreme_shape(struct build *b, struct node *n)
{
	return result_shape(b, n) && places_fit(b, n) && keep_output(b, n, "index", DT_I32);
}

/* Places are classes: as many as each is one of. */
static bool
place_shape(struct build *b, struct node *n)
{
	struct tensor *y = result_of(b, n, DT_I32);

	if (!y || !places_fit(b, n))
		return false;
	y->classes = (int)reduced(n, n->in[0]);
	return true;
}

static bool
spread_shape(struct build *b, struct node *n)
{
	return result_shape(b, n) && spread_is_some(b, n) && keep_output(b, n, "mean", n->in[0]->dtype->real);
}

/* What an element alone sums up to, or is the mean or the largest of; its variance is another
 * matter. */
static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

/* Its results may lie channels-last only as images that have both layouts alike; and which of
 * equals is the first must not depend on it. */
static enum op_layout
layout(const struct node *n)
{
	struct tensor t = kept(n, n->in[0]);
	int i, left = 0;

	for (i = 1; i < t.rank; i++)
		left += t.dim[i] > 1;
	return t.rank == 3 && (t.dim[0] > 1) != (left > 0) ? LAYOUT_EITHER : LAYOUT_FIRST;
}

/* ---- gradients ---- */

/* A result, or its gradient, with the axes that were reduced as ones. */
static struct tensor *
with_axes(struct diff *d, struct node *n, struct tensor *t)
{
	struct tensor shape = kept(n, n->in[0]), *view;
	struct arena *a = d->m->arena;

	if (t->rank == 0 || t->rank == shape.rank)
		return t;
	view = ir_tensor(d->m, t->kind, t->dtype, t->batched, shape.rank, shape.dim,
	    arena_join(a, t->name, ".", "kept"), n->loc);
	view->gradient_of = t->gradient_of;
	ir_add_output(d->m, diff_node(d, n, op_find("reshape_grad"), 1, &t), view);
	return view;
}

/* A formula of d, the gradient of the result; x, the operand; y, the result; m, the mean of each;
 * and c. */
static bool
formula_grad(struct diff *d, struct node *n, const char *text, double c)
{
	enum { D, X, Y, M, ALL };
	struct arena *a = d->m->arena;
	struct formula *f = formula_new(a, ALL);
	const struct formula_name names[] = { { "d", formula_operand(f, D) }, { "x", formula_operand(f, X) },
	    { "y", formula_operand(f, Y) }, { "m", formula_operand(f, M) }, { "c", formula_number(f, c) }, { NULL, 0 } };
	struct tensor *all[ALL] = { [X] = n->in[0], [M] = n->nout > 1 ? n->out[1] : NULL }, *in[ALL];
	const char *where;
	struct node *back;
	int kept[ALL], i;

	if (!diff_wants(d, n->in[0]))
		return true;
	f->result[f->results++] = formula_read(f, text, names, &where);
	all[D] = with_axes(d, n, diff_of(d, n->out[0]));
	if (formula_reads(f, Y))
		all[Y] = with_axes(d, n, n->out[0]);
	f = formula_drop_unread(a, f, kept);
	f->name = arena_printf(a, "%s_grad", n->op->name);
	for (i = 0; i < f->operands; i++)
		in[i] = all[kept[i]];
	back = diff_node(d, n, &op_pointwise, f->operands, in);
	pointwise_set(a, back, f);
	diff_output(d, back, n->in[0]);
	return true;
}

static bool
sum_grad(struct diff *d, struct node *n)
{
	return formula_grad(d, n, "d", 1);
}

static bool
mean_grad(struct diff *d, struct node *n)
{
	return formula_grad(d, n, "c * d", 1 / (double)reduced(n, n->in[0]));
}

static double
freedom(const struct node *n)
{
	return (double)(reduced(n, n->in[0]) - op_bool(n, "unbiased"));
}

static bool
var_grad(struct diff *d, struct node *n)
{
	return formula_grad(d, n, "c * d * (x - m)", 2 / freedom(n));
}

static bool
std_grad(struct diff *d, struct node *n)
{
	return formula_grad(d, n, "where(y == 0, 0, c * d * (x - m) / y)", 1 / freedom(n));
}

static void
emit_extreme_backward(struct emitter *e, const struct node *n)
{
	struct groups g;

	groups_make(&g, n->out[0], n->in[1], NULL);
	emit_call(e, "extreme_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_text(groups_text(e, &g)));
}

const struct op op_extreme_grad = {
	.name = "extreme_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of max and min: dy goes to the place of each",
	.attrs = attrs,
	.operands = "dy index",
	.min_operands = 2, .max_operands = 2,
	.calls.kernels = "pointwise/extreme.cu",
	.calls.emit = emit_extreme_backward,
};

static bool
extreme_grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_extreme_grad, 1, &n->out[1]);
}

/* ---- calls ---- */

static struct affine
workspace(const struct node *n, const struct room *room)
{
	struct tensor to = kept(n, n->in[0]);

	(void)room;
	return reduce_room(n->in[0], &to, NULL);
}

bool
reductions_take(const struct node *n, struct tensor *to, double *factor)
{
	if (n->op != &op_sum && n->op != &op_mean)
		return false;
	*to = kept(n, n->in[0]);
	*factor = n->op == &op_sum ? 1 : 1 / (double)reduced(n, n->in[0]);
	return true;
}

static void
emit_sum(struct emitter *e, const struct node *n)
{
	struct tensor to = kept(n, n->in[0]);

	reduce_emit(e, n, &to, 1);
}

static void
emit_mean(struct emitter *e, const struct node *n)
{
	struct tensor to = kept(n, n->in[0]);

	reduce_emit(e, n, &to, 1 / (double)reduced(n, n->in[0]));
}

static const char *
span(struct emitter *e, const struct node *n)
{
	struct tensor to = kept(n, n->in[0]);
	struct groups g;

	groups_make(&g, n->in[0], &to, NULL);
	return groups_text(e, &g);
}

static void
emit_extreme(struct emitter *e, const struct node *n)
{
	emit_call(e, "extreme_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_tensor(n->in[0]),
	    arg_int(n->op == &op_min ? -1 : 1), arg_text(span(e, n)));
}

static void
emit_place(struct emitter *e, const struct node *n)
{
	emit_call(e, "extreme_forward", arg_text("NULL"), arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_int(n->op == &op_argmin ? -1 : 1), arg_text(span(e, n)));
}

static void
emit_spread(struct emitter *e, const struct node *n)
{
	emit_call(e, "variance_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_tensor(n->in[0]),
	    arg_text(emit_double(e, freedom(n))), arg_text(n->op == &op_std ? "true" : "false"),
	    arg_text(span(e, n)));
}

/* ---- in PyTorch ---- */

/* One call; its gradient is a view of dy, or made with SCRATCH bytes at a time. */
static void
torch_call(struct tape *t, const struct node *n, struct tape_call c)
{
	int x = tape_value(t, n->in[0]);

	c.in = &x;
	c.nin = 1;
	c.bytes = tape_bytes(t, n->out[0]);
	tape_result(t, n->out[0], tape_call(t, &c));
}

static void
torch_sum(struct tape *t, const struct node *n)
{
	torch_call(t, n, (struct tape_call){ .repeats = true });
}

/* amax: (dy / mask.sum()) * mask, the mask being where x is y */
static void
torch_extreme(struct tape *t, const struct node *n)
{
	int64_t x = tape_bytes(t, n->in[0]), outs = tape_bytes(t, n->out[0]) + tape_bytes_as(t, n->out[0], 8);

	torch_call(t, n, (struct tape_call){ .saves = SAVES_IN(0) | SAVES_OUT(0),
	    .scratch = x + tape_bytes_as(t, n->in[0], 1) + outs });
}

/* argmax: int64 */
static void
torch_place(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]);

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes_as(t, n->out[0], 8), .stops = true }));
}

/* (2 / freedom * dy) * (x - x.mean()), and for std first dy / (2 y) */
static void
torch_spread(struct tape *t, const struct node *n)
{
	int64_t x = tape_bytes(t, n->in[0]), y = tape_bytes(t, n->out[0]);
	bool root = n->op == &op_std;

	torch_call(t, n, (struct tape_call){ .saves = root ? SAVES_IN(0) | SAVES_OUT(0) : SAVES_IN(0),
	    .scratch = 2 * x + (root ? 3 : 2) * y });
}

/* ---- the records ---- */

#define WHICH_AXES									\
	"Without `axis` it is of all elements of each sample; the batch is never reduced. axis=1 and axis=(0, 2) name "	\
	"others, axis=-1 the last. Reduced axes leave the shape, or with keep=true stay as 1, so that x - mean(x, 1, "	\
	"keep=true) is repeated along them."

#define OF_EQUALS									\
	" Not-a-number wins over all. Of equals, the first gets all of the gradient, as in maxpool and in PyTorch's "	\
	"x.max(axis); PyTorch's amax and amin share it among them. Training keeps the place of each, four bytes a result."

/* What all records have alike; SHAPE and GRADIENT are functions, FILE and CALL their kernels. */
#define REDUCTION(shapes, gradients, file, call)						\
	.kind = OP_LAYER, ONE_OPERAND,							\
	.shape = shapes, .gradient.build = gradients,						\
	.memory.layout = layout, .calls.kernels = "pointwise/" file, .calls.emit = call

const struct op op_sum = {
	.name = "sum",
	.brief = "sum along axes",
	.doc = "y is the sum of the elements of x along the axes. " WHICH_AXES " Sums are taken in double, in a fixed "
	    "order.",
	.attrs = attrs,
	REDUCTION(result_shape, sum_grad, "reduce.cu", emit_sum),
	.simplify.identity = identity,
	.torch.copies = true,
	.memory.workspace = workspace,
	.torch.calls = torch_sum,
	.then = { &op_sum_then, 2 },
};

const struct op op_sum_then = {
	.name = "sum_then",
	.brief = "sum along axes, and a formula of its result",
	.attrs = attrs_then,
	.memory.workspace = workspace,
	REDUCE_THEN(op_sum_then),
	.calls.emit = emit_sum,
};

const struct op op_mean = {
	.name = "mean",
	.brief = "mean along axes",
	.doc = "y is the mean of the elements of x along the axes. " WHICH_AXES " Sums are taken in double, in a fixed "
	    "order.",
	.attrs = attrs,
	REDUCTION(result_shape, mean_grad, "reduce.cu", emit_mean),
	.simplify.identity = identity,
	.torch.copies = true,
	.memory.workspace = workspace,
	.then = { &op_mean_then, 2 },
};

const struct op op_mean_then = {
	.name = "mean_then",
	.brief = "mean along axes, and a formula of its result",
	.attrs = attrs_then,
	.memory.workspace = workspace,
	REDUCE_THEN(op_mean_then),
	.calls.emit = emit_mean,
};

const struct op op_max = {
	.name = "max",
	.brief = "largest element along axes",
	.doc = "y is the largest element of x along the axes. Axes are given by name, max(x, axis=1): max(x, other) of two "
	    "tensors, or of a tensor and a number, is `maximum`. " WHICH_AXES OF_EQUALS,
	.attrs = attrs,
	REDUCTION(extreme_shape, extreme_grad, "extreme.cu", emit_extreme),
	.simplify.identity = identity,
	.torch.copies = true,
	.gradient.saves = SAVES_OUT(1),
	.torch.calls = torch_extreme,
	.memory.optional_out = 1u << 1,
};

const struct op op_min = {
	.name = "min",
	.brief = "smallest element along axes",
	.doc = "y is the smallest element of x along the axes. Axes are given by name, min(x, axis=1): min(x, other) of "
	    "two tensors, or of a tensor and a number, is `minimum`. " WHICH_AXES OF_EQUALS,
	.attrs = attrs,
	REDUCTION(extreme_shape, extreme_grad, "extreme.cu", emit_extreme),
	.simplify.identity = identity,
	.torch.copies = true,
	.gradient.saves = SAVES_OUT(1),
	.torch.calls = torch_extreme,
	.memory.optional_out = 1u << 1,
};

#define PLACE										\
	.kind = OP_LAYER, ONE_OPERAND, .attrs = attrs,						\
	.shape = place_shape, .memory.layout = layout,						\
	.calls.kernels = "pointwise/extreme.cu", .calls.emit = emit_place, .torch.calls = torch_place

#define IS_A_CLASS									\
	"It is a class of as many as there are elements in each group, for take, gather, one_hot, embedding and losses of "	\
	"labels: of [8, 10] argmax(x, axis=-1) is class[10, 8]. Of several axes, or all, places are counted row by row. "	\
	"Not-a-number wins over all, and of equals the first. It has no gradient; backward passes around it by x + "	\
	"stop_gradient(y - x), the straight-through estimator."

const struct op op_argmax = {
	.name = "argmax",
	.brief = "place of the largest element along axes",
	.doc = "y is the place of the largest element of x along the axes. " IS_A_CLASS,
	PLACE,
};

const struct op op_argmin = {
	.name = "argmin",
	.brief = "place of the smallest element along axes",
	.doc = "y is the place of the smallest element of x along the axes. " IS_A_CLASS,
	PLACE,
};

const struct op op_var = {
	.name = "var",
	.brief = "variance along axes",
	.doc = "y is the sum of (x - mean)^2 along the axes, divided by one less than their number, or with "
	    "unbiased=false by their number. " WHICH_AXES " Backward reads x and the mean.",
	.attrs = spread_attrs,
	REDUCTION(spread_shape, var_grad, "variance.cu", emit_spread),
	.gradient.saves = SAVES_IN(0) | SAVES_OUT(1),
	.torch.calls = torch_spread,
	.memory.optional_out = 1u << 1,
};

const struct op op_std = {
	.name = "std",
	.brief = "standard deviation along axes",
	.doc = "y is the square root of `var`; where it is 0, its gradient is 0. " WHICH_AXES " Backward reads x, the mean "
	    "and y.",
	.attrs = spread_attrs,
	REDUCTION(spread_shape, std_grad, "variance.cu", emit_spread),
	.gradient.saves = SAVES_IN(0) | SAVES_OUT(0) | SAVES_OUT(1),
	.torch.calls = torch_spread,
	.memory.optional_out = 1u << 1,
};
