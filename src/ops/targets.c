/* Helpers of losses and metrics; see targets.h. */
#include "ops/targets.h"

#include <string.h>

#include "calls/tape.h"
#include "ops/dense.h"
#include "ops/shapes.h"

int
target_axis(const struct tensor *logits, const struct tensor *target)
{
	size_t bytes = (size_t)target->rank * sizeof(*target->dim);
	int last = logits->rank - 1;
	bool at_first, at_last;

	if (last != target->rank)
		return -1;
	at_first = logits->dim[0] == target->classes && memcmp(logits->dim + 1, target->dim, bytes) == 0;
	at_last = logits->dim[last] == target->classes && memcmp(logits->dim, target->dim, bytes) == 0;
	if (at_first && at_last)
		return target->tokens ? last : 0;
	return at_first ? 0 : at_last ? last : -1;
}

enum op_layout
target_layout(const struct node *n)
{
	if (n->in[1]->classes && target_axis(n->in[0], n->in[1]) != 0)
		return LAYOUT_FIRST;
	return LAYOUT_EITHER;
}

/* What logits the labels need: classes first, as images have them, or of tokens last. (The other
 * way round fits, too.) */
static struct tensor
logits_for(const struct tensor *t)
{
	struct tensor want = tensor_value(t);
	int last = t->rank < MAX_RANK ? t->rank : MAX_RANK - 1;

	want.rank = last + 1;
	if (!t->tokens)
		memmove(want.dim + 1, t->dim, (size_t)last * sizeof(*want.dim));
	want.dim[t->tokens ? last : 0] = t->classes;
	return want;
}

/* Where logits of one label a sample are rows of a map, a dense layer before them was meant to see
 * all of it. */
static void
tell_of_flatten(struct build *b, const struct tensor *x, const struct tensor *t)
{
	const struct node *made = x->def;

	while (made && !made->op->macs && made->op->max_operands == 1)
		made = made->in[0]->def;
	if (t->rank == 0 && made && made->op == &op_dense && made->in[0]->rank > 1)
		op_error_place(b, made->loc, "it works along the last axis of %s; flatten before it makes a "
		    "sample one row of numbers", tensor_shape_text(b->module->arena, made->in[0]));
}

bool
target_labels(struct build *b, const struct node *n, int *axis)
{
	const struct tensor *x = n->in[0], *t = n->in[1];
	struct tensor want;

	if (!shape_float(b, n, 0))
		return false;
	if (!t->classes || t->dtype != DT_I32)
		return op_error(b, n, "%s: target must hold labels, class[K], but it is %s of %s",
		    n->op->name, op_operand_text(b, t), dtype_name(t->dtype));
	*axis = target_axis(x, t);
	want = logits_for(t);
	if (*axis < 0) {
		op_error(b, n, "%s: logits are %s, but target '%s' is %s and needs logits of shape %s",
		    n->op->name, op_operand_text(b, x), t->name, tensor_type_text(b->module->arena, t),
		    tensor_shape_text(b->module->arena, &want));
		tell_of_flatten(b, x, t);
		return false;
	}
	if (x->batched != t->batched)
		return op_error(b, n, "%s: of logits %s and target '%s' only one depends on the "
		    "batch", n->op->name, op_operand_text(b, x), t->name);
	return true;
}

bool
target_alike(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[0], *t = n->in[1];

	if (!shape_float(b, n, 0))
		return false;
	if (t->dtype != DT_U8 && !shape_float(b, n, 1))
		return false;
	if (tensor_same_shape(x, t) && (t->dtype == x->dtype || t->dtype == DT_U8))
		return true;
	return op_error(b, n, "%s: operands must have one shape and type, but the first is %s "
	    "of %s and the second %s of %s%s", n->op->name, op_operand_text(b, x), dtype_name(x->dtype),
	    op_operand_text(b, t), dtype_name(t->dtype),
	    x->batched != t->batched ? ", and only one depends on the batch" : "");
}

void
target_torch_loss(struct tape *t, const struct node *n, int64_t room)
{
	int in[] = { tape_value(t, n->in[0]), tape_value(t, n->in[1]) };

	if (n->in[1]->dtype == DT_U8)
		in[1] = tape_call(t, &(struct tape_call){ .in = &in[1], .nin = 1,
		    .bytes = tape_bytes(t, n->in[0]) });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = tape_bytes(t, n->out[0]), .room = room, .saves = n->op->gradient.saves }));
}
