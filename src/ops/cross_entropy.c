/*
 * cross_entropy: the mean of -log softmax(logits)[label]. Forward keeps the log of the sum of
 * exponentials of each row, so that backward needs no second reduction.
 *
 * cross_entropy_with_grad, which the pass fuse-loss makes, does both at once and keeps nothing.
 */
#include "ops/losses.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/labels.h"
#include "ops/shapes.h"
#include "ops/targets.h"

static const struct attr_spec attrs[] = { LABEL_ATTRS, ATTRS_END };

enum { LSE = 1, COUNT };	/* results beside the loss */

/* dlogits from: dloss logits target lse | weights of classes, weights of labels, count */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[1];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[2]));

	if (n->nin > 4) {
		emit_call(e, "label_cross_entropy_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
		    arg_tensor(x), arg_text(labels_text(e, n, n->in[2], n->in[4], n->in[5], n->in[6], k.channels)),
		    arg_tensor(n->in[3]), arg_text(k.rows), arg_int(k.channels), arg_int(k.places));
		return;
	}
	emit_call(e, "cross_entropy_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(x), arg_tensor(n->in[2]), arg_tensor(n->in[3]), arg_text(k.rows),
	    arg_int(k.channels), arg_int(k.places));
}

const struct op op_cross_entropy_grad = {
	.name = "cross_entropy_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of cross_entropy: (softmax(logits) - one-hot) * dloss / labels",
	.attrs = attrs,
	.operands = "dloss logits target lse weights weights count",
	.min_operands = 4, .max_operands = 7,
	.memory.inplace = 1u << 1,
	.calls.kernels = "loss/cross_entropy.cu",
	.calls.listed = true,
	.calls.emit = emit_backward,
};

/* loss and dlogits from: logits target scale */
static void
emit_both(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[1]));

	emit_call(e, "cross_entropy_with_gradient", arg_tensor(n->out[0]), arg_tensor(n->out[1]),
	    arg_work(n), arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_text("s"), arg_tensor(x),
	    arg_tensor(n->in[1]), arg_text(k.rows), arg_int(k.channels), arg_int(k.places));
}

const struct op op_cross_entropy_with_grad = {
	.name = "cross_entropy_with_grad",
	.kind = OP_INTERNAL,
	.brief = "cross_entropy and the gradient of its logits",
	.operands = "logits target scale",
	.min_operands = 2, .max_operands = 3,
	.memory.inplace = 1u << 0,
	.memory.workspace = shape_mean_work,
	.calls.kernels = "loss/cross_entropy.cu",
	.calls.listed = true,
	.calls.emit = emit_both,
};

/* dweights from: dloss logits target lse | weights of classes, NULL, count */
static void
emit_weights_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[1];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[2]));

	emit_call(e, "label_weights_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(x),
	    arg_text(labels_text(e, n, n->in[2], n->in[4], n->out[0], n->in[6], k.channels)), arg_tensor(n->in[3]),
	    arg_count(n->out[0]), arg_count(n->in[2]), arg_int(k.channels), arg_int(k.places));
}

const struct op op_cross_entropy_weights_grad = {
	.name = "cross_entropy_weights_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of the weights of labels: their losses * dloss / count",
	.attrs = attrs,
	.operands = "dloss logits target lse weights weights count",
	.min_operands = 7, .max_operands = 7,
	.calls.kernels = "loss/cross_entropy.cu",
	.calls.listed = true,
	.calls.emit = emit_weights_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	bool vary = labels_vary(n);

	struct tensor *in[] = { diff_of(d, n->out[0]), n->in[0], n->in[1], n->out[LSE],
		vary ? n->in[LABELS_OF_CLASS] : NULL, vary ? n->in[LABELS_OF_LABEL] : NULL,
		n->nout > COUNT ? n->out[COUNT] : NULL };
	struct tensor *weights = in[5];

	if (diff_wants(d, n->in[0]))
		diff_output(d, diff_node(d, n, &op_cross_entropy_grad, vary ? 7 : 4, in), n->in[0]);
	if (!weights || !diff_wants(d, weights))
		return true;
	in[5] = NULL;
	diff_output(d, diff_node(d, n, &op_cross_entropy_weights_grad, 7, in), weights);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *t = n->in[1];
	int axis;

	if (!target_labels(b, n, &axis) || !labels_shape(b, n) || !shape_result(b, n) ||
	    !op_output(b, n, "lse", T_SAVED, n->out[0]->dtype, x->batched, t->rank, t->dim))
		return false;
	if (labels_are_counted(n))
		op_output(b, n, "count", T_SAVED, n->out[0]->dtype, false, 0, NULL);
	return true;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[1]));
	const struct tensor *count = n->nout > COUNT ? n->out[COUNT] : NULL;

	if (labels_vary(n)) {
		const char *terms = labels_text(e, n, n->in[1], n->in[LABELS_OF_CLASS], n->in[LABELS_OF_LABEL], count,
		    k.channels);

		labels_emit_count(e, n, count, terms, emit_pointer(e, n->work), k.places == 1 ? k.rows :
		    arena_printf(e->module->arena, "%s * %lld", k.rows, (long long)k.places), k.channels);
		emit_call(e, "label_cross_entropy_forward", arg_tensor(n->out[0]), arg_tensor(n->out[LSE]),
		    arg_work(n), arg_tensor(x), arg_text(terms), arg_text(k.rows), arg_int(k.channels),
		    arg_int(k.places));
		return;
	}
	emit_call(e, "cross_entropy_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]),
	    arg_work(n), arg_tensor(x), arg_tensor(n->in[1]), arg_text(k.rows), arg_int(k.channels),
	    arg_int(k.places));
}

