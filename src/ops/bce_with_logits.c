/* bce_with_logits: binary cross-entropy under the sigmoid of logits, in a form that cannot
 * overflow. */
#include "ops/losses.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"
#include "ops/targets.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "bce_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), TARGET_ARGS(n->in[2]), arg_count(n->out[0]));
}

const struct op op_bce_with_logits_grad = {
	.name = "bce_with_logits_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of bce_with_logits: (sigmoid(logits) - target) * dloss / elements",
	.operands = "dloss logits target",
	.min_operands = 3, .max_operands = 3,
	.memory.inplace = 1u << 1 | 1u << 2,
	.calls.kernels = "loss/bce.cu",
	.calls.emit = emit_backward,
};

static void
emit_both(struct emitter *e, const struct node *n)
{
	emit_call(e, "bce_with_gradient", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_work(n),
	    arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_text("s"), arg_tensor(n->in[0]),
	    TARGET_ARGS(n->in[1]), arg_count(n->in[0]));
}

const struct op op_bce_with_logits_with_grad = {
	.name = "bce_with_logits_with_grad",
	.kind = OP_INTERNAL,
	.brief = "bce_with_logits and the gradient of its logits",
	.operands = "logits target scale",
	.min_operands = 2, .max_operands = 3,
	.memory.inplace = 1u << 0,
	.memory.workspace = shape_mean_work,
	.calls.kernels = "loss/bce.cu",
	.calls.emit = emit_both,
};

static void
emit_target_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "bce_target_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_bce_target_grad = {
	.name = "bce_target_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of bce_with_logits' target: -logits * dloss / elements",
	.operands = "dloss logits",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 1,
	.calls.kernels = "loss/bce.cu",
	.calls.emit = emit_target_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[0]), n->in[0], n->in[1] };

	if (diff_wants(d, n->in[0]))
		diff_output(d, diff_node(d, n, &op_bce_with_logits_grad, 3, in), n->in[0]);
	if (diff_wants(d, n->in[1]))
		diff_output(d, diff_node(d, n, &op_bce_target_grad, 2, in), n->in[1]);
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
	emit_call(e, "bce_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]),
	    TARGET_ARGS(n->in[1]), arg_count(n->in[0]));
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	target_torch_loss(t, n, 0);
}

const struct op op_bce_with_logits = {
	.name = "bce_with_logits",
	.kind = OP_LOSS,
	.brief = "binary cross-entropy under the sigmoid of logits",
	.doc = "loss = mean of max(x, 0) - x * t + log(1 + exp(-|x|)) over the batch and all "
	    "elements, which is -t log s - (1 - t) log(1 - s) with s = sigmoid(x), without "
	    "overflow (PyTorch's BCEWithLogitsLoss). Both operands have one shape; targets lie in "
	    "[0, 1] and may be u8. Backward reads both.",
	.operands = "logits target",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.workspace = shape_mean_work,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "loss/bce.cu",
	.calls.emit = emit,
};
