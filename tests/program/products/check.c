/*
 * Holds the kernels of conv, conv_transpose, dense (alone and with its loss), local and bias
 * against naive loops, and conv_concat against conv to the bit, over fixed and random shapes.
 * Buffers have exactly the planned size, so that a sanitizer sees every step outside.
 * tests/program/products.test compiles this in single and double precision and with elements of 16
 * bits, for several vector widths and numbers of threads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "epilogues.h"
#include "../../../kernels/conv/conv_concat.cu"
#include "../../../kernels/loss/dense_cross_entropy.cu"
#include "../../../kernels/conv/local.cu"
#include "shapes.h"

#if defined(USE_DOUBLE)
#define TOLERANCE	1e-13
#elif NARROW
#define TOLERANCE	(1.0 / (1 << ELEM_DIGITS))	/* the most by which rounding is off */
#else
#define TOLERANCE	2e-6
#endif

/* A call that all threads run, as they run a step. */
#if defined(TEAM_THREADS) && !defined(__clang__)
#define TEAM(...)	do {				\
	void run_(void *with)				\
	{						\
		(void)with;				\
		__VA_ARGS__;				\
	}						\
							\
	team_run(run_, NULL);				\
} while (0)
#else
#define TEAM(...)	(__VA_ARGS__)
#endif

static uint64_t state = 88172645463325252u;
static int failures;

static int64_t
draw(int64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)(state >> 33) % n;
}

static elem *
fresh(int64_t n)		/* not a number anywhere, so that what is not written shows */
{
	elem *x = (elem *)malloc((size_t)(n ? n : 1) * sizeof(*x));

	for (int64_t i = 0; i < n; i++)
		x[i] = ELEM((real)NAN);
	return x;
}

static real *
scratch_of(int64_t n)
{
	real *x = (real *)malloc((size_t)(n ? n : 1) * sizeof(*x));

	for (int64_t i = 0; i < n; i++)
		x[i] = (real)NAN;
	return x;
}

static elem *
filled(int64_t n)
{
	elem *x = fresh(n);

	for (int64_t i = 0; i < n; i++)
		x[i] = ELEM((real)(draw(2001) - 1000) / 500);
	return x;
}

/* Of 16 bits, many elements that were rounded once are off by 0.42 of the most that one can be,
 * twice by 0.6, three times by 0.73; a few, by chance, by more. */
static double
tolerance(int roundings, int64_t n)
{
	if (!NARROW)
		return TOLERANCE;
	return (n < 500 ? 2 : roundings == 1 ? 0.5 : roundings == 2 ? 0.75 : 1) * TOLERANCE;
}

static void
compare_rounded(int roundings, const char *what, const char *shape, const elem *got,
    const double *want, int64_t n)
{
	double off = 0, norm = 0;

	for (int64_t i = 0; i < n; i++) {
		off += (VALUE(got[i]) - want[i]) * (VALUE(got[i]) - want[i]);
		norm += want[i] * want[i];
	}
	if (sqrt(off) <= tolerance(roundings, n) * sqrt(norm))
		return;
	printf("# %s %s: relative error %g\n", what, shape, sqrt(off / norm));
	failures++;
}

static void
compare(const char *what, const char *shape, const elem *got, const double *want, int64_t n)
{
	compare_rounded(1, what, shape, got, want, n);
}

static void
compare_number(const char *what, const char *shape, real got, double want)
{
	if (fabs((double)got - want) <= TOLERANCE * fabs(want))
		return;
	printf("# %s %s: %g, expected %g\n", what, shape, (double)got, want);
	failures++;
}

#define ADDED	REAL(0.75)

/* The same once more, added to 0.75 times itself. */
static void
compare_added(const char *what, const char *shape, const elem *got, double *want, int64_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%s, added onto", what);
	for (int64_t i = 0; i < n; i++)
		want[i] *= 1 + ADDED;
	compare_rounded(2, name, shape, got, want, n);
}

/* One sweep of all products of y, x and w: MAKE says which of the three is summed up. */
static void
naive_conv(const struct conv *s, int64_t b, char make, double *sum, const elem *one,
    const elem *two)
{
	int cg = s->c / s->groups, fg = s->f / s->groups, d = conv_deep(s), od = conv_depth(s);
	int kd = conv_deep_taps(s);

	for (int64_t n = 0; n < b; n++)
	for (int f = 0; f < s->f; f++)
	for (int oz = 0; oz < od; oz++)
	for (int oy = 0; oy < s->oh; oy++)
	for (int ox = 0; ox < s->ow; ox++)
	for (int c = 0; c < cg; c++)
	for (int kz = 0; kz < kd; kz++)
	for (int ky = 0; ky < s->kh; ky++)
	for (int kx = 0; kx < s->kw; kx++) {
		int iy = oy * s->sy - s->top + ky * s->dy, ix = ox * s->sx - s->left + kx * s->dx;
		int iz = oz * s->sz - s->front + kz * s->dz;
		int64_t y = (((n * s->f + f) * od + oz) * s->oh + oy) * s->ow + ox;
		int64_t x = (((n * s->c + f / fg * cg + c) * d + iz) * s->h + iy) * s->w + ix;
		int64_t w = ((((int64_t)f * cg + c) * kd + kz) * s->kh + ky) * s->kw + kx;

		if (iz < 0 || iz >= d || iy < 0 || iy >= s->h || ix < 0 || ix >= s->w)
			continue;
		if (make == 'y')
			sum[y] += (double)VALUE(one[x]) * VALUE(two[w]);
		else if (make == 'x')
			sum[x] += (double)VALUE(one[y]) * VALUE(two[w]);
		else
			sum[w] += (double)VALUE(one[y]) * VALUE(two[x]);
	}
}

