/*
 * What the same training would take in another framework: its tensors by the simulator of PyTorch
 * eager (frameworks/eager.h), served by a model of that framework's allocator. Forecasts are estimates:
 * cuDNN's workspaces are not in them, and what is not known is said, not left out.
 *
 * For cuBLAS PyTorch takes 8320 KiB of its own allocator, 32 MiB from compute capability 9.0 on, at
 * the first matrix product of each thread, and keeps them: that which runs forward and that of the
 * autograd engine (getChosenWorkspaceSize in CublasHandlePool.cpp).
 */
#ifndef STOWAGE_MODEL_FORECAST_H
#define STOWAGE_MODEL_FORECAST_H

#include "frameworks/eager.h"

enum framework { FRAMEWORK_PYTORCH, FRAMEWORK_TF, FRAMEWORK_KERAS1, FRAMEWORK_KERAS2, FRAMEWORKS };

const char	*framework_name(int);	/* "pytorch"; NULL after the last */

struct forecast {
	enum framework framework;
	bool known;
	const char *why_not;
	struct eager eager;
	int64_t tensors;	/* bytes alive at the peak, exactly */
	int64_t unrolled;	/* what Keras's lowering of locally-connected layers adds */
	int64_t allocated;	/* both in the allocator's blocks */
	int64_t reserved;	/* of the device, by the allocator */
	int64_t blas;		/* beside both: workspaces that PyTorch keeps for cuBLAS */
};

/* The module's step at a micro-batch. */
void	forecast(const struct module *, enum framework, int64_t batch, struct forecast *);

/* Does that step get all it asks for on a device that gives the framework POOL bytes? */
bool	forecast_fits(const struct module *, enum framework, int64_t batch, int64_t pool);

#endif
