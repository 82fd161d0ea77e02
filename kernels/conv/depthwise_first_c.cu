/*
 * conv/depthwise_first_c.cu - convolutions with one input channel to a group. Each output plane depends
 * on one input plane, a sum too short for a product with tiles: planes are walked directly, a tap
 * at a time, whole rows in the innermost loop. Planes of 16 bits are made reals first, in the
 * scratch memory, and rounded after.
 */
#ifndef STOWAGE_CONV_DEPTHWISE_FIRST_C_CU
#define STOWAGE_CONV_DEPTHWISE_FIRST_C_CU

#include "product/gemm_c.cu"
#include "conv/window.cu"

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

/* N elements at FROM as reals: there, or of 16 bits in ROOM. */
static inline const real *
depthwise_reals(const elem *from, real *room, int64_t n)
{
#if NARROW
	for (int64_t i = 0; i < n; i++)
		room[i] = VALUE(from[i]);
	return room;
#else
	(void)room, (void)n;
	return from;
#endif
}

/* Where the N sums of a plane are made: there, or of 16 bits in ROOM. */
static inline real *
depthwise_sums(elem *to, real *room, int64_t n, real bias, real keep)
{
#if NARROW
	if (keep != 0)
		depthwise_reals(to, room, n);
#else
	room = to;
#endif
	depthwise_start(room, n, bias, keep);
	return room;
}

static inline void
depthwise_done(elem *to, const real *sums, int64_t n)
{
#if NARROW
	for (int64_t i = 0; i < n; i++)
		to[i] = ELEM(sums[i]);
#else
	(void)to, (void)sums, (void)n;
#endif
}

/* WORK of the functions below: depthwise_scratch() a thread, a plane of x and then one of y. */
static inline real *
depthwise_room(void *work, const struct conv *s)
{
	return (real *)work + team_me() * depthwise_scratch(s, NARROW);
}

static void
depthwise_forward(elem *y, const elem *x, const elem *w, const elem *bias, real keep, void *work,
    int64_t b, struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	ROWS (i, b * s.f) {
		int64_t f = i % s.f;
		real *room = depthwise_room(work, &s);
		const real *from = depthwise_reals(x + (i / s.f * s.c + f / fg) * at.plane, room,
		    at.plane);
		real *to = depthwise_sums(y + i * plane, room + at.plane, plane,
		    bias ? VALUE(bias[f]) : 0, keep);

		for (int t = 0; t < taps; t++)
			depthwise_tap(to, from, VALUE(w[f * taps + t]), &at, t / s.kw, t % s.kw);
		depthwise_done(y + i * plane, to, plane);
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
depthwise_backward_input(elem *dx, const elem *dy, const elem *w, const elem *bias, real keep,
    void *work, int64_t b, struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	ROWS (i, b * s.c) {
		real *room = depthwise_room(work, &s);
		real *to = depthwise_sums(dx + i * at.plane, room, at.plane,
		    bias ? VALUE(bias[i % s.c]) : 0, keep);

		for (int64_t f = i % s.c * fg; f < (i % s.c + 1) * fg; f++) {
			const real *from = depthwise_reals(dy + (i / s.c * s.f + f) * plane,
			    room + at.plane, plane);

			for (int t = 0; t < taps; t++)
				depthwise_tap_back(to, from, VALUE(w[f * taps + t]), &at, t / s.kw,
				    t % s.kw);
		}
		depthwise_done(dx + i * at.plane, to, at.plane);
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

#if NARROW

/* A task is a filter: its planes are made reals once for all taps. */
static void
depthwise_backward_weight(elem *dw, const elem *dy, const elem *x, real keep, void *work, int64_t b,
    struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow;
	int fg = s.f / s.groups, taps = s.kh * s.kw;

	ROWS (f, s.f) {
		real *room = depthwise_room(work, &s), *sum = room + at.plane + plane;

		for (int t = 0; t < taps; t++)
			sum[t] = 0;
		for (int64_t q = 0; q < b; q++) {
			const real *from = depthwise_reals(x + (q * s.c + f / fg) * at.plane, room,
			    at.plane);
			const real *d = depthwise_reals(dy + (q * s.f + f) * plane, room + at.plane,
			    plane);

			for (int t = 0; t < taps; t++)
				sum[t] += depthwise_tap_sum(d, from, &at, t / s.kw, t % s.kw);
		}
		for (int t = 0; t < taps; t++)
			onto_store(&dw[f * taps + t], sum[t], keep);
	}
}

#else

static void
depthwise_backward_weight(real *dw, const real *dy, const real *x, real keep, void *work,
    int64_t b, struct conv s)
{
	struct window at = window_forward(&s);
	int64_t plane = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	int fg = s.f / s.groups;

	(void)work;
	ROWS (i, s.f * taps) {
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