static int64_t
conv_work(const struct conv *s, char make)
{
	if (conv_is_depthwise(s))
		return THREADS * depthwise_scratch(s);
	if (make == 'y')
		return THREADS * product_scratch(conv_planes(s) * s->kh * s->kw, BLOCK_COLS, NARROW);
	if (make == 'x')
		return THREADS * product_scratch(conv_backward_depth(s), BLOCK_COLS, NARROW);
	return conv_weight_scratch(s, THREADS, NARROW);
}

static void
check_conv(struct conv s, int64_t b)
{
	int64_t plane = conv_outputs(&s), nx = b * s.c * conv_deep(&s) * s.h * s.w, ny = b * s.f * plane;
	int64_t nw = conv_weights(&s);
	elem *x = filled(nx), *w = filled(nw), *dy = filled(ny), *bias = filled(s.f);
	real *work;
	elem *y = fresh(ny), *dx = fresh(nx), *dw = fresh(nw), *db = fresh(s.f);
	double *ty = calloc((size_t)ny, sizeof(*ty)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw)), *tb = calloc((size_t)s.f, sizeof(*tb));
	double *passed = calloc((size_t)ny, sizeof(*passed));
	char name[300];

	snprintf(name, sizeof(name), "b %d, %dx%dx%d to %dx%dx%d, kernel %dx%d, stride %dx%d, "
	    "pad %d,%d, dilation %dx%d, groups %d, depth %d to %d, kernel %d, stride %d, pad %d, dilation %d",
	    (int)b, s.c, s.h, s.w, s.f, s.oh, s.ow, s.kh, s.kw, s.sy, s.sx, s.top, s.left, s.dy, s.dx,
	    s.groups, s.d, s.od, s.kd, s.sz, s.front, s.dz);
	for (int64_t i = 0; i < ny; i++) {
		ty[i] = VALUE(bias[i / plane % s.f]);
		tb[i / plane % s.f] += VALUE(dy[i]);
	}
	naive_conv(&s, b, 'y', ty, x, w);
	naive_conv(&s, b, 'x', tx, dy, w);
	naive_conv(&s, b, 'w', tw, dy, x);
	work = scratch_of(conv_work(&s, 'y'));
	TEAM(conv_forward(y, x, w, bias, ANEW, AS_IS, work, 0, b, s));
	compare("conv", name, y, ty, ny);
	for (int64_t i = 0; i < ny; i++)
		passed[i] = VALUE(dy[i]) > 0 ? ty[i] : 0;
	TEAM(conv_forward(y, x, w, bias, ONTO(ADDED), AS_IS, work, 0, b, s));
	compare_added("conv", name, y, ty, ny);
	TEAM(conv_forward(y, x, w, bias, ANEW, epilogue_of(DO_RELU_GRAD, dy), work, 0, b, s));
	compare("conv, where there is more than 0 beside", name, y, passed, ny);
	free(passed);
	free(work);
	work = scratch_of(conv_work(&s, 'x'));
	TEAM(conv_backward_input(dx, dy, w, NULL, ANEW, work, 0, b, s));
	compare("conv, input", name, dx, tx, nx);
	TEAM(conv_backward_input(dx, dy, w, NULL, ONTO(ADDED), work, 0, b, s));
	compare_added("conv, input", name, dx, tx, nx);
	free(work);
	work = scratch_of(conv_work(&s, 'w'));
	TEAM(conv_backward_weight(dw, dy, x, ANEW, work, 0, b, s));
	compare("conv, weights", name, dw, tw, nw);
	TEAM(conv_backward_weight(dw, dy, x, ONTO(ADDED), work, 0, b, s));
	compare_added("conv, weights", name, dw, tw, nw);
	free(work);
	TEAM(bias_backward(db, NULL, dy, b, s.f, plane));
	compare("conv, bias", name, db, tb, s.f);
	free(x), free(w), free(dy), free(bias), free(y), free(dx), free(dw), free(db);
	free(ty), free(tx), free(tw), free(tb);
}

