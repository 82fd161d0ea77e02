/*
 * layernorm, rmsnorm, groupnorm, instancenorm, l2norm: each sample is normalised by itself, row by
 * row.
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
 * They differ in what struct norm says. The first four do a formula behind them too, an activation
 * mostly, in the sweep in which they normalise: layernorm_then and so on, which the pass fuse-norm
 * makes. Gradients are in normalize_grad.c.
 */
#include "ops/normalize.h"

#include "ops/product.h"
#include "ops/shapes.h"
#include "ops/then.h"

#include "calls/tape.h"

extern const struct op op_layernorm, op_rmsnorm, op_groupnorm, op_instancenorm, op_l2norm;
extern const struct op op_layernorm_then, op_rmsnorm_then, op_groupnorm_then, op_instancenorm_then;

#define EPS(value, what)	{ "eps", ATTR_REAL, what, .preset = value, .min = 1e-30, .max = 1 }
#define EPS_OF_VARIANCE	EPS("1e-5", "added to the variance before its root is taken")
#define AXES	{ "axes", ATTR_INT, "how many trailing axes a row has: 1 is the last alone",	\
	    .preset = "1", .min = 1, .max = MAX_RANK }

#define LAYERNORM_ATTRS										\
	AXES,											\
	{ "affine", ATTR_BOOL, "multiply by a weight for each element of a row, and add a bias",\
	    .preset = "true" },	\
	{ "bias", ATTR_BOOL, "add a bias, where there are weights; or the tensor that is added", .preset = "true",\
	    .shares = true },	\
	EPS_OF_VARIANCE

static const struct attr_spec layernorm_attrs[] = { LAYERNORM_ATTRS, ATTRS_END };
static const struct attr_spec layernorm_then_attrs[] = { LAYERNORM_ATTRS, THEN_ATTR, ATTRS_END };

#define RMSNORM_ATTRS										\
	AXES,											\
	{ "affine", ATTR_BOOL, "multiply by a weight for each element of a row", .preset = "true" },\
	EPS("1e-6", "added to the mean square before its root is taken")

static const struct attr_spec rmsnorm_attrs[] = { RMSNORM_ATTRS, ATTRS_END };
static const struct attr_spec rmsnorm_then_attrs[] = { RMSNORM_ATTRS, THEN_ATTR, ATTRS_END };

#define GROUPNORM_ATTRS										\
	{ "groups", ATTR_INT, "groups that the channels are divided into", .required = true,	\
	    .min = 1, .max = (double)LARGEST_EXTENT },	\
	{ "affine", ATTR_BOOL, "multiply by a weight and add a bias, one of each a channel",	\
	    .preset = "true" },	\
	EPS_OF_VARIANCE

static const struct attr_spec groupnorm_attrs[] = { GROUPNORM_ATTRS, ATTRS_END };
static const struct attr_spec groupnorm_then_attrs[] = { GROUPNORM_ATTRS, THEN_ATTR, ATTRS_END };

#define INSTANCENORM_ATTRS									\
	{ "affine", ATTR_BOOL, "multiply by a weight and add a bias, one of each a channel",	\
	    .preset = "false" },	\
	EPS_OF_VARIANCE

static const struct attr_spec instancenorm_attrs[] = { INSTANCENORM_ATTRS, ATTRS_END };
static const struct attr_spec instancenorm_then_attrs[] = { INSTANCENORM_ATTRS, THEN_ATTR, ATTRS_END };

