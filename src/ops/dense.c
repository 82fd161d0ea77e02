/*
 * dense: a fully connected layer on the last dimension. What comes before it, and the batch, are
 * rows of one matrix product (kernels/product/dense.cu).
 *
 * dense_then and dense_grad_input_then do a formula to what they make, such as an activation or the
 * gradient of one, before they store it. The pass fuse-activation makes them.
 * dense_grad_weight_bias, which the pass bias-gradients makes, is the gradients of weights and bias
 * in one.
 */
#include "ops/dense.h"

#include "ir/diff.h"

#include "ops/pointwise.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"
#include "ops/then.h"

static const struct attr_spec attrs[] = {
	DENSE_ATTRS,
	ATTRS_END
};

static const struct attr_spec attrs_then[] = {
	DENSE_ATTRS,
	THEN_ATTR,
	ATTRS_END
};

static int64_t
last(const struct tensor *t)
{
	return t->dim[t->rank - 1];
}

const char *
dense_rows(struct emitter *e, const struct tensor *t)
{
	return emit_rows(e, t, t->rank - 1);
}

/* ---- backward ---- */

struct affine
dense_work_of_input(const struct node *n, const struct room *room)
{
	return product_work_library(n, room, last(n->in[0]), last(n->out[0]));
}

static void
emit_input(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_backward_input", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_onto(n), then_arg(e, n, then_beside(n)), arg_work(n), arg_work_bytes(n),
	    arg_text(dense_rows(e, n->in[0])), arg_int(last(n->out[0])), arg_int(last(n->in[0])));
}

const struct op op_dense_grad_input = {
	.name = "dense_grad_input",
	.kind = OP_INTERNAL,
	.brief = "gradient of dense with respect to its input: dy weight",
	.attrs = attrs,
	.operands = "dy weight",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = dense_work_of_input,
	.memory.onto = 2,
	.then = { &op_dense_grad_input_then, 2 },
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.emit = emit_input,
};

const struct op op_dense_grad_input_then = {
	.name = "dense_grad_input_then",
	.kind = OP_INTERNAL,
	.brief = "gradient of dense with respect to what the formula before it reads",
	.attrs = attrs_then,
	.operands = "dy weight saved",
	.min_operands = 2, .max_operands = 3,
	.macs = product_macs_of_forward,
	.memory.workspace = dense_work_of_input,
	.then = { &op_dense_grad_input_then, 2 },
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit_input,
};

/* The sum runs over the rows, whose number grows with the batch. */
static struct affine
work_of_weight(const struct node *n, const struct room *room)
{
	const struct tensor *dy = n->in[0];
	int64_t depth = dy->batched ? LONG_SUM : shape_product(dy, 0, dy->rank - 1);
	struct affine scratch = product_work_library(n, room, depth, last(n->in[1]));

	if (room->target->libraries && n->keep_first)
		scratch.fixed = most(scratch.fixed, DENSE_FACTORS);
	return scratch;
}

/* Bytes that a large card moves while a bias's gradient that is summed by itself is launched. */
#define BIAS_ALONE	((int64_t)16 << 20)

/* A gradient that is added to a sum as it is made is not stored, and not read for that, two bytes a
 * weight each. That of the bias then is not made beside it: cuBLASLt would make it of the sum's
 * type, and anew. */
static bool
onto_real(const struct node *n, int64_t batch)
{
	int64_t saved = product_of(4, tensor_elements_per_sample(n->out[0]));

	if (!op_bool(n, "bias"))
		return true;
	return saved > BIAS_ALONE && saved - BIAS_ALONE > affine_at(tensor_bytes(n->in[0]), batch);
}

static void
emit_weight(struct emitter *e, const struct node *n)
{
	bool whole = n->out[0]->dtype != n->in[0]->dtype;

	emit_call(e, whole ? "dense_backward_weight_real" : "dense_backward_weight", arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_work_bytes(n),
	    arg_text(dense_rows(e, n->in[0])), arg_int(last(n->in[1])), arg_int(last(n->in[0])));
}