static void
same(const char *what, const char *shape, const elem *got, const elem *want, int64_t n)
{
	if (memcmp(got, want, (size_t)n * sizeof(*got)) == 0)
		return;
	printf("# %s %s: not the same to the bit\n", what, shape);
	failures++;
}

/* What PART is of an input, and of a gradient of one: cut out of, or put into, its frame. */
static void
copy_part(elem *whole, const elem *frame, elem *into, const struct part *p, int64_t b,
    const struct conv *s)
{
	for (int64_t i = 0; i < b * p->channels * s->h * s->w; i++) {
		int64_t x = i % s->w, y = i / s->w % s->h, c = i / s->w / s->h % p->channels;
		int64_t n = i / s->w / s->h / p->channels;
		elem *at = &whole[((n * s->c + p->first + c) * s->h + y) * s->w + x];
		int64_t place = ((n * p->channels + c) * p->h + p->top + y) * p->w + p->left + x;

		if (into)
			into[place] = *at;
		else
			*at = frame[place];
	}
}

/* The gradient of one source, anew and added, against what the whole gradient, DX, holds of it. */
static void
check_part(const char *name, const struct part *p, elem *dx, const elem *dy, const elem *w,
    struct conv s, int64_t b)
{
	int64_t n = b * p->channels * p->h * p->w;
	elem *want = fresh(n), *got = fresh(n);
	real *work = scratch_of(conv_work(&s, 'x'));
	double *twice = calloc((size_t)n, sizeof(*twice));

	memset(want, 0, (size_t)n * sizeof(*want));
	copy_part(dx, NULL, want, p, b, &s);
	TEAM(conv_concat_backward_input(got, dy, w, ANEW, work, 0, b, s, *p));
	same("conv_concat, input", name, got, want, n);
	for (int64_t i = 0; i < n; i++)
		twice[i] = VALUE(want[i]) + 3 * (double)ADDED;
	for (int64_t i = 0; i < n; i++)
		got[i] = ELEM(3);
	TEAM(conv_concat_backward_input(got, dy, w, ONTO(ADDED), work, 0, b, s, *p));
	compare_rounded(2, "conv_concat, input, added onto", name, got, twice, n);
	free(want), free(got), free(work), free(twice);
}

/* Sources of these numbers of channels (0 past the last), each seen through a crop if CROPPED has
 * its bit, against the convolution of what they are together, which is held against naive loops. */
static void
check_concat(struct conv s, int64_t b, const int *channels, unsigned cropped)
{
	int64_t nx = b * s.c * s.h * s.w, ny = b * s.f * s.oh * s.ow, nw = conv_weights(&s);
	elem *x = filled(nx), *w = filled(nw), *dy = filled(ny), *bias = filled(s.f);
	real *work;
	elem *y = fresh(ny), *y2 = fresh(ny), *dx = fresh(nx), *dw = fresh(nw), *dw2 = fresh(nw);
	elem *tensor[CONV_SOURCES];
	struct part part[CONV_SOURCES];
	struct sources sources = no_sources();
	int n, first = 0;
	char name[100];

	snprintf(name, sizeof(name), "b %d, %dx%dx%d to %dx%dx%d, crops %x", (int)b, s.c, s.h, s.w,
	    s.f, s.oh, s.ow, cropped);
	for (n = 0; channels[n]; first += channels[n++]) {
		bool crop = cropped >> n & 1;

		part[n] = (struct part){ first, channels[n], s.h + crop * (n + 2), s.w + crop * 3,
		    crop * n, crop * (n % 4) };
		tensor[n] = filled(b * channels[n] * part[n].h * part[n].w);
		sources = beside(sources, tensor[n], b, part[n]);
		copy_part(x, tensor[n], NULL, &part[n], b, &s);
	}
	work = scratch_of(conv_work(&s, 'y'));
	TEAM(conv_forward(y, x, w, bias, ANEW, AS_IS, work, 0, b, s));
	TEAM(conv_concat_forward(y2, sources, w, bias, work, 0, b, s));
	same("conv_concat", name, y2, y, ny);
	free(work);
	work = scratch_of(conv_work(&s, 'x'));
	TEAM(conv_backward_input(dx, dy, w, NULL, ANEW, work, 0, b, s));
	for (int i = 0; i < n; i++)
		check_part(name, &part[i], dx, dy, w, s, b);
	free(work);
	work = scratch_of(conv_work(&s, 'w'));
	TEAM(conv_backward_weight(dw, dy, x, ANEW, work, 0, b, s));
	TEAM(conv_concat_backward_weight(dw2, dy, sources, ANEW, work, 0, b, s));
	same("conv_concat, weights", name, dw2, dw, nw);
	TEAM(conv_backward_weight(dw, dy, x, ONTO(ADDED), work, 0, b, s));
	TEAM(conv_concat_backward_weight(dw2, dy, sources, ONTO(ADDED), work, 0, b, s));
	same("conv_concat, weights, added onto", name, dw2, dw, nw);
	while (n-- > 0)
		free(tensor[n]);
	free(x), free(w), free(dy), free(bias), free(work), free(y), free(y2), free(dx), free(dw);
	free(dw2);
}

