/*
 * norm/batchnorm.cu - batch normalisation of [b, channels, n], alone or with the relu behind it, which may have
 * an upper bound, TOP, and with a skip that is added between them.
 *
 * The statistics of a channel take one reading: sums of d and d*d, in double, where d is the
 * distance from the channel's first element, so that a large mean does not cancel the variance.
 * A channel is cut into PARTS (norm_parts, of sizes.h, the same for every number of threads), so
 * that few channels still occupy all cores; a part's two sums lie in the workspace:
 *
 *     work[2 * (channel * parts + part)], and the next one
 *
 * Which elements a relu let through is worked out again from x in backward, by the expression that
 * forward has (bn_value), so the answers agree and y need not be read.
 */
#ifndef STOWAGE_NORM_BATCHNORM_CU
#define STOWAGE_NORM_BATCHNORM_CU

#include "kernel.h"
#include "sizes.h"

#ifdef __CUDACC__
#include "norm/batchnorm_cuda.cu"
#else
#include "norm/batchnorm_c.cu"
#endif

/* Sums the parts; updates the running statistics, the variance with n - 1 as PyTorch does. */
KERNEL(bn_statistics_kernel, (real *mean, real *invstd, real *running_mean, real *running_var,
    const double *work, const elem *x, double eps, double momentum, int64_t b, int64_t channels,
    int64_t n, int64_t parts))
{
	ROWS (c, channels) {
		double count = (double)(b * n), sum = 0, squares = 0, m, var;

		ALONG (p, parts) {
			sum += work[2 * (c * parts + p)];
			squares += work[2 * (c * parts + p) + 1];
		}
		sum = ROW_SUM(sum);
		squares = ROW_SUM(squares);
		m = sum / count;
		var = squares / count - m * m;
		if (var < 0)
			var = 0;
		m += VALUE(x[c * n]);
		FIRST {
			mean[c] = (real)m;
			invstd[c] = (real)(1 / sqrt(var + eps));
			running_mean[c] = (real)((1 - momentum) * running_mean[c] + momentum * m);
			if (count > 1)
				var *= count / (count - 1);
			running_var[c] = (real)((1 - momentum) * running_var[c] + momentum * var);
		}
	}
}

static void
bn_apply(elem *y, const elem *x, const elem *weight, const elem *bias, const real *mean,
    const real *invstd, int64_t b, int64_t channels, int64_t n)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_apply_columns_kernel, b, channels, y, x, weight, bias, mean, invstd, b,
		    channels);
	else
		LAUNCH_PLANES(bn_apply_planes_kernel, b, channels, n, y, x, weight, bias, mean, invstd);
}

/* SKIP may be NULL; y may be x or skip. TOP is NaN where relu has no upper bound. */
static void
bn_apply_relu(elem *y, const elem *x, const elem *weight, const elem *bias, const elem *skip,
    real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_apply_relu_columns_kernel, b, channels, y, x, weight, bias, skip, top, mean,
		    invstd, b, channels);
	else
		LAUNCH_PLANES(bn_apply_relu_planes_kernel, b, channels, n, y, x, weight, bias, skip, top, mean,
		    invstd);
}

/* *MEAN and *INVSTD may be NULL: they then lie in WORK, behind the sums. */
static void
bn_statistics(real **mean, real **invstd, real *running_mean, real *running_var, void *work,
    const elem *x, double eps, double momentum, int64_t b, int64_t channels, int64_t n,
    int64_t parts)
{
	real *scratch = (real *)((double *)work + 2 * channels * parts);

	if (!*mean) {
		*mean = scratch;
		scratch += channels;
	}
	if (!*invstd)
		*invstd = scratch;
	bn_moments((double *)work, x, b, channels, n, parts);
	LAUNCH_CHANNELS(bn_statistics_kernel, channels, (*mean, *invstd, running_mean, running_var,
	    (const double *)work, x, eps, momentum, b, channels, n, parts));
}

static void
batchnorm_forward(elem *y, real *mean, real *invstd, real *running_mean, real *running_var,
    void *work, const elem *x, const elem *weight, const elem *bias, double eps, double momentum,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, x, eps, momentum, b,
	    channels, n, parts);
	bn_apply(y, x, weight, bias, mean, invstd, b, channels, n);
}

/* SKIP may be NULL, here and below. */
static void
batchnorm_relu_forward(elem *y, real *mean, real *invstd, real *running_mean, real *running_var,
    void *work, const elem *x, const elem *weight, const elem *bias, const elem *skip, real top, double eps,
    double momentum, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, x, eps, momentum, b,
	    channels, n, parts);
	bn_apply_relu(y, x, weight, bias, skip, top, mean, invstd, b, channels, n);
}

KERNEL(bn_invstd_kernel, (real *invstd, const real *running_var, double eps, int64_t channels))
{
	EACH (c, channels)
		invstd[c] = (real)(1 / sqrt((double)running_var[c] + eps));
}

