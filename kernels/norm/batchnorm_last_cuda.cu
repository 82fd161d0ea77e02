/*
 * norm/batchnorm_last_cuda.cu - the CUDA side of norm/batchnorm.cu where channels lie last, [rows,
 * channels] (sweep/last_cuda.cu).
 */
#ifndef STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU
#define STOWAGE_NORM_BATCHNORM_LAST_CUDA_CU

#include "norm/element.cu"
#include "pointwise/pack_cuda.cu"
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

/* Are the sums of all channels of the block's strip KNOWN? */
template <int WIDTH> DEVICE bool
bn_all_known(const real *known, int64_t c, int64_t channels, int64_t rows)
{
	bool all = true;

	for (int j = 0; j < WIDTH; j++)
		all = all && bn_is_known(known, c + j, channels, rows);
	return __syncthreads_and(all);
}

COLUMN_KERNEL(bn_moments_columns_kernel, (double *work, const real *known, const elem *x, int64_t rows,
    int64_t channels, int64_t parts))
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);

		if (known && bn_all_known<WIDTH>(known, at.c, channels, rows))
			continue;
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
		pack_pass<WIDTH>(passed, dy, kind, value);
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

	/* of x, and of what passes, that of dx: LEVEL and SLOPE are the means that
	 * bn_gradients_kernel() leaves */
	DEVICE_METHOD void
	spread(elem *dx, struct column_pack<WIDTH> x, const real *passed, const real *level, const real *slope) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			x.at[j] = ELEM(gain[j] * (passed[j] - level[j] - (VALUE(x.at[j]) - mean[j]) * slope[j]));
		column_store<WIDTH>(dx, x);
	}
};

/* What a part of a channel's sums has, in one access. */
struct alignas(2 * sizeof(double)) bn_pair {
	double level, slope;
};

/* Of a thread's channels, what the first of the parts that SUMS are cut into, SUMMED for each, has
 * for spread(). */
template <int WIDTH> struct bn_means {
	real level[WIDTH], slope[WIDTH];

	DEVICE_METHOD void
	load(const double *sums, int64_t c, int64_t summed)
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++) {
			struct bn_pair of = ((const struct bn_pair *)sums)[(c + j) * summed];

			level[j] = (real)of.level;
			slope[j] = (real)of.slope;
		}
	}
};

/*
 * Where sweeps take from what passes to the values. fetch() loads what there is of a row, the K-th
 * of those that a thread has at once, and pass() makes what passes of it, WIDTH channels from C on.
 * Sums ask whether that takes of the line more than means (BY_VALUE), and whether rows are to be
 * fetched AHEAD of the first that is taken.
 */

/* Of dy, what passes a function of it and of the value. */
template <int WIDTH> struct bn_given {
	const elem *dy;
	enum epilogue_kind kind;
	int64_t channels;
	struct column_rows<WIDTH> from;

	static constexpr bool BY_VALUE = true, AHEAD = true;

	DEVICE_METHOD void
	fetch(int k, int64_t row, int64_t c)
	{
		from.at[k] = column_load<WIDTH>(dy + row * channels + c);
	}

	DEVICE_METHOD void
	pass(real *passed, int k, int64_t, int64_t, const struct bn_line<WIDTH> &line, const struct column_pack<WIDTH> &x)
	{
		line.pass(passed, from.at[k], kind, x);
	}
};

/* What THEN makes of dy and of what lies beside it; it is stored in MADE. */
template <int WIDTH> struct bn_made {
	elem *made;
	const elem *dy;
	struct epilogue then;
	int64_t channels;
	struct column_rows<WIDTH> from, beside;

	static constexpr bool BY_VALUE = false, AHEAD = true;

	DEVICE_METHOD void
	fetch(int k, int64_t row, int64_t c)
	{
		from.at[k] = column_load<WIDTH>(dy + row * channels + c);
		beside.at[k] = column_load<WIDTH>(then.saved + row * channels + c);
	}

	DEVICE_METHOD void
	pass(real *passed, int k, int64_t row, int64_t c, const struct bn_line<WIDTH> &, const struct column_pack<WIDTH> &)
	{
		pack_make<WIDTH>(made + row * channels + c, passed, from.at[k], then.kind, beside.at[k]);
	}
};

/* What of row I passes, and what that adds to sums. */
template <int WIDTH, typename From> DEVICE void
bn_add_row(real *s, real *q, From &from, const struct bn_line<WIDTH> &line, const elem *x, int64_t i, int64_t c,
    int64_t channels)
{
	struct column_pack<WIDTH> v = column_load<WIDTH>(x + i * channels + c);
	real g[WIDTH];

	from.fetch(0, i, c);
	from.pass(g, 0, i, c, line, v);
	line.add(s, q, v, g);
}

/* The same of COLUMN_DEPTH rows, which are all on their way before the first is taken. */
template <int WIDTH, typename From> DEVICE void
bn_add_rows(real *s, real *q, From &from, const struct bn_line<WIDTH> &line, const elem *x, int64_t i, int step,
    int64_t c, int64_t channels)
{
	struct column_rows<WIDTH> v;
	real g[WIDTH];

	v.load(x + c, i, step, channels);
#pragma unroll
	for (int k = 0; k < COLUMN_DEPTH; k++)
		from.fetch(k, i + k * step, c);
#pragma unroll
	for (int k = 0; k < COLUMN_DEPTH; k++) {
		from.pass(g, k, i + k * step, c, line, v.at[k]);
		line.add(s, q, v.at[k], g);
	}
}

