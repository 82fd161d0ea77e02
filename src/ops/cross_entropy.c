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
#include "ops/shapes.h"
#include "ops/targets.h"

/* dlogits from: dloss logits target lse */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[1];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[2]));

	emit_call(e, "cross_entropy_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(x), arg_tensor(n->in[2]), arg_tensor(n->in[3]), arg_text(k.rows),
	    arg_int(k.channels), arg_int(k.places));
}

const struct op op_cross_entropy_grad = {
	.name = "cross_entropy_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of cross_entropy: (softmax(logits) - one-hot) * dloss / labels",
	.operands = "dloss logits target lse",
	.min_operands = 4, .max_operands = 4,
	.memory.inplace = 1u << 1,
	.calls.kernels = "loss/cross_entropy.cu",
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
	.calls.emit = emit_both,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_cross_entropy_grad, 3,
	    (struct tensor *[]){ n->in[0], n->in[1], n->out[1] });
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *t = n->in[1];
	int axis;

	return target_labels(b, n, &axis) && shape_result(b, n) &&
	    op_output(b, n, "lse", T_SAVED, n->out[0]->dtype, x->batched, t->rank, t->dim);
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	struct channels k = emit_axis(e, x, target_axis(x, n->in[1]));

	emit_call(e, "cross_entropy_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]),
	    arg_work(n), arg_tensor(x), arg_tensor(n->in[1]), arg_text(k.rows), arg_int(k.channels),
	    arg_int(k.places));
}

/* In PyTorch log_softmax, which keeps its output, and nll_loss, which keeps that, the labels and a
 * total weight of 4 bytes. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]), in[2];

	in[0] = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes(t, n->in[0]), .saves = SAVES_OUT(0) });
	in[1] = tape_value(t, n->in[1]);
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = tape_bytes(t, n->out[0]), .saves = SAVES_IN(0) | SAVES_IN(1),
	    .beside = dtype_bytes(n->in[0]->dtype) }));
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
	    "The largest logit is subtracted before exp. The gradient of the logits is made in the "
	    "same sweep where it can take their place; else backward reads the logits, the labels "
	    "and one number a label that forward keeps. A label that is no class, such as -1, "
	    "takes no part: it adds 0 to the sum but still counts as a label in the mean.\n\n"
	    "Logits that come from dense and are read by nothing else (but accuracy) may be made some "
	    "rows at a time; see chunk_loss in stowage(5).",
	.operands = "logits target",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1) | SAVES_OUT(1),
	.memory.workspace = shape_mean_work,
	.torch = { .calls = torch_calls },
	.memory.layout = target_layout,
	.calls.kernels = "loss/cross_entropy.cu",
	.calls.emit = emit,
};