const struct op op_dense_grad_weight = {
	.name = "dense_grad_weight",
	.kind = OP_INTERNAL,
	.brief = "gradient of dense with respect to its weights: dy' x",
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = work_of_weight,
	.memory.onto = 2,
	.memory.onto_real = onto_real,
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.emit = emit_weight,
};

static struct affine
work_of_bias(const struct node *n, const struct room *room)
{
	int64_t channels = last(n->in[0]);

	return product_work_bias(channels, bias_parts(channels), room);
}

static void
emit_bias(struct emitter *e, const struct node *n)
{
	emit_call(e, "bias_rows_backward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]),
	    arg_text(dense_rows(e, n->in[0])), arg_int(last(n->in[0])));
}

const struct op op_dense_grad_bias = {
	.name = "dense_grad_bias",
	.kind = OP_INTERNAL,
	.brief = "gradient of dense with respect to its bias: the sum of the rows of dy",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.workspace = work_of_bias,
	.calls.kernels = "product/bias.cu",
	.calls.listed = true,
	.calls.emit = emit_bias,
};

/* The bias's own sum, where the library does not do it beside the product, comes after that. */
static struct affine
work_of_weight_bias(const struct node *n, const struct room *room)
{
	struct affine product = work_of_weight(n, room);
	struct affine sum = work_of_bias(n, room);

	product.fixed = most(product.fixed, sum.fixed);
	return product;
}

static void
emit_weight_bias(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_backward_weight_bias", arg_tensor(n->out[0]), arg_tensor(n->out[1]),
	    arg_tensor(n->in[0]), arg_tensor(n->in[1]), arg_onto(n), arg_work(n), arg_work_bytes(n),
	    arg_text(dense_rows(e, n->in[0])), arg_int(last(n->in[1])), arg_int(last(n->in[0])));
}

const struct op op_dense_grad_weight_bias = {
	.name = "dense_grad_weight_bias",
	.kind = OP_INTERNAL,
	.brief = "gradients of dense with respect to its weights and its bias: dy' x, and the sum of "
	    "the rows of dy",
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.macs = product_macs_of_forward,
	.memory.workspace = work_of_weight_bias,
	.memory.onto = 2,
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.emit = emit_weight_bias,
};

#define NEAR	64	/* nodes that are looked at */

/* The node that sums the rows of DY already, or NULL. */
static struct node *
summed(const struct diff *d, const struct tensor *dy)
{
	int i, n = d->g->nodes.n;

	for (i = n - 1; i >= 0 && i >= n - NEAR; i--)
		if (d->g->nodes.v[i]->op == &op_dense_grad_bias && d->g->nodes.v[i]->in[0] == dy)
			return d->g->nodes.v[i];
	return NULL;
}

void
dense_bias_gradient(struct diff *d, struct node *n, struct tensor *dy, struct tensor *bias)
{
	struct arena *a = d->m->arena;
	struct node *same = summed(d, dy), *back;
	struct attr attr[MAX_ATTRS];

	if (same) {
		back = diff_node(d, n, &op_pointwise, 1, same->out);
		pointwise_set(a, back, formula_parse(a, "copy = x0: x0"));
	} else {
		back = diff_node(d, n, &op_dense_grad_bias, 1, &dy);
		op_presets_to(&op_dense, attr);
		op_preset(&op_dense, attr, "units")->i = last(dy);
		diff_share_attrs(d, back, attr);
	}
	diff_output(d, back, bias);
}

static bool
grad(struct diff *d, struct node *n)
{
	return product_grad(d, n, &op_dense_grad_weight, &op_dense_grad_input, dense_bias_gradient);
}

/* ---- forward ---- */

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t units = op_int(n, "units"), dim[MAX_RANK];
	struct init init;
	int i;

	if (!shape_float(b, n, 0))
		return false;
	if (x->rank < 1)
		return op_error(b, n, "dense: input is a scalar, but it needs a last dimension to act on");
	init = product_init(last(x));
	if (!op_param(b, n, "weight", T_PARAM, init, 2, (int64_t[]){ units, last(x) }) ||
	    (op_bool(n, "bias") && !op_param(b, n, "bias", T_PARAM, init, 1, &units)))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	dim[x->rank - 1] = units;
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