/* The sums of what FROM has pass, and of that times x's distance from the mean. */
template <int WIDTH, typename From> DEVICE void
bn_dots_columns(double *work, From from, const elem *x, const elem *weight, const elem *bias, const real *mean,
    const real *invstd, int64_t rows, int64_t channels, int64_t parts)
{
	__shared__ double each[2 * WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		double sum[2 * WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;
		struct bn_line<WIDTH> line;

		if (From::BY_VALUE)
			line.load(weight, bias, mean, invstd, at.c);
		else
			line.load_mean(mean, at.c);
		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

			if (From::AHEAD)
				bn_add_rows<WIDTH>(s, q, from, line, x, i, at.step, at.c, channels);
			else
#pragma unroll 1
				for (int k = 0; k < COLUMN_DEPTH; k++)
					bn_add_row<WIDTH>(s, q, from, line, x, i + k * at.step, at.c, channels);
			bn_add_up<WIDTH>(sum, s, q);
		}
		real s[WIDTH] = { 0 }, q[WIDTH] = { 0 };

		for (; i < at.end; i += at.step)
			bn_add_row<WIDTH>(s, q, from, line, x, i, at.c, channels);
		bn_add_up<WIDTH>(sum, s, q);
#pragma unroll
		for (int j = 0; j < 2 * WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 2>(work, each, at, channels, parts);
	}
}

/* dx of what FROM has pass: of COLUMN_PAIR rows at once, where these are fetched ahead. */
template <int WIDTH, typename From> DEVICE void
bn_grad_columns(elem *dx, From from, const elem *x, const elem *weight, const elem *bias, const real *mean,
    const real *invstd, const double *sums, int64_t summed, int64_t rows, int64_t channels, int64_t parts)
{
	constexpr int pair = From::AHEAD ? COLUMN_PAIR : 1;

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;
		struct bn_means<WIDTH> means;
		real g[WIDTH];

		line.load(weight, bias, mean, invstd, at.c);
		means.load(sums, at.c, summed);
		for (int64_t i = at.row; i < at.end; i += pair * at.step) {
			struct column_pack<WIDTH> v[pair];
			int n = column_left<pair>(i, at);

#pragma unroll
			for (int k = 0; k < pair; k++)
				if (k < n) {
					v[k] = column_load<WIDTH>(x + (i + k * at.step) * channels + at.c);
					from.fetch(k, i + k * at.step, at.c);
				}
#pragma unroll
			for (int k = 0; k < pair; k++)
				if (k < n) {
					from.pass(g, k, i + k * at.step, at.c, line, v[k]);
					line.spread(dx + (i + k * at.step) * channels + at.c, v[k], g, means.level, means.slope);
				}
		}
	}
}

COLUMN_KERNEL(bn_dots_columns_kernel, (double *work, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, int64_t rows, int64_t channels,
    int64_t parts))
{
	struct bn_given<WIDTH> from;

	from.dy = dy, from.kind = kind, from.channels = channels;
	bn_dots_columns<WIDTH>(work, from, x, weight, bias, mean, invstd, rows, channels, parts);
}

COLUMN_KERNEL(bn_stored_dots_columns_kernel, (double *work, elem *made, const elem *dy,
    struct epilogue then, const elem *x, const real *mean, int64_t rows, int64_t channels, int64_t parts))
{
	struct bn_made<WIDTH> from;

	from.made = made, from.dy = dy, from.then = then, from.channels = channels;
	bn_dots_columns<WIDTH>(work, from, x, NULL, NULL, mean, NULL, rows, channels, parts);
}

COLUMN_KERNEL(bn_apply_columns_kernel, (elem *y, const elem *x, const elem *weight, const elem *bias,
    struct epilogue then, const real *mean, const real *invstd, int64_t rows, int64_t channels, int64_t parts))
{
	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		struct bn_line<WIDTH> line;
		real value[WIDTH];

		line.load(weight, bias, mean, invstd, at.c);
		for (int64_t i = at.row; i < at.end; i += COLUMN_PAIR * at.step) {
			struct column_pack<WIDTH> v[COLUMN_PAIR], beside[COLUMN_PAIR];
			int n = column_left<COLUMN_PAIR>(i, at);

#pragma unroll
			for (int k = 0; k < COLUMN_PAIR; k++)
				if (k < n) {
					v[k] = column_load<WIDTH>(x + (i + k * at.step) * channels + at.c);
					if (then.saved)
						beside[k] = column_load<WIDTH>(then.saved + (i + k * at.step) * channels + at.c);
				}
#pragma unroll
			for (int k = 0; k < COLUMN_PAIR; k++)
				if (k < n) {
					line.values(value, v[k]);
					pack_store<WIDTH>(y, value, then, beside[k], (i + k * at.step) * channels + at.c);
				}
		}
	}
}

COLUMN_KERNEL(bn_grad_columns_kernel, (elem *dx, const elem *dy, enum epilogue_kind kind, const elem *x,
    const elem *weight, const elem *bias, const real *mean, const real *invstd, const double *sums, int64_t summed,
    int64_t rows, int64_t channels, int64_t parts))
{
	struct bn_given<WIDTH> from;

	from.dy = dy, from.kind = kind, from.channels = channels;
	bn_grad_columns<WIDTH>(dx, from, x, weight, bias, mean, invstd, sums, summed, rows, channels, parts);
}

#endif
