/*
 * pool/pool.cu - maximum and average over windows of [b, channels, h, w].
 *
 * In C a thread takes whole rows or planes and the innermost loop runs along a row, so that it
 * vectorises; backward may then scatter, since a plane belongs to one thread. On CUDA a thread
 * takes one element, and backward gathers over the windows that cover it: no atomics, and the
 * order of every sum is fixed on both. Elements of 16 bits are gathered in C too, since what is
 * added up where it is stored would be rounded each time.
 */
#include "kernel.h"

#if defined(__CUDACC__) || NARROW
#define GATHERS
#endif

struct pool {			/* h x w in, oh x ow out */
	int64_t h, w, oh, ow;
	int64_t kh, kw, sh, sw, ph, pw;
};

static inline struct pool
pool_of(int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw, int64_t sh,
    int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g;

	g.h = h;
	g.w = w;
	g.oh = oh;
	g.ow = ow;
	g.kh = kh;
	g.kw = kw;
	g.sh = sh;
	g.sw = sw;
	g.ph = ph;
	g.pw = pw;
	return g;
}

/* The outputs [from, to) whose windows cover input I along one axis. */
DEVICE void
pool_covering(int64_t i, int64_t kernel, int64_t stride, int64_t pad, int64_t outputs,
    int64_t *from, int64_t *to)
{
	int64_t first = i + pad - kernel + 1;

	*from = first <= 0 ? 0 : quotient(first + stride - 1, stride);
	*to = quotient(i + pad, stride) + 1;
	if (*to > outputs)
		*to = outputs;
}

/* ---- maxima; those of a rectifier behind them too: 0 then wins where nothing is above it, and the
 * place is that of no cell, so that nothing gets its gradient. For a window of 256 cells a byte has
 * no such place to spare. ---- */

#define POOL_NOWHERE	(-1)	/* 255 in a byte */

#ifdef __CUDACC__

KERNEL(maxpool_kernel, (elem *out, uint8_t *small, int32_t *large, const elem *in, bool relu,
    int64_t planes, struct pool g))
{
	EACH_PLACE (p, y, x, planes, g.oh, g.ow) {
		const elem *plane = in + p * g.h * g.w;
		int64_t iy = y * g.sh - g.ph, ix = x * g.sw - g.pw, o = (p * g.oh + y) * g.ow + x;
		int64_t y0 = iy < 0 ? -iy : 0, x0 = ix < 0 ? -ix : 0;
		int64_t y1 = iy + g.kh > g.h ? g.h - iy : g.kh;
		int64_t x1 = ix + g.kw > g.w ? g.w - ix : g.kw;
		int64_t at = relu ? POOL_NOWHERE : y0 * g.kw + x0;
		real best = relu ? 0 : -INFINITY;

		for (int64_t ky = y0; ky < y1; ky++)
			for (int64_t kx = x0; kx < x1; kx++) {
				real v = VALUE(plane[(iy + ky) * g.w + ix + kx]);

				if (v > best || v != v) {
					best = v;
					at = ky * g.kw + kx;
				}
			}
		out[o] = ELEM(best);
		if (small)
			small[o] = (uint8_t)at;
		else if (large)
			large[o] = (int32_t)at;
	}
}

#else	/* C */

/*
 * Maxima of a strip of outputs. A row of the input is dealt into one array for each phase of the
 * stride, with -inf around it, so that every cell of the windows is a run of neighbours there:
 *
 *     stride 2, kernel 3:   row     a b c d e f g        cell 0   a c e
 *                           phase 0 a c e g              cell 1   b d f
 *                           phase 1 b d f -inf           cell 2   c e g
 */
#define POOL_STRIP	64
#define POOL_LANES	16	/* a strip is rounded up to these */
#define POOL_STRIDE	4	/* larger strides, */
#define POOL_KERNEL	64	/* and wider windows, go cell by cell */
#define POOL_RUN	(POOL_STRIP + POOL_KERNEL)

#ifdef USE_DOUBLE
typedef int64_t pool_index;	/* as wide as a real: masks then need no conversion */
#else
typedef int32_t pool_index;
#endif

DEVICE void
pool_deal_phase(real *to, int64_t run, const elem *row, int64_t first, int64_t step, int64_t w)
{
	int64_t from = first >= 0 ? 0 : (-first + step - 1) / step;
	int64_t end = first >= w ? 0 : (w - 1 - first) / step + 1;

	end = end > run ? run : end;
	for (int64_t q = 0; q < from && q < run; q++)
		to[q] = -INFINITY;
	PRAGMA(omp simd)
	for (int64_t q = from; q < end; q++)
		to[q] = VALUE(row[first + q * step]);
	for (int64_t q = end > from ? end : from; q < run; q++)
		to[q] = -INFINITY;
}

