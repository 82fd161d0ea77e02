/*
 * loss/bce.cu - binary cross-entropy of logits, element by element.
 */
#ifndef STOWAGE_LOSS_BCE_CU
#define STOWAGE_LOSS_BCE_CU

#include "loss/mean.cu"
#include "pointwise/exp.cu"

KERNEL(bce_kernel, (double *part, const elem *x, const elem *t, const uint8_t *u8, int64_t n))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG (j, count) {
			real v = VALUE(x[from + j]), above = v > 0 ? v : 0;

			sum += (double)(above - v * target_at(t, u8, from + j)) +
			    (double)R(log1p)(R(exp)(v > 0 ? -v : v));
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
bce_forward(real *out, void *work, const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH_ROWS(bce_kernel, LOSS_PARTS, ((double *)work, x, t, u8, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

KERNEL(bce_grad_kernel, (elem *dx, const real *dy, const elem *x, const elem *t,
    const uint8_t *u8, int64_t n))
{
	real share = *dy / (real)n;

	EACH (i, n)
		dx[i] = ELEM((logistic(VALUE(x[i])) - target_at(t, u8, i)) * share);
}

static void
bce_backward(elem *dx, const real *dy, const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH(bce_grad_kernel, n, (dx, dy, x, t, u8, n));
}

/* As mse_both_kernel. */
KERNEL(bce_both_kernel, (double *part, elem *dx, const real *scale, const struct step *s,
    const elem *x, const elem *t, const uint8_t *u8, int64_t n))
{
	real share = seed_of(scale, s) / (real)n;

	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum) {
			real v = VALUE(x[from + j]), above = v > 0 ? v : 0;
			real aim = target_at(t, u8, from + j);

			sum += (double)(above - v * aim) + (double)R(log1p)(R(exp)(v > 0 ? -v : v));
			dx[from + j] = ELEM((logistic(v) - aim) * share);
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
bce_with_gradient(elem *dx, real *out, void *work, const real *scale, const struct step *s,
    const elem *x, const elem *t, const uint8_t *u8, int64_t n)
{
	LAUNCH_ROWS(bce_both_kernel, LOSS_PARTS, ((double *)work, dx, scale, s, x, t, u8, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

KERNEL(bce_target_grad_kernel, (elem *dt, const real *dy, const elem *x, int64_t n))
{
	real share = -*dy / (real)n;

	EACH (i, n)
		dt[i] = ELEM(VALUE(x[i]) * share);
}

static void
bce_target_backward(elem *dt, const real *dy, const elem *x, int64_t n)
{
	LAUNCH(bce_target_grad_kernel, n, (dt, dy, x, n));
}

#endif
