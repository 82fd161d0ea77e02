/*
 * pytorch1: PyTorch before 1.10, of networks whose relu is not written in place. Autograd then kept
 * what goes into relu (threshold_backward of `self` in derivatives.yaml; of `result` since), which
 * no one else needs after batch normalisation: three maps a layer instead of two.
 */
#include "frameworks/pytorch.h"

static bool
simulate(const struct module *m, const struct eager_ask *ask, struct eager *e)
{
	struct eager_ask own = *ask;

	own.relu_keeps = true;
	return eager_simulate(m, &own, e);
}

const struct framework framework_pytorch1 = {
	.name = "pytorch1",
	.runtime = "PyTorch",
	.brief = "PyTorch before 1.10, relu not in place",
	.doc = "As pytorch, of a network whose relu is written without inplace=True. Until PyTorch 1.9 "
	    "what goes into such a relu was kept for backward beside what comes out, which after batch "
	    "normalisation makes three maps of two. Since 1.10 it takes what pytorch does.",
	.simulate = simulate,
	.exact = true,
	.tensors = "exact",
	.heading = "PyTorch eager, simulated",
	.allocator = &allocator_torch_cache,
	.blas = pytorch_blas,
	.unknown = "cuDNN",
};
