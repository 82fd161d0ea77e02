/*
 * norm/batchnorm_first_c.cu - batch normalisation in C where each sample has a plane of a channel,
 * [b, channels, n].
 */
#ifndef STOWAGE_NORM_BATCHNORM_FIRST_C_CU
#define STOWAGE_NORM_BATCHNORM_FIRST_C_CU

#include "norm/batchnorm_last_c.cu"

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
bn_dots_kernel(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n, int64_t parts)
{
	if (n == 1) {
		bn_dots_columns(work, dy, x, weight, bias, top, mean, invstd, b, channels, parts);
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
				real d = VALUE(v[j]) - m, g = bn_passed(dv[j], d, gain, offset, top);

				sum += g;
				dot += (double)g * (double)d;
			}
			t += count;
		}
		work[2 * r] = sum;
		work[2 * r + 1] = dot;
	}
}

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

/* y = relu(what bn_apply makes of x, plus skip) */
KERNEL(bn_apply_relu_planes_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const elem *skip, real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t n))
{
	ROWS (r, b * channels) {
		int64_t c = r % channels, at = r * n;
		real gain = VALUE(weight[c]) * invstd[c], m = mean[c], offset = VALUE(bias[c]);

		if (skip)
			ALONG_EACH (j, n)
				y[at + j] = bn_rectified(bn_value(VALUE(x[at + j]) - m, gain,
				    offset) + VALUE(skip[at + j]), top);
		else
			ALONG_EACH (j, n)
				y[at + j] = bn_rectified(bn_value(VALUE(x[at + j]) - m, gain,
				    offset), top);
	}
}

KERNEL(bn_grad_planes_kernel, (elem *dx, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, real top, const real *mean, const real *invstd, const double *work, int64_t parts,
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

			dx[at + j] = ELEM(gain * (bn_passed(dy[at + j], d, relu_gain, offset, top) -
			    level - d * slope));
		}
	}
}

#endif
