/*
 * pool/pool_last.cu - the kernels of pool/pool.cu for images that lie channels-last, [b, h, w,
 * channels].
 *
 * Neighbours are channels, which have nothing to do with each other: a thread takes one of a place
 * and walks over its window, on either target, and neighbouring threads read neighbours. Backward
 * gathers. So every sum has the order that it has channels-first on CUDA. Of maxima, a thread there
 * takes as many channels as 16 bytes have, if their number allows.
 */
#ifndef STOWAGE_POOL_POOL_LAST_CU
#define STOWAGE_POOL_POOL_LAST_CU

#include "sweep/last_cuda.cu"

#ifdef __CUDACC__

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

#else

#define LAUNCH_MAXIMA(name, rows, channels, args)	LAUNCH_ROWS(name, rows, args)

KERNEL(maxpool_last_kernel, (elem *out, uint8_t *small, int32_t *large, const elem *in, bool relu,
    int64_t b, int64_t channels, struct pool g))
{
	ROWS (r, b * g.oh) {
		const elem *image = in + r / g.oh * g.h * g.w * channels;
		int64_t iy = r % g.oh * g.sh - g.ph;
		int64_t y0 = iy < 0 ? -iy : 0, y1 = iy + g.kh > g.h ? g.h - iy : g.kh;

		PLACES (x, c, g.ow, channels) {
			int64_t ix = x * g.sw - g.pw, o = (r * g.ow + x) * channels + c;
			int64_t x0 = ix < 0 ? -ix : 0, x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
			int64_t at = relu ? POOL_NOWHERE : y0 * g.kw + x0;
			real best = relu ? 0 : -INFINITY;

			for (int64_t ky = y0; ky < y1; ky++)
				for (int64_t kx = x0; kx < x1; kx++) {
					real v = VALUE(image[((iy + ky) * g.w + ix + kx) *
					    channels + c]);
					bool more = v > best || v != v;

					best = more ? v : best;
					at = more ? ky * g.kw + kx : at;
				}
			out[o] = ELEM(best);
			if (small)
				small[o] = (uint8_t)at;
			else if (large)
				large[o] = (int32_t)at;
		}
	}
}

KERNEL(maxpool_last_grad_kernel, (elem *dx, const elem *dy, const uint8_t *small,
    const int32_t *large, struct onto onto, int64_t b, int64_t channels, struct pool g))
{
	real keep = onto_keep(onto);

	ROWS (r, b * g.h) {
		int64_t y = r % g.h, image = r / g.h * g.oh * g.ow, y0, y1;

		pool_covering(y, g.kh, g.sh, g.ph, g.oh, &y0, &y1);
		PLACES (x, c, g.w, channels) {
			int64_t x0, x1;
			real sum = 0;

			pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++) {
					int64_t o = (image + oy * g.ow + ox) * channels + c;
					int64_t at = (y + g.ph - oy * g.sh) * g.kw +
					    x + g.pw - ox * g.sw;

					if ((small ? small[o] : large[o]) == at)
						sum += VALUE(dy[o]);
				}
			onto_store(&dx[(r * g.w + x) * channels + c], sum, keep);
		}
	}
}

#endif

KERNEL(avgpool_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels, struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw);

	ROWS (r, b * g.oh) {
		const elem *image = in + r / g.oh * g.h * g.w * channels;
		int64_t iy = r % g.oh * g.sh - g.ph;
		int64_t y0 = iy < 0 ? 0 : iy, y1 = iy + g.kh > g.h ? g.h : iy + g.kh;

		PLACES (x, c, g.ow, channels) {
			int64_t ix = x * g.sw - g.pw;
			int64_t x0 = ix < 0 ? 0 : ix, x1 = ix + g.kw > g.w ? g.w : ix + g.kw;
			real sum = 0;

			for (int64_t cy = y0; cy < y1; cy++)
				for (int64_t cx = x0; cx < x1; cx++)
					sum += VALUE(image[(cy * g.w + cx) * channels + c]);
			out[(r * g.ow + x) * channels + c] = ELEM(sum * share);
		}
	}
}

