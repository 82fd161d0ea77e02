/*
 * batchnorm: normalisation of each channel over the batch and all positions.
 *
 *     training   in  x weight bias running_mean running_var
 *                out y mean invstd running_mean' running_var'   (the last two in the same bytes)
 *     inference  out y, from the running statistics
 *
 * Where the running statistics are frozen, training uses them too, as other frameworks do when a
 * layer is put in evaluation mode for fine-tuning; the statistics then stay unchanged.
 */
#include "ops/batchnorm.h"
#include "ir/diff.h"
#include "ops/conv.h"
#include "ops/shapes.h"
#include "ops/then.h"

#include "calls/emitter.h"

#include "calls/sizes.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = { BATCHNORM_ATTRS, ATTRS_END };

bool
batchnorm_uses_batch(const struct node *n)
{
	return n->training && !tensor_root(n->in[RUNNING_MEAN])->frozen;
}

int64_t
batchnorm_parts(const struct tensor *x, const struct target *target)
{
	return norm_parts(x->dim[0], target->splits_sums && x->channels_last);
}

/* Two double sums for each part of a channel. */
static int64_t
sums_bytes(const struct tensor *x, const struct room *room)
{
	return 2 * x->dim[0] * batchnorm_parts(x, room->target) * (int64_t)sizeof(double);
}

/* Statistics are f32 where elements have 16 bits. */
static int64_t
row_bytes(const struct tensor *x)
{
	return x->dim[0] * dtype_bytes(x->dtype->real);
}

struct affine
batchnorm_workspace(const struct node *n, const struct room *room)
{
	const struct tensor *x = n->in[X];
	int64_t row = row_bytes(x);

	if (!batchnorm_uses_batch(n))
		return (struct affine){ row, 0 };
	/* statistics that no backward reads are scratch, behind the sums */
	return (struct affine){ sums_bytes(x, room) + (n->out[MEAN] ? 0 : row) +
	    (n->out[INVSTD] ? 0 : row), 0 };
}

struct affine
batchnorm_traffic(const struct node *n)
{
	struct affine bytes = op_bytes(n);

	return batchnorm_uses_batch(n) && !conv_sums_of(n, n->in[X]) ? affine_sum(bytes, tensor_bytes(n->in[X])) : bytes;
}

bool
batchnorm_can_take_sums(const struct node *n, const struct tensor *t)
{
	bool both = n->op == &op_batchnorm_both;

	if ((n->op != &op_batchnorm && n->op != &op_batchnorm_then && n->op != &op_batchnorm_marked && !both) ||
	    !batchnorm_uses_batch(n) || batchnorm_is_synced(n) || conv_sums_of(n, t))
		return false;
	return n->in[X] == t || (both && n->in[SKIP] == t);
}

struct tensor *
batchnorm_skip(const struct node *n)
{
	struct tensor *t = n->nin > SKIP ? n->in[SKIP] : NULL;

	return t && t != conv_sums_of(n, n->in[X]) ? t : NULL;
}

void
batchnorm_emit(struct emitter *e, const struct node *n, const struct tensor *skip)
{
	struct tensor *const *in = n->in, *const *out = n->out;
	struct channels c = emit_channels(e, in[X]);
	const char *eps = emit_double(e, op_real(n, "eps"));

	if (batchnorm_uses_batch(n))
		emit_call(e, "batchnorm_forward", arg_tensor(out[Y]), arg_tensor(out[MEAN]),
		    arg_tensor(out[INVSTD]), arg_tensor(out[NEW_MEAN]), arg_tensor(out[NEW_VAR]),
		    arg_work(n), arg_text(conv_sums_text(e, conv_sums_of(n, in[X]))), arg_tensor(in[X]),
		    arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]), then_arg(e, n, skip),
		    arg_text(eps), arg_text(emit_double(e, op_real(n, "momentum"))),
		    arg_text(c.rows), arg_int(c.channels), arg_int(c.places),
		    arg_int(batchnorm_parts(in[X], e->target)));
	else
		emit_call(e, "batchnorm_inference", arg_tensor(out[Y]), arg_work(n),
		    arg_tensor(in[X]), arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]), then_arg(e, n, skip),
		    arg_tensor(in[RUNNING_MEAN]), arg_tensor(in[RUNNING_VAR]), arg_text(eps),
		    arg_text(c.rows), arg_int(c.channels), arg_int(c.places));
}