/* Column FIRST of the row becomes the first of phase 0; each phase is RUN long. */
DEVICE void
pool_deal(real to[POOL_STRIDE][POOL_RUN], int64_t run, const elem *row, int64_t first,
    int64_t stride, int64_t w)
{
	for (int64_t p = 0; p < stride; p++)
		if (stride == 1)
			pool_deal_phase(to[p], run, row, first + p, 1, w);
		else if (stride == 2)
			pool_deal_phase(to[p], run, row, first + p, 2, w);
		else
			pool_deal_phase(to[p], run, row, first + p, stride, w);
}

DEVICE void
pool_beat(real *best, pool_index *at, const real *v, pool_index cell)
{
	PRAGMA(omp simd)
	for (int x = 0; x < POOL_LANES; x++) {
		bool more = (v[x] > best[x]) | (v[x] != v[x]);

		best[x] = more ? v[x] : best[x];
		at[x] = more ? cell : at[x];
	}
}

/* Outputs x0 .. x0 + n - 1 of a row of windows whose first row is IY. */
static void
maxpool_strip(elem *out, uint8_t *small, int32_t *large, const elem *plane, bool relu,
    const struct pool *g, int64_t iy, int64_t x0, int64_t n)
{
	real phase[POOL_STRIDE][POOL_RUN], best[POOL_STRIP];
	pool_index at[POOL_STRIP];
	int64_t lanes = (n + POOL_LANES - 1) / POOL_LANES * POOL_LANES;
	int64_t run = lanes + (g->kw - 1) / g->sw;

	for (int64_t x = 0; x < lanes; x++) {	/* each index starts at a real cell */
		int64_t left = g->pw - (x0 + x) * g->sw;

		best[x] = relu ? 0 : -INFINITY;
		at[x] = relu ? POOL_NOWHERE :
		    (pool_index)((iy < 0 ? -iy : 0) * g->kw + (left > 0 ? left : 0));
	}
	for (int64_t ky = iy < 0 ? -iy : 0; ky < g->kh && iy + ky < g->h; ky++) {
		pool_deal(phase, run, plane + (iy + ky) * g->w, x0 * g->sw - g->pw, g->sw, g->w);
		for (int64_t kx = 0; kx < g->kw; kx++) {
			const real *v = phase[kx % g->sw] + kx / g->sw;
			pool_index cell = (pool_index)(ky * g->kw + kx);

			for (int64_t x = 0; x < lanes; x += POOL_LANES)
				pool_beat(best + x, at + x, v + x, cell);
		}
	}
	if (!NARROW)
		memcpy(out, best, (size_t)n * sizeof(*out));
	for (int64_t x = 0; NARROW && x < n; x++)
		out[x] = ELEM(best[x]);
	for (int64_t x = 0; small && x < n; x++)
		small[x] = (uint8_t)at[x];
	for (int64_t x = 0; large && x < n; x++)
		large[x] = (int32_t)at[x];
}

/* One output, cell by cell. */
static void
maxpool_one(elem *out, uint8_t *small, int32_t *large, const elem *plane, bool relu,
    const struct pool *g, int64_t iy, int64_t ix)
{
	int64_t y0 = iy < 0 ? -iy : 0, x0 = ix < 0 ? -ix : 0;
	int64_t at = relu ? POOL_NOWHERE : y0 * g->kw + x0;
	real best = relu ? 0 : -INFINITY;

	for (int64_t ky = y0; ky < g->kh && iy + ky < g->h; ky++)
		for (int64_t kx = x0; kx < g->kw && ix + kx < g->w; kx++) {
			real v = VALUE(plane[(iy + ky) * g->w + ix + kx]);

			if (v > best || v != v) {
				best = v;
				at = ky * g->kw + kx;
			}
		}
	*out = ELEM(best);
	if (small)
		*small = (uint8_t)at;
	else if (large)
		*large = (int32_t)at;
}

static void
maxpool_kernel(elem *out, uint8_t *small, int32_t *large, const elem *in, bool relu, int64_t planes,
    struct pool g)
{
	bool strips = g.sw <= POOL_STRIDE && g.kw <= POOL_KERNEL;
	int64_t step = strips ? POOL_STRIP : 1;

	ROWS (r, planes * g.oh) {
		const elem *plane = in + r / g.oh * g.h * g.w;
		int64_t iy = r % g.oh * g.sh - g.ph;

		for (int64_t x = 0; x < g.ow; x += step) {
			int64_t o = r * g.ow + x;
			uint8_t *s = small ? small + o : NULL;
			int32_t *l = large ? large + o : NULL;

			if (strips)
				maxpool_strip(out + o, s, l, plane, relu, &g, iy, x,
				    g.ow - x < step ? g.ow - x : step);
			else
				maxpool_one(out + o, s, l, plane, relu, &g, iy,
				    x * g.sw - g.pw);
		}
	}
}

