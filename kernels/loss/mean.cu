/*
 * loss/mean.cu - the mean over samples, which losses and the metric are, and the gradient they
 * start from.
 *
 * A mean is summed in double in LOSS_PARTS pieces, whose number does not depend on threads or
 * target, so that the order of the sum is fixed. `work` holds one double a piece.
 *
 * A label outside 0 .. k-1 takes no part: its loss and its gradient are 0 (the readers of data
 * refuse such labels; this keeps any that slip through from reading outside the row).
 */
#ifndef STOWAGE_LOSS_MEAN_CU
#define STOWAGE_LOSS_MEAN_CU

#include "kernel.h"
#include "sizes.h"

DEVICE real
seed_of(const real *scale, const struct step *s)
{
	return scale ? s->share * *scale : s->share;
}

KERNEL(mean_kernel, (real *out, const double *part, int64_t n))
{
	ROWS (i, 1) {
		double sum = 0;

		ALONG (p, LOSS_PARTS)
			sum += part[p];
		sum = ROW_SUM(sum);
		FIRST
			out[i] = (real)(sum / (double)n);
	}
}

/* ---- element by element; the target is t, or u8 where T is NULL ---- */

DEVICE real
target_at(const elem *t, const uint8_t *u8, int64_t i)
{
	return t ? VALUE(t[i]) : (real)u8[i];
}

#endif
