/*
 * pool/maxpool.cu - maximum over windows of [b, channels, h, w], or with _last of [b, h, w,
 * channels].
 *
 * The maxima of a rectifier behind them too: 0 then wins where nothing is above it, and the place
 * is that of no cell, so that nothing gets its gradient. For a window of 256 cells a byte has no
 * such place to spare.
 */
#ifndef STOWAGE_POOL_MAXPOOL_CU
#define STOWAGE_POOL_MAXPOOL_CU

#include "pool/window.cu"

#define POOL_NOWHERE	(-1)	/* 255 in a byte */

#ifdef __CUDACC__
#include "pool/maxpool_first_cuda.cu"
#else
#include "pool/maxpool_first_c.cu"
#endif

#if defined(__CUDACC__) || NARROW

KERNEL(maxpool_grad_kernel, (elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t planes, struct pool g))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, g.h, g.w) {
		int64_t y0, y1, x0, x1;
		real sum = 0;

		pool_covering(y, g.kh, g.sh, g.ph, g.oh, &y0, &y1);
		pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
		for (int64_t oy = y0; oy < y1; oy++)
			for (int64_t ox = x0; ox < x1; ox++) {
				int64_t o = (p * g.oh + oy) * g.ow + ox;
				int64_t at = (y + g.ph - oy * g.sh) * g.kw + x + g.pw - ox * g.sw;

				if ((small ? small[o] : large[o]) == at)
					sum += VALUE(dy[o]);
			}
		onto_store(&dx[(p * g.h + y) * g.w + x], sum, keep);
	}
}

#endif

/* SMALL or LARGE receives the place of each maximum in its window; both may be NULL. */
static void
maxpool_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, struct pool g)
{
	LAUNCH(maxpool_kernel, b * channels * g.oh * g.ow,
	    (out, small, large, in, false, b * channels, g));
}

/* The same with a rectifier behind it. */
static void
maxpool_relu_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, struct pool g)
{
	LAUNCH(maxpool_kernel, b * channels * g.oh * g.ow,
	    (out, small, large, in, true, b * channels, g));
}

static void
maxpool_backward(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH(maxpool_grad_kernel, b * channels * g.h * g.w, (dx, dy, small, large, onto, b * channels,
	    g));
}

#include "pool/maxpool_last.cu"
#include "pool/maxpool_axes.cu"

#endif