/* Of a whole input a rank makes its units; of its share of the input its part of a sum. */
static bool
split(struct split *s, struct node *n)
{
	int blocks = s->wanted[n->out[0]->id] > 1 ? s->wanted[n->out[0]->id] : 1;
	struct tensor *bias = n->nin > 2 ? n->in[2] : NULL;
	int64_t units = last(n->out[0]);

	if (split_blocks(s, n->in[0]) == 1) {
		if (!split_parameter(s, n, 1, 1, 1))
			return true;
		n->nin = 2;
		split_attr(s, n, "bias")->i = false;
		split_append_sum(s, n, bias);
		return true;
	}
	if (units % (s->ranks * blocks) != 0)
		return split_uneven(s, n, units / blocks, "units");
	n->in[0] = split_enter(s, n, split_whole(s, n, n->in[0]));
	if (!split_parameter(s, n, 1, 0, blocks) || (bias && !split_parameter(s, n, 2, 0, blocks)))
		return true;
	split_attr(s, n, "units")->i = units / s->ranks;
	split_result(s, n->out[0], blocks);
	split_append(s, n);
	return true;
}

struct affine
dense_macs(const struct node *n)
{
	return product_macs(n->out[0], tensor_elements_per_sample(n->out[0]), last(n->in[0]));
}

struct affine
dense_work(const struct node *n, const struct room *room)
{
	return product_work_library(n, room, last(n->in[0]), MANY_COLUMNS);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "dense_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_tensor(then_operands(n) > 2 ? n->in[2] : NULL), then_arg(e, n, then_beside(n)),
	    arg_work(n), arg_work_bytes(n), arg_text(dense_rows(e, n->in[0])), arg_int(last(n->in[0])),
	    arg_int(last(n->out[0])));
}

/* In PyTorch a product of matrices: rows of more than one axis are put in one, and back. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0], *y = n->out[0];
	bool rows = x->rank + x->batched > 2;
	struct tape_shape sizes, flat = { .rank = 2, .step = { last(y), 1 } };
	int in = tape_value(t, x);

	if (rows) {
		in = tape_reshape_rows(t, in, last(x));
	}
	tape_plain(t, n, in);
	if (rows) {
		tape_shape_of_tensor(t, y, &sizes);
		flat.size[0] = affine_at(tensor_elements(y), t->batch) / last(y);
		flat.size[1] = last(y);
		in = tape_value(t, y);
		tape_shaped(t, in, &flat);
		tape_result(t, y, tape_result_view(t, in, &sizes));
	}
}

const struct op op_dense = {
	.name = "dense",
	.kind = OP_LAYER,
	.brief = "fully connected layer",
	.doc = "y = x weight' + bias on the last dimension: input [..., in] gives [..., units]. To see "
	    "a whole image at once, put `flatten` before it.\n\n"
	    "Parameters, as PyTorch's Linear: weight [units, in] and bias [units], both started "
	    "uniformly in +-1/sqrt(in). weight=name shares the weight of another layer, as language "
	    "models share that of their embedding.\n\n"
	    "With split=ranks, where several ranks train together, each has its share of the weights: of the units, "
	    "of which it then makes its own; where the input is such units, as after another such layer and an activation, "
	    "of its columns, and ranks add up what each makes of them. See ranks in stowage(5).\n\n"
	    "Backward reads the input and the weights. Multiply-adds: in * units for each row.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.macs = dense_macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = dense_work,
	.then = { &op_dense_then, 2 },
	.ranks.split = split,
	.torch = { .crosswise = true, .views = 1u << 1 | 1u << 2, .blas = true,
	    .calls = torch_calls },
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.emit = emit,
};

const struct op op_dense_then = {
	.name = "dense_then",
	.kind = OP_INTERNAL,
	.brief = "dense, and a formula of what it makes",
	.attrs = attrs_then,
	.operands = "x weight bias beside",
	.min_operands = 2, .max_operands = 4,
	.macs = dense_macs,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(0),
	.memory.workspace = dense_work,
	.then = { &op_dense_then, 2 },
	.calls.kernels = "product/dense.cu",
	.calls.listed = true,
	.calls.note = then_note,
	.calls.define = then_define,
	.calls.emit = emit,
};
