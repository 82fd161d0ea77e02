/*
 * layernorm, rmsnorm, groupnorm, instancenorm, l2norm: each sample is normalised by itself, row by row.
 *
 *     y = (x - mean) * scale * weight + bias
 *
 *                      a row                          mean    scale                    weight, bias
 *     layernorm        the trailing axes              its     1 / sqrt(var + eps)      an element each
 *     rmsnorm          the trailing axes              0       1 / sqrt(mean x^2 + eps) an element each
 *     groupnorm        some channels, all positions   its     1 / sqrt(var + eps)      a channel each
 *     instancenorm     a channel, all positions       its     1 / sqrt(var + eps)      a channel each
 *     l2norm           an axis                        0       1 / max(|x|, eps)        none
 *
 * They differ in what struct norm says. What backward keeps follows from the weights: with them the input,
 * the statistics and the weights, without them the output, which is then (x - mean) * scale itself, and the
 * scale; the input may be overwritten, and what comes behind often keeps that output anyway.
 */
#include "ir/diff.h"
#include "ops/product.h"
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

enum { X, WEIGHT, BIAS };
enum { Y, SCALE, MEAN };
enum { DY, OF_FORWARD, BY_WEIGHT, BY_MEAN, BY_SCALE, BACKWARD_OPERANDS };

/* what a row is divided by: attribute `by`, in its order, as norm/normalize.cu calls it */
enum statistic { DEVIATION, ROOT_MEAN, LENGTH };
static const char *const statistics[] = { "BY_DEVIATION", "BY_ROOT_MEAN", "BY_LENGTH" };

struct norm {
	enum statistic by;
	int axis;		/* rows are this axis (LENGTH), or it and those behind it */
	int64_t groups;		/* not 0: rows are so many groups of channels, each with a weight */
	double eps;
};

extern const struct op op_normalize_grad, op_layernorm, op_rmsnorm, op_groupnorm, op_instancenorm, op_l2norm;

#define EPS(value, what)	{ "eps", ATTR_REAL, what, .preset = value, .min = 1e-30, .max = 1 }
#define EPS_OF_VARIANCE	EPS("1e-5", "added to the variance before its root is taken")
#define AXES	{ "axes", ATTR_INT, "how many trailing axes a row has: 1 is the last alone",	\
	    .preset = "1", .min = 1, .max = MAX_RANK }

static const struct attr_spec layernorm_attrs[] = {
	AXES,
	{ "affine", ATTR_BOOL, "multiply by a weight for each element of a row, and add a bias",
	    .preset = "true" },
	{ "bias", ATTR_BOOL, "add a bias, where there are weights; or the tensor that is added", .preset = "true",
	    .shares = true },
	EPS_OF_VARIANCE,
	ATTRS_END
};

static const struct attr_spec rmsnorm_attrs[] = {
	AXES,
	{ "affine", ATTR_BOOL, "multiply by a weight for each element of a row", .preset = "true" },
	EPS("1e-6", "added to the mean square before its root is taken"),
	ATTRS_END
};

static const struct attr_spec groupnorm_attrs[] = {
	{ "groups", ATTR_INT, "groups that the channels are divided into", .required = true,
	    .min = 1, .max = (double)LARGEST_EXTENT },
	{ "affine", ATTR_BOOL, "multiply by a weight and add a bias, one of each a channel",
	    .preset = "true" },
	EPS_OF_VARIANCE,
	ATTRS_END
};

static const struct attr_spec instancenorm_attrs[] = {
	{ "affine", ATTR_BOOL, "multiply by a weight and add a bias, one of each a channel",
	    .preset = "false" },
	EPS_OF_VARIANCE,
	ATTRS_END
};

