/*
 * norm/batchnorm.cu - batch normalisation of [b, channels, n], alone or with the relu behind it,
 * and with a skip that is added between them.
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
#include "kernel.h"
#include "sizes.h"

/* An element whose distance from the channel's mean is D. */
DEVICE real
bn_value(real d, real gain, real offset)
{
	return d * gain + offset;
}

/* As relu_kernel: what is not a number passes. */
DEVICE elem
bn_rectified(real value)
{
	return value <= 0 ? ELEM(0) : ELEM(value);
}

/* What of an element of dy arrives at the batchnorm: nothing where relu made 0 of its result. */
DEVICE real
bn_passed(elem dy, real d, real gain, real offset)
{
	return bn_value(d, gain, offset) <= 0 ? 0 : VALUE(dy);
}

/* Gain and offset for bn_passed: without a relu, those that let everything through. BIAS is NULL
 * then. */
DEVICE real
bn_relu_gain(const elem *weight, const elem *bias, const real *invstd, int64_t c)
{
	return bias ? VALUE(weight[c]) * invstd[c] : 0;
}

DEVICE real
bn_relu_offset(const elem *bias, int64_t c)
{
	return bias ? VALUE(bias[c]) : 1;
}

#include "norm/batchnorm_last_cuda.cu"
#include "norm/batchnorm_first_cuda.cu"

#ifdef __CUDACC__

#define LAUNCH_CHANNELS(name, channels, args)	LAUNCH_ROWS(name, channels, args)

#else	/* C */

#define LAUNCH_CHANNELS(name, channels, args)	LAUNCH(name, channels, args)
#define LAUNCH_SWEEP(name, rows, channels, ...)	LAUNCH(name, (rows) * (channels), (__VA_ARGS__))
#define LAUNCH_PLANES(name, b, channels, n, ...)	\
	LAUNCH_ROWS(name, (b) * (channels), (__VA_ARGS__, b, channels, n))

/* Channels that lie side by side (n = 1, after dense) are taken this many at a time. */
#define BN_COLUMNS	64

static void
bn_moments_columns(double *work, const elem *x, int64_t b, int64_t channels, int64_t parts)
{
	ROWS (r, (channels + BN_COLUMNS - 1) / BN_COLUMNS * parts) {
		int64_t c = r / parts * BN_COLUMNS, p = r % parts;
		int64_t width = channels - c < BN_COLUMNS ? channels - c : BN_COLUMNS;
		double sum[BN_COLUMNS] = { 0 }, squares[BN_COLUMNS] = { 0 };

		for (int64_t i = PART_FROM(b, p, parts); i < PART_FROM(b, p + 1, parts); i++)
			for (int64_t j = 0; j < width; j++) {
				double d = (double)VALUE(x[i * channels + c + j]) -
				    (double)VALUE(x[c + j]);

				sum[j] += d;
				squares[j] += d * d;
			}
		for (int64_t j = 0; j < width; j++) {
			work[2 * ((c + j) * parts + p)] = sum[j];
			work[2 * ((c + j) * parts + p) + 1] = squares[j];
		}
	}
}

static void
bn_moments_kernel(double *work, const elem *x, int64_t b, int64_t channels, int64_t n,
    int64_t parts)
{
	if (n == 1) {
		bn_moments_columns(work, x, b, channels, parts);
		return;
	}
	ROWS (r, channels * parts) {
		int64_t c = r / parts, p = r % parts;
		int64_t t = PART_FROM(b * n, p, parts), end = PART_FROM(b * n, p + 1, parts);
		double origin = VALUE(x[c * n]), sum = 0, squares = 0;

		while (t < end) {
			const elem *v = x + (t / n * channels + c) * n + t % n;
			int64_t count = n - t % n < end - t ? n - t % n : end - t;

			ALONG_ADD (j, count, sum, squares) {
				double d = VALUE(v[j]) - origin;

				sum += d;
				squares += d * d;
			}
			t += count;
		}
		work[2 * r] = sum;
		work[2 * r + 1] = squares;
	}
}

