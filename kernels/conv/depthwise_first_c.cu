/*
 * conv/depthwise_first_c.cu - convolutions with one input channel to a group. Each output plane
 * depends on one input plane, a sum too short for a product with tiles, and many planes are smaller
 * than a few vectors. So the source is laid out anew, a strip of rows at a time, with the zeros
 * around it that its windows see, and both sides get rows of the same length. Then each tap is one
 * distance for all places, across the ends of rows too, and what is made where a row has no output
 * is left out:
 *
 *     y  a b c - -     x  0 0 0 0 0
 *        d e f - -        0 a b c 0     taps lie 0, 1, 2, 5, 6, 7, 10, 11 and 12 away
 *                         0 d e f 0
 *                         0 0 0 0 0
 *
 * With a stride the source is laid out once for each phase of its rows and columns. On the way back
 * the phases are those of what is made (conv/window.cu).
 */
#ifndef STOWAGE_CONV_DEPTHWISE_FIRST_C_CU
#define STOWAGE_CONV_DEPTHWISE_FIRST_C_CU

#include "product/gemm_c.cu"
#include "conv/window.cu"

#define DEPTHWISE_TAPS	64	/* whose distances are known at a time */
#define DEPTHWISE_SUMS	12	/* of taps that are summed at a time */
#define DEPTHWISE_PHASES	4	/* of a way back that are done at a time */
#define DEPTHWISE_TERMS	512	/* vectors that are added up before double takes over */

struct depthwise {
	struct window at;
	int low_y, low_x;	/* the least that a tap is ahead, in rows and columns of a phase */
	int rows, high;		/* of a strip: what is made, and the source of it */
	int64_t wide;		/* the length of all rows */
	int first, taps;	/* those of the tables below */
	int64_t distance[DEPTHWISE_TAPS], weight[DEPTHWISE_TAPS];
};

/* How far tap T is ahead of a position within its phase of the source. */
static inline int
tap_ahead(const struct axis *a, int t, int *phase)
{
	int at = a->first + t * a->delta;

	*phase = (at % a->step + a->step) % a->step;
	return (at - *phase) / a->step;
}

/* The least of all taps, and how far apart they are. */
static inline int
taps_ahead(const struct axis *a, int *low)
{
	int phase, first = a->taps ? tap_ahead(a, 0, &phase) : 0;
	int last = a->taps ? tap_ahead(a, a->taps - 1, &phase) : 0;

	*low = (int)least(first, last);
	return (int)most(first, last) - *low;
}

/* The tables, for taps from FIRST on. */
static void
depthwise_take(struct depthwise *d, int first, int kw)
{
	const struct axis *y = &d->at.y, *x = &d->at.x;

	d->first = first;
	d->taps = (int)least(DEPTHWISE_TAPS, y->taps * x->taps - first);
	for (int i = 0; i < d->taps; i++) {
		int ty = (first + i) / x->taps, tx = (first + i) % x->taps, py, px;
		int64_t down = tap_ahead(y, ty, &py) - d->low_y, right = tap_ahead(x, tx, &px) - d->low_x;

		d->distance[i] = ((int64_t)(py * x->step + px) * d->high + down) * d->wide + right;
		d->weight[i] = (int64_t)(y->tap + ty * y->tap_step) * kw + x->tap + tx * x->tap_step;
	}
}

static struct depthwise
depthwise_of(struct window at, int kw)
{
	struct depthwise d;
	int above = taps_ahead(&at.y, &d.low_y), before = taps_ahead(&at.x, &d.low_x);

	d.at = at;
	d.wide = at.x.count + before;
	d.rows = (int)least(at.y.count, most(1, DEPTHWISE_ROOM / d.wide));
	d.high = d.rows + above;
	depthwise_take(&d, 0, kw);
	return d;
}

/* From the first place of so many rows to the last, with what is left out in between. */
static inline int64_t
depthwise_places(const struct depthwise *d, int rows)
{
	return (rows - 1) * d->wide + d->at.x.count;
}

