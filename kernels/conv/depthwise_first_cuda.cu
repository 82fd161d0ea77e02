/*
 * conv/depthwise_first_cuda.cu - convolutions with one input channel to a group, of images whose
 * channels come first: a thread makes an element of the output, or of the input's gradient, and a
 * block one of the weight's. Sums over a window are too short for a product with tiles.
 */
#ifndef STOWAGE_CONV_DEPTHWISE_FIRST_CUDA_CU
#define STOWAGE_CONV_DEPTHWISE_FIRST_CUDA_CU

#include "kernel.h"
#include "sizes.h"

KERNEL(depthwise_forward_kernel, (elem *y, const elem *x, const elem *w, const elem *bias,
    struct onto onto, int64_t n, struct conv s))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		int ox = (int)(i % s.ow), oy = (int)(i / s.ow % s.oh);
		int64_t plane = i / ((int64_t)s.ow * s.oh), f = plane % s.f;
		const elem *from = x + (plane / s.f * s.c + f / (s.f / s.groups)) * s.h * s.w;
		real sum = bias ? VALUE(bias[f]) : 0;

		for (int ky = 0; ky < s.kh; ky++)
			for (int kx = 0; kx < s.kw; kx++) {
				int iy = oy * s.sy - s.top + ky * s.dy;
				int ix = ox * s.sx - s.left + kx * s.dx;

				if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
					sum += VALUE(w[(f * s.kh + ky) * s.kw + kx]) *
					    VALUE(from[(int64_t)iy * s.w + ix]);
			}
		onto_store(&y[i], sum, keep);
	}
}

KERNEL(depthwise_input_kernel, (elem *dx, const elem *dy, const elem *w, const elem *bias,
    struct onto onto, int64_t n, struct conv s))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		int ix = (int)(i % s.w), iy = (int)(i / s.w % s.h), fg = s.f / s.groups;
		int64_t plane = i / ((int64_t)s.w * s.h), c = plane % s.c;
		real sum = bias ? VALUE(bias[c]) : 0;

		for (int64_t f = c * fg; f < (c + 1) * fg; f++)
			for (int ky = 0; ky < s.kh; ky++)
				for (int kx = 0; kx < s.kw; kx++) {
					int oy = iy + s.top - ky * s.dy, ox = ix + s.left - kx * s.dx;

					if (oy < 0 || oy % s.sy || ox < 0 || ox % s.sx)
						continue;
					oy /= s.sy, ox /= s.sx;
					if (oy < s.oh && ox < s.ow)
						sum += VALUE(w[(f * s.kh + ky) * s.kw + kx]) *
						    VALUE(dy[((plane / s.c * s.f + f) * s.oh + oy) *
						    s.ow + ox]);
				}
		onto_store(&dx[i], sum, keep);
	}
}

KERNEL(depthwise_weight_kernel, (elem *dw, const elem *dy, const elem *x, struct onto onto,
    int64_t b, struct conv s))
{
	real keep = onto_keep(onto);

	ROWS (r, (int64_t)s.f * s.kh * s.kw) {
		int kx = (int)(r % s.kw), ky = (int)(r / s.kw % s.kh), positions = s.oh * s.ow;
		int64_t f = r / ((int64_t)s.kw * s.kh);
		double sum = 0;

		ALONG (j, b * positions) {
			int q = (int)(j % positions);
			int iy = q / s.ow * s.sy - s.top + ky * s.dy;
			int ix = q % s.ow * s.sx - s.left + kx * s.dx;

			if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
				sum += (double)VALUE(dy[(j / positions * s.f + f) * positions + q]) *
				    VALUE(x[((j / positions * s.c + f / (s.f / s.groups)) * s.h +
				    iy) * s.w + ix]);
		}
		sum = ROW_SUM(sum);
		FIRST
			onto_store(&dw[r], (real)sum, keep);
	}
}

#endif
