/*
 * norm/batchnorm.cu - batch normalisation of [b, channels, n], and what is done to its values
 * before they are stored (pointwise/epilogue.cu): nothing, an activation, the addition of a skip,
 * or both.
 *
 * The statistics of a channel take one reading: sums of d and d*d, in double, where d is the
 * distance from the channel's first element, so that a large mean does not cancel the variance.
 * A channel is cut into PARTS (norm_parts, of sizes.h, the same for every number of threads), so
 * that few channels still occupy all cores; a part's two sums lie in the workspace:
 *
 *     work[2 * (channel * parts + part)], and the next one
 *
 * On a GPU the convolution before it may have added up each channel's elements, and their squares,
 * as it stored them (conv_sums()). Those are KNOWN, [2, channels], and x need not be read for them.
 * They are floats, and about 0: where most of a variance made of them would cancel out, the channel
 * is read as ever (bn_is_known()).
 *
 * What of a gradient passes an activation is worked out from the value, which backward makes of x
 * again by the expression that forward has (bn_value), so the answers agree and neither it nor y
 * need be kept.
 */
#ifndef STOWAGE_NORM_BATCHNORM_CU
#define STOWAGE_NORM_BATCHNORM_CU

#include "kernel.h"
#include "sizes.h"

/* A mean square may be so many times the variance, for that to be made of sums of floats: these are
 * taken to be exact to 2^-20 of it (cuDNN does not say), and so is the variance to 2^-10, which 16
 * bits are. */
#define BN_CANCELS	1024

/* Do the sums that are KNOWN of channel C, of COUNT elements, tell its variance? KNOWN may be NULL.
 * (Two kernels ask, and must hear the same: nothing here is left to be contracted. Of what is no
 * number, they do not.) */
DEVICE bool
bn_is_known(const real *known, int64_t c, int64_t channels, int64_t count)
{
	real sum, squares;

	if (!known)
		return false;
	sum = known[c];
	squares = known[channels + c] * (real)count;
	return (real)fma(-sum, sum, squares) * BN_CANCELS >= squares;
}

#ifdef __CUDACC__
#include "norm/batchnorm_cuda.cu"
#else
#include "norm/batchnorm_c.cu"
#endif

/* The statistics of channel C, of the sums of its COUNT elements about ORIGIN, and what runs on of
 * them: the variance with n - 1, as PyTorch does. */
DEVICE void
bn_keep(int64_t c, double count, double sum, double squares, double origin, double eps, double momentum, real *mean,
    real *invstd, real *running_mean, real *running_var)
{
	double m = sum / count, var = squares / count - m * m;

	if (var < 0)
		var = 0;
	m += origin;
	mean[c] = (real)m;
	invstd[c] = (real)(1 / sqrt(var + eps));
	running_mean[c] = (real)((1 - momentum) * running_mean[c] + momentum * m);
	if (count > 1)
		var *= count / (count - 1);
	running_var[c] = (real)((1 - momentum) * running_var[c] + momentum * var);
}

/* Sums the parts, but where the sums are KNOWN. */
KERNEL(bn_statistics_kernel, (real *mean, real *invstd, real *running_mean, real *running_var,
    const double *work, const real *known, const elem *x, double eps, double momentum, int64_t b, int64_t channels,
    int64_t n, int64_t parts))
{
	ROWS (c, channels) {
		bool is_known = bn_is_known(known, c, channels, b * n);
		double sum = 0, squares = 0;

		if (!is_known)
			ALONG (p, parts) {
				sum += work[2 * (c * parts + p)];
				squares += work[2 * (c * parts + p) + 1];
			}
		sum = ROW_SUM(sum);
		squares = ROW_SUM(squares);
		FIRST {
			bn_keep(c, (double)(b * n), is_known ? known[c] : sum, is_known ? known[channels + c] : squares,
			    is_known ? 0 : VALUE(x[c * n]), eps, momentum, mean, invstd, running_mean, running_var);
		}
	}
}

/* THEN may read a tensor beside x, a skip; y may be either of them. */
static void
bn_apply(elem *y, const elem *x, const elem *weight, const elem *bias, struct epilogue then, const real *mean,
    const real *invstd, int64_t b, int64_t channels, int64_t n)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_apply_columns_kernel, b, channels, y, x, weight, bias, then, mean, invstd, b,
		    channels);
	else
		LAUNCH_PLANES(bn_apply_planes_kernel, b, channels, n, y, x, weight, bias, then, mean, invstd);
}

