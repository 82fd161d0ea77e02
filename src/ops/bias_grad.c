/* bias_grad: the gradient of a bias added to a convolution's filters, or to each element: dy summed
 * over the batch and, where the bias has one value a filter, over positions. */
#include "ops/product.h"
#include "ops/shapes.h"

#include "calls/emitter.h"

/* Are there rows of as many neighbours as the bias has values? */
static bool
in_rows(const struct node *n)
{
	return n->in[0]->channels_last ||
	    tensor_elements_per_sample(n->in[0]) == tensor_elements_per_sample(n->out[0]);
}

static struct affine
workspace(const struct node *n, const struct room *room)
{
	int64_t channels = tensor_elements_per_sample(n->out[0]);

	return product_work_bias(channels, in_rows(n) ? bias_parts(channels) : bias_plane_parts(channels),
	    room);
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	int64_t positions = tensor_elements_per_sample(dy) / channels;

	if (in_rows(n))
		emit_call(e, "bias_rows_backward", arg_tensor(db), arg_work(n), arg_tensor(dy),
		    arg_text(dy->channels_last ? emit_channels(e, dy).rows : emit_rows(e, dy, 0)),
		    arg_int(channels));
	else
		emit_call(e, "bias_backward", arg_tensor(db), arg_work(n), arg_tensor(dy),
		    arg_batch(dy), arg_int(channels), arg_int(positions));
}

const struct op op_bias_grad = {
	.name = "bias_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of a bias: dy summed over the batch and over positions",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.workspace = workspace,
	.calls.kernels = "product/bias.cu",
	.calls.emit = emit,
};
