/*
 * keras1: Keras on TensorFlow with implementation=1, which slices the input of a locally-connected
 * layer position by position.
 */
#include "frameworks/tf.h"
#include "frameworks/keras_local.h"

static int64_t
unrolled(const struct module *m, int64_t batch, bool forward)
{
	return keras_local_unrolled(m, batch, forward, false);
}

const struct framework framework_keras1 = {
	.name = "keras1",
	.runtime = "TensorFlow",
	.brief = "Keras on TensorFlow, locally-connected layers with implementation=1",
	.doc = "As tf, and on top of it the slices of a locally-connected layer (implementation=1), all "
	    "at once, which is the most that they can add.",
	.how = framework_how_keras,
	.simulate = tf_simulate,
	.tensors = "as in PyTorch: another order may keep more",
	.heading = "TensorFlow, by PyTorch's order of the same tensors,",
	.allocator = &allocator_bfc,
	.unrolled = unrolled,
	.unknown = "libraries",
};