#endif

/* ---- gradients, and averages ---- */

#ifdef GATHERS

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

KERNEL(avgpool_kernel, (elem *out, const elem *in, int64_t planes, struct pool g))
{
	real share = 1 / (real)(g.kh * g.kw);

	EACH_PLACE (p, y, x, planes, g.oh, g.ow) {
		const elem *plane = in + p * g.h * g.w;
		int64_t iy = y * g.sh - g.ph, ix = x * g.sw - g.pw;
		int64_t y0 = iy < 0 ? 0 : iy, x0 = ix < 0 ? 0 : ix;
		int64_t y1 = iy + g.kh > g.h ? g.h : iy + g.kh;
		int64_t x1 = ix + g.kw > g.w ? g.w : ix + g.kw;
		real sum = 0;

		for (int64_t cy = y0; cy < y1; cy++)
			for (int64_t cx = x0; cx < x1; cx++)
				sum += VALUE(plane[cy * g.w + cx]);
		out[(p * g.oh + y) * g.ow + x] = ELEM(sum * share);
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

/* A plane belongs to one thread, which may then scatter. */
static void
maxpool_grad_kernel(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t planes, struct pool g)
{
	real keep = onto_keep(onto);
	int64_t step[256];
	elem none;

	for (int64_t c = 0; small && c < 256; c++)
		step[c] = c < g.kh * g.kw ? c / g.kw * g.w + c % g.kw : POOL_NOWHERE;
	ROWS (p, planes) {
		int64_t o = p * g.oh * g.ow;
		elem *plane = dx + p * g.h * g.w;

		onto_start(plane, g.h * g.w, keep);
		none = 0;
		for (int64_t y = 0; y < g.oh; y++)
			for (int64_t x = 0; x < g.ow; x++, o++) {
				int64_t corner = (y * g.sh - g.ph) * g.w + x * g.sw - g.pw;
				int64_t at = small ? step[small[o]] : large[o] < 0 ? POOL_NOWHERE :
				    large[o] / g.kw * g.w + large[o] % g.kw;
				elem *to = at < 0 ? &none : plane + corner + at;

				*to += dy[o];
			}
	}
}

static void
avgpool_kernel(elem *out, const elem *in, int64_t planes, struct pool g)
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
		for (int64_t x = 0; x < g.ow; x++)
			row[x] *= share;
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

/* SMALL or LARGE receives the place of each maximum in its window; both may be NULL. */
static void
maxpool_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw,
    int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH(maxpool_kernel, b * channels * oh * ow,
	    (out, small, large, in, false, b * channels, g));
}

/* The same with a rectifier behind it. */
static void
maxpool_relu_forward(elem *out, uint8_t *small, int32_t *large, const elem *in, int64_t b,
    int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw,
    int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH(maxpool_kernel, b * channels * oh * ow,
	    (out, small, large, in, true, b * channels, g));
}

static void
maxpool_backward(elem *dx, const elem *dy, const uint8_t *small, const int32_t *large,
    struct onto onto, int64_t b, int64_t channels, int64_t h, int64_t w, int64_t oh, int64_t ow,
    int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH(maxpool_grad_kernel, b * channels * h * w, (dx, dy, small, large, onto, b * channels,
	    g));
}

static void
avgpool_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t h, int64_t w,
    int64_t oh, int64_t ow, int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph, int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH(avgpool_kernel, b * channels * oh * ow, (out, in, b * channels, g));
}

static void
avgpool_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels, int64_t h,
    int64_t w, int64_t oh, int64_t ow, int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph,
    int64_t pw)
{
	struct pool g = pool_of(h, w, oh, ow, kh, kw, sh, sw, ph, pw);

	LAUNCH(avgpool_grad_kernel, b * channels * h * w, (dx, dy, onto, b * channels, g));
}

KERNEL(global_avgpool_kernel, (elem *out, const elem *in, int64_t planes, int64_t n))
{
	ROWS (r, planes) {
		double sum = 0;

		ALONG_ADD (j, n, sum)
			sum += VALUE(in[r * n + j]);
		sum = ROW_SUM(sum);
		FIRST
			out[r] = ELEM((real)(sum / (double)n));
	}
}

static void
global_avgpool_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH_ROWS(global_avgpool_kernel, b * channels, (out, in, b * channels, n));
}

KERNEL(global_avgpool_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    int64_t n))
{
	real keep = onto_keep(onto);

	ROWS (r, planes) {
		real share = VALUE(dy[r]) / (real)n;

		ALONG (j, n)
			onto_store(&dx[r * n + j], share, keep);
	}
}

static void
global_avgpool_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels,
    int64_t n)
{
	LAUNCH_ROWS(global_avgpool_grad_kernel, b * channels, (dx, dy, onto, b * channels, n));
}

#include "pool/pool_last.cu"
