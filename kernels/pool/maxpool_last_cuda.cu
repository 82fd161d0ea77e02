/*
 * pool/maxpool_last_cuda.cu - maximum over windows of [b, h, w, channels] on CUDA: a thread takes
 * as many channels of a place as 16 bytes have, if their number allows.
 */
#ifndef STOWAGE_POOL_MAXPOOL_LAST_CUDA_CU
#define STOWAGE_POOL_MAXPOOL_LAST_CUDA_CU

#include "pool/window.cu"
#include "sweep/last_cuda.cu"

#define LAUNCH_MAXIMA(name, rows, channels, args)	do {				\
	if (column_is_wide(channels))							\
		LAUNCH_ROWS(name<COLUMN_WIDTH>, rows, args);				\
	else										\
		LAUNCH_ROWS(name<1>, rows, args);					\
} while (0)

/* Where the maxima of neighbouring channels were, as a byte each or more. */
template <int WIDTH> struct alignas(WIDTH) pool_bytes {
	uint8_t at[WIDTH];
};

template <int WIDTH> struct alignas(WIDTH < 4 ? WIDTH * 4 : 16) pool_words {
	int32_t at[WIDTH];
};

template <int WIDTH> DEVICE struct pool_words<WIDTH>
pool_found(const uint8_t *small, const int32_t *large, int64_t o)
{
	struct pool_bytes<WIDTH> b;
	struct pool_words<WIDTH> w;

	if (large)
		return *(const struct pool_words<WIDTH> *)(large + o);
	b = *(const struct pool_bytes<WIDTH> *)(small + o);
#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		w.at[j] = b.at[j];
	return w;
}

template <int WIDTH> DEVICE void
pool_keep_found(uint8_t *small, int32_t *large, int64_t o, const struct pool_words<WIDTH> &w)
{
	struct pool_bytes<WIDTH> b;

#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		b.at[j] = (uint8_t)w.at[j];
	if (small)
		*(struct pool_bytes<WIDTH> *)(small + o) = b;
	else if (large)
		*(struct pool_words<WIDTH> *)(large + o) = w;
}

/* A row of outputs: where its windows begin, and which of their rows lie on the image. */
struct pool_outputs {
	int64_t image, y, from, to;
};

DEVICE struct pool_outputs
pool_outputs_of(int64_t r, const struct pool &g)
{
	struct pool_outputs row;

	row.image = quotient(r, g.oh);
	row.y = (r - row.image * g.oh) * g.sh - g.ph;
	row.from = row.y < 0 ? -row.y : 0;
	row.to = row.y + g.kh > g.h ? g.h - row.y : g.kh;
	return row;
}

/* Elements as they are. */
template <int WIDTH> struct pool_as_is {
	DEVICE_METHOD void
	values(real *value, const struct column_pack<WIDTH> &x) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = VALUE(x.at[j]);
	}
};

/* Of output X of a row, and WIDTH channels from C on, what OF makes of the elements of its window:
 * the largest, of which is stored what THEN makes, and where it is. */
template <int WIDTH, typename Of> DEVICE void
pool_store_largest(elem *out, uint8_t *small, int32_t *large, const elem *in, const Of &of, struct pool_then then,
    const struct pool_outputs &row, int64_t x, int64_t c, int64_t o, int64_t channels, const struct pool &g)
{
	int64_t ix = x * g.sw - g.pw, x0 = ix < 0 ? -ix : 0, x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
	const elem *from = in + ((row.image * g.h + row.y) * g.w + ix) * channels + c;
	struct pool_words<WIDTH> at;
	struct column_pack<WIDTH> pack;
	real best[WIDTH], value[WIDTH];

#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		at.at[j] = (int32_t)(row.from * g.kw + x0);
		best[j] = -INFINITY;
	}
	for (int64_t ky = row.from; ky < row.to; ky++)
		for (int64_t kx = x0; kx < x1; kx++) {
			of.values(value, column_load<WIDTH>(from + (ky * g.w + kx) * channels));
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				bool more = value[j] > best[j] || value[j] != value[j];

				best[j] = more ? value[j] : best[j];
				at.at[j] = more ? (int32_t)(ky * g.kw + kx) : at.at[j];
			}
		}