/* Goes over all taps, from one table to the next. */
static inline bool
depthwise_tables(struct depthwise *d, int from, int kw)
{
	if (from >= d->at.y.taps * d->at.x.taps)
		return false;
	if (from != d->first)
		depthwise_take(d, from, kw);
	return true;
}

#define EACH_TAPS(d, t, kw)	for (int t = 0; depthwise_tables(d, t, kw); t += DEPTHWISE_TAPS)

/* ---- laying out ---- */

/* N zeros, and some more up to a whole vector: rows are laid out one after the other. */
static inline void
depthwise_zeros(real *to, int64_t n)
{
	for (int64_t i = 0; i < n; i += LANES)
		*(vec_at *)(to + i) = (vec){ 0 };
}

/* N elements that lie STEP apart, and what follows up to a whole vector, where it is before END. */
static inline void
depthwise_row(real *to, const elem *from, int64_t n, int step, const elem *end)
{
#if !NARROW
	if (step == 1 && n <= end - from - LANES) {
		for (int64_t i = 0; i < n; i += LANES)
			*(vec_at *)(to + i) = *(const vec_at *)(from + i);
		return;
	}
	if (step == 2 && 2 * n <= end - from - 2 * LANES) {
		for (int64_t i = 0; i < n; i += LANES)
			PRAGMA(omp simd)
			for (int l = 0; l < LANES; l++)
				to[i + l] = from[2 * i + 2 * l];
		return;
	}
#else
	(void)end;
#endif
	for (int64_t i = 0; i < n; i++)
		to[i] = VALUE(from[i * step]);
}

/* Where the tensors lie of which planes are read: a vector may be loaded from in between. */
struct depthwise_bounds {
	const elem *begin, *end;
};

static inline struct depthwise_bounds
depthwise_bounds(const elem *x, int64_t n)
{
	struct depthwise_bounds in = { x, x + n };

	return in;
}

/* The rows, or columns, of a phase that are there: [*lo, *hi) of N, of which the first is number
 * FIRST. */
static inline void
depthwise_inside(const struct axis *a, int phase, int64_t first, int64_t n, int64_t *lo, int64_t *hi)
{
	int64_t end = (a->size - phase + a->step - 1) / a->step - first;

	*lo = least(n, most(0, -first));
	*hi = most(*lo, least(n, end));
}

/* N rows of a phase: columns [LEFT, RIGHT) from FROM on, ROW apart, and zeros beside them. */
static void
depthwise_rows(const struct depthwise *d, real *to, const elem *from, int64_t row, int64_t n, int64_t left,
    int64_t right, struct depthwise_bounds in)
{
#if !NARROW
	typedef bits mask __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

	/* a row with its zeros is a vector: loaded whole, and what is of others masked out */
	if (d->at.x.step == 1 && d->wide <= LANES && left <= from - in.begin &&
	    LANES - left <= in.end - from - (n - 1) * row) {
		mask there = *(const mask *)(lane_mask + 16 - left) & *(const mask *)(lane_mask + 32 - right);

		for (from -= left; n > 0; n--, from += row, to += d->wide)
			*(mask *)to = *(const mask *)from & there;
		return;
	}
#endif
	for (; n > 0; n--, from += row, to += d->wide) {
		depthwise_zeros(to, left);
		depthwise_row(to + left, from, right - left, d->at.x.step, in.end);
		depthwise_zeros(to + right, d->wide - right);
	}
}

