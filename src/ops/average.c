/*
 * average: the mean of all elements of all samples, as a real number. The language makes one where
 * a loss or a metric is a number for each sample.
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "average_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_count(n->out[0]));
}

const struct op op_average_grad = {
	.name = "average_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of average: an equal share for every element",
	.operands = "dloss",
	.min_operands = 1, .max_operands = 1,
	.calls.kernels = "loss/average.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_average_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	return shape_float(b, n, 0) && shape_result(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "average_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]),
	    arg_count(n->in[0]));
}

const struct op op_average = {
	.name = "average",
	.kind = OP_INTERNAL,
	.brief = "mean over all samples, of a loss or a metric that is one number a sample",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.workspace = shape_mean_work,
	.calls.kernels = "loss/average.cu",
	.calls.emit = emit,
};
