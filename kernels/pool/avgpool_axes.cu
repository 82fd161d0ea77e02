/*
 * pool/avgpool_axes.cu - mean over any windows, and its gradient.
 */
#ifndef STOWAGE_POOL_AVGPOOL_AXES_CU
#define STOWAGE_POOL_AVGPOOL_AXES_CU

#include "pointwise/epilogue.cu"
#include "pool/axes.cu"

KERNEL(avgpool_axes_kernel, (elem *out, const elem *in, struct epilogue then, int64_t planes, struct pool_axes g))
{
	int64_t od = g.at[0].out, oh = g.at[1].out, ow = g.at[2].out, h = g.at[1].size, w = g.at[2].size;

	EACH_PLACE (q, y, xc, planes * od, oh, ow * g.inner) {
		int64_t p = quotient(q, od), x = quotient(xc, g.inner), to = (q * oh + y) * ow * g.inner + xc;
		struct pool_reach rz = pool_reach(&g.at[0], g.counts, q - p * od);
		struct pool_reach ry = pool_reach(&g.at[1], g.counts, y);
		struct pool_reach rx = pool_reach(&g.at[2], g.counts, x);
		real sum = 0;

		for (int64_t z = rz.from; z < rz.to; z++)
			for (int64_t v = ry.from; v < ry.to; v++)
				for (int64_t u = rx.from; u < rx.to; u++) {
					int64_t from = ((p * g.at[0].size + z) * h + v) * w + u;

					sum += VALUE(in[from * g.inner + xc - x * g.inner]);
				}
		sum /= (real)(rz.count * ry.count * rx.count);
		out[to] = ELEM(epilogue_value(then, sum, to));
	}
}

KERNEL(avgpool_axes_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    struct pool_axes g))
{
	int64_t d = g.at[0].size, h = g.at[1].size, w = g.at[2].size, oh = g.at[1].out, ow = g.at[2].out;
	real keep = onto_keep(onto);

	EACH_PLACE (q, y, xc, planes * d, h, w * g.inner) {
		int64_t p = quotient(q, d), x = quotient(xc, g.inner), z0, z1, y0, y1, x0, x1;
		real sum = 0;

		pool_reached(&g.at[0], q - p * d, &z0, &z1);
		pool_reached(&g.at[1], y, &y0, &y1);
		pool_reached(&g.at[2], x, &x0, &x1);
		for (int64_t oz = z0; oz < z1; oz++)
			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++) {
					int64_t o = (((p * g.at[0].out + oz) * oh + oy) * ow + ox) * g.inner +
					    xc - x * g.inner;
					int64_t count = pool_reach(&g.at[0], g.counts, oz).count *
					    pool_reach(&g.at[1], g.counts, oy).count *
					    pool_reach(&g.at[2], g.counts, ox).count;

					sum += VALUE(dy[o]) / (real)count;
				}
		onto_store(&dx[(q * h + y) * w * g.inner + xc], sum, keep);
	}
}

static void
avgpool_axes_forward(elem *out, const elem *in, struct epilogue then, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(avgpool_axes_kernel, b * planes * g.at[0].out * g.at[1].out * g.at[2].out * g.inner,
	    (out, in, then, b * planes, g));
}

static void
avgpool_axes_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t planes,
    struct pool_axes g)
{
	LAUNCH(avgpool_axes_grad_kernel, b * planes * g.at[0].size * g.at[1].size * g.at[2].size * g.inner,
	    (dx, dy, onto, b * planes, g));
}

#endif