/* What ROWS rows from row Q on see of the plane X. */
static void
depthwise_source(const struct depthwise *d, real *room, const elem *x, struct depthwise_bounds in, int q, int rows)
{
	const struct axis *y = &d->at.y, *across = &d->at.x;
	int64_t high = rows + d->high - d->rows, wide = d->wide, first = q + d->low_y;

	for (int phase = 0; phase < y->step * across->step; phase++, room += d->high * wide) {
		int py = phase / across->step, px = phase % across->step;
		int64_t top, bottom, left, right;

		depthwise_inside(y, py, first, high, &top, &bottom);
		depthwise_inside(across, px, d->low_x, wide, &left, &right);
		if (top == bottom || left == right) {
			depthwise_zeros(room, high * wide);
			continue;
		}
		depthwise_zeros(room, top * wide);
		depthwise_rows(d, room + top * wide, x + ((first + top) * y->step + py) * across->size +
		    (d->low_x + left) * across->step + px, (int64_t)y->step * across->size, bottom - top,
		    left, right, in);
		depthwise_zeros(room + bottom * wide, (high - bottom) * wide);
	}
	depthwise_zeros(room, LANES);
}

/* Rows of the length of the source's, from N columns. */
static void
depthwise_spread(const struct depthwise *d, real *to, const elem *from, struct depthwise_bounds in, int rows,
    int n)
{
	for (int q = 0; q < rows; q++, to += d->wide, from += n) {
		depthwise_row(to, from, n, 1, in.end);
		depthwise_zeros(to + n, d->wide - n);
	}
	depthwise_zeros(to, LANES);
}

/* Rows from Q on of what is made, to the plane Y. Whole vectors, where what they spoil is made
 * later. */
static void
depthwise_store(const struct depthwise *d, elem *y, const real *sums, int q, int rows, real bias, real keep)
{
	const struct axis *down = &d->at.y, *x = &d->at.x;
	const elem *end = y + down->count * d->at.out_row;

	for (; rows > 0; rows--, q++, sums += d->wide) {
		elem *to = y + (down->out + (int64_t)q * down->out_step) * d->at.out_row + x->out;

#if !NARROW
		if (down->out_step == 1 && x->out_step == 1 && keep == 0 && x->count <= end - to - LANES) {
			for (int i = 0; i < x->count; i += LANES)
				*(vec_at *)(to + i) = *(const vec_at *)(sums + i) + bias;
			continue;
		}
#else
		(void)end;
#endif
		if (x->out_step == 1)
			for (int i = 0; i < x->count; i++)
				onto_store(&to[i], sums[i] + bias, keep);
		else
			for (int i = 0; i < x->count; i++)
				onto_store(&to[i * x->out_step], sums[i] + bias, keep);
	}
}

/* ---- a plane from one or more others ---- */

/* VECS vectors of sums over the taps of the tables. VECS is a constant. */
static inline __attribute__((always_inline)) void
depthwise_sum_of(const int vecs, real *to, const real *from, const struct depthwise *d, const real *w,
    bool add)
{
	vec sum[4];
	int v;

	UNROLL
	for (v = 0; v < vecs; v++) {
		sum[v] = (vec){ 0 };
		if (add)
			sum[v] = *(const vec_at *)(to + v * LANES);
	}
	for (int t = 0; t < d->taps; t++) {
		const real *at = from + d->distance[t];
		vec weight = everywhere(w[t]);

		UNROLL
		for (v = 0; v < vecs; v++)
			sum[v] = fused(weight, *(const vec_at *)(at + v * LANES), sum[v]);
	}
	UNROLL
	for (v = 0; v < vecs; v++)
		*(vec_at *)(to + v * LANES) = sum[v];
}

static void
depthwise_sum(real *to, const real *from, const struct depthwise *d, const elem *weights, int64_t n, bool add)
{
	real w[DEPTHWISE_TAPS];
	int64_t i = 0;

	for (int t = 0; t < d->taps; t++)
		w[t] = VALUE(weights[d->weight[t]]);
	for (; i + 3 * LANES < n; i += 4 * LANES)
		depthwise_sum_of(4, to + i, from + i, d, w, add);
	for (; i < n; i += LANES)
		depthwise_sum_of(1, to + i, from + i, d, w, add);
}

struct depthwise_job {
	struct depthwise_bounds in;
	real keep;
	int sources;		/* planes, side by side, that one is made of */
	int taps, kw;
	int64_t source, made;	/* elements of a plane */
};

