/*
 * pool/maxpool_first_c.cu - maximum over windows in C: a strip of outputs at a time.
 */
#ifndef STOWAGE_POOL_MAXPOOL_FIRST_C_CU
#define STOWAGE_POOL_MAXPOOL_FIRST_C_CU

#include "pool/window.cu"

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
#define POOL_KERNEL	64	/* wider windows, */
#define POOL_FEW	4	/* and fewer outputs in a row, go window by window */
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

/* What is done to the maxima of a strip, and to their places. */
static void
pool_finish(struct pool_then of, real *best, pool_index *at, int64_t lanes)
{
#define PASS(kind_, function, reads, known)							\
	case kind_:										\
		PRAGMA(omp simd)								\
		for (int64_t x = 0; x < lanes; x++)						\
			at[x] = function(1, best[x]) != 0 ? at[x] : POOL_NOWHERE;		\
		break;
	EPILOGUE_CASES(epilogue_of(of.passes, NULL), PASS)
#undef PASS
#define DO(kind_, function, reads, known)							\
	case kind_:										\
		PRAGMA(omp simd)								\
		for (int64_t x = 0; x < lanes; x++)						\
			best[x] = function(best[x], 0);						\
		break;
	EPILOGUE_CASES(epilogue_of(of.value, NULL), DO)
#undef DO
	(void)best;
	(void)at;
	(void)lanes;
}

/* Outputs x0 .. x0 + n - 1 of a row of windows whose first row is IY. */
static void
maxpool_strip(elem *out, uint8_t *small, int32_t *large, const elem *plane, struct pool_then of,
    const struct pool *g, int64_t iy, int64_t x0, int64_t n)
{
	real phase[POOL_STRIDE][POOL_RUN], best[POOL_STRIP];
	pool_index at[POOL_STRIP];
	int64_t lanes = (n + POOL_LANES - 1) / POOL_LANES * POOL_LANES;
	int64_t run = lanes + (g->kw - 1) / g->sw;

	for (int64_t x = 0; x < lanes; x++) {	/* each index starts at a real cell */
		int64_t left = g->pw - (x0 + x) * g->sw;

		best[x] = -INFINITY;
		at[x] = (pool_index)((iy < 0 ? -iy : 0) * g->kw + (left > 0 ? left : 0));
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
	pool_finish(of, best, at, lanes);
	if (!NARROW)
		memcpy(out, best, (size_t)n * sizeof(*out));
	for (int64_t x = 0; NARROW && x < n; x++)
		out[x] = ELEM(best[x]);
	for (int64_t x = 0; small && x < n; x++)
		small[x] = (uint8_t)at[x];
	for (int64_t x = 0; large && x < n; x++)
		large[x] = (int32_t)at[x];
}

static void
maxpool_put(elem *out, uint8_t *small, int32_t *large, struct pool_then of, real best, int64_t at)
{
	at = pool_place(of, best, at);
	*out = ELEM(pool_value(of, best));
	if (small)
		*small = (uint8_t)at;
	else if (large)
		*large = (int32_t)at;
}

/* Are the cells of this window neighbours in memory, and all inside? */
DEVICE bool
pool_is_run(const struct pool *g, int64_t iy, int64_t ix)
{
	return iy >= 0 && iy + g->kh <= g->h && ix >= 0 && ix + g->kw <= g->w && (g->kh == 1 || g->kw == g->w);
}

/* N neighbours: first their maximum, then its place. False, and nothing done, where one is not a number. */
static bool
maxpool_run(elem *out, uint8_t *small, int32_t *large, const elem *v, struct pool_then of, int64_t n)
{
	real best = -INFINITY;
	int32_t lost = 0, last = INT32_MIN;	/* minus the first place, and so the largest */

	ALONG_MAX (j, n, best)
		best = VALUE(v[j]) > best ? VALUE(v[j]) : best;
	ALONG_MAX (j, n, lost)
		lost = VALUE(v[j]) != VALUE(v[j]) ? 1 : lost;
	if (lost)
		return false;
	if (small || large)
		ALONG_MAX (j, n, last) {
			int32_t at = VALUE(v[j]) == best ? -(int32_t)j : INT32_MIN;

			last = at > last ? at : last;
		}
	maxpool_put(out, small, large, of, best, -(int64_t)last);
	return true;
}

/* One output, cell by cell. */
static void
maxpool_one(elem *out, uint8_t *small, int32_t *large, const elem *plane, struct pool_then of,
    const struct pool *g, int64_t iy, int64_t ix)
{
	int64_t y0 = iy < 0 ? -iy : 0, x0 = ix < 0 ? -ix : 0;
	int64_t at = y0 * g->kw + x0;
	real best = -INFINITY;

	if (pool_is_run(g, iy, ix) && maxpool_run(out, small, large, plane + iy * g->w + ix, of, g->kh * g->kw))
		return;
	for (int64_t ky = y0; ky < g->kh && iy + ky < g->h; ky++)
		for (int64_t kx = x0; kx < g->kw && ix + kx < g->w; kx++) {
			real v = VALUE(plane[(iy + ky) * g->w + ix + kx]);

			if (v > best || v != v) {
				best = v;
				at = ky * g->kw + kx;
			}
		}
	maxpool_put(out, small, large, of, best, at);
}

static void
maxpool_kernel(elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of, int64_t planes,
    struct pool g)
{
	bool strips = g.sw <= POOL_STRIDE && g.kw <= POOL_KERNEL && g.ow >= POOL_FEW;
	int64_t step = strips ? POOL_STRIP : 1;

	ROWS (r, planes * g.oh) {
		const elem *plane = in + r / g.oh * g.h * g.w;
		int64_t iy = r % g.oh * g.sh - g.ph;

		for (int64_t x = 0; x < g.ow; x += step) {
			int64_t o = r * g.ow + x;
			uint8_t *s = small ? small + o : NULL;
			int32_t *l = large ? large + o : NULL;

			if (strips)
				maxpool_strip(out + o, s, l, plane, of, &g, iy, x,
				    g.ow - x < step ? g.ow - x : step);
			else
				maxpool_one(out + o, s, l, plane, of, &g, iy,
				    x * g.sw - g.pw);
		}
	}
}

#if !NARROW

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

#endif

#endif
