/*
 * pool/maxpool_last_c.cu - maximum over windows of [b, h, w, channels] in C.
 */
#ifndef STOWAGE_POOL_MAXPOOL_LAST_C_CU
#define STOWAGE_POOL_MAXPOOL_LAST_C_CU

#include "pool/window.cu"

#define LAUNCH_MAXIMA(name, rows, channels, args)	LAUNCH_ROWS(name, rows, args)

KERNEL(maxpool_last_kernel, (elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of,
    int64_t b, int64_t channels, struct pool g))
{
	ROWS (r, b * g.oh) {
		const elem *image = in + r / g.oh * g.h * g.w * channels;
		int64_t iy = r % g.oh * g.sh - g.ph;
		int64_t y0 = iy < 0 ? -iy : 0, y1 = iy + g.kh > g.h ? g.h - iy : g.kh;

		PLACES (x, c, g.ow, channels) {
			int64_t ix = x * g.sw - g.pw, o = (r * g.ow + x) * channels + c;
			int64_t x0 = ix < 0 ? -ix : 0, x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
			int64_t at = y0 * g.kw + x0;
			real best = -INFINITY;

			for (int64_t ky = y0; ky < y1; ky++)
				for (int64_t kx = x0; kx < x1; kx++) {
					real v = VALUE(image[((iy + ky) * g.w + ix + kx) *
					    channels + c]);
					bool more = v > best || v != v;

					best = more ? v : best;
					at = more ? ky * g.kw + kx : at;
				}
			at = pool_place(of, best, at);
			out[o] = ELEM(pool_value(of, best));
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
