/*
 * keras2: Keras on TensorFlow with implementation=2, whose locally-connected layers are dense ones
 * with a mask.
 */
#include "frameworks/tf.h"
#include "frameworks/keras_local.h"

static int64_t
unrolled(const struct module *m, int64_t batch, bool forward)
{
	return keras_local_unrolled(m, batch, forward, true);
}

const struct framework framework_keras2 = {
	.name = "keras2",
	.runtime = "TensorFlow",
	.brief = "Keras on TensorFlow, locally-connected layers with implementation=2",
	.doc = "As tf, and on top of it the masked weight of a locally-connected layer "
	    "(implementation=2) with its gradient and state, all at once, which is the most that they "
	    "can add.",
	.how = framework_how_keras,
	.simulate = tf_simulate,
	.tensors = "as in PyTorch: another order may keep more",
	.heading = "TensorFlow, by PyTorch's order of the same tensors,",
	.allocator = &allocator_bfc,
	.unrolled = unrolled,
	.unknown = "libraries",
};
