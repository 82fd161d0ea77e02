/*
 * conv/local_cuda.cu - locally connected layers on CUDA: a thread takes an element.
 */
#ifndef STOWAGE_CONV_LOCAL_CUDA_CU
#define STOWAGE_CONV_LOCAL_CUDA_CU

#include "kernel.h"

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

#endif
