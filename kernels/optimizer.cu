/*
 * optimizer.cu - weight updates, and what gradients go through before: accumulation over
 * micro-batches and clipping by the global norm. Each parameter is one pass over its elements.
 *
 * The step's numbers (learning rate, update count) are read from memory inside the kernels, so
 * that a captured CUDA graph runs every step. `clip` is a factor for the gradient, or NULL for 1.
 */
#include "kernel.h"

/* With keep = 0 the old sum is not read: it may be anything, even not a number. */
KERNEL(accumulate_kernel, (real *sum, const real *x, const struct step *s, int64_t n))
{
	real keep = s->keep;

	if (keep == 0) {
		EACH (i, n)
			sum[i] = x[i];
	} else {
		EACH (i, n)
			sum[i] = keep * sum[i] + x[i];
	}
}

static void
accumulate_gradient(real *sum, const real *x, const struct step *s, int64_t n)
{
	LAUNCH(accumulate_kernel, n, (sum, x, s, n));
}

/* ---- clipping: the sum of squares of each gradient in CLIP_PARTS pieces, then the norm ---- */

#define CLIP_PARTS	64

KERNEL(clip_squares_kernel, (double *part, const real *g, int64_t n))
{
	ROWS (p, CLIP_PARTS) {
		int64_t from = PART_FROM(n, p, CLIP_PARTS);
		int64_t count = PART_FROM(n, p + 1, CLIP_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum)
			sum += (double)g[from + j] * (double)g[from + j];
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

/* Of the WHICH-th gradient. */
static void
clip_squares(void *work, int64_t which, const real *g, int64_t n)
{
	LAUNCH_ROWS(clip_squares_kernel, CLIP_PARTS, ((double *)work + which * CLIP_PARTS, g, n));
}

/* min(1, limit / (norm + 1e-6)); a norm that is not a number is passed on */
KERNEL(clip_scale_kernel, (real *out, const double *part, int64_t gradients, double limit))
{
	ROWS (r, 1) {
		double sum = 0, scale;

		ALONG (j, gradients * CLIP_PARTS)
			sum += part[j];
		sum = ROW_SUM(sum);
		scale = limit / (sqrt(sum) + 1e-6);
		FIRST
			out[r] = scale >= 1 ? 1 : (real)scale;
	}
}

static void
clip_scale(real *out, const void *work, int64_t gradients, double limit)
{
	LAUNCH_ROWS(clip_scale_kernel, 1, (out, (const double *)work, gradients, limit));
}

/* ---- scaling the loss, for numbers too short for small gradients ---- */

#define SCALE_HOLDS	2000	/* good updates after which a larger scale is tried */

/* scale: the factor of the loss, and the good updates since it changed. An overflow anywhere has
 * made the sum of squares infinite or not a number. */
KERNEL(loss_scale_kernel, (real *out, real *scale, const double *part, int64_t gradients,
    double limit))
{
	ROWS (r, 1) {
		double sum = 0, clip = 1;

		ALONG (j, gradients * CLIP_PARTS)
			sum += part[j];
		sum = ROW_SUM(sum);
		FIRST {
			if (!(sum - sum == 0)) {
				out[r] = 0;
				scale[0] /= 2;
				scale[1] = 0;
			} else {
				if (limit > 0)
					clip = limit / (sqrt(sum) / (double)scale[0] + 1e-6);
				out[r] = (real)((clip < 1 ? clip : 1) / (double)scale[0]);
				scale[1] += 1;
				if (scale[1] >= SCALE_HOLDS) {
					scale[0] *= 2;
					scale[1] = 0;
				}
			}
		}
	}
}

/* The squares are clip_squares()'s. */
static void
loss_scale(real *out, real *scale, const void *work, int64_t gradients, double limit)
{
	LAUNCH_ROWS(loss_scale_kernel, 1, (out, scale, (const double *)work, gradients, limit));
}

/* ---- updates ---- */

KERNEL(sgd_kernel, (real *p, const real *g, const real *clip, real *momentum_buffer,
    const struct step *s, double momentum, int nesterov, double decay, int64_t n))
{
	real factor = clip ? *clip : 1, lr = (real)s->lr, m = (real)momentum, wd = (real)decay;

	if (!momentum_buffer) {
		EACH (i, n)
			p[i] -= lr * (g[i] * factor + wd * p[i]);
	} else if (nesterov) {
		EACH (i, n) {
			real d = g[i] * factor + wd * p[i], v = m * momentum_buffer[i] + d;

			momentum_buffer[i] = v;
			p[i] -= lr * (d + m * v);
		}
	} else {
		EACH (i, n) {
			real v = m * momentum_buffer[i] + (g[i] * factor + wd * p[i]);

			momentum_buffer[i] = v;
			p[i] -= lr * v;
		}
	}
}

static void
sgd_update(real *p, const real *g, const real *clip, real *momentum_buffer, const struct step *s,
    double momentum, int nesterov, double decay, int64_t n)
{
	LAUNCH(sgd_kernel, n, (p, g, clip, momentum_buffer, s, momentum, nesterov, decay, n));
}

/* The rest, where the gradient was added to momentum * V already. */
KERNEL(sgd_apply_kernel, (real *p, real *v, const struct step *s, double decay, int64_t n))
{
	real lr = (real)s->lr, wd = (real)decay;

	if (wd == 0) {
		EACH (i, n)
			p[i] -= lr * v[i];
	} else {
		EACH (i, n) {
			real d = v[i] + wd * p[i];

			v[i] = d;
			p[i] -= lr * d;
		}
	}
}

static void
sgd_apply(real *p, real *v, const struct step *s, double decay, int64_t n)
{
	LAUNCH(sgd_apply_kernel, n, (p, v, s, decay, n));
}

/* base to the power n, by squaring: the same on every target */
DEVICE double
power_of(double base, int64_t n)
{
	double result = 1;

	for (; n > 0; n /= 2) {
		if (n % 2)
			result *= base;
		base *= base;
	}
	return result;
}

/* DECAY is added to the gradient (adam); SHRINK takes lr * shrink off the weight first (adamw). */
KERNEL(adam_kernel, (real *p, const real *g, const real *clip, real *m, real *v,
    const struct step *s, double beta1, double beta2, double eps, double decay, double shrink,
    int64_t n))
{
	double fix1 = 1 - power_of(beta1, s->update), fix2 = 1 - power_of(beta2, s->update);
	real factor = clip ? *clip : 1, keep = (real)(1 - s->lr * shrink), wd = (real)decay;
	real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
	real pace = (real)(s->lr / fix1), spread = (real)(1 / sqrt(fix2)), tiny = (real)eps;

	EACH (i, n) {
		real d = g[i] * factor + wd * p[i];
		real first = b1 * m[i] + c1 * d, second = b2 * v[i] + c2 * d * d;

		m[i] = first;
		v[i] = second;
		p[i] = p[i] * keep - pace * first / (R(sqrt)(second) * spread + tiny);
	}
}

static void
adam_update(real *p, const real *g, const real *clip, real *m, real *v, const struct step *s,
    double beta1, double beta2, double eps, double decay, double shrink, int64_t n)
{
	LAUNCH(adam_kernel, n, (p, g, clip, m, v, s, beta1, beta2, eps, decay, shrink, n));
}
