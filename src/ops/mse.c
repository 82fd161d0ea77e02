/* mse: the mean squared difference. Both operands may want a gradient, as in autoencoders. */
#include "ops/losses.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/shapes.h"
#include "ops/targets.h"

/* The gradient of operand 0; that of operand 1 is the same with the operands exchanged. */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "mse_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), TARGET_ARGS(n->in[2]), arg_count(n->out[0]));
}

const struct op op_mse_grad = {
	.name = "mse_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of mse: 2 * (x - target) * dloss / elements",
	.operands = "dloss x target",
	.min_operands = 3, .max_operands = 3,
	.memory.inplace = 1u << 1 | 1u << 2,
	.calls.kernels = "loss/mse.cu",
	.calls.emit = emit_backward,
};

static void
emit_both(struct emitter *e, const struct node *n)
{
	emit_call(e, "mse_with_gradient", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_work(n),
	    arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_text("s"), arg_tensor(n->in[0]),
	    TARGET_ARGS(n->in[1]), arg_count(n->in[0]));
}

const struct op op_mse_with_grad = {
	.name = "mse_with_grad",
	.kind = OP_INTERNAL,
	.brief = "mse and the gradient of x",
	.operands = "x target scale",
	.min_operands = 2, .max_operands = 3,
	.memory.inplace = 1u << 0,
	.memory.workspace = shape_mean_work,
	.calls.kernels = "loss/mse.cu",
	.calls.emit = emit_both,
};

static bool
grad(struct diff *d, struct node *n)
{
	int k;

	for (k = 0; k < 2; k++)
		if (diff_wants(d, n->in[k]))
			diff_output(d, diff_node(d, n, &op_mse_grad, 3, (struct tensor *[]){
			    diff_of(d, n->out[0]), n->in[k], n->in[1 - k] }), n->in[k]);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	return target_alike(b, n) && shape_result(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "mse_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]),
	    TARGET_ARGS(n->in[1]), arg_count(n->in[0]));
}

/* PyTorch's loss is a number in a storage that has room for all the differences, which it was made
 * for before it became their mean. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	target_torch_loss(t, n, tape_bytes(t, n->in[0]));
}

const struct op op_mse = {
	.name = "mse",
	.kind = OP_LOSS,
	.brief = "mean squared error",
	.doc = "loss = mean of (x - target)^2 over the batch and all elements. Both operands have "
	    "one shape; the target may be u8. Backward reads both.",
	.operands = "x target",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = shape_mean_work,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "loss/mse.cu",
	.calls.emit = emit,
};
