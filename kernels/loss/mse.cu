/*
 * loss/mse.cu - mean squared error, element by element.
 */
#ifndef STOWAGE_LOSS_MSE_CU
#define STOWAGE_LOSS_MSE_CU

#include "loss/mean.cu"

KERNEL(mse_kernel, (double *part, const elem *x, const elem *t, const uint8_t *u8, int64_t n))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum) {
			double d = (double)VALUE(x[from + j]) -
			    (double)target_at(t, u8, from + j);

			sum += d * d;
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
mse_forward(real *out, void *work, const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH_ROWS(mse_kernel, LOSS_PARTS, ((double *)work, x, t, u8, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

KERNEL(mse_grad_kernel, (elem *dx, const real *dy, const elem *x, const elem *t,
    const uint8_t *u8, int64_t n))
{
	real share = 2 * *dy / (real)n;

	EACH (i, n)
		dx[i] = ELEM((VALUE(x[i]) - target_at(t, u8, i)) * share);
}

static void
mse_backward(elem *dx, const real *dy, const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH(mse_grad_kernel, n, (dx, dy, x, t, u8, n));
}

/* The loss, whose own gradient is the seed, and that of x in one sweep; dx may be x. */
KERNEL(mse_both_kernel, (double *part, elem *dx, const real *scale, const struct step *s,
    const elem *x, const elem *t, const uint8_t *u8, int64_t n))
{
	real share = 2 * seed_of(scale, s) / (real)n;

	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum) {
			real v = VALUE(x[from + j]), aim = target_at(t, u8, from + j);
			double d = (double)v - (double)aim;

			sum += d * d;
			dx[from + j] = ELEM((v - aim) * share);
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
mse_with_gradient(elem *dx, real *out, void *work, const real *scale, const struct step *s,
    const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH_ROWS(mse_both_kernel, LOSS_PARTS, ((double *)work, dx, scale, s, x, t, u8, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

#endif
