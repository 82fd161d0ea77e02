/*
 * pool/maxpool_axes.cu - maximum over any windows, and its gradient. The place of a maximum is
 * counted in its window from where that begins, on padding or not.
 */
#ifndef STOWAGE_POOL_MAXPOOL_AXES_CU
#define STOWAGE_POOL_MAXPOOL_AXES_CU

#include "pool/axes.cu"

KERNEL(maxpool_axes_kernel, (elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of,
    int64_t planes, struct pool_axes g))
{
	int64_t od = g.at[0].out, oh = g.at[1].out, ow = g.at[2].out, h = g.at[1].size, w = g.at[2].size;

	EACH_PLACE (q, y, xc, planes * od, oh, ow * g.inner) {
		int64_t p = quotient(q, od), x = quotient(xc, g.inner), o = (q * oh + y) * ow * g.inner + xc;
		struct pool_reach rz = pool_reach(&g.at[0], false, q - p * od);
		struct pool_reach ry = pool_reach(&g.at[1], false, y), rx = pool_reach(&g.at[2], false, x);
		int64_t at = POOL_NOWHERE;
		real best = -INFINITY;

		for (int64_t z = rz.from; z < rz.to; z++)
			for (int64_t v = ry.from; v < ry.to; v++)
				for (int64_t u = rx.from; u < rx.to; u++) {
					int64_t from = ((p * g.at[0].size + z) * h + v) * w + u;
					real e = VALUE(in[from * g.inner + xc - x * g.inner]);
					int64_t cell = ((z - rz.start) * g.at[1].kernel + v - ry.start) *
					    g.at[2].kernel + u - rx.start;
					bool more = e > best || e != e || at == POOL_NOWHERE;

					best = more ? e : best;
					at = more ? cell : at;
				}
		at = pool_place(of, best, at);
		out[o] = ELEM(pool_value(of, best));
		if (small)
			small[o] = (uint8_t)at;
		else if (large)
			large[o] = (int32_t)at;
	}
}

KERNEL(maxpool_axes_grad_kernel, (elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t planes, struct pool_axes g))
{
	int64_t d = g.at[0].size, h = g.at[1].size, w = g.at[2].size, oh = g.at[1].out, ow = g.at[2].out;
	real keep = onto_keep(onto);

	EACH_PLACE (q, y, xc, planes * d, h, w * g.inner) {
		int64_t p = quotient(q, d), z = q - p * d, x = quotient(xc, g.inner), z0, z1, y0, y1, x0, x1;
		real sum = 0;

		pool_reached(&g.at[0], z, &z0, &z1);
		pool_reached(&g.at[1], y, &y0, &y1);
		pool_reached(&g.at[2], x, &x0, &x1);
		for (int64_t oz = z0; oz < z1; oz++)
			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++) {
					int64_t o = (((p * g.at[0].out + oz) * oh + oy) * ow + ox) * g.inner +
					    xc - x * g.inner;
					int64_t at = ((z - pool_reach(&g.at[0], false, oz).start) *
					    g.at[1].kernel + y - pool_reach(&g.at[1], false, oy).start) *
					    g.at[2].kernel + x - pool_reach(&g.at[2], false, ox).start;

					if ((small ? small[o] : large[o]) == at)
						sum += VALUE(dy[o]);
				}
		onto_store(&dx[(q * h + y) * w * g.inner + xc], sum, keep);
	}
}

static void
maxpool_axes_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, struct epilogue then,
    struct epilogue passed, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(maxpool_axes_kernel, b * planes * g.at[0].out * g.at[1].out * g.at[2].out * g.inner,
	    (out, small, large, in, pool_then_of(then, passed), b * planes, g));
}

static void
maxpool_axes_backward(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(maxpool_axes_grad_kernel, b * planes * g.at[0].size * g.at[1].size * g.at[2].size * g.inner,
	    (dx, dy, small, large, onto, b * planes, g));
}

#endif
