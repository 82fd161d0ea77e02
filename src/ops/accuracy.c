/* accuracy: the share of right answers. A metric: it has no gradient. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "ops/labels.h"
#include "ops/targets.h"

static const struct attr_spec attrs[] = {
	{ "top", ATTR_INT, "an answer is right if its label is among so many of the largest logits", .preset = "1",
	    .min = 1, .max = (double)LARGEST_EXTENT },
	IGNORE_ATTR,
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	long long top = (long long)op_int(n, "top"), classes = (long long)n->in[1]->classes;
	int axis;

	if (!(classes ? target_labels(b, n, &axis) : target_alike(b, n)))
		return false;
	if (top > 1 && !classes)
		return op_error(b, n, "accuracy: top=%lld is for labels, class[K]; of numbers each answer is right or "
		    "wrong", top);
	if (classes && top > classes)
		return op_error(b, n, "accuracy: top=%lld of %lld classes would count every answer as right", top,
		    classes);
	if (op_attr(n, "ignore")->n && (!classes || op_attr(n, "ignore")->n > 1))
		return op_error(b, n, "accuracy: ignore is one label of class[K]");
	if (!shape_result(b, n))
		return false;
	if (labels_are_counted(n))
		op_output(b, n, "count", T_SCALAR, n->out[0]->dtype, false, 0, NULL);
	return true;
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
	if (labels_are_counted(n)) {
		const char *rows = k.places == 1 ? k.rows : arena_printf(e->module->arena, "%s * %lld", k.rows,
		    (long long)k.places);
		const char *terms = labels_text(e, n, t, NULL, NULL, n->out[1], k.channels);

		labels_emit_count(e, n, n->out[1], terms, emit_pointer(e, n->work), rows, k.channels);
		emit_call(e, "label_accuracy_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(x),
		    arg_text(terms), arg_text(k.rows), arg_int(k.channels), arg_int(k.places),
		    arg_int(op_int(n, "top")));
		return;
	}
	emit_call(e, "accuracy_forward", arg_tensor(n->out[0]), arg_work(n), arg_tensor(x),
	    arg_tensor(t), arg_text(k.rows), arg_int(k.channels), arg_int(k.places), arg_int(op_int(n, "top")));
}

const struct op op_accuracy = {
	.name = "accuracy",
	.kind = OP_METRIC,
	.brief = "share of right answers",
	.doc = "For labels class[K]: the share of labels whose logit is the largest, over the "
	    "batch and all positions, or with top, among so many of the largest; of equal logits the first "
	    "counts. Labels that ignore names are left out. Shapes are those of "
	    "cross_entropy. For targets that are numbers, as bce_with_logits takes them: the "
	    "share of elements where x > 0 and target > 0.5 agree.",
	.attrs = attrs,
	.operands = "logits target",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.memory.workspace = shape_mean_work,
	.memory.layout = target_layout,
	.calls.kernels = "loss/accuracy.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