/* WORK holds depthwise_scratch() reals a thread. */
static inline real *
depthwise_room(void *work, const struct conv *s)
{
	return (real *)work + team_me() * depthwise_scratch(s);
}

static void
depthwise_plane(struct depthwise *d, const struct depthwise_job *job, elem *y, const elem *x, const elem *w,
    real bias, real *room)
{
	real *from = room + depthwise_sums(d->at.y.count, d->wide);

	for (int q = 0; q < d->at.y.count; q += d->rows) {
		int rows = (int)least(d->rows, d->at.y.count - q);
		bool add = false;

		for (int i = 0; i < job->sources; i++) {
			depthwise_source(d, from, x + i * job->source, job->in, q, rows);
			EACH_TAPS (d, t, job->kw) {
				depthwise_sum(room, from, d, w + i * job->taps, depthwise_places(d, rows), add);
				add = true;
			}
		}
		if (!add)	/* no tap reaches it */
			depthwise_zeros(room, rows * d->wide);
		depthwise_store(d, y, room, q, rows, bias, job->keep);
	}
}

static void
depthwise_forward(elem *y, const elem *x, const elem *w, const elem *bias, real keep, void *work,
    int64_t b, struct conv s)
{
	struct depthwise d = depthwise_of(window_forward(&s), s.kw);
	struct depthwise_job job = { depthwise_bounds(x, b * s.c * s.h * s.w), keep, 1, s.kh * s.kw, s.kw,
		(int64_t)s.h * s.w, (int64_t)s.oh * s.ow };
	int fg = s.f / s.groups;

	ROWS (i, b * s.f) {
		int64_t f = i % s.f;

		depthwise_plane(&d, &job, y + i * job.made, x + (i / s.f * s.c + f / fg) * job.source,
		    w + f * job.taps, bias ? VALUE(bias[f]) : 0, depthwise_room(work, &s));
	}
}

static void
depthwise_backward_input(elem *dx, const elem *dy, const elem *w, const elem *bias, real keep,
    void *work, int64_t b, struct conv s)
{
	struct phases all = phases_of(&s);
	struct depthwise d[DEPTHWISE_PHASES];
	int fg = s.f / s.groups;
	struct depthwise_job job = { depthwise_bounds(dy, b * s.f * s.oh * s.ow), keep, fg, s.kh * s.kw, s.kw,
		(int64_t)s.oh * s.ow, (int64_t)s.h * s.w };

	for (int64_t first = 0; first < all.y * all.x; first += DEPTHWISE_PHASES) {
		int n = (int)least(DEPTHWISE_PHASES, all.y * all.x - first);

		for (int r = 0; r < n; r++)
			d[r] = depthwise_of(window_backward(&s, 0, (int)((first + r) / all.x),
			    (int)((first + r) % all.x)), s.kw);
		ROWS (i, b * s.c) {
			int64_t f = i % s.c * fg;

			for (int r = 0; r < n; r++)
				depthwise_plane(&d[r], &job, dx + i * job.made,
				    dy + (i / s.c * s.f + f) * job.source, w + f * job.taps,
				    bias ? VALUE(bias[i % s.c]) : 0, depthwise_room(work, &s));
		}
	}
}

/* ---- the gradient of the weights ---- */

/* The sums of N products for each of TAPS taps, a constant, added to LANES sums each. */
static inline __attribute__((always_inline)) void
depthwise_dots_of(const int taps, real *sums, const real *dy, const real *x, const int64_t *distance, int64_t n)
{
	vec sum[DEPTHWISE_SUMS];
	int t;

	UNROLL
	for (t = 0; t < taps; t++)
		sum[t] = *(const vec_at *)(sums + t * LANES);
	for (int64_t i = 0; i < n; i += LANES) {
		vec d = *(const vec_at *)(dy + i);

		UNROLL
		for (t = 0; t < taps; t++)
			sum[t] = fused(d, *(const vec_at *)(x + distance[t] + i), sum[t]);
	}
	UNROLL
	for (t = 0; t < taps; t++)
		*(vec_at *)(sums + t * LANES) = sum[t];
}