/* With the running statistics; WORK holds a real for each channel. */
static void
batchnorm_inference(elem *y, void *work, const elem *x, const elem *weight, const elem *bias,
    const real *running_mean, const real *running_var, double eps, int64_t b, int64_t channels,
    int64_t n)
{
	LAUNCH(bn_invstd_kernel, channels, ((real *)work, running_var, eps, channels));
	bn_apply(y, x, weight, bias, running_mean, (const real *)work, b, channels, n);
}

static void
batchnorm_relu_inference(elem *y, void *work, const elem *x, const elem *weight, const elem *bias,
    const elem *skip, real top, const real *running_mean, const real *running_var, double eps, int64_t b,
    int64_t channels, int64_t n)
{
	LAUNCH(bn_invstd_kernel, channels, ((real *)work, running_var, eps, channels));
	bn_apply_relu(y, x, weight, bias, skip, top, running_mean, (const real *)work, b, channels, n);
}

/* Sums the parts, gives the parameters their gradients, and leaves in part 0 of each channel the
 * means that dx needs: none where the statistics are fixed, for then they do not depend on x. */
KERNEL(bn_gradients_kernel, (elem *dweight, elem *dbias, double *work, const real *invstd,
    int fixed, int64_t b, int64_t channels, int64_t n, int64_t parts))
{
	ROWS (c, channels) {
		double scale = invstd[c], share = fixed ? 0 : 1 / (double)(b * n), sum = 0, dot = 0;

		ALONG (p, parts) {
			sum += work[2 * (c * parts + p)];
			dot += work[2 * (c * parts + p) + 1];
		}
		sum = ROW_SUM(sum);
		dot = ROW_SUM(dot);
		FIRST {
			work[2 * c * parts] = sum * share;
			work[2 * c * parts + 1] = dot * scale * scale * share;
			if (dweight)
				dweight[c] = ELEM((real)(dot * scale));
			if (dbias)
				dbias[c] = ELEM((real)sum);
		}
	}
}

/* From the two means on that part 0 of each channel has in WORK. */
static void
bn_spread(elem *dx, const elem *dy, const elem *x, const elem *weight, const elem *bias, real top, const real *mean,
    const real *invstd, const double *work, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_grad_columns_kernel, b, channels, dx, dy, x, weight, bias, top, mean, invstd,
		    work, parts, b, channels);
	else
		LAUNCH_PLANES(bn_grad_planes_kernel, b, channels, n, dx, dy, x, weight, bias, top, mean, invstd,
		    work, parts);
}

/* From the sums in WORK on. DX, DWEIGHT and DBIAS may each be NULL; dx may be dy or x. */
static void
bn_gradients(elem *dx, elem *dweight, elem *dbias, double *work, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, real top, const real *mean, const real *invstd, int fixed, int64_t b, int64_t channels,
    int64_t n, int64_t parts)
{
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (dweight, dbias, work, invstd, fixed, b,
	    channels, n, parts));
	if (dx)
		bn_spread(dx, dy, x, weight, bias, top, mean, invstd, work, b, channels, n, parts);
}

/* BIAS is NULL but where DY is the gradient of a relu's result, and TOP is NaN but where that has an upper bound. */
static void
batchnorm_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, real top, const real *mean, const real *invstd, int fixed,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_dots((double *)work, dy, x, weight, bias, top, mean, invstd, b, channels, n, parts);
	bn_gradients(dx, dweight, dbias, (double *)work, dy, x, weight, bias, top, mean, invstd, fixed, b, channels, n,
	    parts);
}

#ifdef __CUDACC__
/* Where y is relu(x normalised + a skip): PASSED is the gradient of the sum. It may be dy, and dx may be x. */
static void
batchnorm_add_relu_backward(elem *passed, elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy,
    const elem *y, const elem *x, const elem *weight, real top, const real *mean, const real *invstd, int64_t b,
    int64_t channels, int64_t n, int64_t parts)
{
	bn_masked_dots((double *)work, passed, dy, y, x, top, mean, b, channels, n, parts);
	bn_gradients(dx, dweight, dbias, (double *)work, passed, x, weight, NULL, NAN, mean, invstd, 0, b, channels, n,
	    parts);
}
#endif

/* With fixed statistics: the inverse deviation comes from the running variance, and is kept
 * behind the sums in WORK. */
static void
batchnorm_fixed_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy,
    const elem *x, const elem *weight, const elem *bias, real top, const real *running_mean,
    const real *running_var, double eps, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	real *invstd = (real *)((double *)work + 2 * channels * parts);

	LAUNCH(bn_invstd_kernel, channels, (invstd, running_var, eps, channels));
	batchnorm_backward(dx, dweight, dbias, work, dy, x, weight, bias, top, running_mean, invstd, 1,
	    b, channels, n, parts);
}

#endif