/* Bytes of an element for each label, of SIZE bytes or of the logits' type. */
static int64_t
torch_labels(struct tape *t, const struct node *n, int size)
{
	return tape_bytes_as(t, n->in[1], size ? size : dtype_bytes(n->in[0]->dtype));
}

/* The mean of all log-probabilities of labels that count, beside the loss:
 * cross_entropy_loss_label_smoothing(). Its masked_select() makes where these are, a number for
 * each axis. */
static int
torch_smoothing(struct tape *t, const struct node *n, int a, int nll, const struct tensor *weights)
{
	int64_t size = torch_labels(t, n, 0);
	int mask, even, i, in[MAX_RANK + 3], places = 1 + n->in[1]->rank;

	if (n->in[LABELS_OF_CLASS])
		a = tape_call(t, &(struct tape_call){ .in = &a, .nin = 1, .bytes = tape_bytes(t, n->in[0]) });
	even = tape_call(t, &(struct tape_call){ .in = &a, .nin = 1, .bytes = size, .repeats = true });
	even = tape_call(t, &(struct tape_call){ .in = &even, .nin = 1, .bytes = size });
	mask = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = torch_labels(t, n, 1) });
	even = tape_call(t, &(struct tape_call){ .in = (int[]){ even, mask }, .nin = 2, .bytes = size,
	    .output = TORCH_OVER, .saves = SAVES_IN(1) });
	if (!weights && n->in[LABELS_OF_CLASS]) {
		size = tape_bytes(t, n->out[0]);
		even = tape_call(t, &(struct tape_call){ .in = &even, .nin = 1, .bytes = size });
		even = tape_call(t, &(struct tape_call){ .in = &even, .nin = 1, .bytes = size });
	} else if (!weights) {
		mask = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = torch_labels(t, n, 1) });
		for (i = 0; i < places; i++)
			in[2 + i] = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = torch_labels(t, n, 8) });
		in[0] = even, in[1] = mask;
		even = tape_call(t, &(struct tape_call){ .in = in, .nin = 2 + places, .bytes = size,
		    .saves = SAVES_IN(0) | SAVES_IN(1), .scratch = 3 * size });
		even = tape_call(t, &(struct tape_call){ .in = &even, .nin = 1, .bytes = tape_bytes(t, n->out[0]) });
		size = tape_bytes(t, n->out[0]);
	}
	nll = tape_call(t, &(struct tape_call){ .in = &nll, .nin = 1, .bytes = size });
	even = tape_call(t, &(struct tape_call){ .in = &even, .nin = 1, .bytes = size });
	return tape_call(t, &(struct tape_call){ .in = (int[]){ nll, even }, .nin = 2, .bytes = size,
	    .passes = 1u << 0 | 1u << 1 });
}

/* The losses of all labels times their weights, and the mean: by how many count where some are
 * ignored. */
static int
torch_weighted(struct tape *t, const struct node *n, int losses, const struct tensor *weights)
{
	int by, count;

	losses = tape_call(t, &(struct tape_call){ .in = (int[]){ losses, tape_value(t, weights) }, .nin = 2,
	    .bytes = torch_labels(t, n, 0), .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true,
	    .full = weights->rank < n->in[1]->rank ? 1u << 1 : 0 });
	by = tape_call(t, &(struct tape_call){ .in = &losses, .nin = 1, .bytes = tape_bytes(t, n->out[0]) });
	if (!labels_are_counted(n))
		return by;
	count = tape_call(t, &(struct tape_call){ .nin = 0, .bytes = torch_labels(t, n, 1) });
	count = tape_call(t, &(struct tape_call){ .in = &count, .nin = 1, .bytes = 8 });
	return tape_call(t, &(struct tape_call){ .in = (int[]){ by, count }, .nin = 2, .saves = SAVES_IN(1),
	    .bytes = tape_bytes(t, n->out[0]) });
}