/* The bias of a transposed convolution, which conv_backward_input adds. */
static void
check_transposed_bias(struct conv s, int64_t b)
{
	int64_t nx = b * s.c * s.h * s.w, ny = b * s.f * s.oh * s.ow, plane = (int64_t)s.h * s.w;
	elem *w = filled(conv_weights(&s)), *dy = filled(ny), *bias = filled(s.c), *dx = fresh(nx);
	real *work = scratch_of(conv_work(&s, 'x'));
	double *tx = calloc((size_t)nx, sizeof(*tx));

	for (int64_t i = 0; i < nx; i++)
		tx[i] = VALUE(bias[i / plane % s.c]);
	naive_conv(&s, b, 'x', tx, dy, w);
	TEAM(conv_backward_input(dx, dy, w, bias, ANEW, work, 0, b, s));
	compare("conv_transpose", "with bias", dx, tx, nx);
	free(w), free(dy), free(bias), free(dx), free(work), free(tx);
}

static struct conv
shaped(int c, int h, int w, int f, int k, int stride, int pad, int dilation, int groups)
{
	return conv_shape(c, h, w, f, (h + 2 * pad - (k - 1) * dilation - 1) / stride + 1,
	    (w + 2 * pad - (k - 1) * dilation - 1) / stride + 1, k, k, stride, stride, pad, pad,
	    dilation, dilation, groups);
}

static void
fixed_convs(void)
{
	check_conv(shaped(1, 28, 28, 6, 5, 1, 2, 1, 1), 5);
	check_conv(shaped(6, 14, 14, 16, 5, 1, 0, 1, 1), 4);
	check_conv(shaped(3, 37, 41, 20, 7, 2, 3, 1, 1), 2);
	check_conv(shaped(64, 16, 16, 64, 3, 1, 1, 1, 1), 1);
	check_conv(shaped(70, 8, 8, 40, 3, 2, 1, 1, 1), 3);
	check_conv(shaped(130, 2, 2, 150, 3, 1, 1, 1, 1), 16);
	check_conv(shaped(700, 2, 2, 550, 3, 1, 1, 1, 1), 2);	/* gradient too large for parts */
	check_conv(shaped(40, 7, 7, 30, 1, 1, 0, 1, 1), 3);
	check_conv(shaped(32, 9, 9, 24, 1, 2, 0, 1, 1), 3);
	check_conv(shaped(24, 9, 9, 24, 3, 1, 1, 1, 24), 2);
	check_conv(shaped(8, 9, 11, 24, 3, 2, 1, 1, 8), 2);
	check_conv(shaped(20, 9, 9, 30, 3, 1, 2, 2, 5), 2);
	check_conv(shaped(2, 4, 1100, 3, 3, 1, 1, 1, 1), 1);	/* rows longer than a chunk */
	check_conv(shaped(1, 40, 40, 2, 30, 1, 0, 1, 1), 1);	/* more taps than a table holds */
	check_conv(shaped(2, 3, 3, 2, 1, 5, 0, 1, 1), 2);	/* positions that no tap reaches */
	check_conv(deep(shaped(3, 9, 18, 20, 3, 1, 1, 1, 1), 5, 5, 3, 1, 1, 1), 2);
	check_conv(deep(shaped(40, 8, 16, 24, 3, 1, 1, 1, 1), 6, 6, 3, 1, 1, 1), 2);	/* planes in blocks */
	check_conv(deep(shaped(90, 3, 3, 300, 3, 1, 1, 1, 1), 3, 3, 3, 1, 1, 1), 2);	/* too large for parts */
	check_conv(deep(shaped(6, 7, 9, 8, 1, 1, 0, 1, 2), 4, 4, 1, 1, 0, 1), 2);
	check_conv(deep(shaped(2, 4, 5, 3, 3, 1, 1, 1, 1), 9, 2, 1, 5, 0, 1), 2);
	check_transposed_bias(shaped(5, 12, 12, 7, 2, 2, 0, 1, 1), 3);
	check_transposed_bias(shaped(4, 13, 13, 6, 3, 3, 1, 1, 2), 2);
	check_transposed_bias(shaped(4, 9, 9, 4, 3, 2, 1, 1, 4), 2);
	check_transposed_bias(shaped(2, 9, 9, 2, 1, 3, 0, 1, 1), 2);
}