#pragma unroll
	for (int j = 0; j < WIDTH; j++) {
		at.at[j] = (int32_t)pool_place(then, best[j], at.at[j]);
		pack.at[j] = ELEM(pool_value(then, best[j]));
	}
	column_store<WIDTH>(out + o, pack);
	pool_keep_found<WIDTH>(small, large, o, at);
}

COLUMN_KERNEL(maxpool_last_kernel, (elem *out, uint8_t *small, int32_t *large,
    const elem *in, struct pool_then then, int64_t b, int64_t channels, struct pool g))
{
	ROWS (r, b * g.oh) {
		struct pool_outputs row = pool_outputs_of(r, g);

		PLACES (x, p, g.ow, channels / WIDTH)
			pool_store_largest<WIDTH>(out, small, large, in, pool_as_is<WIDTH>(), then, row, x, p * WIDTH,
			    (r * g.ow + x) * channels + p * WIDTH, channels, g);
	}
}

/* A row of the image, and the rows of outputs whose windows cover it. */
struct pool_inputs {
	int64_t image, y, from, to;
};

DEVICE struct pool_inputs
pool_inputs_of(int64_t r, const struct pool &g)
{
	struct pool_inputs row;

	row.image = quotient(r, g.h);
	row.y = r - row.image * g.h;
	pool_covering(row.y, g.kh, g.sh, g.ph, g.oh, &row.from, &row.to);
	return row;
}

/* What the X-th place of a row gets of dy, for WIDTH channels from C on. */
template <int WIDTH> DEVICE void
pool_gather(real *sum, const elem *dy, const uint8_t *small, const int32_t *large, const struct pool_inputs &row, int64_t x,
    int64_t c, int64_t channels, const struct pool &g)
{
	int64_t x0, x1;

#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		sum[j] = 0;
	pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
	for (int64_t oy = row.from; oy < row.to; oy++)
		for (int64_t ox = x0; ox < x1; ox += 2) {	/* two are on their way together */
			int64_t o = ((row.image * g.oh + oy) * g.ow + ox) * channels + c;
			int64_t at = (row.y + g.ph - oy * g.sh) * g.kw + x + g.pw - ox * g.sw;
			struct pool_words<WIDTH> found[2];
			struct column_pack<WIDTH> pack[2];

#pragma unroll
			for (int k = 0; k < 2; k++)
				if (ox + k < x1) {
					found[k] = pool_found<WIDTH>(small, large, o + k * channels);
					pack[k] = column_load<WIDTH>(dy + o + k * channels);
				}
#pragma unroll
			for (int k = 0; k < 2; k++)
				if (ox + k < x1)
#pragma unroll
					for (int j = 0; j < WIDTH; j++)
						sum[j] += found[k].at[j] == at - k * g.sw ? VALUE(pack[k].at[j]) : 0;
		}
}

COLUMN_KERNEL(maxpool_last_grad_kernel, (elem *dx, const elem *dy, const uint8_t *small,
    const int32_t *large, struct onto onto, int64_t b, int64_t channels, struct pool g))
{
	real keep = onto_keep(onto);

	ROWS (r, b * g.h) {
		struct pool_inputs row = pool_inputs_of(r, g);

		PLACES (x, p, g.w, channels / WIDTH) {
			elem *to = dx + (r * g.w + x) * channels + p * WIDTH;
			struct column_pack<WIDTH> pack;
			real sum[WIDTH];

			pool_gather<WIDTH>(sum, dy, small, large, row, x, p * WIDTH, channels, g);
			if (keep != 0)
				pack = column_load<WIDTH>(to);
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				pack.at[j] = ELEM(keep != 0 ? keep * VALUE(pack.at[j]) + sum[j] :
				    sum[j]);
			column_store<WIDTH>(to, pack);
		}
	}
}

#endif