/* In PyTorch log_softmax, which keeps its output, and nll_loss, which keeps that, the labels and a
 * total weight of 4 bytes. Logits with one axis of places, or more than two, it sees as images, so
 * that their gradient is a view. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	struct tape_call softmax = { .nin = 1, .bytes = tape_bytes(t, n->in[0]), .saves = SAVES_OUT(0) };
	int x = tape_value(t, n->in[0]), in[2], nll;
	const struct tensor *weights = n->nin > LABELS_OF_LABEL ? n->in[LABELS_OF_LABEL] : NULL;

	softmax.in = &x;
	if (t->tensorflow) {	/* one kernel, which makes the gradient of the logits */
		softmax.output = TORCH_VIEW;
		softmax.saves = 0;
		softmax.passes = 1u << 0;
	}
	in[0] = tape_call(t, &softmax);
	in[1] = tape_value(t, n->in[1]);
	nll = tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .saves = SAVES_IN(0) | SAVES_IN(1),
	    .views = n->in[1]->rank == 1 || n->in[1]->rank > 2 ? 1u << 0 : 0,
	    .bytes = weights ? torch_labels(t, n, 0) : tape_bytes(t, n->out[0]),
	    .beside = dtype_bytes(n->in[0]->dtype) });
	if (op_real(n, "smoothing") > 0)
		nll = torch_smoothing(t, n, in[0], nll, weights);
	if (weights)
		nll = torch_weighted(t, n, nll, weights);
	tape_result(t, n->out[0], nll);
}

const struct op op_cross_entropy = {
	.name = "cross_entropy",
	.kind = OP_LOSS,
	.brief = "cross-entropy of labels under the softmax of logits",
	.doc = "loss = mean over labels t of log(sum over k of exp(x[k])) - x[t], over the batch "
	    "and, for a label per position, all positions. The logits of class[K] have shape [K]; "
	    "those of class[K, d...] have [K, d...], as images of classes, or [d..., K], as "
	    "sequences, which tokens[T, vocab=V] says they are. Where both fit, the classes of class[K, d...] are on "
	    "axis 0, as in PyTorch, and those of tokens on the last.\n\n"
	    "Labels need not count alike, as in PyTorch. Those that ignore names take no part, and readers of data let "
	    "that number pass though it is no class. weights=(0.5, 1, 2) gives a weight to each class, and smoothing to "
	    "all classes a share of each label: the loss of label t is (1 - smoothing) w[t] (lse - x[t]) + smoothing / K "
	    "times the sum over k of w[k] (lse - x[k]), with lse the logarithm above. The mean divides by the sum of w[t] "
	    "over the labels that are not ignored; where there are none it is 0, and not NaN. A third operand, of the "
	    "labels' shape or one number a sample, multiplies losses and leaves what they are divided by as it is.\n\n"
	    "With micro-batches the labels of an update are counted before its first, so that an update is the mean "
	    "over its whole batch however the labels that count are spread; validation reports the mean over all labels "
	    "of the data. In training the mean of an epoch is that of its updates.\n\n"
	    "Of log-probabilities it is the negative log-likelihood of the labels (PyTorch's nll_loss): their softmax leaves "
	    "them as they are.\n\n"
	    "The largest logit is subtracted before exp. The gradient of the logits is made in the "
	    "same sweep where it can take their place and all labels count alike; else backward reads the logits, the labels "
	    "and one number a label that forward keeps. A label that is no class, such as -1, "
	    "takes no part: it adds 0 to the sum but still counts as a label in the mean.\n\n"
	    "Logits that come from dense and are read by nothing else (but accuracy) may be made some "
	    "rows at a time; see chunk_loss in stowage(5).",
	.attrs = attrs,
	.operands = "logits target weights",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_IN(2) | SAVES_IN(3) | SAVES_OUT(LSE) | SAVES_OUT(COUNT),
	.memory.workspace = shape_mean_work,
	.torch = { .calls = torch_calls },
	.memory.layout = target_layout,
	.calls.kernels = "loss/cross_entropy.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
