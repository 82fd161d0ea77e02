/*
 * conv/local.cu - locally connected layers: a convolution without weight sharing.
 *
 *     y[b,f,p] = bias[f,p] + sum over k of w[p,f,k] x[b, window(p), k],   k = (c, ky, kx)
 *
 * Direct kernels: nothing is unrolled, repeated for a position, or kept for backward but x. In C
 * each position is a small product (product/gemm_c.cu) of its weights with the windows of all
 * samples, so the weights, which dwarf everything else, are read once.
 */
#ifndef STOWAGE_CONV_LOCAL_CU
#define STOWAGE_CONV_LOCAL_CU

#include "kernel.h"
#include "sizes.h"

struct local {
	int c, h, w;		/* input: channels, height, width */
	int f, oh, ow;		/* output: filters, height, width */
	int kh, kw;		/* kernel, */
	int sy, sx;		/* stride, down and to the right */
};

#ifdef __CUDACC__
#include "conv/local_cuda.cu"
#else
#include "conv/local_c.cu"
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

#endif

#endif
