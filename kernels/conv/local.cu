/*
 * conv/local.cu - locally connected layers: a convolution without weight sharing.
 *
 *     y[b,f,p] = bias[f,p] + sum over k of w[p,f,k] x[b, window(p), k],   k = (c, ky, kx)
 *
 * Direct kernels: nothing is unrolled, repeated for a position, or kept for backward but x. In C
 * each position is a small product (product/gemm_c.cu) of its weights with the windows of all
 * samples, so the weights, which dwarf everything else, are read once.
 */
#include "product/gemm_c.cu"

struct local {
	int c, h, w, f, oh, ow, kh, kw, sy, sx;
};

static inline struct local
local_shape(int c, int h, int w, int f, int oh, int ow, int kh, int kw, int sy, int sx)
{
	struct local s;

	s.c = c, s.h = h, s.w = w;
	s.f = f, s.oh = oh, s.ow = ow;
	s.kh = kh, s.kw = kw, s.sy = sy, s.sx = sx;
	return s;
}

#ifdef __CUDACC__

/* Neighbouring threads take neighbouring samples: they share each weight. */
KERNEL(local_forward_kernel, (elem *y, const elem *x, const elem *w, const elem *bias, int64_t b,
    struct local s))
{
	int64_t positions = (int64_t)s.oh * s.ow;

	EACH (i, positions * s.f * b) {
		int64_t sample = i % b, f = i / b % s.f, p = i / b / s.f;
		const elem *row = w + (p * s.f + f) * s.c * s.kh * s.kw;
		real sum = bias ? VALUE(bias[f * positions + p]) : 0;

		for (int c = 0; c < s.c; c++)
			for (int ky = 0; ky < s.kh; ky++)
				for (int kx = 0; kx < s.kw; kx++)
					sum += VALUE(*row++) * VALUE(x[((sample * s.c + c) * s.h +
					    p / s.ow * s.sy + ky) * s.w + p % s.ow * s.sx + kx]);
		y[(sample * s.f + f) * positions + p] = ELEM(sum);
	}
}

KERNEL(local_weight_kernel, (elem *dw, const elem *dy, const elem *x, struct onto onto, int64_t b,
    struct local s))
{
	real keep = onto_keep(onto);
	int64_t positions = (int64_t)s.oh * s.ow, depth = (int64_t)s.c * s.kh * s.kw;

	EACH (i, positions * s.f * depth) {
		int64_t k = i % depth, f = i / depth % s.f, p = i / depth / s.f;
		int64_t at = (k / (s.kw * s.kh) * s.h + p / s.ow * s.sy + k / s.kw % s.kh) * s.w +
		    p % s.ow * s.sx + k % s.kw;
		real sum = 0;

		for (int64_t n = 0; n < b; n++)
			sum += VALUE(dy[(n * s.f + f) * positions + p]) *
			    VALUE(x[n * s.c * s.h * s.w + at]);
		onto_store(&dw[i], sum, keep);
	}
}

static void
local_forward(elem *y, const elem *x, const elem *w, const elem *bias, void *work, int64_t b,
    struct local s)
{
	int64_t n = (int64_t)s.oh * s.ow * s.f * b;

	(void)work;
	LAUNCH(local_forward_kernel, n, (y, x, w, bias, b, s));
}

static void
local_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t b, struct local s)
{
	int64_t n = (int64_t)s.oh * s.ow * s.f * s.c * s.kh * s.kw;

	(void)work;
	LAUNCH(local_weight_kernel, n, (dw, dy, x, onto, b, s));
}

#else

struct local_at {		/* one position's product */
	struct local s;
	int64_t a_term, c_col;
};

/* Calls once for each k in [k, k + n), with the offset in an image of the window's element. */
#define EACH_WINDOW(s, k, n, i, at)							\
	for (int64_t i = 0, kx_ = (k) % (s)->kw, ky_ = (k) / (s)->kw % (s)->kh,		\
	    at = ((k) / ((s)->kw * (s)->kh) * (s)->h + ky_) * (s)->w + kx_; i < (n);	\
	    i++, local_next((s), &kx_, &ky_, &at))

static inline void
local_next(const struct local *s, int64_t *kx, int64_t *ky, int64_t *at)
{
	++*at;
	if (++*kx < s->kw)
		return;
	*kx = 0;
	*at += s->w - s->kw;
	if (++*ky < s->kh)
		return;
	*ky = 0;
	*at += (int64_t)(s->h - s->kh) * s->w;
}

static void
places_local(const struct product *p, struct place *at, int64_t k, int n)
{
	int64_t term = ((const struct local_at *)p->shape)->a_term;

	for (int i = 0; i < n; i++)
		at[i].a = (k + i) * term;
}

static void
columns_local(const struct product *p, int64_t *at, int64_t j, int n)
{
	int64_t col = ((const struct local_at *)p->shape)->c_col;

	for (int i = 0; i < n; i++)
		at[i] = (j + i) * col;
}

/* terms are a window's elements, columns samples */
static void
pack_samples(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	const struct local *s = &((const struct local_at *)p->shape)->s;
	int64_t image = (int64_t)s->c * s->h * s->w;

	EACH_WINDOW (s, k, n, i, at)
		for (int q = 0; q < TILE_COLS; q++)
			panel[i * TILE_COLS + q] = q < cols ? VALUE(p->b[(j + q) * image + at]) : 0;
}