static void
random_convs(int n)
{
	while (n > 0) {
		int groups = (int)(1 + draw(3)), kh = (int)(1 + draw(5)), kw = (int)(1 + draw(5));
		int h = (int)(1 + draw(20)), w = (int)(1 + draw(36)), sy = (int)(1 + draw(3));
		int sx = (int)(1 + draw(3)), dy = (int)(1 + draw(2)), dx = (int)(1 + draw(2));
		int top = (int)draw(4), left = (int)draw(4), bottom = (int)draw(3);
		int oh = h + top + bottom - (kh - 1) * dy - 1, ow = w + 2 * left - (kw - 1) * dx - 1;
		int d = (int)draw(6), kd = (int)(1 + draw(3)), sz = (int)(1 + draw(3)), front = (int)draw(3);
		int dz = (int)(1 + draw(2)), od = d + 2 * front - (kd - 1) * dz - 1;
		struct conv s;

		if (oh < 0 || ow < 0)
			continue;
		s = conv_shape(groups * (int)(1 + draw(20)), h, w, groups * (int)(1 + draw(20)), oh / sy + 1,
		    ow / sx + 1, kh, kw, sy, sx, top, left, dy, dx, groups);
		if (n % 3 == 0 && d > 0 && od >= 0)
			s = deep(s, d, od / sz + 1, kd, sz, front, dz);
		check_conv(s, 1 + draw(5));
		n--;
	}
}

/* c[m, n] = op(a) op(b): both operands by their steps along rows and columns */
static void
naive_product(double *c, const elem *a, int64_t a_row, int64_t a_col, const elem *b, int64_t b_row,
    int64_t b_col, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			for (int64_t q = 0; q < k; q++)
				c[i * n + j] += (double)VALUE(a[i * a_row + q * a_col]) *
				    VALUE(b[q * b_row + j * b_col]);
}

/* What the epilogues are by definition: of V, or of a gradient V and what it reads. */
static double
naive_epilogue(enum epilogue_kind kind, double v, double saved)
{
	const double root = sqrt(2 / acos(-1));	/* of 2 / pi */
	double x = kind < DO_RELU_GRAD ? v : saved;
	double t = tanh(root * (x + 0.044715 * x * x * x)), below = (1 + erf(x / sqrt(2))) / 2;
	double slope = root * (1 + 3 * 0.044715 * x * x);

	switch (kind) {
	case DO_RELU:
		return v > 0 ? v : 0;
	case DO_GELU:
		return x * below;
	case DO_GELU_TANH:
		return x * (1 + t) / 2;
	case DO_RELU_GRAD:
		return saved > 0 ? v : 0;
	case DO_GELU_GRAD:
		return v * (below + x * exp(-x * x / 2) * root / 2);
	case DO_GELU_TANH_GRAD:
		return v * ((1 + t) / 2 + x * (1 - t * t) * slope / 2);
	case DO_ADD_RELU:
		return v + saved > 0 ? v + saved : 0;
	default:
		return v;
	}
}

/* GOT was made with an epilogue, PLAIN without: as by definition and, but for gelus of 16 bits,
 * which were rounded once less, bit for bit what a kernel of its own makes of PLAIN. */
static void
compare_epilogue(enum epilogue_kind kind, const char *shape, const elem *got, const elem *plain,
    const double *sums, const elem *saved, int64_t n)
{
	static const char *const names[] = { "as it is", "relu", "gelu", "gelu, tanh", "relu_grad",
		"gelu_grad", "gelu_grad, tanh", "add_relu" };
	double *want = calloc((size_t)n, sizeof(*want));
	elem *own = fresh(n);
	char name[64];

	snprintf(name, sizeof(name), "dense, then %s", names[kind]);
	for (int64_t i = 0; i < n; i++)
		want[i] = naive_epilogue(kind, sums[i], VALUE(saved[i]));
	compare(name, shape, got, want, n);
	memcpy(own, plain, (size_t)n * sizeof(*own));
	epilogue_apply(own, epilogue_of(kind, kind < DO_RELU_GRAD ? NULL : saved), n);
	if ((!NARROW || kind == DO_RELU || kind == DO_RELU_GRAD) &&
	    memcmp(own, got, (size_t)n * sizeof(*own))) {
		printf("# %s %s: not the bits of two kernels\n", name, shape);
		failures++;
	}
	free(want), free(own);
}

/* Each epilogue after a product, of which Y and DX, TY and TX are without. */
static void
check_epilogues(const char *shape, const elem *x, const elem *w, const elem *bias, const elem *dy,
    const elem *y, const elem *dx, const double *ty, const double *tx, int64_t rows, int64_t in,
    int64_t units)
{
	elem *got = fresh(most(rows * units, rows * in)), *saved = filled(rows * in), *beside = filled(rows * units);
	real *work = scratch_of(THREADS * product_scratch(most(in, units), BLOCK_COLS, NARROW));

	saved[0] = ELEM(0);
	for (int kind = DO_RELU; kind <= DO_ADD_RELU; kind++) {
		TEAM(dense_forward(got, x, w, bias, epilogue_of((enum epilogue_kind)kind,
		    kind < DO_RELU_GRAD ? NULL : beside), work, 0, rows, in, units));
		compare_epilogue((enum epilogue_kind)kind, shape, got, y, ty, beside, rows * units);
	}
	for (int kind = DO_RELU_GRAD; kind <= DO_ADD_RELU; kind++) {
		TEAM(dense_backward_input(got, dy, w, ANEW, epilogue_of((enum epilogue_kind)kind, saved),
		    work, 0, rows, in, units));
		compare_epilogue((enum epilogue_kind)kind, shape, got, dx, tx, saved, rows * in);
	}
	free(got), free(saved), free(beside), free(work);
}