static void
emit(struct emitter *e, const struct node *n)
{
	batchnorm_emit(e, n, NULL);
}

/* ---- made again: the statistics are known ---- */

void
batchnorm_emit_apply(struct emitter *e, const struct node *n, const struct tensor *skip)
{
	const struct tensor *x = n->in[0];
	struct channels c = emit_channels(e, x);

	emit_call(e, "bn_apply", arg_tensor(n->out[0]), arg_tensor(x), arg_tensor(n->in[1]),
	    arg_tensor(n->in[2]), then_arg(e, n, skip), arg_tensor(n->in[3]), arg_tensor(n->in[4]), arg_text(c.rows),
	    arg_int(c.channels), arg_int(c.places));
}

static void
emit_apply(struct emitter *e, const struct node *n)
{
	batchnorm_emit_apply(e, n, NULL);
}

const struct op op_batchnorm_apply = {
	.name = "batchnorm_apply",
	.kind = OP_INTERNAL,
	.brief = "batchnorm once more, with the statistics that it found",
	.attrs = attrs,
	.operands = "x weight bias mean invstd",
	.min_operands = 5, .max_operands = 5,
	.memory.inplace = 1u << 0,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.emit = emit_apply,
};

const struct op *
batchnorm_again(const struct node *n, const struct op *apply, struct tensor **in)
{
	bool batch = batchnorm_uses_batch(n);

	if (batch && (!n->out[MEAN] || !n->out[INVSTD]))
		return NULL;	/* its running statistics would change twice */
	in[0] = n->in[X];
	in[1] = n->in[WEIGHT];
	in[2] = n->in[BIAS];
	in[3] = batch ? n->out[MEAN] : n->in[RUNNING_MEAN];
	in[4] = batch ? n->out[INVSTD] : n->in[RUNNING_VAR];
	return batch ? apply : n->op;
}

static const struct op *
again(const struct node *n, struct tensor **in, int *nin)
{
	*nin = 5;
	return batchnorm_again(n, &op_batchnorm_apply, in);
}

/* ---- backward: dy x weight mean invstd, or dy x weight running_mean running_var; of batchnorm_then one more
 * behind them ---- */

static bool
is_fixed(const struct node *n)
{
	return !batchnorm_uses_batch(n->forward);
}

struct affine
batchnorm_backward_workspace(const struct node *n, const struct room *room)
{
	const struct tensor *x = n->in[1];

	return (struct affine){ sums_bytes(x, room) +
	    (is_fixed(n) ? row_bytes(x) : 0), 0 };
}

struct tensor *
batchnorm_gradient_of(const struct node *n, int k)
{
	int i;

	for (i = 0; i < n->nout; i++)
		if (n->out[i] && n->out[i]->gradient_of == n->forward->in[k])
			return n->out[i];
	return NULL;
}

struct affine
batchnorm_backward_traffic(const struct node *n)
{
	struct affine bytes = op_bytes(n);

	return batchnorm_gradient_of(n, X) ? affine_sum(bytes, affine_sum(tensor_bytes(n->in[0]), tensor_bytes(n->in[1]))) : bytes;
}

void
batchnorm_emit_backward(struct emitter *e, const struct node *n, const struct tensor *bias)
{
	struct tensor *const *in = n->in, *x = in[1];
	struct channels c = emit_channels(e, x);
	struct call_arg parts = arg_int(batchnorm_parts(x, e->target)), then = then_arg(e, n, NULL);
	struct tensor *dx = batchnorm_gradient_of(n, X), *dweight = batchnorm_gradient_of(n, WEIGHT);
	struct tensor *dbias = batchnorm_gradient_of(n, BIAS);

	if (is_fixed(n))
		emit_call(e, "batchnorm_fixed_backward", arg_tensor(dx), arg_tensor(dweight),
		    arg_tensor(dbias), arg_work(n), arg_tensor(in[0]), then, arg_tensor(x),
		    arg_tensor(in[2]), arg_tensor(bias), arg_tensor(in[3]), arg_tensor(in[4]),
		    arg_text(emit_double(e, op_real(n, "eps"))), arg_text(c.rows),
		    arg_int(c.channels), arg_int(c.places), parts);
	else
		emit_call(e, "batchnorm_backward", arg_tensor(dx), arg_tensor(dweight),
		    arg_tensor(dbias), arg_work(n), arg_tensor(in[0]), then, arg_tensor(x),
		    arg_tensor(in[2]), arg_tensor(bias), arg_tensor(in[3]), arg_tensor(in[4]),
		    arg_text("0"), arg_text(c.rows), arg_int(c.channels), arg_int(c.places), parts);
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	batchnorm_emit_backward(e, n, NULL);
}