/* *MEAN and *INVSTD may be NULL: they then lie in WORK, behind the sums. */
static void
bn_statistics(real **mean, real **invstd, real *running_mean, real *running_var, void *work,
    const real *known, const elem *x, double eps, double momentum, int64_t b, int64_t channels, int64_t n,
    int64_t parts)
{
	real *scratch = (real *)((double *)work + 2 * channels * parts);

	if (!*mean) {
		*mean = scratch;
		scratch += channels;
	}
	if (!*invstd)
		*invstd = scratch;
	bn_moments((double *)work, known, x, b, channels, n, parts);
	LAUNCH_CHANNELS(bn_statistics_kernel, channels, (*mean, *invstd, running_mean, running_var,
	    (const double *)work, known, x, eps, momentum, b, channels, n, parts));
}

/* KNOWN may be NULL. */
static void
batchnorm_forward(elem *y, real *mean, real *invstd, real *running_mean, real *running_var,
    void *work, const real *known, const elem *x, const elem *weight, const elem *bias, struct epilogue then, double eps,
    double momentum, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, known, x, eps, momentum, b,
	    channels, n, parts);
	bn_apply(y, x, weight, bias, then, mean, invstd, b, channels, n);
}

KERNEL(bn_invstd_kernel, (real *invstd, const real *running_var, double eps, int64_t channels))
{
	EACH (c, channels)
		invstd[c] = (real)(1 / sqrt((double)running_var[c] + eps));
}

/* With the running statistics; WORK holds a real for each channel. */
static void
batchnorm_inference(elem *y, void *work, const elem *x, const elem *weight, const elem *bias, struct epilogue then,
    const real *running_mean, const real *running_var, double eps, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH(bn_invstd_kernel, channels, ((real *)work, running_var, eps, channels));
	bn_apply(y, x, weight, bias, then, running_mean, (const real *)work, b, channels, n);
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

/* From the two means on that part 0 of each channel has in WORK, of what passes KIND. */
static void
bn_spread(elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, const double *work, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_grad_columns_kernel, b, channels, dx, dy, kind, x, weight, bias, mean, invstd, work,
		    parts, b, channels);
	else
		LAUNCH_PLANES(bn_grad_planes_kernel, b, channels, n, dx, dy, kind, x, weight, bias, mean, invstd, work,
		    parts);
}

/* From the sums in WORK on. DX, DWEIGHT and DBIAS may each be NULL; dx may be dy or x. */
static void
bn_gradients(elem *dx, elem *dweight, elem *dbias, double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, int fixed, int64_t b,
    int64_t channels, int64_t n, int64_t parts)
{
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (dweight, dbias, work, invstd, fixed, b,
	    channels, n, parts));
	if (dx)
		bn_spread(dx, dy, kind, x, weight, bias, mean, invstd, work, b, channels, n, parts);
}

/* THEN is the gradient of what forward does to the values, of dy and of the value; BIAS may be NULL
 * where that is nothing. */
static void
batchnorm_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy, struct epilogue then,
    const elem *x, const elem *weight, const elem *bias, const real *mean, const real *invstd, int fixed,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_dots((double *)work, dy, then.kind, x, weight, bias, mean, invstd, b, channels, n, parts);
	bn_gradients(dx, dweight, dbias, (double *)work, dy, then.kind, x, weight, bias, mean, invstd, fixed, b, channels,
	    n, parts);
}

#ifdef __CUDACC__
/* Of what FROM makes of elements of dy and of what lies beside them, which is stored in MADE. That
 * may be dy, and dx may be x. */
static void
batchnorm_backward_of(elem *made, elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy, struct epilogue from,
    const elem *x, const elem *weight, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n,
    int64_t parts)
{
	bn_stored_dots((double *)work, made, dy, from, x, mean, b, channels, n, parts);
	bn_gradients(dx, dweight, dbias, (double *)work, made, NO_EPILOGUE, x, weight, NULL, mean, invstd, 0, b, channels,
	    n, parts);
}
#endif

/* With fixed statistics: the inverse deviation comes from the running variance, and is kept
 * behind the sums in WORK. */
static void
batchnorm_fixed_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy,
    struct epilogue then, const elem *x, const elem *weight, const elem *bias, const real *running_mean,
    const real *running_var, double eps, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	real *invstd = (real *)((double *)work + 2 * channels * parts);

	LAUNCH(bn_invstd_kernel, channels, (invstd, running_var, eps, channels));
	batchnorm_backward(dx, dweight, dbias, work, dy, then, x, weight, bias, running_mean, invstd, 1,
	    b, channels, n, parts);
}

#ifdef __CUDACC__
#include "norm/batchnorm_marked.cu"
#endif

#endif
