/*
 * batchnorm_then: a formula of what batchnorm makes, an activation mostly, and of a skip where
 * there is one: relu( batchnorm(x) + skip) ends each layer of a residual network. The pass
 * fuse-norm makes it.
 *
 *     in:   as batchnorm, and skip
 *     out:  as batchnorm; y is the formula's
 *
 * What is normalised, and a sum, never exist: forward reads x once for its statistics and once
 * more, with skip, for y. In 16 bits y is therefore rounded once, and not once for each of the two
 * or three operators.
 *
 * Backward without a skip makes the value again from x, in the two sweeps over x that batchnorm's
 * gradient takes anyway, and of it and of dy what passes the formula: neither the value nor y need
 * be kept for it, and what arrives at the batchnorm never exists. Where there is a skip, it does
 * exist, for it is the gradient of the skip; then y says what passes, which saves reading the skip.
 * On a GPU it is made in the first of the two sweeps (passes/formula_in_norm.c).
 */
#include "ops/batchnorm.h"

#include "ir/diff.h"
#include "ops/pointwise.h"
#include "ops/shapes.h"
#include "ops/then.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = { BATCHNORM_ATTRS, THEN_ATTR, ATTRS_END };

/* ---- forward ---- */

static void
emit(struct emitter *e, const struct node *n)
{
	batchnorm_emit(e, n, batchnorm_skip(n));
}

static void
emit_apply(struct emitter *e, const struct node *n)
{
	batchnorm_emit_apply(e, n, n->nin > SKIP ? n->in[SKIP] : NULL);
}

const struct op op_batchnorm_then_apply = {
	.name = "batchnorm_then_apply",
	.kind = OP_INTERNAL,
	.brief = "batchnorm_then once more, with the statistics that it found",
	.attrs = attrs,
	.operands = "x weight bias mean invstd skip",
	.min_operands = 5, .max_operands = 6,
	.memory.inplace = 1u << X | 1u << SKIP,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_apply,
};

static const struct op *
again(const struct node *n, struct tensor **in, int *nin)
{
	*nin = n->nin;
	if (n->nin > SKIP)
		in[SKIP] = n->in[SKIP];
	return batchnorm_again(n, &op_batchnorm_then_apply, in);
}

/* ---- backward ---- */

static void
emit_backward(struct emitter *e, const struct node *n)
{
	batchnorm_emit_backward(e, n, n->in[5]);
}

const struct op op_batchnorm_then_grad = {
	.name = "batchnorm_then_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_then: of its input, weight and bias, as far as they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean invstd bias",
	.min_operands = 6, .max_operands = 6,
	.traffic = batchnorm_backward_traffic,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.launches = 3,
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct arena *a = d->m->arena;
	const struct formula *f = then_passed(a, then_of(n));
	struct tensor *dy = diff_of(d, n->out[Y]);
	struct node *back;

	if (n->nin <= SKIP) {
		if ((back = batchnorm_differentiate(d, n, &op_batchnorm_then_grad, dy)))
			back->attr = then_attrs(a, n, f);
		return true;
	}
	if (formula_alone(f) != 0) {	/* it is not dy as it is */
		back = diff_node(d, n, &op_pointwise, 2, (struct tensor *[]){ dy, n->out[Y] });
		pointwise_set(a, back, f);
		dy = diff_between(d, back, n->out[Y], "sum.grad");
	}
	if (diff_wants(d, n->in[SKIP]))
		diff_add(d, n->in[SKIP], dy);
	batchnorm_differentiate(d, n, &op_batchnorm_grad, dy);
	return true;
}

const struct op op_batchnorm_then = {
	.name = "batchnorm_then",
	.kind = OP_INTERNAL,
	.brief = "batchnorm, and a formula of what it makes",
	.attrs = attrs,
	.operands = "x weight bias running_mean running_var skip",
	.min_operands = 5, .max_operands = 6,
	.traffic = batchnorm_traffic,
	.gradient.build = grad,
	.gradient.saves = BATCHNORM_SAVES | SAVES_IN(BIAS) | SAVES_OUT(Y),
	.memory.workspace = batchnorm_workspace,
	.gradient.again = again,
	.memory.alias = batchnorm_alias,
	.memory.inplace = 1u << X | 1u << SKIP,
	.memory.optional_out = BATCHNORM_OPTIONAL,
	.memory.layout = op_layout_either,
	.then = { &op_batchnorm_then, 2, then_is_passed },
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.launches = 3,
	.calls.emit = emit,
};

/* ---- a gradient that makes what it is given, on a GPU ---- */

enum { FROM, OF_X, OF_WEIGHT, OF_MEAN, OF_INVSTD, BESIDE };

static void
emit_backward_of(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct channels c = emit_channels(e, in[OF_X]);

	emit_call(e, "batchnorm_backward_of", arg_tensor(n->out[n->nout - 1]), arg_tensor(batchnorm_gradient_of(n, X)),
	    arg_tensor(batchnorm_gradient_of(n, WEIGHT)), arg_tensor(batchnorm_gradient_of(n, BIAS)), arg_work(n),
	    arg_tensor(in[FROM]), then_arg(e, n, in[BESIDE]), arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]),
	    arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), arg_text(c.rows),
	    arg_int(c.channels), arg_int(c.places), arg_int(batchnorm_parts(in[OF_X], e->target)));
}

static struct affine
traffic_of(const struct node *n)
{
	struct affine x = tensor_bytes(n->in[OF_X]), bytes = op_bytes(n);

	return batchnorm_gradient_of(n, X) ? affine_sum(bytes, affine_sum(x, x)) : bytes;
}

const struct op op_batchnorm_grad_of = {
	.name = "batchnorm_grad_of",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm, as far as they are wanted, and the formula of two tensors that is given to them",
	.attrs = attrs,
	.operands = "from x weight mean invstd beside",
	.min_operands = 6, .max_operands = 6,
	.traffic = traffic_of,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << OF_X,
	.memory.inplace_last = 1u << FROM,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.launches = 3,
	.calls.emit = emit_backward_of,
};

bool
batchnorm_takes(const struct node *n, const struct node *grad)
{
	return grad->op == &op_batchnorm_grad && batchnorm_uses_batch(grad->forward) && !op_bool(grad, "sync") &&
	    pointwise_makes(n, grad->in[FROM]);
}

void
batchnorm_give(struct module *m, const struct node *n, struct node *grad)
{
	struct tensor **in = arena_array(m->arena, BESIDE + 1, sizeof(*in));
	int k;

	for (k = 0; k < BESIDE; k++)
		in[k] = grad->in[k];
	in[FROM] = n->in[0];
	in[BESIDE] = n->in[1];
	grad->in = in;
	grad->nin = grad->in_room = BESIDE + 1;
	grad->attr = then_attrs(m->arena, grad, pointwise_formula(m->arena, n));
	grad->op = &op_batchnorm_grad_of;
	ir_add_output(m, grad, n->out[0]);
}