static const struct attr_spec l2norm_attrs[] = {
	{ "axis", ATTR_INT, "axis along which y has length 1: 0 is channels, -1 the last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	EPS("1e-12", "the least that x is divided by"),
	ATTRS_END
};

/* Is it that layer, with a formula behind it or without? */
static bool
is(const struct node *n, const struct op *layer)
{
	return n->op == layer || n->op == layer->then.op;
}

struct norm
normalize_norm(const struct node *n)
{
	struct norm s = { .by = DEVIATION, .eps = op_real(n, "eps") };

	if (is(n, &op_layernorm) || is(n, &op_rmsnorm)) {
		s.by = is(n, &op_rmsnorm) ? ROOT_MEAN : DEVIATION;
		s.axis = n->in[X]->rank - (int)op_int(n, "axes");
	} else if (is(n, &op_groupnorm)) {
		s.groups = op_int(n, "groups");
	} else if (is(n, &op_instancenorm)) {
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

int64_t
normalize_length(const struct norm *s, const struct tensor *x)
{
	if (s->groups)
		return tensor_elements_per_sample(x) / s->groups;
	return s->by == LENGTH ? x->dim[s->axis] : shape_product(x, s->axis, x->rank);
}

struct rows
normalize_rows(struct emitter *e, const struct norm *s, const struct tensor *x)
{
	struct rows r = { emit_rows(e, x, s->axis), normalize_length(s, x), 1, 1 };

	if (s->groups) {
		r.rows = arena_printf(e->module->arena, x->batched ? "b * %lld" : "%lld",
		    (long long)s->groups);
		r.groups = s->groups;
		r.places = shape_product(x, 1, x->rank);
	}
	return r;
}

bool
normalize_is_strided(const struct norm *s, const struct tensor *x)
{
	return s->by == LENGTH && shape_product(x, s->axis + 1, x->rank) > 1;
}

struct call_arg
normalize_by(const struct norm *s)
{
	static const char *const statistics[] = { "BY_DEVIATION", "BY_ROOT_MEAN", "BY_LENGTH" };

	return arg_text(statistics[s->by]);
}

static struct tensor *
result(const struct node *n, int k)
{
	return n->nout > k ? n->out[k] : NULL;
}

/* ---- forward ---- */

static void
emit(struct emitter *e, const struct node *n)
{
	const struct norm s = normalize_norm(n);
	const struct tensor *x = n->in[X];
	const char *eps = emit_double(e, s.eps);
	struct rows r;

	if (normalize_is_strided(&s, x)) {
		struct channels c = emit_axis(e, x, s.axis);

		emit_call(e, "normalize_axis_forward", arg_tensor(n->out[Y]),
		    arg_tensor(result(n, SCALE)), arg_tensor(x), arg_text(eps), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places));
		return;
	}
	r = normalize_rows(e, &s, x);
	emit_call(e, "normalize_forward", arg_tensor(n->out[Y]), arg_tensor(result(n, MEAN)),
	    arg_tensor(result(n, SCALE)), arg_tensor(x), arg_tensor(normalize_operand(n, WEIGHT)),
	    arg_tensor(normalize_operand(n, BIAS)), then_arg(e, n, NULL), normalize_by(&s), arg_text(eps), arg_text(r.rows),
	    arg_int(r.n), arg_int(r.groups), arg_int(r.places));
}

/* Parameters of that shape, and the outputs, once the operand is known good. */
static bool
outputs(struct build *b, struct node *n, bool affine, bool bias, int rank, const int64_t *dim)
{
	static const struct init zeros = { INIT_ZEROS, 0 }, ones = { INIT_CONSTANT, 1 };
	const struct norm s = normalize_norm(n);
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

/* instance_norm is batch_norm of one sample with a channel for each of the batch; weights are
 * repeated for that. */
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

/* Backward of one without weights would need the mean beside, so the plan would be larger. */
static bool
can(struct arena *a, const struct node *n, const struct formula *then)
{
	return (normalize_operand(n, WEIGHT) || !result(n, MEAN)) && then_is_passed(a, n, then);
}

#define KEPT	(SAVES_IN(X) | SAVES_IN(WEIGHT) | SAVES_OUT(Y) | SAVES_OUT(SCALE) | SAVES_OUT(MEAN))
#define KEPT_THEN	(SAVES_IN(X) | SAVES_IN(WEIGHT) | SAVES_IN(BIAS) | SAVES_OUT(SCALE) | SAVES_OUT(MEAN))
#define OPTIONAL	(1u << SCALE | 1u << MEAN)

/* A layer, and a formula of what it makes. */
#define OP_ROW(id, layer)								\
	const struct op op_##id = {							\
		.name = #id,								\
		.kind = OP_INTERNAL,							\
		.brief = #layer ", and a formula of what it makes",			\
		.attrs = layer##_then_attrs,						\
		.operands = "x weight bias",						\
		.min_operands = 1, .max_operands = 3,					\
		.gradient.build = normalize_gradient,					\
		.gradient.saves = KEPT_THEN,						\
		.memory.inplace = 1u << X,						\
		.memory.optional_out = OPTIONAL,					\
		.calls.kernels = "norm/normalize.cu",					\
		.calls.note = then_note,						\
		.calls.define = then_define,						\
		.calls.emit = emit,							\
	}

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
	.gradient.build = normalize_gradient,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.then = { &op_layernorm_then, 1, can },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

OP_ROW(layernorm_then, layernorm);

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
	.gradient.build = normalize_gradient,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.then = { &op_rmsnorm_then, 1, can },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

OP_ROW(rmsnorm_then, rmsnorm);

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
	.gradient.build = normalize_gradient,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .saves = SAVES_IN(X) | SAVES_IN(WEIGHT) },
	.then = { &op_groupnorm_then, 1, can },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

OP_ROW(groupnorm_then, groupnorm);

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
	.gradient.build = normalize_gradient,
	.gradient.saves = KEPT,
	.memory.inplace = 1u << X,
	.memory.optional_out = OPTIONAL,
	.torch = { .calls = instancenorm_torch },
	.then = { &op_instancenorm_then, 1, can },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};

OP_ROW(instancenorm_then, instancenorm);

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
	.gradient.build = normalize_gradient,
	.gradient.saves = SAVES_OUT(Y) | SAVES_OUT(SCALE),
	.memory.inplace = 1u << X,
	.memory.optional_out = 1u << SCALE,
	.torch = { .calls = l2norm_torch },
	.calls.kernels = "norm/normalize.cu",
	.calls.emit = emit,
};
