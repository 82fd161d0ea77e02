/* bias_grad: the gradient of a bias added to a convolution's filters, or to each element: dy summed
 * over the batch and, where the bias has one value a filter, over positions. */
#include "ops/product.h"
#include "ops/shapes.h"

#include "emit/emit.h"

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *dy = n->in[0], *db = n->out[0];
	int64_t channels = tensor_elements_per_sample(db);
	struct channels c = emit_channels(e, dy);

	if (dy->channels_last)
		emit_call(e, "bias_backward", "ttssii", db, dy, "NULL", c.rows, channels, (int64_t)1);
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
	.kernels = "bias.cu",
	.emit = emit,
};
