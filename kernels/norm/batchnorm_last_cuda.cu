/*
 * norm/batchnorm_last_cuda.cu - the CUDA side of norm/batchnorm.cu where channels lie last, [rows,
 * channels] (sweep/last_cuda.cu).
 */
#ifndef STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU

#include "norm/element.cu"
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

/* The gains and offsets of a thread's channels for bn_passed(): see batchnorm.cu. */
template <int WIDTH> DEVICE void
bn_relu_line(real *gain, real *offset, const elem *weight, const elem *bias, const real *invstd,
    int64_t c)
{
	struct column_pack<WIDTH> w, b;
	struct column_reals<WIDTH> s;

	if (bias) {
		w = column_load<WIDTH>(weight + c);
		b = column_load<WIDTH>(bias + c);
		s = column_known<WIDTH>(invstd + c);
	}
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		gain[j] = bias ? VALUE(w.at[j]) * s.at[j] : 0;
		offset[j] = bias ? VALUE(b.at[j]) : 1;
	}
}

/* What is known of a thread's channels in backward. */
template <int WIDTH> struct bn_known {
	real mean[WIDTH], gain[WIDTH], offset[WIDTH], top;

	DEVICE_METHOD void
	load(const elem *weight, const elem *bias, real most, const real *m, const real *invstd, int64_t c)
	{
		struct column_reals<WIDTH> mean_of = column_known<WIDTH>(m + c);

		bn_relu_line<WIDTH>(gain, offset, weight, bias, invstd, c);
		top = most;
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			mean[j] = mean_of.at[j];
	}

	DEVICE_METHOD void
	add(real *sum, real *dot, const struct column_pack<WIDTH> &x,
	    const struct column_pack<WIDTH> &dy) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			real d = VALUE(x.at[j]) - mean[j];
			real passed = bn_passed(dy.at[j], d, gain[j], offset[j], top);

			sum[j] += passed;
			dot[j] += passed * d;
		}
	}
};

/* MASKED: as bn_dots_planes(). */
template <int WIDTH, bool MASKED> DEVICE void
bn_dots_columns(double *work, elem *passed, const elem *dy, const elem *y, const elem *x, const elem *weight,
    const elem *bias, real top, const real *mean, const real *invstd, int64_t rows, int64_t channels, int64_t parts)
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;
		struct bn_known<WIDTH> known;

		known.load(weight, MASKED ? NULL : bias, MASKED ? (real)NAN : top, mean, invstd, at.c);
		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			struct column_rows<WIDTH> v, g;
			real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

			v.load(x + at.c, i, at.step, channels);
			g.load(dy + at.c, i, at.step, channels);
			if (MASKED) {
				struct column_rows<WIDTH> made;

				made.load(y + at.c, i, at.step, channels);
#pragma unroll
				for (int k = 0; k < COLUMN_DEPTH; k++)
					bn_pass<WIDTH>(passed + (i + k * at.step) * channels + at.c, g.at[k], made.at[k], top);
			}
#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++)
				known.add(s, q, v.at[k], g.at[k]);
			bn_add_up<WIDTH>(sum, s, q);
		}
		real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

		for (; i < at.end; i += at.step) {
			int64_t k = i * channels + at.c;
			struct column_pack<WIDTH> g = column_load<WIDTH>(dy + k);

			if (MASKED)
				bn_pass<WIDTH>(passed + k, g, column_load<WIDTH>(y + k), top);
			known.add(s, q, column_load<WIDTH>(x + k), g);
		}
		bn_add_up<WIDTH>(sum, s, q);
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, channels, parts);
	}
}

template <int WIDTH> KERNEL(bn_dots_columns_kernel, (double *work, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, real top, const real *mean, const real *invstd, int64_t rows,
    int64_t channels, int64_t parts))
{
	bn_dots_columns<WIDTH, false>(work, NULL, dy, NULL, x, weight, bias, top, mean, invstd, rows, channels, parts);
}

