/*
 * weighted_mean: a mean over the elements of all samples of which some weigh more, or nothing: the
 * losses of those parts of a picture that are there, by how many these are in the whole batch.
 *
 *     in   x weights
 *     out  loss total          what all weigh together, for backward, and for the mean over batches in validation
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"

enum { LOSS, TOTAL };

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "weighted_mean_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(n->in[2]), arg_count(n->out[0]));
}

const struct op op_weighted_mean_grad = {
	.name = "weighted_mean_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of weighted_mean: weights * dloss / total",
	.operands = "dloss weights total",
	.min_operands = 3, .max_operands = 3,
	.memory.inplace = 1u << 1,
	.calls.kernels = "loss/weighted_mean.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[LOSS]), n->in[1], n->out[TOTAL] };

	if (diff_wants(d, n->in[0]))
		diff_output(d, diff_node(d, n, &op_weighted_mean_grad, 3, in), n->in[0]);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *w = n->in[1];

	if (!shape_float(b, n, 0) || !shape_float(b, n, 1))
		return false;
	if (!tensor_same_shape(x, w) || x->dtype != w->dtype)
		return op_error(b, n, "weighted_mean: each element has a weight, but the first operand is %s of %s and the second "
		    "%s of %s%s", op_operand_text(b, x), dtype_name(x->dtype), op_operand_text(b, w), dtype_name(w->dtype),
		    x->batched != w->batched ? ", and only one depends on the batch" : "");
	return shape_result(b, n) && op_output(b, n, "total", T_SAVED, n->out[LOSS]->dtype, false, 0, NULL);
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct affine one = shape_mean_work(n, room);

	return affine_sum(one, one);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "weighted_mean_forward", arg_tensor(n->out[LOSS]), arg_tensor(n->out[TOTAL]), arg_work(n),
	    arg_tensor(n->in[0]), arg_tensor(n->in[1]), arg_count(n->in[0]));
}

/* (x * weights).sum() / weights.sum().clamp(min=...): of the quotient's gradient the product is
 * made by the divisor. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t one = tape_bytes(t, n->out[LOSS]);
	int in[] = { tape_value(t, n->in[0]), tape_value(t, n->in[1]) }, sum, total;

	sum = tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .bytes = tape_bytes(t, n->in[0]),
	    .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true });
	sum = tape_call(t, &(struct tape_call){ .in = &sum, .nin = 1, .bytes = one });
	total = tape_call(t, &(struct tape_call){ .in = &in[1], .nin = 1, .bytes = one, .stops = true });
	total = tape_call(t, &(struct tape_call){ .in = &total, .nin = 1, .bytes = one, .stops = true });
	tape_result(t, n->out[LOSS], tape_call(t, &(struct tape_call){ .in = (int[]){ sum, total }, .nin = 2, .bytes = one,
	    .saves = SAVES_IN(1) }));
}

const struct op op_weighted_mean = {
	.name = "weighted_mean",
	.kind = OP_LOSS,
	.flags = OP_WEIGHS,
	.brief = "mean of elements of which some weigh more, or nothing",
	.doc = "loss = the sum of weights * x over the sum of weights, both over the batch and all elements; where all weights are 0 "
	    "it is 0. A mask of zeros and ones makes it the mean of what is there, as of the boxes that a picture has: "
	    "weighted_mean(abs(codes - wanted) -> sum(1), found). An element that weighs nothing is not read, and may be no "
	    "number.\n\n"
	    "The mean is over the whole batch, not of means of its samples: samples with more weight count more. Each of several "
	    "micro-batches, or of ranks, has its own, as where PyTorch accumulates gradients; validation reports that over all data. "
	    "Weights get no gradient.",
	.operands = "x weights",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(1) | SAVES_OUT(TOTAL),
	.memory.workspace = work,
	.torch.calls = torch_calls,
	.calls.kernels = "loss/weighted_mean.cu",
	.calls.emit = emit,
};
