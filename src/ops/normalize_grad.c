/*
 * Gradients of normalisations. What backward keeps follows from the weights: with them the input,
 * the statistics and the weights, without them the output, which is then (x - mean) * scale itself,
 * and the scale; the input may be overwritten, and what comes behind often keeps that output
 * anyway. Where a formula was done behind, it is the input in any case, and the bias: of that the
 * value is made again, and of it and of dy what passes the formula, in each sweep over the two that
 * the gradient takes anyway. So neither the value nor what passes is ever in memory.
 */
#include "ops/normalize.h"

#include "ir/diff.h"
#include "ops/product.h"
#include "ops/shapes.h"
#include "ops/then.h"

#include "calls/sizes.h"

enum { DY, OF_FORWARD, BY_WEIGHT, BY_MEAN, BY_SCALE, BACKWARD_OPERANDS, BY_BIAS = BACKWARD_OPERANDS, OPERANDS_THEN };

#define ATTRS										\
	{ "by", ATTR_ENUM, "what rows are divided by", .required = true,		\
	    .choices = "deviation root_mean length" },					\
	{ "axis", ATTR_INT, "the first axis of a row", .required = true },		\
	{ "groups", ATTR_INT, "rows of a sample, where they are made of channels; else 0",	\
	    .required = true },								\
	{ "eps", ATTR_REAL, "as forward has it", .required = true }

static const struct attr_spec attrs[] = { ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { ATTRS, THEN_ATTR, ATTRS_END };

/* Has a channel more than one element of a sample, or a sample more than one row of channels? */
static bool
is_by_channel(const struct norm *s, const struct tensor *x)
{
	return s->groups > 1 || (s->groups && shape_product(x, 1, x->rank) > 1);
}

static bool
is_affine(const struct node *n)	/* a backward node */
{
	return n->in[BY_WEIGHT] != NULL;
}

static struct tensor *
gradient_of(const struct node *n, int k)
{
	const struct tensor *like = n->forward->nin > k ? n->forward->in[k] : NULL;
	int i;

	for (i = 0; like && i < n->nout; i++)
		if (n->out[i] && n->out[i]->gradient_of == like)
			return n->out[i];
	return NULL;
}

/* Sums for the gradients of weights: of parts of the rows, or of each sample's channels. */
static struct affine
backward_work(const struct node *n, const struct room *room)
{
	const struct norm s = normalize_norm(n);
	const struct tensor *x = n->in[OF_FORWARD];
	bool gpu = room->target->splits_sums;
	int64_t two = 2 * (int64_t)sizeof(double), all = gpu ? two : ROW_SUMS * (int64_t)sizeof(double);

	if (!is_affine(n))
		return (struct affine){ 0, 0 };
	if (is_by_channel(&s, x))
		return x->batched ? (struct affine){ 0, two * x->dim[0] } :
		    (struct affine){ two * x->dim[0], 0 };
	if (!gradient_of(n, WEIGHT) && !gradient_of(n, BIAS))
		return (struct affine){ 0, 0 };
	return (struct affine){ product_of(all * row_parts(normalize_length(&s, x), gpu),
	    normalize_length(&s, x)), 0 };
}

/* Sums over rows for weight and bias are made in a sweep of their own. */
static struct affine
backward_traffic(const struct node *n)
{
	struct affine bytes = op_bytes(n);

	if (gradient_of(n, X) && is_affine(n) && (gradient_of(n, WEIGHT) || gradient_of(n, BIAS)))
		bytes = affine_sum(bytes, affine_sum(tensor_bytes(n->in[DY]), tensor_bytes(n->in[OF_FORWARD])));
	return bytes;
}

static void
emit_gradients(struct emitter *e, const struct node *n, struct tensor *dx)
{
	const struct norm s = normalize_norm(n);
	struct tensor *const *in = n->in, *x = in[OF_FORWARD];
	const char *eps = emit_double(e, s.eps);
	struct rows r;

	if (normalize_is_strided(&s, x)) {
		struct channels c = emit_axis(e, x, s.axis);

		emit_call(e, "normalize_axis_backward", arg_tensor(dx), arg_onto(n), arg_tensor(in[DY]),
		    arg_tensor(x), arg_tensor(in[BY_SCALE]), arg_text(eps), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places));
		return;
	}
	r = normalize_rows(e, &s, x);
	emit_call(e, "normalize_backward", arg_tensor(dx), arg_tensor(gradient_of(n, WEIGHT)),
	    arg_tensor(gradient_of(n, BIAS)), arg_onto(n), arg_work(n), arg_tensor(in[DY]), then_arg(e, n, NULL),
	    arg_tensor(x), arg_tensor(in[BY_WEIGHT]), arg_tensor(then_of(n) ? in[BY_BIAS] : NULL), arg_tensor(in[BY_MEAN]),
	    arg_tensor(in[BY_SCALE]), normalize_by(&s), arg_text(eps), arg_text(r.rows),
	    arg_int(r.n), arg_int(r.groups), arg_int(r.places));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_gradients(e, n, n->out[0]);
}

