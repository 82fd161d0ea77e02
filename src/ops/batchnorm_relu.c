/*
 * batchnorm_relu, batchnorm_add_relu: relu(batchnorm(x)) and relu(batchnorm(x) + skip), the end of
 * each layer of a residual network; also with relu6, whose bound is the attribute top. The pass fuse-norm makes them.
 *
 *     in:   as batchnorm, and skip
 *     out:  as batchnorm; y is rectified
 *
 * What is normalised, and the sum, never exist: forward reads x once for its statistics and once
 * more, with skip, for y. In 16 bits y is therefore rounded once, and not once for each of the two
 * or three operators.
 *
 * Backward of the plain form recomputes from x which elements relu let through, in the two
 * sweeps over x that batchnorm's gradient takes anyway, so that y is not read at all and what
 * arrives at the batchnorm never exists. Where there is a skip, it does exist, for it is the gradient
 * of the skip; then y says what passes, which saves reading the skip. On a GPU it is made in the first of the
 * two sweeps (passes/relu_in_norm.c).
 */
#include "ops/batchnorm.h"

#include <string.h>

#include "ir/diff.h"
#include "ops/pointwise.h"
#include "ops/shapes.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	BATCHNORM_ATTRS,
	BATCHNORM_TOP,
	ATTRS_END
};

const char *
batchnorm_top(struct emitter *e, const struct node *n)
{
	double top = op_real(n, "top");

	return top > 0 ? emit_double(e, top) : "NAN";
}

static struct tensor *
skip_of(const struct node *n, int k)
{
	return n->nin > k ? n->in[k] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out, *skip = skip_of(n, SKIP);
	struct channels c = emit_channels(e, in[X]);
	const char *eps = emit_double(e, op_real(n, "eps"));

	if (batchnorm_uses_batch(n))
		emit_call(e, "batchnorm_relu_forward", arg_tensor(out[Y]), arg_tensor(out[MEAN]),
		    arg_tensor(out[INVSTD]), arg_tensor(out[NEW_MEAN]), arg_tensor(out[NEW_VAR]),
		    arg_work(n), arg_tensor(in[X]), arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]),
		    arg_tensor(skip), arg_text(batchnorm_top(e, n)), arg_text(eps),
		    arg_text(emit_double(e, op_real(n, "momentum"))), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places),
		    arg_int(batchnorm_parts(in[X], e->target)));
	else
		emit_call(e, "batchnorm_relu_inference", arg_tensor(out[Y]), arg_work(n),
		    arg_tensor(in[X]), arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]),
		    arg_tensor(skip), arg_text(batchnorm_top(e, n)), arg_tensor(in[RUNNING_MEAN]), arg_tensor(in[RUNNING_VAR]),
		    arg_text(eps), arg_text(c.rows), arg_int(c.channels), arg_int(c.places));
}

/* ---- made again: the statistics are known ---- */

static void
emit_apply(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct channels c = emit_channels(e, x);

	emit_call(e, "bn_apply_relu", arg_tensor(n->out[0]), arg_tensor(x), arg_tensor(n->in[1]),
	    arg_tensor(n->in[2]), arg_tensor(skip_of(n, 5)), arg_text(batchnorm_top(e, n)),
	    arg_tensor(n->in[3]), arg_tensor(n->in[4]), arg_text(c.rows), arg_int(c.channels), arg_int(c.places));
}

const struct op op_batchnorm_relu_apply = {
	.name = "batchnorm_relu_apply",
	.kind = OP_INTERNAL,
	.brief = "batchnorm_relu or batchnorm_add_relu once more, with the statistics that it found",
	.attrs = attrs,
	.operands = "x weight bias mean invstd skip",
	.min_operands = 5, .max_operands = 6,
	.memory.inplace = 1u << 0 | 1u << 5,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.emit = emit_apply,
};

static const struct op *
again(const struct node *n, struct tensor **in, int *nin)
{
	*nin = n->nin;
	if (n->nin > SKIP)
		in[5] = n->in[SKIP];
	return batchnorm_again(n, &op_batchnorm_relu_apply, in);
}

/* ---- without a skip ---- */

static void
emit_backward(struct emitter *e, const struct node *n)
{
	batchnorm_emit_backward(e, n, batchnorm_top(e, n));
}

const struct op op_batchnorm_relu_grad = {
	.name = "batchnorm_relu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_relu: of its input, weight and bias, as far as they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean invstd bias",
	.min_operands = 6, .max_operands = 6,
	.traffic = batchnorm_backward_traffic,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	batchnorm_differentiate(d, n, &op_batchnorm_relu_grad, diff_of(d, n->out[Y]));
	return true;
}

const struct op op_batchnorm_relu = {
	.name = "batchnorm_relu",
	.kind = OP_INTERNAL,
	.brief = "batchnorm and the relu behind it",
	.attrs = attrs,
	.operands = "x weight bias running_mean running_var",
	.min_operands = 5, .max_operands = 5,
	.traffic = batchnorm_traffic,
	.gradient.build = grad,
	.gradient.saves = BATCHNORM_SAVES | SAVES_IN(BIAS),
	.memory.workspace = batchnorm_workspace,
	.gradient.again = again,
	.memory.alias = batchnorm_alias,
	.memory.inplace = 1u << X,
	.memory.optional_out = BATCHNORM_OPTIONAL,
	.memory.layout = op_layout_either,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit,
};

/* ---- with a skip ---- */

