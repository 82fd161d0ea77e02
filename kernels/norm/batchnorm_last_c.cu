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

/* KIND is a constant. */
static inline __attribute__((always_inline)) void
bn_dots_strip(enum epilogue_kind kind, double *sum, double *dot, const elem *dy, const elem *x, const real *mean,
    const real *gain, const real *offset, int64_t width)
{
	for (int64_t j = 0; j < width; j++) {
		real d = VALUE(x[j]) - mean[j];
		real g = epilogue_of_both(kind, VALUE(dy[j]), bn_value(d, gain[j], offset[j]));

		sum[j] += g;
		dot[j] += (double)g * (double)d;
	}
}

static void
bn_dots_columns(double *work, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, int64_t b, int64_t channels, int64_t parts)
{
	ROWS (r, (channels + BN_COLUMNS - 1) / BN_COLUMNS * parts) {
		int64_t c = r / parts * BN_COLUMNS, p = r % parts;
		int64_t width = channels - c < BN_COLUMNS ? channels - c : BN_COLUMNS;
		double sum[BN_COLUMNS] = { 0 }, dot[BN_COLUMNS] = { 0 };
		real gain[BN_COLUMNS], offset[BN_COLUMNS];

		for (int64_t j = 0; j < width; j++) {
			gain[j] = VALUE(weight[c + j]) * invstd[c + j];
			offset[j] = bn_offset(bias, c + j);
		}
		for (int64_t i = PART_FROM(b, p, parts); i < PART_FROM(b, p + 1, parts); i++) {
			int64_t k = i * channels + c;

#define DOTS(kind_, function, reads, known)							\
	case kind_:										\
		bn_dots_strip(kind_, sum, dot, dy + k, x + k, mean + c, gain, offset, width);	\
		break;
			EPILOGUE_CASES_ALL(kind, DOTS)
#undef DOTS
		}
		for (int64_t j = 0; j < width; j++) {
			work[2 * ((c + j) * parts + p)] = sum[j];
			work[2 * ((c + j) * parts + p) + 1] = dot[j];
		}
	}
}

KERNEL(bn_apply_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias, struct epilogue then,
    const real *mean, const real *invstd, int64_t b, int64_t channels))
{
#define APPLY(kind_, function, reads, known)							\
	case kind_:										\
		EACH_PLACE (i, one, c, b, 1, channels) {					\
			int64_t k = (i + one) * channels + c;					\
												\
			y[k] = ELEM(epilogue_of_both(kind_, bn_value(VALUE(x[k]) - mean[c],	\
			    VALUE(weight[c]) * invstd[c], VALUE(bias[c])), reads ? VALUE(then.saved[k]) : 0));	\
		}										\
		break;
	EPILOGUE_CASES_ALL(then.kind, APPLY)
#undef APPLY
}

KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, const double *work, int64_t parts, int64_t b,
    int64_t channels))
{
#define GRAD(kind_, function, reads, known)							\
	case kind_:										\
		EACH_PLACE (i, one, c, b, 1, channels) {					\
			int64_t k = (i + one) * channels + c;					\
			real level = (real)work[2 * c * parts], slope = (real)work[2 * c * parts + 1];	\
			real d = VALUE(x[k]) - mean[c], gain = VALUE(weight[c]) * invstd[c];	\
												\
			dx[k] = ELEM(gain * (epilogue_of_both(kind_, VALUE(dy[k]),		\
			    bn_value(d, gain, bn_offset(bias, c))) - level - d * slope));	\
		}										\
		break;
	EPILOGUE_CASES_ALL(kind, GRAD)
#undef GRAD
}

#endif