static void
depthwise_dots(int taps, real *sums, const real *dy, const real *x, const int64_t *distance, int64_t n)
{
#define DOTS_CASE(t)	case t: depthwise_dots_of(t, sums, dy, x, distance, n); break;
	switch (taps) {
	DOTS_CASE(1)
	DOTS_CASE(2)
	DOTS_CASE(3)
	DOTS_CASE(4)
	DOTS_CASE(5)
	DOTS_CASE(6)
	DOTS_CASE(7)
	DOTS_CASE(8)
	DOTS_CASE(9)
	DOTS_CASE(10)
	DOTS_CASE(11)
	DOTS_CASE(12)
	}
#undef DOTS_CASE
}

/* A strip of dy, laid out, against the source of it. */
static void
depthwise_strip(struct depthwise *d, int kw, real *sums, const real *dy, const real *x, int64_t n)
{
	EACH_TAPS (d, first, kw) {
		int groups = (int)parts(d->taps, DEPTHWISE_SUMS);

		for (int g = 0; g < groups; g++) {	/* of nearly equal size */
			int t = d->taps * g / groups, end = d->taps * (g + 1) / groups;

			depthwise_dots(end - t, sums + (int64_t)(first + t) * LANES, dy, x, d->distance + t, n);
		}
	}
}

static void
depthwise_fold(double *total, real *sums, int64_t taps)
{
	for (int64_t i = 0; i < taps * LANES; i++) {
		total[i / LANES] += sums[i];
		sums[i] = 0;
	}
}

struct depthwise_weight {	/* what a filter's gradient is made of */
	struct conv s;
	int64_t b;
	struct depthwise_bounds dy, x;
};

/* One filter's: sums over all places of all images. */
static void
depthwise_filter(struct depthwise *d, const struct depthwise_weight *of, const elem *dy, const elem *x,
    double *total, real *sums)
{
	const struct conv *s = &of->s;
	int64_t taps = (int64_t)s->kh * s->kw, terms = 0;
	real *laid = sums + taps * LANES, *from = laid + depthwise_sums(s->oh, d->wide);

	for (int64_t i = 0; i < taps; i++)
		total[i] = 0;
	for (int64_t i = 0; i < taps * LANES; i++)
		sums[i] = 0;
	for (int64_t image = 0; image < of->b; image++) {
		for (int q = 0; q < s->oh; q += d->rows) {
			int rows = (int)least(d->rows, s->oh - q);

			depthwise_source(d, from, x, of->x, q, rows);
			depthwise_spread(d, laid, dy + (int64_t)q * s->ow, of->dy, rows, s->ow);
			depthwise_strip(d, s->kw, sums, laid, from, depthwise_places(d, rows));
			terms += parts(rows * d->wide, LANES);
			if (terms > DEPTHWISE_TERMS) {
				depthwise_fold(total, sums, taps);
				terms = 0;
			}
		}
		x += (int64_t)s->c * s->h * s->w;
		dy += (int64_t)s->f * s->oh * s->ow;
	}
	depthwise_fold(total, sums, taps);
}

static void
depthwise_backward_weight(elem *dw, const elem *dy, const elem *x, real keep, void *work, int64_t b,
    struct conv s)
{
	struct depthwise d = depthwise_of(window_forward(&s), s.kw);
	int64_t source = (int64_t)s.h * s.w, made = (int64_t)s.oh * s.ow, taps = (int64_t)s.kh * s.kw;
	struct depthwise_weight of = { s, b, depthwise_bounds(dy, b * s.f * made),
		depthwise_bounds(x, b * s.c * source) };
	int fg = s.f / s.groups;

	ROWS (f, s.f) {
		double *total = (double *)depthwise_room(work, &s);

		depthwise_filter(&d, &of, dy + f * made, x + f / fg * source, total, (real *)(total + taps));
		for (int64_t t = 0; t < taps; t++)
			onto_store(&dw[f * taps + t], (real)total[t], keep);
	}
}

#endif
