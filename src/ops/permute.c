/*
 * permute: an image in the other layout (passes/layout.c): the same values under the same dims, but
 * [C, H, W] lies as [H, W, C] or the other way round. So it is its own gradient.
 */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t places = shape_product(x, 1, x->rank);

	emit_call(e, "permute", arg_tensor(n->out[0]), arg_tensor(x), arg_batch(x),
	    arg_int(x->channels_last ? places : x->dim[0]),
	    arg_int(x->channels_last ? x->dim[0] : places));
}

extern const struct op op_permute;

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_permute, 0, NULL);
}

const struct op op_permute = {
	.name = "permute",
	.kind = OP_INTERNAL,
	.brief = "an image with its channels last in memory, or first again",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad,
	.calls.kernels = "copy/permute.cu",
	.calls.emit = emit,
};