template <int WIDTH> KERNEL(bn_masked_dots_columns_kernel, (double *work, elem *passed, const elem *dy,
    const elem *y, const elem *x, real top, const real *mean, int64_t rows, int64_t channels, int64_t parts))
{
	bn_dots_columns<WIDTH, true>(work, passed, dy, y, x, NULL, NULL, top, mean, NULL, rows, channels, parts);
}

/* What normalising knows of a thread's channels. */
template <int WIDTH> struct bn_line {
	real mean[WIDTH], gain[WIDTH], offset[WIDTH];

	DEVICE_METHOD void
	load(const elem *w, const elem *b, const real *m, const real *invstd, int64_t c)
	{
		struct column_pack<WIDTH> weight = column_load<WIDTH>(w + c), bias = column_load<WIDTH>(b + c);
		struct column_reals<WIDTH> mean_of = column_known<WIDTH>(m + c);
		struct column_reals<WIDTH> scale = column_known<WIDTH>(invstd + c);

#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			mean[j] = mean_of.at[j];
			gain[j] = VALUE(weight.at[j]) * scale.at[j];
			offset[j] = VALUE(bias.at[j]);
		}
	}

	DEVICE_METHOD real
	value(int j, elem x) const
	{
		return bn_value(VALUE(x) - mean[j], gain[j], offset[j]);
	}
};

template <int WIDTH> KERNEL(bn_apply_columns_kernel, (elem *y, const elem *x, const elem *weight,
    const elem *bias, const real *mean, const real *invstd, int64_t rows, int64_t channels,
    int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * channels + at.c);

#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				v.at[j] = ELEM(line.value(j, v.at[j]));
			column_store<WIDTH>(y + i * channels + at.c, v);
		}
	}
}

template <int WIDTH> KERNEL(bn_apply_relu_columns_kernel, (elem *y, const elem *x, const elem *weight,
    const elem *bias, const elem *skip, real top, const real *mean, const real *invstd, int64_t rows,
    int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += at.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * channels + at.c), more = v;

			if (skip)
				more = column_load<WIDTH>(skip + i * channels + at.c);
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				real value = line.value(j, v.at[j]);

				v.at[j] = bn_rectified(skip ? value + VALUE(more.at[j]) : value, top);
			}
			column_store<WIDTH>(y + i * channels + at.c, v);
		}
	}
}

/* SUMS are cut into SUMMED parts for each channel; of them the first has what is needed. */
template <int WIDTH> KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, const elem *x,
    const elem *weight, const elem *bias, real top, const real *mean, const real *invstd, const double *sums,
    int64_t summed, int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct column_reals<WIDTH> m = column_known<WIDTH>(mean + at.c);
		struct column_reals<WIDTH> scale = column_known<WIDTH>(invstd + at.c);
		struct column_pack<WIDTH> w = column_load<WIDTH>(weight + at.c);
		real gain[WIDTH], relu_gain[WIDTH], offset[WIDTH], level[WIDTH], slope[WIDTH];

		bn_relu_line<WIDTH>(relu_gain, offset, weight, bias, invstd, at.c);
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			gain[j] = VALUE(w.at[j]) * scale.at[j];
			level[j] = (real)sums[2 * (at.c + j) * summed];
			slope[j] = (real)sums[2 * (at.c + j) * summed + 1];
		}
		for (int64_t i = at.row; i < at.end; i += at.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * channels + at.c);
			struct column_pack<WIDTH> g = column_load<WIDTH>(dy + i * channels + at.c);

#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				real d = VALUE(v.at[j]) - m.at[j];

				v.at[j] = ELEM(gain[j] * (bn_passed(g.at[j], d, relu_gain[j], offset[j], top) -
				    level[j] - d * slope[j]));
			}
			column_store<WIDTH>(dx + i * channels + at.c, v);
		}
	}
}

#endif