static void
bn_dots_columns(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t parts)
{
	ROWS (r, (channels + BN_COLUMNS - 1) / BN_COLUMNS * parts) {
		int64_t c = r / parts * BN_COLUMNS, p = r % parts;
		int64_t width = channels - c < BN_COLUMNS ? channels - c : BN_COLUMNS;
		double sum[BN_COLUMNS] = { 0 }, dot[BN_COLUMNS] = { 0 };
		real gain[BN_COLUMNS], offset[BN_COLUMNS];

		for (int64_t j = 0; j < width; j++) {
			gain[j] = bn_relu_gain(weight, bias, invstd, c + j);
			offset[j] = bn_relu_offset(bias, c + j);
		}
		for (int64_t i = PART_FROM(b, p, parts); i < PART_FROM(b, p + 1, parts); i++)
			for (int64_t j = 0; j < width; j++) {
				int64_t k = i * channels + c + j;
				real d = VALUE(x[k]) - mean[c + j];
				real g = bn_passed(dy[k], d, gain[j], offset[j]);

				sum[j] += g;
				dot[j] += (double)g * (double)d;
			}
		for (int64_t j = 0; j < width; j++) {
			work[2 * ((c + j) * parts + p)] = sum[j];
			work[2 * ((c + j) * parts + p) + 1] = dot[j];
		}
	}
}

static void
bn_dots_kernel(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1) {
		bn_dots_columns(work, dy, x, weight, bias, mean, invstd, b, channels, parts);
		return;
	}
	ROWS (r, channels * parts) {
		int64_t c = r / parts, p = r % parts;
		int64_t t = PART_FROM(b * n, p, parts), end = PART_FROM(b * n, p + 1, parts);
		real gain = bn_relu_gain(weight, bias, invstd, c), offset = bn_relu_offset(bias, c);
		double sum = 0, dot = 0;

		while (t < end) {
			int64_t i = (t / n * channels + c) * n + t % n;
			int64_t count = n - t % n < end - t ? n - t % n : end - t;
			const elem *v = x + i, *dv = dy + i;
			real m = mean[c];

			ALONG_ADD (j, count, sum, dot) {
				real d = VALUE(v[j]) - m, g = bn_passed(dv[j], d, gain, offset);

				sum += g;
				dot += (double)g * (double)d;
			}
			t += count;
		}
		work[2 * r] = sum;
		work[2 * r + 1] = dot;
	}
}

#endif

static void
bn_moments(double *work, const elem *x, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
#ifdef __CUDACC__
	if (n == 1) {
		LAUNCH_COLUMNS(bn_moments_columns_kernel, channels, parts,
		    (work, x, b, channels, parts));
		return;
	}
	LAUNCH_PLANE_SUMS(bn_moments_planes_kernel, channels, n, parts, work, x, b, channels, parts);
#else
	LAUNCH_ROWS(bn_moments_kernel, channels * parts, (work, x, b, channels, n, parts));
#endif
}

static void
bn_dots(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
#ifdef __CUDACC__
	if (n == 1) {
		LAUNCH_COLUMNS(bn_dots_columns_kernel, channels, parts,
		    (work, dy, x, weight, bias, mean, invstd, b, channels, parts));
		return;
	}
	LAUNCH_PLANE_SUMS(bn_dots_planes_kernel, channels, n, parts, work, dy, x, weight, bias, mean,
	    invstd, b, channels, parts);
#else
	LAUNCH_ROWS(bn_dots_kernel, channels * parts,
	    (work, dy, x, weight, bias, mean, invstd, b, channels, n, parts));
#endif
}

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

#ifndef __CUDACC__

/* y = gain * x + offset, with the two numbers of a channel worked out once for each row */
KERNEL(bn_apply_planes_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels;
		real gain = VALUE(weight[c]) * invstd[c], m = mean[c], offset = VALUE(bias[c]);

		ALONG_EACH (j, n)
			y[r * n + j] = ELEM(bn_value(VALUE(x[r * n + j]) - m, gain, offset));
	}
}

KERNEL(bn_apply_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const real *mean, const real *invstd, int64_t b, int64_t channels))
{
	EACH_PLACE (i, one, c, b, 1, channels) {
		int64_t k = (i + one) * channels + c;

		y[k] = ELEM(bn_value(VALUE(x[k]) - mean[c], VALUE(weight[c]) * invstd[c],
		    VALUE(bias[c])));
	}
}
#endif

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

#ifndef __CUDACC__

/* y = relu(what bn_apply makes of x, plus skip) */
KERNEL(bn_apply_relu_planes_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const elem *skip, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels, at = r * n;
		real gain = VALUE(weight[c]) * invstd[c], m = mean[c], offset = VALUE(bias[c]);

		if (skip)
			ALONG_EACH (j, n)
				y[at + j] = bn_rectified(bn_value(VALUE(x[at + j]) - m, gain,
				    offset) + VALUE(skip[at + j]));
		else
			ALONG_EACH (j, n)
				y[at + j] = bn_rectified(bn_value(VALUE(x[at + j]) - m, gain,
				    offset));
	}
}

