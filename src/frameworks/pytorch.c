/*
 * pytorch: eager mode on CUDA.
 *
 * For cuBLAS PyTorch takes 8320 KiB of its own allocator, 32 MiB from compute capability 9.0 on, at
 * the first matrix product of each thread, and keeps them: that which runs forward and that of the
 * autograd engine (getChosenWorkspaceSize in CublasHandlePool.cpp).
 */
#include "frameworks/pytorch.h"

#include "calls/tape.h"

#define BLAS_THREADS	2
#define BLAS_BYTES	((int64_t)8320 << 10)
#define BLAS_HOPPER	((int64_t)32 << 20)
#define ARCH_HOPPER	90

int64_t
pytorch_blas(const struct module *m)
{
	int i;

	for (i = 0; i < m->forward->nodes.n; i++)
		if (m->forward->nodes.v[i]->op->torch.blas && !tape_layer(m->forward->nodes.v[i]))
			return BLAS_THREADS * (m->set.device.arch >= ARCH_HOPPER ? BLAS_HOPPER :
			    BLAS_BYTES);
	return 0;
}

static const struct framework_how how[] = {
	{ "batch", "batch_size of the DataLoader" },
	{ "accumulate", "batch_size of the DataLoader; optimizer.step() and zero_grad() once per so "
	    "many loss.backward(), the loss divided by their number" },
	{ "validate", "batch_size of the validation DataLoader" },
	{ "optimizer", "torch.optim.SGD(...)" },
	{ "freeze", "p.requires_grad_(False) for the parameters of those layers" },
	{ "resize", "transforms.Resize(...) of the data set" },
	{ "greyscale", "transforms.Grayscale() of the data set, one input channel in the first layer" },
	{ NULL, NULL }
};

const struct framework framework_pytorch = {
	.name = "pytorch",
	.runtime = "PyTorch",
	.brief = "PyTorch in eager mode",
	.doc = "The step as PyTorch users write it, in the most economical form that needs no rewrite "
	    "of the model, tensor by tensor; in the blocks of the caching allocator of CUDA; and the "
	    "workspaces that it keeps for cuBLAS. Workspaces of cuDNN are not known: the upper bound "
	    "has room for copies of what a convolution reads and writes. Attention "
	    "is counted as scaled_dot_product_attention in a kernel that stores no scores; where it is written out, it keeps a number "
	    "for each pair of positions, each head and each sample, once or several times.",
	.how = how,
	.simulate = eager_simulate,
	.exact = true,
	.tensors = "exact",
	.heading = "PyTorch eager, simulated",
	.allocator = &allocator_torch_cache,
	.blas = pytorch_blas,
	.unknown = "cuDNN",
};
