/*
 * loss/weighted_mean.cu - a mean over the elements of all samples of which some weigh more, or
 * nothing. What weighs nothing is not read: it may be no number.
 *
 *     work:   LOSS_PARTS doubles, parts of the sum | as many of the weights
 */
#include "loss/mean.cu"

KERNEL(weighted_mean_kernel, (double *part, const elem *x, const elem *weights, int64_t n))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0, weight = 0;

		ALONG (j, count) {
			double w = (double)VALUE(weights[from + j]);

			weight += w;
			sum += w != 0 ? w * (double)VALUE(x[from + j]) : 0;
		}
		sum = ROW_SUM(sum);
		weight = ROW_SUM(weight);
		FIRST {
			part[p] = sum;
			part[LOSS_PARTS + p] = weight;
		}
	}
}

KERNEL(weighted_mean_end_kernel, (real *out, real *total, const double *part))
{
	ROWS (i, 1) {
		double sum = 0, weight = 0;

		ALONG (p, LOSS_PARTS) {
			sum += part[p];
			weight += part[LOSS_PARTS + p];
		}
		sum = ROW_SUM(sum);
		weight = ROW_SUM(weight);
		FIRST {
			out[i] = (real)(weight > 0 ? sum / weight : 0);
			total[i] = (real)weight;
		}
	}
}

static void
weighted_mean_forward(real *out, real *total, void *work, const elem *x, const elem *weights, int64_t n)
{
	LAUNCH_ROWS(weighted_mean_kernel, LOSS_PARTS, ((double *)work, x, weights, n));
	LAUNCH(weighted_mean_end_kernel, 1, (out, total, (const double *)work));
}

KERNEL(weighted_mean_grad_kernel, (elem *dx, const real *dloss, const elem *weights, const real *total, int64_t n))
{
	real share = *total > 0 ? *dloss / *total : 0;

	EACH (i, n)
		dx[i] = ELEM(VALUE(weights[i]) * share);
}

static void
weighted_mean_backward(elem *dx, const real *dloss, const elem *weights, const real *total, int64_t n)
{
	LAUNCH(weighted_mean_grad_kernel, n, (dx, dloss, weights, total, n));
}