/* Not a number, whatever follows. */
static void
check_nan(void)
{
	elem one = ELEM(1), nan = ELEM((real)NAN), y;
	real *work = scratch_of(THREADS * product_scratch(1, BLOCK_COLS, NARROW));

	for (int kind = DO_RELU; kind <= DO_GELU_TANH_GRAD; kind++) {
		struct epilogue then = epilogue_of((enum epilogue_kind)kind,
		    kind < DO_RELU_GRAD ? NULL : &one);

		TEAM(dense_forward(&y, &nan, &one, NULL, then, work, 0, 1, 1, 1));
		if (!isnan(VALUE(y))) {
			printf("# dense, then %d: not-a-number became %g\n", kind, (double)VALUE(y));
			failures++;
		}
	}
	free(work);
}

/* Of weights and bias in one call: the bits of two. DW was added onto by then, DB was not. */
static void
both_gradients(const char *shape, const elem *dy, const elem *x, elem *dw, const elem *db, int64_t rows,
    int64_t in, int64_t units)
{
	elem *weight = fresh(units * in), *bias = fresh(units);
	real *work = scratch_of(THREADS * product_scratch(rows, in, NARROW));

	TEAM(dense_backward_weight(dw, dy, x, ANEW, work, 0, rows, in, units));
	TEAM(dense_backward_weight_bias(weight, bias, dy, x, ANEW, work, 0, rows, in, units));
	same("dense, weights with bias", shape, weight, dw, units * in);
	same("dense, bias with weights", shape, bias, db, units);
	free(weight), free(bias), free(work);
}

static void
check_dense(int64_t rows, int64_t in, int64_t units)
{
	int64_t nx = rows * in, ny = rows * units, nw = in * units;
	elem *x = filled(nx), *w = filled(nw), *dy = filled(ny), *bias = filled(units);
	elem *y = fresh(ny), *dx = fresh(nx), *dw = fresh(nw), *db = fresh(units);
	real *work;
	double *ty = calloc((size_t)ny, sizeof(*ty)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw)), *tb = calloc((size_t)units, sizeof(*tb));
	char name[100];

	snprintf(name, sizeof(name), "rows %d, in %d, units %d", (int)rows, (int)in, (int)units);
	for (int64_t i = 0; i < ny; i++) {
		ty[i] = VALUE(bias[i % units]);
		tb[i % units] += VALUE(dy[i]);
	}
	naive_product(ty, x, in, 1, w, 1, in, rows, units, in);
	naive_product(tx, dy, units, 1, w, in, 1, rows, in, units);
	naive_product(tw, dy, 1, units, x, in, 1, units, in, rows);
	work = scratch_of(THREADS * product_scratch(in, most(rows, units), NARROW));
	TEAM(dense_forward(y, x, w, bias, AS_IS, work, 0, rows, in, units));
	compare("dense", name, y, ty, ny);
	free(work);
	work = scratch_of(THREADS * product_scratch(units, in, NARROW));
	TEAM(dense_backward_input(dx, dy, w, ANEW, AS_IS, work, 0, rows, in, units));
	compare("dense, input", name, dx, tx, nx);
	check_epilogues(name, x, w, bias, dy, y, dx, ty, tx, rows, in, units);
	TEAM(dense_backward_input(dx, dy, w, ONTO(ADDED), AS_IS, work, 0, rows, in, units));
	compare_added("dense, input", name, dx, tx, nx);
	free(work);
	work = scratch_of(THREADS * product_scratch(rows, in, NARROW));
	TEAM(dense_backward_weight(dw, dy, x, ANEW, work, 0, rows, in, units));
	compare("dense, weights", name, dw, tw, nw);
	TEAM(dense_backward_weight(dw, dy, x, ONTO(ADDED), work, 0, rows, in, units));
	compare_added("dense, weights", name, dw, tw, nw);
	free(work);
	TEAM(bias_rows_backward(db, NULL, dy, rows, units));
	compare("dense, bias", name, db, tb, units);
	both_gradients(name, dy, x, dw, db, rows, in, units);
	free(x), free(w), free(dy), free(bias), free(y), free(dx), free(dw), free(db);
	free(ty), free(tx), free(tw), free(tb);
}

/* One row of LOGITS: its loss, and what it becomes: its gradient. Labels out of range do not
 * count. */
