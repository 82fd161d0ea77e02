/*
 * copy/cast.cu - whole numbers as elements.
 */
#ifndef STOWAGE_COPY_CAST_CU
#define STOWAGE_COPY_CAST_CU

#include "kernel.h"

KERNEL(cast_u8_kernel, (elem *y, const uint8_t *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM((real)x[i]);
}

static void
cast_u8(elem *y, const uint8_t *x, int64_t n)
{
	LAUNCH(cast_u8_kernel, n, (y, x, n));
}

KERNEL(cast_i32_kernel, (elem *y, const int32_t *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM((real)x[i]);
}

static void
cast_i32(elem *y, const int32_t *x, int64_t n)
{
	LAUNCH(cast_i32_kernel, n, (y, x, n));
}

#endif
