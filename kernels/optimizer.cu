/*
 * optimizer.cu - weight updates, and what gradients go through before: accumulation over
 * micro-batches and clipping by the global norm. Each parameter is one pass over its elements.
 *
 * The step's numbers (learning rate, update count) are read from memory inside the kernels, so
 * that a captured CUDA graph runs every step. `clip` is a factor for the gradient, or NULL for 1.
 *
 * Weights stored in 16 bits have a master copy in f32, which is what is updated: most updates are
 * smaller than half the distance between two neighbours of 16 bits, and would be lost. The stored
 * weight is the master's rounding. Gradients that micro-batches add up are f32 too (UPDATES).
 */
#include "kernel.h"

#if NARROW && !defined(UPDATES)
typedef elem gradient;
#define GRADIENT(x)	VALUE(x)
#else
typedef real gradient;
#define GRADIENT(x)	(x)
#endif

/* MASTER is NULL where weights are reals. */
DEVICE real
weight_of(const elem *p, const real *master, int64_t i)
{
	return NARROW ? master[i] : VALUE(p[i]);
}

DEVICE void
weight_set(elem *p, real *master, int64_t i, real value)
{
	if (NARROW)
		master[i] = value;
	p[i] = ELEM(value);
}

#ifdef USE_F16	/* CLIP is loss_scale()'s: 0 after an overflow, and how many updates were left out */
#define LEFT_OUT(clip)	((clip)[0] == 0)
#define UPDATE(s, clip)	((s)->update - (int64_t)(clip)[1])
#else
#define LEFT_OUT(clip)	false
#define UPDATE(s, clip)	((s)->update)
#endif

/* With keep = 0 the old sum is not read: it may be anything, even not a number. */
KERNEL(accumulate_kernel, (real *sum, const elem *x, const struct step *s, int64_t n))
{
	real keep = s->keep;

	if (keep == 0) {
		EACH (i, n)
			sum[i] = VALUE(x[i]);
	} else {
		EACH (i, n)
			sum[i] = keep * sum[i] + VALUE(x[i]);
	}
}

static void
accumulate_gradient(real *sum, const elem *x, const struct step *s, int64_t n)
{
	LAUNCH(accumulate_kernel, n, (sum, x, s, n));
}

/* ---- clipping: the sum of squares of each gradient in CLIP_PARTS pieces, then the norm ---- */

#define CLIP_PARTS	64

KERNEL(clip_squares_kernel, (double *part, const gradient *g, int64_t n))
{
	ROWS (p, CLIP_PARTS) {
		int64_t from = PART_FROM(n, p, CLIP_PARTS);
		int64_t count = PART_FROM(n, p + 1, CLIP_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum)
			sum += (double)GRADIENT(g[from + j]) * (double)GRADIENT(g[from + j]);
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

/* Of the WHICH-th gradient. */
static void
clip_squares(void *work, int64_t which, const gradient *g, int64_t n)
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
				*scale /= 2;
				counts[0] = 0;
				counts[1] += 1;
			} else {
				if (limit > 0)
					clip = limit / (sqrt(sum) / (double)*scale + 1e-6);
				out[0] = (real)((clip < 1 ? clip : 1) / (double)*scale);
				counts[0] += 1;
				if (counts[0] >= SCALE_HOLDS) {
					*scale *= 2;
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

/* ---- updates ---- */

KERNEL(sgd_kernel, (elem *p, real *master, const gradient *g, const real *clip,
    real *momentum_buffer, const struct step *s, double momentum, int nesterov, double decay,
    int64_t n))
{
	real factor = clip ? *clip : 1, lr = (real)s->lr, m = (real)momentum, wd = (real)decay;

	if (LEFT_OUT(clip))
		return;
	if (!momentum_buffer) {
		EACH (i, n) {
			real w = weight_of(p, master, i);

			weight_set(p, master, i, w - lr * (GRADIENT(g[i]) * factor + wd * w));
		}
	} else if (nesterov) {
		EACH (i, n) {
			real w = weight_of(p, master, i), d = GRADIENT(g[i]) * factor + wd * w;
			real v = m * momentum_buffer[i] + d;

			momentum_buffer[i] = v;
			weight_set(p, master, i, w - lr * (d + m * v));
		}
	} else {
		EACH (i, n) {
			real w = weight_of(p, master, i);
			real v = m * momentum_buffer[i] + (GRADIENT(g[i]) * factor + wd * w);

			momentum_buffer[i] = v;
			weight_set(p, master, i, w - lr * v);
		}
	}
}

static void
sgd_update(elem *p, real *master, const gradient *g, const real *clip, real *momentum_buffer,
    const struct step *s, double momentum, int nesterov, double decay, int64_t n)
{
	LAUNCH(sgd_kernel, n, (p, master, g, clip, momentum_buffer, s, momentum, nesterov, decay,
	    n));
}

#if !NARROW
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
#endif

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
KERNEL(adam_kernel, (elem *p, real *master, const gradient *g, const real *clip, real *m, real *v,
    const struct step *s, double beta1, double beta2, double eps, double decay, double shrink,
    int64_t n))
{
	int64_t update = UPDATE(s, clip);
	double fix1 = 1 - power_of(beta1, update), fix2 = 1 - power_of(beta2, update);
	real factor = clip ? *clip : 1, keep = (real)(1 - s->lr * shrink), wd = (real)decay;
	real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
	real pace = (real)(s->lr / fix1), spread = (real)(1 / sqrt(fix2)), tiny = (real)eps;

	if (LEFT_OUT(clip))
		return;
	EACH (i, n) {
		real w = weight_of(p, master, i), d = GRADIENT(g[i]) * factor + wd * w;
		real first = b1 * m[i] + c1 * d, second = b2 * v[i] + c2 * d * d;

		m[i] = first;
		v[i] = second;
		weight_set(p, master, i,
		    w * keep - pace * first / (R(sqrt)(second) * spread + tiny));
	}
}

static void
adam_update(elem *p, real *master, const gradient *g, const real *clip, real *m, real *v,
    const struct step *s, double beta1, double beta2, double eps, double decay, double shrink,
    int64_t n)
{
	LAUNCH(adam_kernel, n, (p, master, g, clip, m, v, s, beta1, beta2, eps, decay, shrink, n));
}
