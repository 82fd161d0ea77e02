/* tf: TensorFlow, whose allocator is modelled, but not its own order of a graph's operations. */
#include "frameworks/framework.h"

const struct framework framework_tf = {
	.name = "tf",
	.runtime = "TensorFlow",
	.brief = "TensorFlow",
	.doc = "PyTorch's tensors in the blocks of TensorFlow's allocator: another order of a graph's "
	    "operations may keep more. Workspaces of its libraries are not known.",
	.how = framework_how_keras,
	.simulate = eager_simulate,
	.tensors = "as in PyTorch: another order may keep more",
	.heading = "TensorFlow, by PyTorch's order of the same tensors,",
	.allocator = &allocator_bfc,
	.unknown = "libraries",
};