/* What of a gradient passes the relu, by what that made. */
static const char *
passing(struct arena *a, double top)
{
	return top > 0 ? arena_printf(a, "relu_grad = x0, x1: where(x1 <= 0, 0, where(x1 >= %.17g, 0, x0))", top) :
	    "relu_grad = x0, x1: where(x1 <= 0, 0, x0)";
}

static bool
grad_add(struct diff *d, struct node *n)
{
	struct node *back = diff_node(d, n, &op_pointwise, 2,
	    (struct tensor *[]){ diff_of(d, n->out[Y]), n->out[Y] });
	struct tensor *passed = diff_between(d, back, n->out[Y], "sum.grad");

	pointwise_set(d->m->arena, back, formula_parse(d->m->arena, passing(d->m->arena, op_real(n, "top"))));
	if (diff_wants(d, n->in[SKIP]))
		diff_add(d, n->in[SKIP], passed);
	batchnorm_differentiate(d, n, &op_batchnorm_grad, passed);
	return true;
}

/* ---- both gradients in one, on a GPU ---- */

enum { DY, OF_X, OF_WEIGHT, OF_MEAN, OF_INVSTD, MADE };

static struct affine
backward_traffic(const struct node *n)
{
	struct affine x = tensor_bytes(n->in[OF_X]), bytes = op_bytes(n);

	return batchnorm_gradient_of(n, X) ? affine_sum(bytes, affine_sum(x, x)) : bytes;
}

static void
emit_backward_sum(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "batchnorm_add_relu_backward", arg_tensor(n->out[n->nout - 1]), arg_tensor(batchnorm_gradient_of(n, X)),
	    arg_tensor(batchnorm_gradient_of(n, WEIGHT)), arg_tensor(batchnorm_gradient_of(n, BIAS)), arg_work(n),
	    arg_tensor(in[DY]), arg_tensor(in[MADE]), arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]),
	    arg_text(batchnorm_top(e, n)), arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), arg_text(c.rows),
	    arg_int(c.channels), arg_int(c.places), arg_int(batchnorm_parts(in[OF_X], e->target)));
}

const struct op op_batchnorm_add_relu_grad = {
	.name = "batchnorm_add_relu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_add_relu: of its input, weight and bias, as far as they are wanted, and of the sum",
	.attrs = attrs,
	.operands = "dy x weight mean invstd y",
	.min_operands = 6, .max_operands = 6,
	.traffic = backward_traffic,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << OF_X,
	.memory.inplace_last = 1u << DY,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit_backward_sum,
};

bool
batchnorm_takes_mask(struct arena *a, const struct node *mask, const struct node *grad)
{
	const struct node *n = grad->forward;

	return grad->op == &op_batchnorm_grad && mask->op == &op_pointwise && n && n->op == &op_batchnorm_add_relu &&
	    mask->forward == n && batchnorm_uses_batch(n) && mask->nin == 2 && mask->nout == 1 &&
	    mask->out[0] == grad->in[0] && !mask->out[0]->alias_of && mask->in[0]->dtype == mask->out[0]->dtype &&
	    !op_bool(n, "sync") && formula_same(pointwise_formula(a, mask), formula_parse(a, passing(a, op_real(n, "top"))));
}

void
batchnorm_give_mask(struct module *m, const struct node *mask, struct node *grad)
{
	struct tensor **in = arena_array(m->arena, MADE + 1, sizeof(*in));
	int k;

	for (k = 0; k < MADE; k++)
		in[k] = grad->in[k];
	in[DY] = mask->in[0];
	in[MADE] = mask->in[1];
	grad->in = in;
	grad->nin = grad->in_room = MADE + 1;
	grad->attr = grad->forward->attr;
	grad->op = &op_batchnorm_add_relu_grad;
	ir_add_output(m, grad, mask->out[0]);
}

const struct op op_batchnorm_add_relu = {
	.name = "batchnorm_add_relu",
	.kind = OP_INTERNAL,
	.brief = "batchnorm, the addition of a skip, and the relu behind it",
	.attrs = attrs,
	.operands = "x weight bias running_mean running_var skip",
	.min_operands = 6, .max_operands = 6,
	.traffic = batchnorm_traffic,
	.gradient.build = grad_add,
	.gradient.saves = BATCHNORM_SAVES | SAVES_OUT(Y),
	.memory.workspace = batchnorm_workspace,
	.gradient.again = again,
	.memory.alias = batchnorm_alias,
	.memory.inplace = 1u << X | 1u << SKIP,
	.memory.optional_out = BATCHNORM_OPTIONAL,
	.memory.layout = op_layout_either,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit,
};

void
batchnorm_join(struct module *m, struct node *n, struct tensor *skip, double top, struct tensor *y)
{
	struct attr *attr = op_presets(m->arena, &op_batchnorm_relu);
	struct tensor **in;
	int k;

	memcpy(attr, n->attr, (size_t)op_nattrs(n->op) * sizeof(*attr));	/* they come first */
	n->attr = attr;
	op_preset(&op_batchnorm_relu, attr, "top")->r = top;

	n->op = skip ? &op_batchnorm_add_relu : &op_batchnorm_relu;
	n->out[Y] = y;
	y->def = n;
	if (!skip)
		return;
	in = arena_array(m->arena, SKIP + 1, sizeof(*in));
	for (k = 0; k < SKIP; k++)
		in[k] = n->in[k];
	in[SKIP] = skip;
	n->in = in;
	n->nin = n->in_room = SKIP + 1;
}
