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
#include "convs.h"
#include "denses.h"

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
