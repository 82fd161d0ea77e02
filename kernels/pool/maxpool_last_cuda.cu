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

	if (!small)
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

template <int WIDTH> KERNEL(maxpool_last_kernel, (elem *out, uint8_t *small, int32_t *large,
    const elem *in, bool relu, int64_t b, int64_t channels, struct pool g))
{
	ROWS (r, b * g.oh) {
		int64_t image = quotient(r, g.oh), iy = (r - image * g.oh) * g.sh - g.ph;
		int64_t y0 = iy < 0 ? -iy : 0, y1 = iy + g.kh > g.h ? g.h - iy : g.kh;

		PLACES (x, p, g.ow, channels / WIDTH) {
			int64_t ix = x * g.sw - g.pw, o = (r * g.ow + x) * channels + p * WIDTH;
			int64_t x0 = ix < 0 ? -ix : 0, x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
			const elem *from = in + ((image * g.h + iy) * g.w + ix) * channels + p * WIDTH;
			struct pool_words<WIDTH> at;
			struct column_pack<WIDTH> pack;
			real best[WIDTH];

#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				at.at[j] = relu ? POOL_NOWHERE : (int32_t)(y0 * g.kw + x0);
				best[j] = relu ? 0 : -INFINITY;
			}
			for (int64_t ky = y0; ky < y1; ky++)
				for (int64_t kx = x0; kx < x1; kx++) {
					pack = column_load<WIDTH>(from + (ky * g.w + kx) * channels);
#pragma unroll
					for (int j = 0; j < WIDTH; j++) {
						real v = VALUE(pack.at[j]);
						bool more = v > best[j] || v != v;

						best[j] = more ? v : best[j];
						at.at[j] = more ? (int32_t)(ky * g.kw + kx) :
						    at.at[j];
					}
				}
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				pack.at[j] = ELEM(best[j]);
			column_store<WIDTH>(out + o, pack);
			pool_keep_found<WIDTH>(small, large, o, at);
		}
	}
}

template <int WIDTH> KERNEL(maxpool_last_grad_kernel, (elem *dx, const elem *dy, const uint8_t *small,
    const int32_t *large, struct onto onto, int64_t b, int64_t channels, struct pool g))
{
	real keep = onto_keep(onto);

	ROWS (r, b * g.h) {
		int64_t image = quotient(r, g.h), y = r - image * g.h, y0, y1;

		pool_covering(y, g.kh, g.sh, g.ph, g.oh, &y0, &y1);
		PLACES (x, p, g.w, channels / WIDTH) {
			elem *to = dx + (r * g.w + x) * channels + p * WIDTH;
			struct column_pack<WIDTH> pack;
			real sum[WIDTH] = { 0 };
			int64_t x0, x1;

			pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++) {
					int64_t place = (image * g.oh + oy) * g.ow + ox;
					int64_t o = place * channels + p * WIDTH;
					int64_t at = (y + g.ph - oy * g.sh) * g.kw +
					    x + g.pw - ox * g.sw;
					struct pool_words<WIDTH> found =
					    pool_found<WIDTH>(small, large, o);

					pack = column_load<WIDTH>(dy + o);
#pragma unroll
					for (int j = 0; j < WIDTH; j++)
						sum[j] += found.at[j] == at ? VALUE(pack.at[j]) : 0;
				}
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
