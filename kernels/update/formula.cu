/*
 * update/formula.cu - what kernels that are written for optimizers that are formulas are made of
 * (src/calls/update_kernel.c shows one).
 */
#ifndef STOWAGE_UPDATE_FORMULA_CU
#define STOWAGE_UPDATE_FORMULA_CU

#include "pointwise/formula.cu"
#include "update/updates.cu"

#endif
