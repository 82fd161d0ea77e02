/* bias_grad: the gradient of a bias added to a convolution's filters, or to each element: dy summed
 * over the batch and, where the bias has one value a filter, over positions. */
#include "ops/product.h"
#include "ops/shapes.h"

#include "emit/emit.h"

/* On a GPU, the parts of the sums over many rows of channels. */
static struct affine
workspace(const struct node *n, const struct room *room)
{
	int64_t channels = n->in[0]->dim[0];

	if (!room->target->gpu || !n->in[0]->channels_last)
		return (struct affine){ 0, 0 };
	return (struct affine){ channels * bias_parts(channels) * (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	struct channels c = emit_channels(e, dy);

	if (dy->channels_last)
		emit_call(e, "bias_last_backward", "twtsi", db, n, dy, c.rows, channels);
	else
		emit_call(e, "bias_backward", "ttsbii", db, dy, "NULL", dy, channels,
		    tensor_elements_per_sample(dy) / channels);
}

const struct op op_bias_grad = {
	.name = "bias_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of a bias: dy summed over the batch and over positions",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.workspace = workspace,
	.kernels = "bias.cu",
	.emit = emit,
};
