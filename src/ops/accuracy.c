/* accuracy: the share of right answers. A metric: it has no gradient. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/targets.h"

static bool
shape(struct build *b, struct node *n)
{
	int axis;

	if (!(n->in[1]->classes ? target_labels(b, n, &axis) : target_alike(b, n)))
		return false;
	return shape_result(b, n);
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0], *t = n->in[1];
	struct channels k;

	if (!t->classes) {
		emit_call(e, "sign_accuracy_forward", arg_tensor(n->out[0]), arg_work(n),
		    arg_tensor(x), TARGET_ARGS(t), arg_count(x));
		return;
	}
	k = emit_axis(e, x, target_axis(x, t));
	emit_call(e, "accuracy_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(x),
	    arg_tensor(t), arg_text(k.rows), arg_int(k.channels), arg_int(k.places));
}

const struct op op_accuracy = {
	.name = "accuracy",
	.kind = OP_METRIC,
	.brief = "share of right answers",
	.doc = "For labels class[K]: the share of labels whose logit is the largest, over the "
	    "batch and all positions; of equal logits the first counts. Shapes are those of "
	    "cross_entropy. For targets that are numbers, as bce_with_logits takes them: the "
	    "share of elements where x > 0 and target > 0.5 agree.",
	.operands = "logits target",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.memory.workspace = shape_mean_work,
	.memory.layout = target_layout,
	.calls.kernels = "loss/accuracy.cu",
	.calls.emit = emit,
};