static double
naive_loss(double *logits, int64_t k, int64_t label, int64_t rows, double *right)
{
	double sum = 0, own;
	bool best = true;

	if (label < 0 || label >= k) {
		memset(logits, 0, (size_t)k * sizeof(*logits));
		return 0;
	}
	own = logits[label];
	for (int64_t j = 0; j < k; j++) {
		sum += exp(logits[j] - own);
		best &= j < label ? logits[j] < own : logits[j] <= own;
	}
	*right += best;
	for (int64_t j = 0; j < k; j++)
		logits[j] = (exp(logits[j] - own) / sum - (j == label)) / (double)rows;
	return log(sum);
}

static int64_t
head_scratch(int64_t rows, int64_t in, int64_t units)
{
	return THREADS * product_scratch(most(in, most(units, rows)), BLOCK_COLS, NARROW);
}

/* The loss of a dense layer, made CHUNK rows at a time. Few labels, so that some rows are right. */
static void
check_head(int64_t rows, int64_t in, int64_t units, int64_t chunk)
{
	int64_t nx = rows * in, nw = in * units, scratch = head_scratch(chunk, in, units);
	int64_t bytes = scratch * (int64_t)sizeof(real);
	elem *x = filled(nx), *w = filled(nw), *bias = filled(units);
	real loss, accuracy, alone;
	elem *dx = fresh(nx), *dw = fresh(nw), *db = fresh(units);
	real *work = scratch_of(scratch + (head_sums(chunk) + chunk * units * (int64_t)sizeof(elem)) /
	    (int64_t)sizeof(real) + 1);
	double *t = calloc((size_t)(rows * units), sizeof(*t)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw)), *tb = calloc((size_t)units, sizeof(*tb));
	double sum = 0, right = 0;
	struct label_terms terms;
	int32_t *label = malloc((size_t)rows * sizeof(*label));
	char name[100];

	snprintf(name, sizeof(name), "rows %d, in %d, units %d, %d at a time", (int)rows, (int)in,
	    (int)units, (int)chunk);
	for (int64_t i = 0; i < rows; i++)
		label[i] = i % 7 == 3 ? -1 : (int32_t)draw(units < 4 ? units : 4);
	for (int64_t i = 0; i < rows * units; i++)
		t[i] = VALUE(bias[i % units]);
	naive_product(t, x, in, 1, w, 1, in, rows, units, in);
	for (int64_t i = 0; NARROW && i < rows * units; i++)
		t[i] = VALUE(ELEM((real)t[i]));		/* as they are stored */
	for (int64_t r = 0; r < rows; r++) {
		sum += naive_loss(t + r * units, units, label[r], rows, &right) / (double)rows;
		for (int64_t j = 0; j < units; j++) {
			tb[j] += t[r * units + j];
			for (int64_t i = 0; i < in; i++) {
				tx[r * in + i] += t[r * units + j] * VALUE(w[j * in + i]);
				tw[j * in + i] += t[r * units + j] * VALUE(x[r * in + i]);
			}
		}
	}
	right /= (double)rows;
	terms = label_terms(label, -1, NULL, NULL, 1, NULL, 0, (real)units);
	TEAM(dense_cross_entropy_forward(&loss, &accuracy, dx, dw, db, x, w, bias, terms, work, bytes, rows,
	    in, units, chunk, NULL));
	compare_number("loss", name, loss, sum);
	compare_number("accuracy", name, accuracy, right);
	compare_rounded(3, "loss, input", name, dx, tx, nx);
	compare_rounded(3, "loss, weights", name, dw, tw, nw);
	compare_rounded(3, "loss, bias", name, db, tb, units);
	TEAM(dense_cross_entropy_forward(&alone, NULL, NULL, NULL, NULL, x, w, bias, terms, work, bytes,
	    rows, in, units, chunk, NULL));
	compare_number("loss alone", name, alone, sum);
	free(x), free(w), free(bias), free(dx), free(dw), free(db), free(work);
	free(t), free(tx), free(tw), free(tb), free(label);
}

static void
naive_local(const struct local *s, int64_t b, char make, double *sum, const elem *one,
    const elem *two)
{
	for (int64_t n = 0; n < b; n++)
	for (int f = 0; f < s->f; f++)
	for (int p = 0; p < s->oh * s->ow; p++)
	for (int k = 0; k < s->c * s->kh * s->kw; k++) {
		int c = k / (s->kh * s->kw), iy = p / s->ow * s->sy + k / s->kw % s->kh;
		int64_t y = (n * s->f + f) * s->oh * s->ow + p;
		int64_t x = ((n * s->c + c) * s->h + iy) * s->w + p % s->ow * s->sx + k % s->kw;
		int64_t w = ((int64_t)p * s->f + f) * s->c * s->kh * s->kw + k;

		if (make == 'y')
			sum[y] += (double)VALUE(one[x]) * VALUE(two[w]);
		else if (make == 'x')
			sum[x] += (double)VALUE(one[y]) * VALUE(two[w]);
		else
			sum[w] += (double)VALUE(one[y]) * VALUE(two[x]);
	}
}