const struct op op_batchnorm_grad = {
	.name = "batchnorm_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm: of its input, weight and bias, as far as they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean invstd",
	.min_operands = 5, .max_operands = 5,
	.traffic = batchnorm_backward_traffic,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit_backward,
};

struct node *
batchnorm_differentiate(struct diff *d, struct node *n, const struct op *op, struct tensor *dy)
{
	bool batch = batchnorm_uses_batch(n);
	struct node *back;
	int k;

	if (!diff_wants(d, n->in[X]) && !diff_wants(d, n->in[WEIGHT]) && !diff_wants(d, n->in[BIAS]))
		return NULL;
	back = diff_node(d, n, op, op->max_operands, (struct tensor *[]){ dy, n->in[X],
	    n->in[WEIGHT], batch ? n->out[MEAN] : n->in[RUNNING_MEAN],
	    batch ? n->out[INVSTD] : n->in[RUNNING_VAR], n->in[BIAS] });
	for (k = X; k <= BIAS; k++)
		if (diff_wants(d, n->in[k]))
			diff_output(d, back, n->in[k]);
	return back;
}

static bool
grad(struct diff *d, struct node *n)
{
	batchnorm_differentiate(d, n, &op_batchnorm_grad, diff_of(d, n->out[Y]));
	return true;
}

static int
unchanged(const struct graph *g, const struct node *n, int k)
{
	bool fixed = !g->training || tensor_root(n->in[RUNNING_MEAN])->frozen;

	return fixed && k == NEW_MEAN ? RUNNING_MEAN : fixed && k == NEW_VAR ? RUNNING_VAR : -1;
}

int
batchnorm_alias(const struct node *n, int k)
{
	(void)n;
	return k == NEW_MEAN ? RUNNING_MEAN : k == NEW_VAR ? RUNNING_VAR : -1;
}

/* What the layer keeps and never trains; of the elements' type, as the parameter is that it stands
 * for. */
static bool
frozen_param(struct build *b, struct node *n, const char *suffix, struct init init, const struct dtype *type)
{
	struct tensor *t = op_param(b, n, suffix, T_STATISTIC, init, 1, n->in[X]->dim);

	if (!t)
		return false;
	if (t->kind == T_STATISTIC)	/* else it is another layer's */
		t->dtype = type;
	t->frozen = true;
	return true;
}

static bool
params(struct build *b, struct node *n)
{
	static const struct init zeros = { INIT_ZEROS, 0 }, ones = { INIT_CONSTANT, 1 };
	const struct tensor *x = n->in[X];

	if (op_bool(n, "frozen"))
		return frozen_param(b, n, "weight", ones, x->dtype) && frozen_param(b, n, "bias", zeros, x->dtype) &&
		    frozen_param(b, n, "running_mean", zeros, x->dtype->real) &&
		    frozen_param(b, n, "running_var", ones, x->dtype->real);
	return op_param(b, n, "weight", T_PARAM, ones, 1, x->dim) && op_param(b, n, "bias", T_PARAM, zeros, 1, x->dim) &&
	    op_param(b, n, "running_mean", T_STATISTIC, zeros, 1, x->dim) &&
	    op_param(b, n, "running_var", T_STATISTIC, ones, 1, x->dim);
}

/* Where the layer is applied again, its statistics are the ones that the last application left. */
static void
take_newest(const struct graph *g, struct node *n)
{
	int i, k;

	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *last = g->nodes.v[i];

		if (last == n || last->op != n->op || last->nout <= NEW_VAR ||
		    tensor_root(last->out[NEW_MEAN]) != n->in[RUNNING_MEAN])
			continue;
		for (k = 0; k < 2; k++)
			n->in[RUNNING_MEAN + k] = last->out[NEW_MEAN + k];
		return;
	}
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[X];
	const struct dtype *stat = x->dtype->real;
	const int64_t *channels = x->dim;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[channels, positions...]"))
		return false;
	if (!x->batched)
		return op_error(b, n, "batchnorm: %s does not depend on the batch, so there is "
		    "nothing to take statistics over", op_operand_text(b, x));
	if (!params(b, n))
		return false;
	if (b->reuse)
		take_newest(b->graph, n);
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, true, x->rank, x->dim);
	op_output(b, n, "mean", T_SAVED, stat, false, 1, channels);
	op_output(b, n, "invstd", T_SAVED, stat, false, 1, channels);
	op_output(b, n, "running_mean", T_SAVED, stat, false, 1, channels);
	op_output(b, n, "running_var", T_SAVED, stat, false, 1, channels);
	return true;
}

