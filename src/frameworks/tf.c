/*
 * tf: TensorFlow, whose allocator is modelled, but not its own order of a graph's operations.
 *
 * Its gradients (nn_grad.py) read less than PyTorch's in a few places: those of max pools find the
 * places of maxima again, relu6, elu and selu are told by their output, and an average pool by its
 * shape; and kernels of elements take over the buffer of an operand that nobody else has
 * (forward_input_or_allocate_output). bench/tf_tensors.py holds that against TensorFlow.
 */
#include "frameworks/tf.h"

bool
tf_simulate(const struct module *m, const struct eager_ask *ask, struct eager *e)
{
	struct eager_ask own = *ask;

	own.tensorflow = !ask->most;
	return eager_simulate(m, &own, e);
}

const struct framework framework_tf = {
	.name = "tf",
	.runtime = "TensorFlow",
	.brief = "TensorFlow",
	.doc = "PyTorch's step in the blocks of TensorFlow's allocator, with what TensorFlow keeps for backward "
	    "where that is less: no places of maxima, no input of an average pool, relu6, elu or selu; and "
	    "gradients of activations are made in place. Another order of a graph's operations may keep more, "
	    "or less. What Keras writes as several operations, such as gelu, attention and layer normalisation, "
	    "keeps more: an encoder of its layers takes 1.7 times this. Workspaces of its libraries are not known.",
	.how = framework_how_keras,
	.simulate = tf_simulate,
	.tensors = "as in PyTorch: another order may keep more",
	.heading = "TensorFlow, by PyTorch's order of the same tensors,",
	.allocator = &allocator_bfc,
	.unknown = "libraries",
};
