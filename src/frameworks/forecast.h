/*
 * What the same training would take in another framework (frameworks/framework.h). Forecasts are
 * estimates: workspaces of libraries such as cuDNN are not in them, and what is not known is said, not
 * left out.
 */
#ifndef STOWAGE_FRAMEWORKS_FORECAST_H
#define STOWAGE_FRAMEWORKS_FORECAST_H

#include "frameworks/framework.h"

struct forecast {
	const struct framework *framework;
	bool known;
	const char *why_not;
	struct eager eager;
	int64_t tensors;	/* bytes alive at the peak, exactly */
	int64_t unrolled;	/* what its lowering of a layer adds */
	int64_t allocated;	/* both in the allocator's blocks */
	int64_t reserved;	/* of the device, by the allocator */
	int64_t blas;		/* beside both: workspaces kept for cuBLAS */
};

/* The module's step at a micro-batch. */
void	forecast(const struct module *, const struct framework *, int64_t batch, struct forecast *);

/* Does that step get all it asks for on a device that gives the framework POOL bytes? */
bool	forecast_fits(const struct module *, const struct framework *, int64_t batch, int64_t pool);

#endif