/* The batch's mean and inverse deviation. */
static struct affine
statistics(const struct node *n)
{
	if (!batchnorm_uses_batch(n))
		return (struct affine){ 0, 0 };
	return affine_sum(tensor_bytes(n->out[MEAN]), tensor_bytes(n->out[INVSTD]));
}

/* num_batches_tracked */
static int64_t
counter_bytes(const struct node *n)
{
	return op_bool(n, "frozen") ? 0 : 8;
}

/* With frozen=true, torchvision's FrozenBatchNorm2d: x * scale + shift, of which autograd keeps the
 * scale alone. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[Y]);
	int in[2], shift;

	if (!op_bool(n, "frozen")) {
		tape_plain(t, n, TAPE_NONE);
		return;
	}
	in[0] = tape_value(t, n->in[X]);
	in[1] = tape_call(t, &(struct tape_call){ .bytes = tape_bytes(t, n->in[RUNNING_VAR]) });
	shift = tape_call(t, &(struct tape_call){ .bytes = tape_bytes(t, n->in[RUNNING_VAR]) });
	in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .bytes = bytes,
	    .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true });
	in[1] = shift;
	tape_result(t, n->out[Y], tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .bytes = bytes, .passes = 1u << 0 }));
}

const struct op op_batchnorm = {
	.name = "batchnorm",
	.kind = OP_LAYER,
	.brief = "batch normalisation",
	.doc = "y = (x - mean) / sqrt(var + eps) * weight + bias, channel by channel; axis 0 is "
	    "the channel (Ioffe and Szegedy, 2015). The output has the shape of the input.\n\n"
	    "In training, mean and var are those of the micro-batch over samples and positions, "
	    "and running = (1 - momentum) * running + momentum * batch, where the running "
	    "variance takes the batch's with n - 1 in its denominator (as PyTorch). Where ranks train together, they are those "
	    "of a rank's share of it; with sync=true those of the micro-batch of all ranks, forward and backward, as "
	    "PyTorch's SyncBatchNorm: two sums of two numbers a channel, for which all ranks wait. With deterministic, on any number of "
	    "ranks, they are those of one of its parts, and running moves once an update, by the mean of all its parts. In "
	    "validation, and where the running statistics are frozen, y uses the running ones. "
	    "Statistics are summed in double, about the channel's first element; in f16, where a plan is for speed on a card "
	    "of compute capability 8.0, 8.6, 8.9 or 9.0, by cuDNN in f32 with the convolution before it, if it has an engine "
	    "for that, but for channels whose mean is more than 32 times their deviation.\n\n"
	    "Parameters: weight (starts at 1) and bias (0), one number a channel each; "
	    "running_mean (0) and running_var (1) are kept in checkpoints but not trained. With frozen=true, as in "
	    "bodies of detectors (torchvision's FrozenBatchNorm2d), none of the four is: they are those of a trained "
	    "network that --weights brings, and no parameters. "
	    "Backward reads the input and the batch's mean and inverse deviation.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.traffic = batchnorm_traffic,
	.gradient.build = grad,
	.gradient.saves = BATCHNORM_SAVES,
	.memory.workspace = batchnorm_workspace,
	.gradient.again = again,
	.memory.alias = batchnorm_alias,
	.simplify.unchanged = unchanged,
	.memory.inplace = 1u << X,
	.memory.optional_out = BATCHNORM_OPTIONAL,
	.torch = { .beside = statistics, .layer_bytes = counter_bytes, .calls = torch_calls },
	.memory.layout = op_layout_either,
	.then = { &op_batchnorm_then, 2, then_is_passed },
	.calls.kernels = "norm/batchnorm.cu",
	.calls.launches = 3,
	.calls.emit = emit,
};
