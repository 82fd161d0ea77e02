/*
 * conv/local_c.cu - locally connected layers in C: products of packed windows.
 */
#ifndef STOWAGE_CONV_LOCAL_C_CU
#define STOWAGE_CONV_LOCAL_C_CU

#include "product/gemm_c.cu"

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

	ROWS (q, positions) {
		struct local_at at = { s, 1, s.f * positions };
		struct product p = { .rows = s.f, .cols = b, .depth = depth,
			.a = w + q * s.f * depth, .a_row = depth, .c = y + q, .c_row = positions,
			.bias = bias ? bias + q : NULL, .bias_row = positions,
			.b = x + q / s.ow * s.sy * s.w + q % s.ow * s.sx, .shape = &at,
			.places = places_local, .pack = pack_samples, .columns = columns_local };

		product_by_columns(&p, (real *)work + team_me() * product_scratch(depth, b, NARROW),
		    0, p.cols);
	}
}

static void
local_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto, void *work,
    int64_t b, struct local s)
{
	int64_t positions = (int64_t)s.oh * s.ow, depth = (int64_t)s.c * s.kh * s.kw;

	ROWS (q, positions) {
		struct local_at at = { s, s.f * positions, 1 };
		struct product p = { .rows = s.f, .cols = depth, .depth = b,
			.a = dy + q, .a_row = positions, .c = dw + q * s.f * depth, .c_row = depth,
			.keep = onto_keep(onto),
			.b = x + q / s.ow * s.sy * s.w + q % s.ow * s.sx, .shape = &at,
			.places = places_local, .pack = pack_elements, .columns = columns_local };

		product_by_columns(&p, (real *)work + team_me() * product_scratch(b, depth, NARROW),
		    0, p.cols);
	}
}

/* ---- the gradient of the input ---- */

#if !NARROW

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
	ROWS (n, b)
		local_image(dx + n * image, dy + n * out, w, onto_keep(onto), &s);
}

#endif

#endif
