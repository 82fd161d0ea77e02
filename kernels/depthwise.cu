/*
 * depthwise.cu - convolutions with one input channel to a group. Each output plane depends on one
 * input plane, a sum too short for a product with tiles: planes are walked directly, a tap at a
 * time, whole rows in the innermost loop.
 */
#ifndef STOWAGE_DEPTHWISE_CU
#define STOWAGE_DEPTHWISE_CU

#include "gemm.cu"
#include "window.cu"

#ifndef __CUDACC__

/* The output positions [*lo, *hi) along an axis whose source under tap t lies inside. */
static inline void
tap_range(const struct axis *a, int t, int *lo, int *hi)
{
	int at = a->first + t * a->delta;

	*lo = at < 0 ? (-at + a->step - 1) / a->step : 0;
	*hi = at >= a->size ? 0 : (a->size - 1 - at) / a->step + 1;
	*hi = *hi < a->count ? *hi : a->count;
	*lo = *lo < *hi ? *lo : *hi;
}

/* y += w * x over the rows under one tap */
static void
depthwise_tap(real *y, const real *x, real w, const struct window *at, int ty, int tx)
{
	int y0, y1, x0, x1, step = at->x.step;

	tap_range(&at->y, ty, &y0, &y1);
	tap_range(&at->x, tx, &x0, &x1);
	for (int q = y0; q < y1; q++) {
		real *to = y + (int64_t)q * at->x.count;
		const real *from = x + (int64_t)(q * at->y.step + at->y.first + ty * at->y.delta) *
		    at->x.size + at->x.first + tx * at->x.delta;

		if (step == 1)
			for (int i = x0; i < x1; i++)
				to[i] += w * from[i];
		else
			for (int i = x0; i < x1; i++)
				to[i] += w * from[i * step];
	}
}

/* What a plane's sums start from. */
static void
depthwise_start(real *to, int64_t n, real bias, real keep)
{
	if (keep != 0)
		for (int64_t i = 0; i < n; i++)
			to[i] = keep * to[i] + bias;
	else
		for (int64_t i = 0; i < n; i++)
			to[i] = bias;
}

static void
depthwise_forward(real *y, const real *x, const real *w, const real *bias, real keep, int64_t b,
    struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	PRAGMA(omp parallel for schedule(static))
	for (int64_t i = 0; i < b * s.f; i++) {
		int64_t f = i % s.f;
		const real *from = x + (i / s.f * s.c + f / fg) * at.plane;
		real *to = y + i * plane;

		depthwise_start(to, plane, bias ? bias[f] : 0, keep);
		for (int t = 0; t < taps; t++)
			depthwise_tap(to, from, w[f * taps + t], &at, t / s.kw, t % s.kw);
	}
}

/* dx += w * dy over the rows under one tap: forward's reads become writes */
static void
depthwise_tap_back(real *dx, const real *dy, real w, const struct window *at, int ty, int tx)
{
	int y0, y1, x0, x1, step = at->x.step;

	tap_range(&at->y, ty, &y0, &y1);
	tap_range(&at->x, tx, &x0, &x1);
	for (int q = y0; q < y1; q++) {
		const real *from = dy + (int64_t)q * at->x.count;
		real *to = dx + (int64_t)(q * at->y.step + at->y.first + ty * at->y.delta) *
		    at->x.size + at->x.first + tx * at->x.delta;

		if (step == 1)
			for (int i = x0; i < x1; i++)
				to[i] += w * from[i];
		else
			for (int i = x0; i < x1; i++)
				to[i * step] += w * from[i];
	}
}

static void
depthwise_backward_input(real *dx, const real *dy, const real *w, const real *bias, real keep,
    int64_t b, struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	PRAGMA(omp parallel for schedule(static))
	for (int64_t i = 0; i < b * s.c; i++) {
		real *to = dx + i * at.plane;

		depthwise_start(to, at.plane, bias ? bias[i % s.c] : 0, keep);
		for (int64_t f = i % s.c * fg; f < (i % s.c + 1) * fg; f++)
			for (int t = 0; t < taps; t++)
				depthwise_tap_back(to, dy + (i / s.c * s.f + f) * plane,
				    w[f * taps + t], &at, t / s.kw, t % s.kw);
	}
}

/* The sum of d[i] x[i] over N >= LANES neighbours: the last vector overlaps the one before it, and
 * what was counted is masked out. */
static inline vec
depthwise_row_sum(vec sum, const real *d, const real *x, int n)
{
	typedef bits mask __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));
	int i = 0;

	for (; i + LANES <= n; i += LANES)
		sum += *(const vec_at *)(d + i) * *(const vec_at *)(x + i);
	if (i < n) {
		mask left = *(const mask *)(d + n - LANES) &
		    *(const mask *)(lane_mask + 16 - (LANES - (n - i)));

		sum += (vec)left * *(const vec_at *)(x + n - LANES);
	}
	return sum;
}

static real
depthwise_tap_sum(const real *dy, const real *x, const struct window *at, int ty, int tx)
{
	int y0, y1, x0, x1, step = at->x.step;
	vec lanes = { 0 };
	real sum = 0;

	tap_range(&at->y, ty, &y0, &y1);
	tap_range(&at->x, tx, &x0, &x1);
	for (int q = y0; q < y1; q++) {
		const real *d = dy + (int64_t)q * at->x.count;
		const real *from = x + (int64_t)(q * at->y.step + at->y.first + ty * at->y.delta) *
		    at->x.size + at->x.first + tx * at->x.delta;

		if (step == 1 && x1 - x0 >= LANES)
			lanes = depthwise_row_sum(lanes, d + x0, from + x0, x1 - x0);
		else
			for (int i = x0; i < x1; i++)
				sum += d[i] * from[i * step];
	}
	for (int l = 0; l < LANES; l++)
		sum += lanes[l];
	return sum;
}

static void
depthwise_backward_weight(real *dw, const real *dy, const real *x, real keep, int64_t b,
    struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	PRAGMA(omp parallel for schedule(static))
	for (int64_t i = 0; i < s.f * taps; i++) {
		int64_t f = i / taps;
		int t = (int)(i % taps);
		double sum = 0;

		for (int64_t q = 0; q < b; q++)
			sum += depthwise_tap_sum(dy + (q * s.f + f) * plane,
			    x + (q * s.c + f / fg) * at.plane, &at, t / s.kw, t % s.kw);
		onto_store(&dw[i], (real)sum, keep);
	}
}

#endif

#endif