KERNEL(avgpool_last_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t b,
    int64_t channels, struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw), keep = onto_keep(onto);

	ROWS (r, b * g.h) {
		int64_t image = r / g.h * g.oh * g.ow, y0, y1;

		pool_covering(r % g.h, g.kh, g.sh, g.ph, g.oh, &y0, &y1);
		PLACES (x, c, g.w, channels) {
			int64_t x0, x1;
			real sum = 0;

			pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++)
					sum += VALUE(dy[(image + oy * g.ow + ox) * channels + c]);
			onto_store(&dx[(r * g.w + x) * channels + c], sum * share, keep);
		}
	}
}

static void
maxpool_last_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw,
    int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH_MAXIMA(maxpool_last_kernel, b * oh, channels,
	    (out, small, large, in, false, b, channels, g));
}

static void
maxpool_relu_last_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw,
    int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH_MAXIMA(maxpool_last_kernel, b * oh, channels,
	    (out, small, large, in, true, b, channels, g));
}

static void
maxpool_last_backward(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t b, int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow,
    int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH_MAXIMA(maxpool_last_grad_kernel, b * h, channels,
	    (dx, dy, small, large, onto, b, channels, g));
}

static void
avgpool_last_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t h, int64_t w,
    int64_t oh, int64_t ow, int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH_ROWS(avgpool_last_kernel, b * oh, (out, in, b, channels, g));
}

static void
avgpool_last_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels,
    int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw, int64_t sh, int64_t sw,
    int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH_ROWS(avgpool_last_grad_kernel, b * h, (dx, dy, onto, b, channels, g));
}

/* ---- all places ---- */

/* Channels are summed side by side, some at a time: with a thread each there are few threads, but
 * the images are small where they are averaged. */
#define POOL_COLUMNS	32

#ifdef __CUDACC__

KERNEL(global_avgpool_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels,
    int64_t n))
{
	__shared__ double part[BLOCK / POOL_COLUMNS][POOL_COLUMNS];
	int64_t strips = (channels + POOL_COLUMNS - 1) / POOL_COLUMNS;
	int lane = threadIdx.x % POOL_COLUMNS, first = threadIdx.x / POOL_COLUMNS;

	ROWS (r, b * strips) {
		int64_t c = r % strips * POOL_COLUMNS + lane, image = r / strips;
		double sum = 0;

		for (int64_t j = first; j < n && c < channels; j += BLOCK / POOL_COLUMNS)
			sum += VALUE(in[(image * n + j) * channels + c]);
		part[first][lane] = sum;
		__syncthreads();
		for (int i = 1; i < BLOCK / POOL_COLUMNS && first == 0; i++)
			sum += part[i][lane];
		if (first == 0 && c < channels)
			out[image * channels + c] = ELEM((real)(sum / (double)n));
		__syncthreads();
	}
}

#else

KERNEL(global_avgpool_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels,
    int64_t n))
{
	int64_t strips = (channels + POOL_COLUMNS - 1) / POOL_COLUMNS;

	ROWS (r, b * strips) {
		int64_t c = r % strips * POOL_COLUMNS, image = r / strips;
		int64_t count = channels - c < POOL_COLUMNS ? channels - c : POOL_COLUMNS;
		double sum[POOL_COLUMNS] = { 0 };

		for (int64_t j = 0; j < n; j++)
			for (int64_t q = 0; q < count; q++)
				sum[q] += VALUE(in[(image * n + j) * channels + c + q]);
		for (int64_t q = 0; q < count; q++)
			out[image * channels + c + q] = ELEM((real)(sum[q] / (double)n));
	}
}

#endif

static void
global_avgpool_last_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH_ROWS(global_avgpool_last_kernel, b * ((channels + POOL_COLUMNS - 1) / POOL_COLUMNS),
	    (out, in, b, channels, n));
}

KERNEL(global_avgpool_last_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t b,
    int64_t channels, int64_t n))
{
	real keep = onto_keep(onto);
	int64_t tiles = column_tiles(n, channels);

	ROWS (t, b * tiles) {
		int64_t image = t / tiles, first = t % tiles * column_tile(channels);

		PLACES (j, c, column_height(t % tiles, n, channels), channels)
			onto_store(&dx[(image * n + first + j) * channels + c],
			    VALUE(dy[image * channels + c]) / (real)n, keep);
	}
}

static void
global_avgpool_last_backward(elem *dx, const elem *dy, struct onto onto, int64_t b,
    int64_t channels, int64_t n)
{
	LAUNCH_ROWS(global_avgpool_last_grad_kernel, b * column_tiles(n, channels),
	    (dx, dy, onto, b, channels, n));
}

#endif