/* terms are samples, columns a window's elements */
static void
pack_elements(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	const struct local *s = &((const struct local_at *)p->shape)->s;
	int64_t image = (int64_t)s->c * s->h * s->w;

	EACH_WINDOW (s, j, cols, q, at)
		for (int i = 0; i < n; i++)
			panel[(int64_t)i * TILE_COLS + q] = VALUE(p->b[(k + i) * image + at]);
}

static void
local_forward(elem *y, const elem *x, const elem *w, const elem *bias, void *work, int64_t b,
    struct local s)
{
	int64_t positions = (int64_t)s.oh * s.ow, depth = (int64_t)s.c * s.kh * s.kw;

	PRAGMA(omp parallel for schedule(static))
	for (int64_t q = 0; q < positions; q++) {
		struct local_at at = { s, 1, s.f * positions };
		struct product p = { .rows = s.f, .cols = b, .depth = depth,
			.a = w + q * s.f * depth, .a_row = depth, .c = y + q, .c_row = positions,
			.bias = bias ? bias + q : NULL, .bias_row = positions,
			.b = x + q / s.ow * s.sy * s.w + q % s.ow * s.sx, .shape = &at,
			.places = places_local, .pack = pack_samples, .columns = columns_local };

		product_share(&p, (real *)work +
		    omp_get_thread_num() * product_scratch(depth, b, NARROW), 0, 1);
	}
}

static void
local_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t b, struct local s)
{
	int64_t positions = (int64_t)s.oh * s.ow, depth = (int64_t)s.c * s.kh * s.kw;

	PRAGMA(omp parallel for schedule(static))
	for (int64_t q = 0; q < positions; q++) {
		struct local_at at = { s, s.f * positions, 1 };
		struct product p = { .rows = s.f, .cols = depth, .depth = b,
			.a = dy + q, .a_row = positions, .c = dw + q * s.f * depth, .c_row = depth,
			.keep = onto_keep(onto),
			.b = x + q / s.ow * s.sy * s.w + q % s.ow * s.sx, .shape = &at,
			.places = places_local, .pack = pack_elements, .columns = columns_local };

		product_share(&p, (real *)work +
		    omp_get_thread_num() * product_scratch(b, depth, NARROW), 0, 1);
	}
}

#endif

/* ---- the gradient of the input ---- */

#if defined(__CUDACC__) || NARROW

/* Each element gathers from the positions that see it. */
KERNEL(local_input_kernel, (elem *dx, const elem *dy, const elem *w, struct onto onto, int64_t b,
    struct local s))
{
	real keep = onto_keep(onto);
	int64_t positions = (int64_t)s.oh * s.ow, depth = (int64_t)s.c * s.kh * s.kw;

	EACH (i, b * s.c * s.h * s.w) {
		int ix = (int)(i % s.w), iy = (int)(i / s.w % s.h), c = (int)(i / s.w / s.h % s.c);
		int64_t sample = i / s.w / s.h / s.c;
		real sum = 0;

		for (int ky = iy % s.sy; ky < s.kh && ky <= iy; ky += s.sy)
			for (int kx = ix % s.sx; kx < s.kw && kx <= ix; kx += s.sx) {
				int oy = (iy - ky) / s.sy, ox = (ix - kx) / s.sx;
				int64_t p = (int64_t)oy * s.ow + ox;
				const elem *row = w + p * s.f * depth + (c * s.kh + ky) * s.kw + kx;

				if (oy >= s.oh || ox >= s.ow)
					continue;
				for (int f = 0; f < s.f; f++)
					sum += VALUE(row[f * depth]) *
					    VALUE(dy[(sample * s.f + f) * positions + p]);
			}
		onto_store(&dx[i], sum, keep);
	}
}

static void
local_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t b, struct local s)
{
	int64_t n = b * s.c * s.h * s.w;

	(void)work;
	LAUNCH(local_input_kernel, n, (dx, dy, w, onto, b, s));
}

#else

/* dx of one image from the terms of all positions; windows overlap, so a thread has whole
 * images. */
static void
local_image(elem *dx, const elem *dy, const elem *w, real keep, const struct local *s)
{
	int64_t positions = (int64_t)s->oh * s->ow, depth = (int64_t)s->c * s->kh * s->kw;

	onto_start(dx, (int64_t)s->c * s->h * s->w, keep);
	for (int64_t q = 0; q < positions; q++)
		for (int64_t f = 0; f < s->f; f++) {
			const elem *row = w + (q * s->f + f) * depth;
			real d = dy[f * positions + q];

			for (int c = 0; c < s->c; c++)
				for (int ky = 0; ky < s->kh; ky++, row += s->kw) {
					real *to = dx + ((int64_t)c * s->h + q / s->ow * s->sy + ky) *
					    s->w + q % s->ow * s->sx;

					for (int kx = 0; kx < s->kw; kx++)
						to[kx] += d * row[kx];
				}
		}
}

static void
local_backward_input(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t b, struct local s)
{
	int64_t image = (int64_t)s.c * s.h * s.w, out = (int64_t)s.f * s.oh * s.ow;

	(void)work;
	PRAGMA(omp parallel for schedule(static))
	for (int64_t n = 0; n < b; n++)
		local_image(dx + n * image, dy + n * out, w, onto_keep(onto), &s);
}

#endif
