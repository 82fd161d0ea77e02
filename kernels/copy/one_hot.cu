/*
 * copy/one_hot.cu - for each class a row of zeros with a one.
 */
#include "kernel.h"

KERNEL(one_hot_kernel, (elem *y, const int32_t *x, int64_t rows, int64_t classes))
{
	EACH_PLACE (one, r, k, 1, rows, classes)
		y[r * classes + k] = ELEM((real)(x[one + r] == k));
}

static void
one_hot(elem *y, const int32_t *x, int64_t rows, int64_t classes)
{
	LAUNCH(one_hot_kernel, rows * classes, (y, x, rows, classes));
}
