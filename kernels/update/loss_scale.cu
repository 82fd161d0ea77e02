/*
 * update/loss_scale.cu - scaling the loss, for numbers too short for small gradients. The factor
 * that undoes it takes part in clipping.
 */
#ifndef STOWAGE_UPDATE_LOSS_SCALE_CU
#define STOWAGE_UPDATE_LOSS_SCALE_CU

#include "update/clip.cu"

#define SCALE_HOLDS	2000	/* good updates after which a larger scale is tried */

/* Gradients that are all zero are good for ever, and none is where the loss is not a number.
 * Without bounds the scale would come to infinity or to zero, and then its inverse would, which no
 * later update undoes. The lower one is the least number that half precision has in full: below it
 * the loss's gradient would vanish. */
#define MOST_SCALE	REAL(0x1p+120)
#define LEAST_SCALE	REAL(0x1p-14)

/* counts: the good updates since the scale changed, and all those left out. out: the factor of the
 * gradients, and again those left out. An overflow anywhere has made the sum of squares infinite or
 * not a number. */
KERNEL(loss_scale_kernel, (real *out, real *scale, real *counts, const double *part,
    int64_t gradients, double limit))
{
	ROWS (r, 1) {
		double sum = 0, clip = 1;

		ALONG (j, gradients * CLIP_PARTS)
			sum += part[j];
		sum = ROW_SUM(sum);
		FIRST {
			if (!(sum - sum == 0)) {
				out[0] = 0;
				*scale = *scale / 2 < LEAST_SCALE ? LEAST_SCALE : *scale / 2;
				counts[0] = 0;
				counts[1] += 1;
			} else {
				if (limit > 0)
					clip = limit / (sqrt(sum) / (double)*scale + 1e-6);
				out[0] = (real)((clip < 1 ? clip : 1) / (double)*scale);
				counts[0] += 1;
				if (counts[0] >= SCALE_HOLDS) {
					*scale = *scale * 2 > MOST_SCALE ? MOST_SCALE : *scale * 2;
					counts[0] = 0;
				}
			}
			out[1] = counts[1];
		}
	}
}

/* The squares are clip_squares()'s. */
static void
loss_scale(real *out, real *scale, real *counts, const void *work, int64_t gradients, double limit)
{
	LAUNCH_ROWS(loss_scale_kernel, 1, (out, scale, counts, (const double *)work, gradients,
	    limit));
}

#endif
