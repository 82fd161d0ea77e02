/* Convolutions, transposed and of parts too, against naive loops. */
#ifndef STOWAGE_TESTS_CONVS_H
#define STOWAGE_TESTS_CONVS_H

#include "compare.h"
#include "shapes.h"

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

#endif