KERNEL(bn_apply_relu_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const elem *skip, const real *mean, const real *invstd, int64_t b, int64_t channels))
{
	EACH_PLACE (i, one, c, b, 1, channels) {
		int64_t k = (i + one) * channels + c;
		real value = bn_value(VALUE(x[k]) - mean[c], VALUE(weight[c]) * invstd[c],
		    VALUE(bias[c]));

		y[k] = bn_rectified(skip ? value + VALUE(skip[k]) : value);
	}
}
#endif

/* SKIP may be NULL; y may be x or skip. */
static void
bn_apply_relu(elem *y, const elem *x, const elem *weight, const elem *bias, const elem *skip,
    const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n)
{
	if (n == 1)
		LAUNCH_SWEEP(bn_apply_relu_columns_kernel, b, channels, y, x, weight, bias, skip, mean,
		    invstd, b, channels);
	else
		LAUNCH_PLANES(bn_apply_relu_planes_kernel, b, channels, n, y, x, weight, bias, skip, mean,
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
    void *work, const elem *x, const elem *weight, const elem *bias, const elem *skip, double eps,
    double momentum, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	bn_statistics(&mean, &invstd, running_mean, running_var, work, x, eps, momentum, b,
	    channels, n, parts);
	bn_apply_relu(y, x, weight, bias, skip, mean, invstd, b, channels, n);
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
    const elem *skip, const real *running_mean, const real *running_var, double eps, int64_t b,
    int64_t channels, int64_t n)
{
	LAUNCH(bn_invstd_kernel, channels, ((real *)work, running_var, eps, channels));
	bn_apply_relu(y, x, weight, bias, skip, running_mean, (const real *)work, b, channels, n);
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

#ifndef __CUDACC__

KERNEL(bn_grad_planes_kernel, (elem *dx, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, const double *work, int64_t parts,
    int64_t b, int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels, at = r * n;
		real gain = VALUE(weight[c]) * invstd[c], m = mean[c];
		real relu_gain = bn_relu_gain(weight, bias, invstd, c);
		real offset = bn_relu_offset(bias, c);
		real level = (real)work[2 * c * parts], slope = (real)work[2 * c * parts + 1];

		ALONG_EACH (j, n) {
			real d = VALUE(x[at + j]) - m;

			dx[at + j] = ELEM(gain * (bn_passed(dy[at + j], d, relu_gain, offset) -
			    level - d * slope));
		}
	}
}

KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, const double *work, int64_t parts,
    int64_t b, int64_t channels))
{
	EACH_PLACE (i, one, c, b, 1, channels) {
		int64_t k = (i + one) * channels + c;
		real level = (real)work[2 * c * parts], slope = (real)work[2 * c * parts + 1];
		real d = VALUE(x[k]) - mean[c];
		real g = bn_passed(dy[k], d, bn_relu_gain(weight, bias, invstd, c),
		    bn_relu_offset(bias, c));

		dx[k] = ELEM(VALUE(weight[c]) * invstd[c] * (g - level - d * slope));
	}
}
#endif

/* DX, DWEIGHT and DBIAS may each be NULL; dx may be dy or x. BIAS is NULL but where DY is the
 * gradient of a relu's result. */
static void
batchnorm_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, int fixed,
    int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	double *w = (double *)work;

	bn_dots(w, dy, x, weight, bias, mean, invstd, b, channels, n, parts);
	LAUNCH_CHANNELS(bn_gradients_kernel, channels, (dweight, dbias, w, invstd, fixed, b,
	    channels, n, parts));
	if (dx && n == 1)
		LAUNCH_SWEEP(bn_grad_columns_kernel, b, channels, dx, dy, x, weight, bias, mean, invstd,
		    w, parts, b, channels);
	else if (dx)
		LAUNCH_PLANES(bn_grad_planes_kernel, b, channels, n, dx, dy, x, weight, bias, mean, invstd,
		    w, parts);
}

/* With fixed statistics: the inverse deviation comes from the running variance, and is kept
 * behind the sums in WORK. */
static void
batchnorm_fixed_backward(elem *dx, elem *dweight, elem *dbias, void *work, const elem *dy,
    const elem *x, const elem *weight, const elem *bias, const real *running_mean,
    const real *running_var, double eps, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	real *invstd = (real *)((double *)work + 2 * channels * parts);

	LAUNCH(bn_invstd_kernel, channels, (invstd, running_var, eps, channels));
	batchnorm_backward(dx, dweight, dbias, work, dy, x, weight, bias, running_mean, invstd, 1,
	    b, channels, n, parts);
}