static const struct attr_spec l2norm_attrs[] = {
	{ "axis", ATTR_INT, "axis along which y has length 1: 0 is channels, -1 the last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	EPS("1e-12", "the least that x is divided by"),
	ATTRS_END
};

/* of the gradients: struct norm itself */
static const struct attr_spec attrs[] = {
	{ "by", ATTR_ENUM, "what rows are divided by", .required = true,
	    .choices = "deviation root_mean length" },
	{ "axis", ATTR_INT, "the first axis of a row", .required = true },
	{ "groups", ATTR_INT, "rows of a sample, where they are made of channels; else 0",
	    .required = true },
	{ "eps", ATTR_REAL, "as forward has it", .required = true },
	ATTRS_END
};

static struct norm
norm_of(const struct node *n)
{
	struct norm s = { .by = DEVIATION, .eps = op_real(n, "eps") };

	if (n->op == &op_layernorm || n->op == &op_rmsnorm) {
		s.by = n->op == &op_rmsnorm ? ROOT_MEAN : DEVIATION;
		s.axis = n->in[X]->rank - (int)op_int(n, "axes");
	} else if (n->op == &op_groupnorm) {
		s.groups = op_int(n, "groups");
	} else if (n->op == &op_instancenorm) {
		s.groups = n->in[X]->dim[0];
	} else if (n->op == &op_l2norm) {
		s.by = LENGTH;
		s.axis = shape_axis_of(n, n->in[X]);
	} else {
		s.by = (enum statistic)op_int(n, "by");
		s.axis = (int)op_int(n, "axis");
		s.groups = op_int(n, "groups");
	}
	return s;
}

/* How x lies for the kernels: ROWS of N neighbours, of which GROUPS have weights of their own, PLACES
 * neighbours each. */
struct rows {
	const char *rows;
	int64_t n, groups, places;
};

static int64_t
row_length(const struct norm *s, const struct tensor *x)
{
	if (s->groups)
		return tensor_elements_per_sample(x) / s->groups;
	return s->by == LENGTH ? x->dim[s->axis] : shape_product(x, s->axis, x->rank);
}

/* Has a channel more than one element of a sample, or a sample more than one row of channels? */
static bool
is_by_channel(const struct norm *s, const struct tensor *x)
{
	return s->groups > 1 || (s->groups && shape_product(x, 1, x->rank) > 1);
}

static struct rows
rows_of(struct emitter *e, const struct norm *s, const struct tensor *x)
{
	struct rows r = { emit_rows(e, x, s->axis), row_length(s, x), 1, 1 };

	if (s->groups) {
		r.rows = arena_printf(e->module->arena, x->batched ? "b * %lld" : "%lld",
		    (long long)s->groups);
		r.groups = s->groups;
		r.places = shape_product(x, 1, x->rank);
	}
	return r;
}

/* Do its rows' elements lie apart? */
static bool
is_strided(const struct norm *s, const struct tensor *x)
{
	return s->by == LENGTH && shape_product(x, s->axis + 1, x->rank) > 1;
}

static struct tensor *
operand(const struct node *n, int k)
{
	return n->nin > k ? n->in[k] : NULL;
}

static struct tensor *
result(const struct node *n, int k)
{
	return n->nout > k ? n->out[k] : NULL;
}

/* ---- backward: dy, then x, weight, mean and scale; or y and scale ---- */

static bool
is_affine(const struct node *n)	/* a backward node */
{
	return n->in[BY_WEIGHT] != NULL;
}

static struct tensor *
gradient_of(const struct node *n, int k)
{
	const struct tensor *like = operand(n->forward, k);
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
	const struct norm s = norm_of(n);
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
	return (struct affine){ product_of(all * row_parts(row_length(&s, x), gpu),
	    row_length(&s, x)), 0 };
}

/* Sums over rows for weight and bias are made in a sweep of their own. */
static struct affine
backward_traffic(const struct node *n)
{
	struct affine bytes = op_bytes(n);

	if (n->op == &op_normalize_grad && is_affine(n) && (gradient_of(n, WEIGHT) || gradient_of(n, BIAS)))
		bytes = affine_sum(bytes, affine_sum(tensor_bytes(n->in[DY]), tensor_bytes(n->in[OF_FORWARD])));
	return bytes;
}

static void
emit_gradients(struct emitter *e, const struct node *n, struct tensor *dx)
{
	const struct norm s = norm_of(n);
	struct tensor *const *in = n->in, *x = in[OF_FORWARD];
	const char *eps = emit_double(e, s.eps);
	struct rows r;

	if (is_strided(&s, x)) {
		struct channels c = emit_axis(e, x, s.axis);

		emit_call(e, "normalize_axis_backward", arg_tensor(dx), arg_onto(n), arg_tensor(in[DY]),
		    arg_tensor(x), arg_tensor(in[BY_SCALE]), arg_text(eps), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places));
		return;
	}
	r = rows_of(e, &s, x);
	emit_call(e, "normalize_backward", arg_tensor(dx), arg_tensor(gradient_of(n, WEIGHT)),
	    arg_tensor(gradient_of(n, BIAS)), arg_onto(n), arg_work(n), arg_tensor(in[DY]),
	    arg_tensor(x), arg_tensor(in[BY_WEIGHT]), arg_tensor(in[BY_MEAN]),
	    arg_tensor(in[BY_SCALE]), arg_text(statistics[s.by]), arg_text(eps), arg_text(r.rows),
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

const struct op op_normalize_grad = {
	.name = "normalize_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of a normalisation: of its input, and of weight and bias if they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean scale",
	.min_operands = BACKWARD_OPERANDS, .max_operands = BACKWARD_OPERANDS,
	.traffic = backward_traffic,
	.memory.workspace = backward_work,
	.memory.inplace = 1u << DY | 1u << OF_FORWARD,
	.memory.onto = BACKWARD_OPERANDS,
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit_backward,
};

const struct op op_normalize_grad_weight = {
	.name = "normalize_grad_weight",
	.kind = OP_INTERNAL,
	.brief = "gradients of a normalisation's weight and bias, where its input needs none",
	.attrs = attrs,
	.operands = "dy x weight mean scale",
	.min_operands = BACKWARD_OPERANDS, .max_operands = BACKWARD_OPERANDS,
	.memory.workspace = backward_work,
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit_backward_weight,
};

static bool
grad(struct diff *d, struct node *n)
{
	const struct norm s = norm_of(n);
	struct tensor *weight = operand(n, WEIGHT);
	struct tensor *in[] = { diff_of(d, n->out[Y]), weight ? n->in[X] : n->out[Y], weight,
		weight ? result(n, MEAN) : NULL, n->out[SCALE] };
	struct node *back;
	struct attr *a;
	int k;

	back = diff_node(d, n, diff_wants(d, n->in[X]) ? &op_normalize_grad :
	    &op_normalize_grad_weight, BACKWARD_OPERANDS, in);
	a = diff_attrs(d, back);
	a[0].i = (int64_t)s.by;
	a[1].i = s.axis;
	a[2].i = s.groups;
	a[3].r = s.eps;
	for (k = X; k < n->nin; k++)
		if (n->in[k] && diff_wants(d, n->in[k]))
			diff_output(d, back, n->in[k]);
	return true;
}

/* ---- forward ---- */

static void
emit(struct emitter *e, const struct node *n)
{
	const struct norm s = norm_of(n);
	const struct tensor *x = n->in[X];
	const char *eps = emit_double(e, s.eps);
	struct rows r;

	if (is_strided(&s, x)) {
		struct channels c = emit_axis(e, x, s.axis);

		emit_call(e, "normalize_axis_forward", arg_tensor(n->out[Y]),
		    arg_tensor(result(n, SCALE)), arg_tensor(x), arg_text(eps), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places));
		return;
	}
	r = rows_of(e, &s, x);
	emit_call(e, "normalize_forward", arg_tensor(n->out[Y]), arg_tensor(result(n, MEAN)),
	    arg_tensor(result(n, SCALE)), arg_tensor(x), arg_tensor(operand(n, WEIGHT)),
	    arg_tensor(operand(n, BIAS)), arg_text(statistics[s.by]), arg_text(eps), arg_text(r.rows),
	    arg_int(r.n), arg_int(r.groups), arg_int(r.places));
}

/* Parameters of that shape, and the outputs, once the operand is known good. */
static bool
outputs(struct build *b, struct node *n, bool affine, bool bias, int rank, const int64_t *dim)
{
	static const struct init zeros = { INIT_ZEROS, 0 }, ones = { INIT_CONSTANT, 1 };
	const struct norm s = norm_of(n);
	const struct tensor *x = n->in[X];
	const struct dtype *stat = x->dtype->real;
	int64_t rows[MAX_RANK];
	int i, nrows = 0;

	if (affine && (!op_param(b, n, "weight", T_PARAM, ones, rank, dim) ||
	    (bias && !op_param(b, n, "bias", T_PARAM, zeros, rank, dim))))
		return false;
	for (i = 0; i < x->rank; i++)
		if (s.by == LENGTH ? i != s.axis : i < s.axis)
			rows[nrows++] = x->dim[i];
	if (s.groups)
		rows[nrows++] = s.groups;
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, x->dim);
	op_output(b, n, s.by == DEVIATION ? "invstd" : "scale", T_SAVED, stat, x->batched, nrows, rows);
	if (s.by == DEVIATION)
		op_output(b, n, "mean", T_SAVED, stat, x->batched, nrows, rows);
	return true;
}

