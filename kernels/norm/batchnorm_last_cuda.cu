/*
 * norm/batchnorm_last_cuda.cu - the CUDA side of norm/batchnorm.cu where channels lie last, [rows,
 * channels] (sweep/last_cuda.cu).
 */
#ifndef STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU

#include "norm/element_cuda.cu"
#include "sweep/last_cuda.cu"

/* What a row adds to the sums. */
template <int WIDTH> DEVICE void
bn_add_moments(real *sum, real *squares, const struct column_pack<WIDTH> &x,
    const struct column_pack<WIDTH> &origin)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		real d = VALUE(x.at[j]) - VALUE(origin.at[j]);

		sum[j] += d;
		squares[j] += d * d;
	}
}

template <int WIDTH> DEVICE void
bn_add_up(double *sum, const real *s, const real *q)
{
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		sum[2 * j] += s[j];
		sum[2 * j + 1] += q[j];
	}
}

template <int WIDTH> KERNEL(bn_moments_columns_kernel, (double *work, const elem *x, int64_t rows,
    int64_t channels, int64_t parts))
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct column_pack<WIDTH> origin = column_load<WIDTH>(x + at.c);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;

		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			struct column_rows<WIDTH> v;
			real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

			v.load(x + at.c, i, at.step, channels);
#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++)
				bn_add_moments<WIDTH>(s, q, v.at[k], origin);
			bn_add_up<WIDTH>(sum, s, q);
		}
		real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

		for (; i < at.end; i += at.step)
			bn_add_moments<WIDTH>(s, q, column_load<WIDTH>(x + i * channels + at.c), origin);
		bn_add_up<WIDTH>(sum, s, q);
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, channels, parts);
	}
}

/* What is known of a thread's channels. */
template <int WIDTH> struct bn_line {
	real mean[WIDTH], gain[WIDTH], offset[WIDTH];

	DEVICE_METHOD void
	load_mean(const real *m, int64_t c)
	{
		struct column_reals<WIDTH> mean_of = column_known<WIDTH>(m + c);

#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			mean[j] = mean_of.at[j];
	}

	/* B may be NULL: nobody asks for the value then */
	DEVICE_METHOD void
	load(const elem *w, const elem *b, const real *m, const real *invstd, int64_t c)
	{
		struct column_pack<WIDTH> weight = column_load<WIDTH>(w + c), bias = weight;
		struct column_reals<WIDTH> scale = column_known<WIDTH>(invstd + c);

		load_mean(m, c);
		if (b)
			bias = column_load<WIDTH>(b + c);
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			gain[j] = VALUE(weight.at[j]) * scale.at[j];
			offset[j] = VALUE(bias.at[j]);
		}
	}

	DEVICE_METHOD void
	values(real *value, const struct column_pack<WIDTH> &x) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = bn_value(VALUE(x.at[j]) - mean[j], gain[j], offset[j]);
	}

	/* of dy, what passes KIND, the gradient of what is done to the values */
	DEVICE_METHOD void
	pass(real *passed, const struct column_pack<WIDTH> &dy, enum epilogue_kind kind,
	    const struct column_pack<WIDTH> &x) const
	{
		real value[WIDTH];

		values(value, x);
		bn_pass<WIDTH>(passed, dy, kind, value);
	}

	DEVICE_METHOD void
	add(real *sum, real *dot, const struct column_pack<WIDTH> &x, const real *passed) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			sum[j] += passed[j];
			dot[j] += passed[j] * (VALUE(x.at[j]) - mean[j]);
		}
	}
};

/* STORED: as bn_dots_planes(). */
template <int WIDTH, bool STORED> DEVICE void
bn_dots_columns(double *work, elem *made, const elem *dy, struct epilogue then, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, int64_t rows, int64_t channels, int64_t parts)
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;
		struct bn_line<WIDTH> line;
		real g[WIDTH];

		if (STORED)
			line.load_mean(mean, at.c);
		else
			line.load(weight, bias, mean, invstd, at.c);
		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			struct column_rows<WIDTH> v, from, beside;
			real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

			v.load(x + at.c, i, at.step, channels);
			from.load(dy + at.c, i, at.step, channels);
			if (STORED)
				beside.load(then.saved + at.c, i, at.step, channels);
#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++) {
				if (STORED)
					bn_make<WIDTH>(made + (i + k * at.step) * channels + at.c, g, from.at[k],
					    then.kind, beside.at[k]);
				else
					line.pass(g, from.at[k], then.kind, v.at[k]);
				line.add(s, q, v.at[k], g);
			}
			bn_add_up<WIDTH>(sum, s, q);
		}
		real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

		for (; i < at.end; i += at.step) {
			int64_t k = i * channels + at.c;
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + k), from = column_load<WIDTH>(dy + k);

			if (STORED)
				bn_make<WIDTH>(made + k, g, from, then.kind, column_load<WIDTH>(then.saved + k));
			else
				line.pass(g, from, then.kind, v);
			line.add(s, q, v, g);
		}
		bn_add_up<WIDTH>(sum, s, q);
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, channels, parts);
	}
}

template <int WIDTH> KERNEL(bn_dots_columns_kernel, (double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, int64_t rows, int64_t channels,
    int64_t parts))
{
	bn_dots_columns<WIDTH, false>(work, NULL, dy, epilogue_of(kind, NULL), x, weight, bias, mean, invstd, rows, channels,
	    parts);
}

template <int WIDTH> KERNEL(bn_stored_dots_columns_kernel, (double *work, elem *made, const elem *dy,
    struct epilogue from, const elem *x, const real *mean, int64_t rows, int64_t channels, int64_t parts))
{
	bn_dots_columns<WIDTH, true>(work, made, dy, from, x, NULL, NULL, mean, NULL, rows, channels, parts);
}

template <int WIDTH> KERNEL(bn_apply_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    struct epilogue then, const real *mean, const real *invstd, int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;
		real value[WIDTH];

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			line.values(value, column_load<WIDTH>(x + i * channels + at.c));
			bn_store<WIDTH>(y, value, then, i * channels + at.c);
		}
	}
}

/* SUMS are cut into SUMMED parts for each channel; of them the first has what is needed. */
template <int WIDTH> KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, const double *sums, int64_t summed,
    int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;
		real level[WIDTH], slope[WIDTH], g[WIDTH];

		line.load(weight, bias, mean, invstd, at.c);
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			level[j] = (real)sums[2 * (at.c + j) * summed];
			slope[j] = (real)sums[2 * (at.c + j) * summed + 1];
		}
		for (int64_t i = at.row; i < at.end; i += at.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * channels + at.c);

			line.pass(g, column_load<WIDTH>(dy + i * channels + at.c), kind, v);
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				v.at[j] = ELEM(line.gain[j] * (g[j] - level[j] -
				    (VALUE(v.at[j]) - line.mean[j]) * slope[j]));
			column_store<WIDTH>(dx + i * channels + at.c, v);
		}
	}
}

#endif
