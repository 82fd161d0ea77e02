/* global_avgpool: the mean of each channel over all positions. Backward is a formula of dy,
 * repeated at all of them. */
#include "ops/pointwise.h"
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static bool
grad(struct diff *d, struct node *n)
{
	const struct tensor *x = n->in[0];
	struct tensor *dy = diff_of(d, n->out[0]);
	struct arena *a = d->m->arena;
	struct node *back;

	if (!diff_wants(d, n->in[0]))
		return true;
	back = diff_node(d, n, &op_pointwise, 1, &dy);
	pointwise_set(a, back, formula_parse(a, arena_printf(a, "global_avgpool_grad = x0: x0 / %lld",
	    (long long)shape_product(x, 1, x->rank))));
	diff_output(d, back, n->in[0]);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[channels, positions...]"))
		return false;
	dim[0] = x->dim[0];
	for (i = 1; i < x->rank; i++)
		dim[i] = 1;
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];

	emit_call(e, x->channels_last ? "global_avgpool_last_forward" : "global_avgpool_forward",
	    arg_tensor(n->out[0]), arg_tensor(x), arg_batch(x), arg_int(x->dim[0]),
	    arg_int(shape_product(x, 1, x->rank)));
}

const struct op op_global_avgpool = {
	.name = "global_avgpool",
	.kind = OP_LAYER,
	.brief = "mean of each channel",
	.doc = "y[c] is the mean of x[c, ...] over all positions (Lin, Chen and Yan, 2013). Input "
	    "[C, H, W] gives [C, 1, 1]: follow it with flatten before a dense layer. Sums are "
	    "taken in double. Backward needs neither input nor output.",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.layout = op_layout_either,
	.calls.kernels = "pool/global_avgpool.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
