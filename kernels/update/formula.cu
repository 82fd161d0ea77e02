/*
 * update/formula.cu - what kernels that are written for optimizers that are formulas are made of
 * (src/calls/update_kernel.c shows one).
 */
#ifndef STOWAGE_UPDATE_FORMULA_CU
#define STOWAGE_UPDATE_FORMULA_CU

#include "pointwise/formula.cu"
#include "update/updates.cu"

/* Numbers of update T that formulas read (src/calls/update_kernel.h): its count, and 1 - beta^t of
 * two that are kept. */
DEVICE void
formula_numbers(real *to, int64_t t, double log1, double log2)
{
	to[0] = (real)t;
	to[1] = mean_whole((real)log1, t);
	to[2] = mean_whole((real)log2, t);
}

#endif
