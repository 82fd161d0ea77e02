/*
 * pool/maxpool_first_cuda.cu - maximum over windows on CUDA: a thread takes one output.
 */
#ifndef STOWAGE_POOL_MAXPOOL_FIRST_CUDA_CU
#define STOWAGE_POOL_MAXPOOL_FIRST_CUDA_CU

#include "pool/window.cu"

KERNEL(maxpool_kernel, (elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of,
    int64_t planes, struct pool g))
{
	EACH_PLACE (p, y, x, planes, g.oh, g.ow) {
		const elem *plane = in + p * g.h * g.w;
		int64_t iy = y * g.sh - g.ph, ix = x * g.sw - g.pw, o = (p * g.oh + y) * g.ow + x;
		int64_t y0 = iy < 0 ? -iy : 0, x0 = ix < 0 ? -ix : 0;
		int64_t y1 = iy + g.kh > g.h ? g.h - iy : g.kh;
		int64_t x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
		int64_t at = y0 * g.kw + x0;
		real best = -INFINITY;

		for (int64_t ky = y0; ky < y1; ky++)
			for (int64_t kx = x0; kx < x1; kx++) {
				real v = VALUE(plane[(iy + ky) * g.w + ix + kx]);

				if (v > best || v != v) {
					best = v;
					at = ky * g.kw + kx;
				}
			}
		at = pool_place(of, best, at);
		out[o] = ELEM(pool_value(of, best));
		if (small)
			small[o] = (uint8_t)at;
		else if (large)
			large[o] = (int32_t)at;
	}
}

#endif
