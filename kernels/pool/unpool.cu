/*
 * pool/unpool.cu - where the largest element of each window is, a byte each, and what puts elements
 * there, between zeros. Windows lie side by side, from the first place on; what is behind the last
 * belongs to none. Tensors are [planes, d, h, w, inner], as in pool/axes.cu.
 */
#ifndef STOWAGE_POOL_UNPOOL_CU
#define STOWAGE_POOL_UNPOOL_CU

#include "pool/axes.cu"

/* The element of the large map at the first cell of window (q, y, x) of plane and depth, width. */
DEVICE int64_t
unpool_corner(const struct pool_axes *g, int64_t q, int64_t y, int64_t x)
{
	int64_t p = quotient(q, g->at[0].out), z = (q - p * g->at[0].out) * g->at[0].kernel;

	return ((p * g->at[0].size + z) * g->at[1].size + y * g->at[1].kernel) * g->at[2].size + x * g->at[2].kernel;
}

KERNEL(argmaxpool_kernel, (uint8_t *places, const elem *in, int64_t planes, struct pool_axes g))
{
	int64_t h = g.at[1].size, w = g.at[2].size, kd = g.at[0].kernel, kh = g.at[1].kernel, kw = g.at[2].kernel;

	EACH_PLACE (q, y, xc, planes * g.at[0].out, g.at[1].out, g.at[2].out * g.inner) {
		int64_t x = quotient(xc, g.inner), from = unpool_corner(&g, q, y, x), at = 0, cell = 0;
		real best = -INFINITY;

		for (int64_t r = 0; r < kd; r++)
			for (int64_t v = 0; v < kh; v++)
				for (int64_t u = 0; u < kw; u++, cell++) {
					real e = VALUE(in[(from + (r * h + v) * w + u) * g.inner + xc - x * g.inner]);
					bool more = e > best || e != e;

					best = more ? e : best;
					at = more ? cell : at;
				}
		places[(q * g.at[1].out + y) * g.at[2].out * g.inner + xc] = (uint8_t)at;
	}
}

static void
argmaxpool(uint8_t *places, const elem *in, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(argmaxpool_kernel, b * planes * g.at[0].out * g.at[1].out * g.at[2].out * g.inner, (places, in, b * planes, g));
}

KERNEL(max_unpool_kernel, (elem *y, const elem *x, const uint8_t *places, int64_t planes, struct pool_axes g))
{
	int64_t od = g.at[0].out, oh = g.at[1].out, ow = g.at[2].out;

	EACH_PLACE (q, v, uc, planes * g.at[0].size, g.at[1].size, g.at[2].size * g.inner) {
		int64_t p = quotient(q, g.at[0].size), r = q - p * g.at[0].size, u = quotient(uc, g.inner);
		int64_t oz = quotient(r, g.at[0].kernel), oy = quotient(v, g.at[1].kernel), ox = quotient(u, g.at[2].kernel);
		int64_t cell = ((r - oz * g.at[0].kernel) * g.at[1].kernel + v - oy * g.at[1].kernel) * g.at[2].kernel + u -
		    ox * g.at[2].kernel;
		bool inside = oz < od && oy < oh && ox < ow;
		int64_t from = inside ? (((p * od + oz) * oh + oy) * ow + ox) * g.inner + uc - u * g.inner : 0;

		y[(q * g.at[1].size + v) * g.at[2].size * g.inner + uc] = inside && places[from] == cell ? x[from] : ELEM(0);
	}
}

static void
max_unpool_forward(elem *y, const elem *x, const uint8_t *places, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(max_unpool_kernel, b * planes * g.at[0].size * g.at[1].size * g.at[2].size * g.inner,
	    (y, x, places, b * planes, g));
}

KERNEL(max_unpool_grad_kernel, (elem *dx, const elem *dy, const uint8_t *places, int64_t planes, struct pool_axes g))
{
	int64_t h = g.at[1].size, w = g.at[2].size, kh = g.at[1].kernel, kw = g.at[2].kernel;

	EACH_PLACE (q, y, xc, planes * g.at[0].out, g.at[1].out, g.at[2].out * g.inner) {
		int64_t x = quotient(xc, g.inner), o = (q * g.at[1].out + y) * g.at[2].out * g.inner + xc;
		int64_t row = quotient(places[o], kw), u = places[o] - row * kw, r = quotient(row, kh), v = row - r * kh;

		dx[o] = dy[(unpool_corner(&g, q, y, x) + (r * h + v) * w + u) * g.inner + xc - x * g.inner];
	}
}

static void
max_unpool_backward(elem *dx, const elem *dy, const uint8_t *places, int64_t b, int64_t planes, struct pool_axes g)
{
	LAUNCH(max_unpool_grad_kernel, b * planes * g.at[0].out * g.at[1].out * g.at[2].out * g.inner,
	    (dx, dy, places, b * planes, g));
}

#endif