static bool
trailing_axes(struct build *b, struct node *n, bool bias)
{
	const struct tensor *x = n->in[X];
	int axes = (int)op_int(n, "axes");

	if (!shape_float(b, n, 0))
		return false;
	if (axes > x->rank)
		return op_error(b, n, "%s: axes=%d, but input has only %d (the batch is not counted): %s",
		    n->op->name, axes, x->rank, op_operand_text(b, x));
	return outputs(b, n, op_bool(n, "affine"), bias, axes, x->dim + x->rank - axes);
}

static bool
layernorm_shape(struct build *b, struct node *n)
{
	if (!op_bool(n, "affine") && op_attr(n, "bias")->given && op_bool(n, "bias"))
		return op_error(b, n, "layernorm: affine=false leaves out weight and bias, but bias=true "
		    "asks for one; drop either");
	return trailing_axes(b, n, op_bool(n, "bias"));
}

static bool
rmsnorm_shape(struct build *b, struct node *n)
{
	return trailing_axes(b, n, false);
}

static bool
groupnorm_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[X];
	int64_t groups = op_int(n, "groups");

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[channels, positions...]"))
		return false;
	if (x->dim[0] % groups)
		return op_error(b, n, "groupnorm: %lld channels cannot be divided into %lld groups: "
		    "input is %s", (long long)x->dim[0], (long long)groups, op_operand_text(b, x));
	return outputs(b, n, op_bool(n, "affine"), true, 1, x->dim);
}

