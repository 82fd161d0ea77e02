/*
 * pool/avgpool.cu - average over windows of [b, channels, h, w], or with _last of [b, h, w,
 * channels], and a formula of it (pointwise/epilogue.cu).
 */
#ifndef STOWAGE_POOL_AVGPOOL_CU
#define STOWAGE_POOL_AVGPOOL_CU

#include "pointwise/epilogue.cu"
#include "pool/window.cu"

#if defined(__CUDACC__) || NARROW

KERNEL(avgpool_kernel, (elem *out, const elem *in, struct epilogue then, int64_t planes, struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw);

	EACH_PLACE (p, y, x, planes, g.oh, g.ow) {
		const elem *plane = in + p * g.h * g.w;
		int64_t iy = y * g.sh - g.ph, ix = x * g.sw - g.pw;
		int64_t y0 = iy < 0 ? 0 : iy, x0 = ix < 0 ? 0 : ix, to = (p * g.oh + y) * g.ow + x;
		int64_t y1 = iy + g.kh > g.h ? g.h : iy + g.kh;
		int64_t x1 = ix + g.kw > g.w ? g.w : ix + g.kw;
		real sum = 0;

		for (int64_t cy = y0; cy < y1; cy++)
			for (int64_t cx = x0; cx < x1; cx++)
				sum += VALUE(plane[cy * g.w + cx]);
		out[to] = ELEM(epilogue_value(then, sum * share, to));
	}
}

KERNEL(avgpool_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw), keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, g.h, g.w) {
		int64_t y0, y1, x0, x1;
		real sum = 0;

		pool_covering(y, g.kh, g.sh, g.ph, g.oh, &y0, &y1);
		pool_covering(x, g.kw, g.sw, g.pw, g.ow, &x0, &x1);
		for (int64_t oy = y0; oy < y1; oy++)
			for (int64_t ox = x0; ox < x1; ox++)
				sum += VALUE(dy[(p * g.oh + oy) * g.ow + ox]);
		onto_store(&dx[(p * g.h + y) * g.w + x], sum * share, keep);
	}
}

#else
#include "pool/avgpool_first_c.cu"
#endif

static void
avgpool_forward(elem *out, const elem *in, struct epilogue then, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH(avgpool_kernel, b * channels * g.oh * g.ow, (out, in, then, b * channels, g));
}

static void
avgpool_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH(avgpool_grad_kernel, b * channels * g.h * g.w, (dx, dy, onto, b * channels, g));
}

/* ---- channels-last ---- */

KERNEL(avgpool_last_kernel, (elem *out, const elem *in, struct epilogue then, int64_t b, int64_t channels,
    struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw);

	ROWS (r, b * g.oh) {
		const elem *image = in + r / g.oh * g.h * g.w * channels;
		int64_t iy = r % g.oh * g.sh - g.ph;
		int64_t y0 = iy < 0 ? 0 : iy, y1 = iy + g.kh > g.h ? g.h : iy + g.kh;

		PLACES (x, c, g.ow, channels) {
			int64_t ix = x * g.sw - g.pw, to = (r * g.ow + x) * channels + c;
			int64_t x0 = ix < 0 ? 0 : ix, x1 = ix + g.kw > g.w ? g.w : ix + g.kw;
			real sum = 0;

			for (int64_t cy = y0; cy < y1; cy++)
				for (int64_t cx = x0; cx < x1; cx++)
					sum += VALUE(image[(cy * g.w + cx) * channels + c]);
			out[to] = ELEM(epilogue_value(then, sum * share, to));
		}
	}
}

static void
avgpool_last_forward(elem *out, const elem *in, struct epilogue then, int64_t b, int64_t channels, struct pool g)
{
	LAUNCH_ROWS(avgpool_last_kernel, b * g.oh, (out, in, then, b, channels, g));
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
avgpool_last_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels,
    struct pool g)
{
	LAUNCH_ROWS(avgpool_last_grad_kernel, b * g.h, (dx, dy, onto, b, channels, g));
}

#include "pool/avgpool_axes.cu"

#endif
