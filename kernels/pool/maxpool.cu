/*
 * pool/maxpool.cu - maximum over windows of [b, channels, h, w], or with _last of [b, h, w,
 * channels].
 *
 * A formula behind it (pointwise/epilogue.cu) is done to the maximum. Where that is one that passes
 * the gradient or nothing, as relu does, the place of a maximum that gets nothing is that of no
 * cell. For a window of 256 cells a byte has no such place to spare.
 */
#ifndef STOWAGE_POOL_MAXPOOL_CU
#define STOWAGE_POOL_MAXPOOL_CU

#include "pointwise/epilogue.cu"
#include "pool/window.cu"

/* What is done to a maximum, and of whether its gradient passes that: of 1 and of the maximum,
 * which is not 0 where it does. AS_IS: it does. */
struct pool_then {
	enum epilogue_kind value, passes;
};

DEVICE_TOO struct pool_then
pool_then_of(struct epilogue then, struct epilogue passed)
{
	struct pool_then of = { then.kind, passed.kind };

	return of;
}

/* Where a maximum is, or that nobody gets its gradient. */
DEVICE int64_t
pool_place(struct pool_then of, real best, int64_t at)
{
	return of.passes == NO_EPILOGUE || epilogue_of_both(of.passes, 1, best) != 0 ? at : POOL_NOWHERE;
}

DEVICE real
pool_value(struct pool_then of, real best)
{
	return epilogue_of_both(of.value, best, 0);
}

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
maxpool_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, struct epilogue then, struct epilogue passed,
    int64_t b, int64_t channels, struct pool g)
{
	LAUNCH(maxpool_kernel, b * channels * g.oh * g.ow,
	    (out, small, large, in, pool_then_of(then, passed), b * channels, g));
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