static bool
instancenorm_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[X];

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[channels, positions...]"))
		return false;
	if (shape_product(x, 1, x->rank) == 1)
		return op_error(b, n, "instancenorm: each channel has a single position, which would always "
		    "become 0: input is %s; layernorm normalises over channels", op_operand_text(b, x));
	return outputs(b, n, op_bool(n, "affine"), true, 1, x->dim);
}

static bool
l2norm_shape(struct build *b, struct node *n)
{
	int axis;

	return shape_float(b, n, 0) && shape_axis(b, n, n->in[X], &axis) &&
	    outputs(b, n, false, false, 0, NULL);
}

/* ---- in PyTorch ---- */

/* instance_norm is batch_norm of one sample with a channel for each of the batch; weights are repeated
 * for that. */
static void
instancenorm_torch(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[X];
	int64_t bytes = tape_bytes(t, x), channels = tape_bytes(t, n->out[SCALE]);
	int in[3] = { TAPE_NONE, TAPE_NONE, TAPE_NONE }, k;
	struct tape_call view = { .output = TORCH_VIEW, .nin = 1, .bytes = bytes, .passes = 1u << 0,
		.views = 1u << 0 };

	for (k = WEIGHT; k < n->nin; k++) {
		int of = tape_value(t, n->in[k]);

		in[k] = tape_call(t, &(struct tape_call){ .in = &of, .nin = 1, .bytes = channels });
	}
	in[X] = tape_value(t, x);
	view.in = &in[X];
	in[X] = tape_call(t, &view);
	k = tape_call(t, &(struct tape_call){ .in = in, .nin = n->nin, .bytes = bytes,
	    .saves = SAVES_IN(X) | SAVES_IN(WEIGHT), .beside = product_of(2, channels) });
	view.in = &k;
	tape_result(t, n->out[Y], tape_call(t, &view));
}

/* x / x.norm(keepdim=True).clamp_min(eps).expand_as(x) */
static void
l2norm_torch(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->in[X]), rows = tape_bytes(t, n->out[SCALE]);
	int in[2] = { tape_value(t, n->in[X]) };

	in[1] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .bytes = rows,
	    .saves = SAVES_IN(0) | SAVES_OUT(0), .scratch = product_of(2, bytes) });
	in[1] = tape_call(t, &(struct tape_call){ .in = &in[1], .nin = 1, .bytes = rows,
	    .saves = SAVES_IN(0) });
	tape_result(t, n->out[Y], tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = bytes, .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true,
	    .full = 1u << 1, .scratch = product_of(4, bytes) }));
}

