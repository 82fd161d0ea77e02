/*
 * norm/batchnorm_last_c.cu - batch normalisation in C where channels lie side by side, [rows,
 * channels].
 */
#ifndef STOWAGE_NORM_BATCHNORM_LAST_C_CU
#define STOWAGE_NORM_BATCHNORM_LAST_C_CU

#include "norm/element.cu"

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
bn_dots_columns(double *work, const elem *dy, const elem *x, const elem *weight, const elem *bias,
    real top, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t parts)
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
				real g = bn_passed(dy[k], d, gain[j], offset[j], top);

				sum[j] += g;
				dot[j] += (double)g * (double)d;
			}
		for (int64_t j = 0; j < width; j++) {
			work[2 * ((c + j) * parts + p)] = sum[j];
			work[2 * ((c + j) * parts + p) + 1] = dot[j];
		}
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

KERNEL(bn_apply_relu_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    const elem *skip, real top, const real *mean, const real *invstd, int64_t b, int64_t channels))
{
	EACH_PLACE (i, one, c, b, 1, channels) {
		int64_t k = (i + one) * channels + c;
		real value = bn_value(VALUE(x[k]) - mean[c], VALUE(weight[c]) * invstd[c],
		    VALUE(bias[c]));

		y[k] = bn_rectified(skip ? value + VALUE(skip[k]) : value, top);
	}
}

KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, const elem *x, const elem *weight,
    const elem *bias, real top, const real *mean, const real *invstd, const double *work, int64_t parts,
    int64_t b, int64_t channels))
{
	EACH_PLACE (i, one, c, b, 1, channels) {
		int64_t k = (i + one) * channels + c;
		real level = (real)work[2 * c * parts], slope = (real)work[2 * c * parts + 1];
		real d = VALUE(x[k]) - mean[c];
		real g = bn_passed(dy[k], d, bn_relu_gain(weight, bias, invstd, c),
		    bn_relu_offset(bias, c), top);

		dx[k] = ELEM(VALUE(weight[c]) * invstd[c] * (g - level - d * slope));
	}
}

#endif
