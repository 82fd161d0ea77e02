/*
 * Means of formulas of a prediction and a target, and the gradients of these: what the rows of
 * losses.c share. The pass fuse-loss makes a loss and the gradient of its first operand in one
 * sweep.
 */
#include "ops/mean_loss.h"

#include "calls/mean_kernel.h"
#include "ir/diff.h"
#include "ops/losses.h"
#include "ops/pointwise.h"
#include "ops/targets.h"

static const struct attr_spec attrs[] = {
	{ "formula", ATTR_FORMULA, "the loss of an element", .required = true },
	ATTRS_END
};

bool
mean_loss_shape(struct build *b, struct node *n)
{
	return target_alike(b, n) && shape_result(b, n);
}

/* The gradient of F by operand FIRST, which becomes the first of its operands; with VALUE after F's
 * own result. */
static struct formula *
slope_of(struct arena *a, const struct formula *f, int first, bool value)
{
	bool wanted[FORMULA_OPERANDS] = { false };
	struct formula *whole, *slope = formula_new(a, f->operands);
	int as[FORMULA_OPERANDS + 2 * FORMULA_RESULTS], i;

	wanted[first] = true;
	if (!(whole = formula_gradient(a, f, wanted, false)))
		return NULL;
	slope->name = f->name;
	for (i = 0; i < f->operands; i++)
		as[i] = formula_operand(slope, i == first ? 0 : i < first ? i + 1 : i);
	as[f->operands] = formula_number(slope, 0);	/* its result, which is not asked for */
	as[f->operands + 1] = formula_number(slope, 1);	/* the gradient of that */
	if (value)
		slope->result[slope->results++] = formula_insert(slope, f, 0, as);
	slope->result[slope->results++] = formula_insert(slope, whole, 0, as);
	return slope;
}

/* ---- backward ---- */

static struct mean_call
call_of_grad(const struct node *n)
{
	return (struct mean_call){ .way = MEAN_BACKWARD, .f = n->attr[0].formula,
		.operand = (const struct tensor *const *)n->in + 1, .dx = n->out[0], .with = n->in[0] };
}

static void
define_grad(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of_grad(n);

	mean_kernel_define(e, &c);
}

static void
emit_grad(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of_grad(n);

	mean_kernel_call(e, n, &c);
}

const struct op op_mean_loss_grad = {
	.name = "mean_loss_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of a mean of elements: the formula times dloss / elements",
	.attrs = attrs,
	.operands = "dloss x target",
	.min_operands = 2, .max_operands = 3,
	.memory.inplace = 1u << 1 | 1u << 2,
	.calls.kernels = "loss/formula.cu",
	.calls.listed = true,
	.calls.define = define_grad,
	.calls.emit = emit_grad,
};

/* One that reads neither operand, as of a sum, is given both, to know how many elements there
 * are. */
static void
grad_of(struct diff *d, struct node *n, int k)
{
	struct arena *a = d->m->arena;
	struct formula *f = slope_of(a, pointwise_formula(a, n), k, false), *read;
	struct tensor *in[1 + FORMULA_OPERANDS] = { diff_of(d, n->out[0]) };
	int kept[FORMULA_OPERANDS], i;
	struct node *back;

	if (!f)
		return;
	read = formula_drop_unread(a, f, kept);
	if (read->operands == 0)
		for (read = f, i = 0; i < f->operands; i++)
			kept[i] = i;
	for (i = 0; i < read->operands; i++)
		in[1 + i] = n->in[kept[i] == 0 ? k : kept[i] <= k ? kept[i] - 1 : kept[i]];
	back = diff_node(d, n, &op_mean_loss_grad, 1 + read->operands, in);
	back->attr = diff_attrs(d, back);
	back->attr[0].given = true;
	back->attr[0].formula = read;
	diff_output(d, back, n->in[k]);
}

bool
mean_loss_gradient(struct diff *d, struct node *n)
{
	int k;

	for (k = 0; k < 2; k++)
		if (diff_wants(d, n->in[k]))
			grad_of(d, n, k);
	return true;
}

/* ---- both at once ---- */

static struct mean_call
call_of_both(struct emitter *e, const struct node *n)
{
	return (struct mean_call){ .way = MEAN_BOTH, .f = slope_of(e->module->arena, n->attr[0].formula, 0, true),
		.operand = (const struct tensor *const *)n->in, .dx = n->out[0], .out = n->out[1],
		.with = n->nin > 2 ? n->in[2] : NULL };
}

static void
define_both(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of_both(e, n);

	mean_kernel_define(e, &c);
}

static void
emit_both(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of_both(e, n);

	mean_kernel_call(e, n, &c);
}

const struct op op_mean_loss_with_grad = {
	.name = "mean_loss_with_grad",
	.kind = OP_INTERNAL,
	.brief = "a mean of elements of x and target, and the gradient of x",
	.attrs = attrs,
	.operands = "x target scale",
	.min_operands = 2, .max_operands = 3,
	.memory.inplace = 1u << 0,
	.memory.workspace = shape_mean_work,
	.calls.kernels = "loss/formula.cu",
	.calls.listed = true,
	.calls.define = define_both,
	.calls.emit = emit_both,
};

bool
mean_loss_is(const struct op *op)
{
	return op->gradient.build == mean_loss_gradient;
}

void
mean_loss_fuse(struct arena *a, struct node *n)
{
	const struct formula *f = pointwise_formula(a, n);

	n->op = &op_mean_loss_with_grad;
	n->attr = arena_array(a, 1, sizeof(*n->attr));
	n->attr[0].given = true;
	n->attr[0].formula = f;
}

/* ---- forward ---- */

static struct mean_call
call_of(struct emitter *e, const struct node *n)
{
	return (struct mean_call){ .way = MEAN_FORWARD, .f = pointwise_formula(e->module->arena, n),
		.operand = (const struct tensor *const *)n->in, .out = n->out[0] };
}

void
mean_loss_define(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of(e, n);

	mean_kernel_define(e, &c);
}

void
mean_loss_emit(struct emitter *e, const struct node *n)
{
	struct mean_call c = call_of(e, n);

	mean_kernel_call(e, n, &c);
}
