/*
 * pointwise/scale.cu - x times a factor, plus an offset.
 */
#ifndef STOWAGE_POINTWISE_SCALE_CU
#define STOWAGE_POINTWISE_SCALE_CU

#include "kernel.h"

KERNEL(scale_kernel, (elem *y, const elem *x, real factor, real offset, int64_t n))
{
	MAP (y, x, n, e, ELEM(VALUE(e) * factor + offset));
}

static void
scale_forward(elem *y, const elem *x, real factor, real offset, int64_t n)
{
	LAUNCH_MAP(scale_kernel, n, (y, x, factor, offset, n));
}

/* Of reals, where elements are narrow: losses are weighted in f32. */
#if NARROW

KERNEL(scale_reals_kernel, (real *y, const real *x, real factor, real offset, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] * factor + offset;
}

static void
scale_forward_reals(real *y, const real *x, real factor, real offset, int64_t n)
{
	LAUNCH(scale_reals_kernel, n, (y, x, factor, offset, n));
}

#endif

#endif