static void
check_local(struct local s, int64_t b)
{
	int64_t depth = (int64_t)s.c * s.kh * s.kw, plane = (int64_t)s.oh * s.ow;
	int64_t nx = b * s.c * s.h * s.w, ny = b * s.f * plane, nw = plane * s.f * depth;
	elem *x = filled(nx), *w = filled(nw), *dy = filled(ny), *bias = filled(s.f * plane);
	real *work;
	elem *y = fresh(ny), *dx = fresh(nx), *dw = fresh(nw);
	double *ty = calloc((size_t)ny, sizeof(*ty)), *tx = calloc((size_t)nx, sizeof(*tx));
	double *tw = calloc((size_t)nw, sizeof(*tw));
	char name[100];

	snprintf(name, sizeof(name), "b %d, %dx%dx%d to %dx%dx%d, kernel %dx%d", (int)b, s.c, s.h,
	    s.w, s.f, s.oh, s.ow, s.kh, s.kw);
	for (int64_t i = 0; i < ny; i++)
		ty[i] = VALUE(bias[i % (s.f * plane)]);
	naive_local(&s, b, 'y', ty, x, w);
	naive_local(&s, b, 'x', tx, dy, w);
	naive_local(&s, b, 'w', tw, dy, x);
	work = scratch_of(THREADS * product_scratch(depth, b, NARROW));
	TEAM(local_forward(y, x, w, bias, work, b, s));
	compare("local", name, y, ty, ny);
	free(work);
	TEAM(local_backward_input(dx, dy, w, ANEW, NULL, b, s));
	compare("local, input", name, dx, tx, nx);
	TEAM(local_backward_input(dx, dy, w, ONTO(ADDED), NULL, b, s));
	compare_added("local, input", name, dx, tx, nx);
	work = scratch_of(THREADS * product_scratch(b, depth, NARROW));
	TEAM(local_backward_weight(dw, dy, x, ANEW, work, b, s));
	compare("local, weights", name, dw, tw, nw);
	TEAM(local_backward_weight(dw, dy, x, ONTO(ADDED), work, b, s));
	compare_added("local, weights", name, dw, tw, nw);
	free(x), free(w), free(dy), free(bias), free(work), free(y), free(dx), free(dw);
	free(ty), free(tx), free(tw);
}

static void
concats(void)
{
	static const int two[] = { 3, 5, 0 }, wide[] = { 70, 60, 0 };
	static const int three[] = { 1, 40, 23, 0 }, eight[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0 };

	for (unsigned crops = 0; crops < 4; crops++) {
		check_concat(shaped(8, 12, 11, 6, 3, 1, 1, 1, 1), 3, two, crops);
		check_concat(shaped(8, 33, 40, 17, 3, 1, 0, 1, 1), 2, two, crops);
		check_concat(shaped(130, 9, 9, 20, 3, 2, 1, 1, 1), 2, wide, crops);
		check_concat(shaped(64, 17, 13, 30, 2, 3, 0, 2, 1), 2, three, crops);
		check_concat(shaped(64, 16, 16, 96, 5, 1, 2, 1, 1), 2, three, crops | 4);
	}
	check_concat(shaped(8, 12, 11, 6, 1, 1, 0, 1, 1), 3, two, 0);
	check_concat(shaped(130, 16, 16, 40, 1, 1, 0, 1, 1), 2, wide, 0);
	check_concat(shaped(36, 10, 10, 9, 3, 1, 1, 1, 1), 1, eight, 0xa5);
	check_concat(shaped(130, 40, 40, 130, 3, 1, 1, 1, 1), 1, wide, 1);
}

int
main(void)
{
	team_open(THREADS, false);
	fixed_convs();
	random_convs(40);
	concats();
	check_dense(1, 1, 1);
	check_dense(64, 400, 120);
	check_dense(7, 33, 10);
	check_dense(130, 70, 300);
	check_dense(3, 900, 500);
	check_dense(700, 200, 1030);	/* the columns in two goes, by rows; */
	check_dense(2600, 40, 300);	/* the sum of the weights' gradient */
	check_nan();
	check_head(1, 1, 1, 1);
	check_head(64, 20, 10, 64);
	check_head(65, 33, 70, 16);
	check_head(130, 70, 301, 37);
	check_head(9, 5, 1000, 1);
	check_local((struct local){ 4, 1, 60, 1, 1, 60, 1, 1, 1, 1 }, 5);
	check_local((struct local){ 3, 9, 8, 5, 4, 6, 3, 3, 2, 1 }, 3);
	check_local((struct local){ 50, 4, 5, 17, 2, 2, 3, 3, 1, 2 }, 37);
	check_local((struct local){ 2, 5, 5, 2, 2, 2, 1, 2, 3, 3 }, 400);
	return failures != 0;
}