static void
emit_backward_weight(struct emitter *e, const struct node *n)
{
	emit_gradients(e, n, NULL);
}

#define OF_WEIGHT									\
	.kind = OP_INTERNAL,								\
	.memory.workspace = backward_work,						\
	.calls.kernels = "norm/normalize.cu"

#define OF_INPUT									\
	OF_WEIGHT,									\
	.traffic = backward_traffic,							\
	.memory.inplace = 1u << DY | 1u << OF_FORWARD,					\
	.calls.emit = emit_backward

const struct op op_normalize_grad = {
	.name = "normalize_grad",
	.brief = "gradients of a normalisation: of its input, and of weight and bias if they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean scale",
	.min_operands = BACKWARD_OPERANDS, .max_operands = BACKWARD_OPERANDS,
	.memory.onto = BACKWARD_OPERANDS,
	OF_INPUT,
};

const struct op op_normalize_grad_weight = {
	.name = "normalize_grad_weight",
	.brief = "gradients of a normalisation's weight and bias, where its input needs none",
	.attrs = attrs,
	.operands = "dy x weight mean scale",
	.min_operands = BACKWARD_OPERANDS, .max_operands = BACKWARD_OPERANDS,
	OF_WEIGHT,
	.calls.emit = emit_backward_weight,
};

const struct op op_normalize_then_grad = {
	.name = "normalize_then_grad",
	.brief = "the same, of one with a formula behind it",
	.attrs = attrs_then,
	.operands = "dy x weight mean scale bias",
	.min_operands = OPERANDS_THEN, .max_operands = OPERANDS_THEN,
	.memory.onto = OPERANDS_THEN,
	OF_INPUT,
	.calls.note = then_note,
	.calls.define = then_define,
};

const struct op op_normalize_then_grad_weight = {
	.name = "normalize_then_grad_weight",
	.brief = "the same, where its input needs none",
	.attrs = attrs_then,
	.operands = "dy x weight mean scale bias",
	.min_operands = OPERANDS_THEN, .max_operands = OPERANDS_THEN,
	OF_WEIGHT,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_backward_weight,
};

/* By whether the input needs one, and whether a formula was done behind. */
static const struct op *const of[2][2] = {
	{ &op_normalize_grad_weight, &op_normalize_then_grad_weight },
	{ &op_normalize_grad, &op_normalize_then_grad }
};

bool
normalize_gradient(struct diff *d, struct node *n)
{
	const struct norm s = normalize_norm(n);
	const struct formula *then = then_of(n);
	struct tensor *weight = normalize_operand(n, WEIGHT);
	bool of_input = weight || then;	/* else of the output */
	struct tensor *in[] = { diff_of(d, n->out[Y]), of_input ? n->in[X] : n->out[Y], weight,
		of_input && n->nout > MEAN ? n->out[MEAN] : NULL, n->out[SCALE], normalize_operand(n, BIAS) };
	struct node *back;
	struct attr *a;
	int k;

	back = diff_node(d, n, of[diff_wants(d, n->in[X])][then != NULL], then ? OPERANDS_THEN : BACKWARD_OPERANDS, in);
	a = diff_attrs(d, back);
	a[0].i = (int64_t)s.by;
	a[1].i = s.axis;
	a[2].i = s.groups;
	a[3].r = s.eps;
	if (then)
		back->attr = then_attrs(d->m->arena, back, then_passed(d->m->arena, then));
	for (k = X; k < n->nin; k++)
		if (n->in[k] && diff_wants(d, n->in[k]))
			diff_output(d, back, n->in[k]);
	return true;
}