#define KEPT	(SAVES_IN(X) | SAVES_IN(WEIGHT) | SAVES_OUT(Y) | SAVES_OUT(SCALE) | SAVES_OUT(MEAN))
#define OPTIONAL	(1u << SCALE | 1u << MEAN)

const struct op op_layernorm = {
	.name = "layernorm",
	.kind = OP_LAYER,
	.brief = "layer normalisation",
	.doc = "y = (x - mean) / sqrt(var + eps) * weight + bias, where mean and var are those of a row: of "
	    "the last axis, or with axes=2 of the last two, sample by sample and position by position (Ba, "
	    "Kiros and Hinton, 2016). var has n in its denominator. The output has the shape of the input.\n\n"
	    "Parameters, as PyTorch's LayerNorm: weight (starts at 1) and bias (0), of the shape of a "
	    "row. affine=false leaves out both, bias=false the bias.\n\n"
	    "Backward reads the input, mean and inverse deviation of each row, and the weights; with "
	    "affine=false the output in place of all but the deviation, and then the layer may "
	    "overwrite its input.",
	.attrs = layernorm_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = layernorm_shape,
	.gradient.build = grad,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

const struct op op_rmsnorm = {
	.name = "rmsnorm",
	.kind = OP_LAYER,
	.brief = "normalisation by the root mean square",
	.doc = "y = x / sqrt(mean of x^2 + eps) * weight, row by row as layernorm, but nothing is "
	    "subtracted or added (Zhang and Sennrich, 2019). The output has the shape of the input.\n\n"
	    "Parameters, as PyTorch's RMSNorm: weight (starts at 1), of the shape of a row, unless "
	    "affine=false. PyTorch's eps is by default that of its type, 1.19e-7 for f32.\n\n"
	    "Backward reads the input, one number a row and the weights; with affine=false the output in "
	    "place of the input.",
	.attrs = rmsnorm_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = rmsnorm_shape,
	.gradient.build = grad,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

const struct op op_groupnorm = {
	.name = "groupnorm",
	.kind = OP_LAYER,
	.brief = "normalisation of groups of channels",
	.doc = "y = (x - mean) / sqrt(var + eps) * weight + bias, where mean and var are those of a group: "
	    "of channels / groups neighbours on axis 0, at all positions, sample by sample (Wu and He, "
	    "2018). Other than batchnorm it does not depend on the batch. The output has the shape of "
	    "the input, [channels, positions...].\n\n"
	    "Parameters, as PyTorch's GroupNorm: weight (starts at 1) and bias (0), one number a "
	    "channel each, unless affine=false.\n\n"
	    "Backward reads the input, mean and inverse deviation of each group, and the weights; with "
	    "affine=false the output in place of all but the deviation.",
	.attrs = groupnorm_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = groupnorm_shape,
	.gradient.build = grad,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

const struct op op_instancenorm = {
	.name = "instancenorm",
	.kind = OP_LAYER,
	.brief = "normalisation of each channel of a sample",
	.doc = "y = (x - mean) / sqrt(var + eps), where mean and var are those of a channel (axis 0) at all "
	    "positions of a sample: groupnorm with a group for each channel (Ulyanov, Vedaldi and "
	    "Lempitsky, 2016). The output has the shape of the input, [channels, positions...].\n\n"
	    "As PyTorch's InstanceNorm it has no parameters; affine=true gives it weight (starts "
	    "at 1) and bias (0), one number a channel each. There are no running statistics.\n\n"
	    "Backward reads the output and one number a channel; with affine=true what groupnorm's "
	    "reads.",
	.attrs = instancenorm_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = instancenorm_shape,
	.gradient.build = grad,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .calls = instancenorm_torch },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

const struct op op_l2norm = {
	.name = "l2norm",
	.kind = OP_LAYER,
	.brief = "vectors of length 1 along an axis",
	.doc = "y = x / max(|x|, eps), where |x| is the root of the sum of squares along the axis, as "
	    "PyTorch's normalize. The output has the shape of the input. By default the axis is 0: "
	    "channels of [C, H, W]; write l2norm(axis=-1) for the features of [T, D].\n\n"
	    "Backward reads the output and one number for each vector. A vector no longer than eps is "
	    "divided by eps, and its gradient too.",
	.attrs = l2norm_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = l2norm_shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(Y) | SAVES_OUT(SCALE),
	.memory.inplace = 1u << X,
	.memory.optional_out = 1u << SCALE,
	.torch = { .calls = l2norm_torch },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};
