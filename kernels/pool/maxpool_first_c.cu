/*
 * pool/maxpool_first_c.cu - maximum over windows in C: a strip of outputs at a time, or some short
 * rows.
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

/* What is done to N maxima, and to their places. */
static void
pool_finish(struct pool_then of, real *best, pool_index *at, int64_t n)
{
#define PASS(kind_, function, reads, known)							\
	case kind_:										\
		PRAGMA(omp simd)								\
		for (int64_t x = 0; x < n; x++)							\
			at[x] = function(1, best[x]) != 0 ? at[x] : POOL_NOWHERE;		\
		break;
	EPILOGUE_CASES(epilogue_of(of.passes, NULL), PASS)
#undef PASS
#define DO(kind_, function, reads, known)							\
	case kind_:										\
		PRAGMA(omp simd)								\
		for (int64_t x = 0; x < n; x++)							\
			best[x] = function(best[x], 0);						\
		break;
	EPILOGUE_CASES(epilogue_of(of.value, NULL), DO)
#undef DO
	(void)best;
	(void)at;
	(void)n;
}

static void
pool_keep(elem *out, uint8_t *small, int32_t *large, struct pool_then of, real *best, pool_index *at, int64_t n)
{
	pool_finish(of, best, at, n);
	if (!NARROW)
		memcpy(out, best, (size_t)n * sizeof(*out));
	for (int64_t x = 0; NARROW && x < n; x++)
		out[x] = ELEM(best[x]);
	for (int64_t x = 0; small && x < n; x++)
		small[x] = (uint8_t)at[x];
	for (int64_t x = 0; large && x < n; x++)
		large[x] = (int32_t)at[x];
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
	pool_keep(out, small, large, of, best, at, n);
}

/*
 * Where all windows lie on the image and the stride divides its rows, several rows of outputs are
 * made at a time, since most of a strip of a short row is preparation. The rows of the image are
 * dealt as if they were one, and each cell of the windows of a row of outputs is a run of
 * neighbours there. A run is whole vectors: what it makes behind the end of its row, the next row
 * overwrites.
 */
#define POOL_SEEN	2048	/* elements of the image at a time */

/* Rows of outputs at a time; 0: they are made by strips. */
static int64_t
pool_together(const struct pool *g)
{
	bool inside = g->ph == 0 && g->pw == 0 && (g->oh - 1) * g->sh + g->kh <= g->h &&
	    (g->ow - 1) * g->sw + g->kw <= g->w;

	if (!inside || g->sw > POOL_STRIDE || g->w % g->sw != 0 || g->kh * g->w > POOL_SEEN)
		return 0;
	return (POOL_SEEN / g->w - g->kh) / g->sh + 1;
}

/* RUN elements of each phase of what lies from FROM on; phase p from to[p * run] on. */
DEVICE void
pool_deal_rows(real *to, int64_t run, const elem *from, int64_t stride)
{
	if (stride == 2) {
		PRAGMA(omp simd)
		for (int64_t q = 0; q < run; q++) {
			to[q] = VALUE(from[2 * q]);
			to[run + q] = VALUE(from[2 * q + 1]);
		}
		return;
	}
	for (int64_t p = 0; p < stride; p++)
		PRAGMA(omp simd)
		for (int64_t q = 0; q < run; q++)
			to[p * run + q] = VALUE(from[q * stride + p]);
}

/* Maxima of POOL_LANES neighbours, of windows of KH x KW: their first cells are from V on in phase
 * 0, whose rows are PITCH long. */
static inline __attribute__((always_inline)) void
pool_best(real *restrict out, pool_index *restrict out_at, const real *v, int64_t run, int64_t pitch, int64_t kh,
    int64_t kw, int64_t stride)
{
	real best[POOL_LANES];
	pool_index at[POOL_LANES];

	for (int x = 0; x < POOL_LANES; x++) {
		best[x] = -INFINITY;
		at[x] = 0;
	}
	for (int64_t ky = 0; ky < kh; ky++)
		for (int64_t kx = 0; kx < kw; kx++)
			pool_beat(best, at, v + kx % stride * run + ky * pitch + kx / stride,
			    (pool_index)(ky * kw + kx));
	memcpy(out, best, sizeof(best));
	memcpy(out_at, at, sizeof(at));
}

/* N rows of outputs, of windows whose first row is ROW. */
static void
maxpool_rows(elem *out, uint8_t *small, int32_t *large, const elem *row, struct pool_then of,
    const struct pool *g, int64_t n)
{
	real phase[POOL_SEEN + POOL_LANES], best[POOL_SEEN + POOL_LANES];
	pool_index at[POOL_SEEN + POOL_LANES];
	int64_t pitch = g->w / g->sw, run = ((n - 1) * g->sh + g->kh) * pitch, all = n * g->ow;

	pool_deal_rows(phase, run, row, g->sw);
	for (int x = 0; x < POOL_LANES; x++)
		phase[g->sw * run + x] = 0;
	for (int64_t y = 0; y < n; y++)
		for (int64_t x = 0; x < g->ow; x += POOL_LANES) {
			const real *v = phase + y * g->sh * pitch + x;
			int64_t o = y * g->ow + x;

			if (g->kh == 2 && g->kw == 2 && g->sw == 2)
				pool_best(best + o, at + o, v, run, pitch, 2, 2, 2);
			else
				pool_best(best + o, at + o, v, run, pitch, g->kh, g->kw, g->sw);
		}
	pool_keep(out, small, large, of, best, at, all);
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

/* N neighbours: first their maximum, then its place. False, and nothing done, where one is not a
 * number. */
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

/* Row R of the outputs of all planes. */
static void
maxpool_row(elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of, const struct pool *g,
    int64_t r)
{
	bool strips = g->sw <= POOL_STRIDE && g->kw <= POOL_KERNEL && g->ow >= POOL_FEW;
	const elem *plane = in + r / g->oh * g->h * g->w;
	int64_t iy = r % g->oh * g->sh - g->ph, step = strips ? POOL_STRIP : 1;

	for (int64_t x = 0; x < g->ow; x += step) {
		int64_t o = r * g->ow + x;
		uint8_t *s = small ? small + o : NULL;
		int32_t *l = large ? large + o : NULL;

		if (strips)
			maxpool_strip(out + o, s, l, plane, of, g, iy, x, g->ow - x < step ? g->ow - x : step);
		else
			maxpool_one(out + o, s, l, plane, of, g, iy, x * g->sw - g->pw);
	}
}

static void
maxpool_kernel(elem *out, uint8_t *small, int32_t *large, const elem *in, struct pool_then of, int64_t planes,
    struct pool g)
{
	int64_t most = g.ow >= POOL_FEW ? pool_together(&g) : 0;

	SHARE (first, last, planes * g.oh, 1, TEAM_PIECES * team_size())
		for (int64_t r = first, n = 1; r < last; r += n) {
			int64_t o = r * g.ow, y = r % g.oh, left = g.oh - y < last - r ? g.oh - y : last - r;

			n = most < 1 ? 1 : most < left ? most : left;
			if (most < 1)
				maxpool_row(out, small, large, in, of, &g, r);
			else
				maxpool_rows(out + o, small ? small + o : NULL, large ? large + o : NULL,
				    in + (r / g.oh * g.h + y * g.sh) * g.w, of, &g, n);
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
