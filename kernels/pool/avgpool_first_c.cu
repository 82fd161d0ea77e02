/*
 * pool/avgpool_first_c.cu - average over windows in C: sums along rows.
 */
#ifndef STOWAGE_POOL_AVGPOOL_FIRST_C_CU
#define STOWAGE_POOL_AVGPOOL_FIRST_C_CU

#include "pool/window.cu"

/* The outputs [*from, *to) of a row whose column KX lies inside the input. */
DEVICE void
pool_inside(const struct pool *g, int64_t kx, int64_t *from, int64_t *to)
{
	int64_t last = g->w - 1 + g->pw - kx;

	*from = g->pw <= kx ? 0 : (g->pw - kx + g->sw - 1) / g->sw;
	*to = last < 0 ? 0 : last / g->sw + 1;
	if (*to > g->ow)
		*to = g->ow;
}

/* Sums of a row of N become means, and what THEN makes of them; I is the first of all. */
static void
avgpool_finish(elem *row, real share, struct epilogue then, int64_t i, int64_t n)
{
#define FINISH(kind_, function, reads, known)							\
	case kind_:										\
		for (int64_t x = 0; x < n; x++)							\
			row[x] = epilogue_of_both(kind_, row[x] * share, reads ? then.saved[i + x] : 0); \
		break;
	EPILOGUE_CASES_ALL(then.kind, FINISH)
#undef FINISH
}

static void
avgpool_kernel(elem *out, const elem *in, struct epilogue then, int64_t planes, struct pool g)
{
	real share = 1 / (real)(g.kh * g.kw);

	ROWS (r, planes * g.oh) {
		const elem *plane = in + r / g.oh * g.h * g.w;
		int64_t iy = r % g.oh * g.sh - g.ph, from, to;
		elem *row = out + r * g.ow;

		for (int64_t x = 0; x < g.ow; x++)
			row[x] = 0;
		for (int64_t y = iy < 0 ? 0 : iy; y < iy + g.kh && y < g.h; y++)
			for (int64_t kx = 0; kx < g.kw; kx++) {
				const elem *v = plane + y * g.w + kx - g.pw;

				pool_inside(&g, kx, &from, &to);
				for (int64_t x = from; x < to; x++)
					row[x] += v[x * g.sw];
			}
		avgpool_finish(row, share, then, r * g.ow, g.ow);
	}
}

static void
avgpool_grad_kernel(elem *dx, const elem *dy, struct onto onto, int64_t planes, struct pool g)
{
	real share = 1 / (real)(g.kh * g.kw), keep = onto_keep(onto);

	ROWS (p, planes) {
		elem *plane = dx + p * g.h * g.w, *row;
		int64_t from, to;

		onto_start(plane, g.h * g.w, keep);
		for (int64_t y = 0; y < g.oh; y++)
			for (int64_t c = 0; c < g.kh * g.kw; c++) {
				const elem *d = dy + (p * g.oh + y) * g.ow;
				int64_t iy = y * g.sh - g.ph + c / g.kw;

				if (iy < 0 || iy >= g.h)
					continue;
				pool_inside(&g, c % g.kw, &from, &to);
				row = plane + iy * g.w + c % g.kw - g.pw;
				for (int64_t x = from; x < to; x++)
					row[x * g.sw] += d[x] * share;
			}
	}
}

#endif
