/*
 * conv/depthwise_last.cu - convolutions with one input channel to a group, of images that lie
 * channels-last. Neighbours are channels, which have nothing to do with each other but the taps
 * that they meet: a thread takes one of a place, on either target. Weights lie as ever, [f, kh,
 * kw], since a filter has one channel.
 *
 * The gradient of the weights is a sum over all places for each channel and tap. Channels are
 * summed side by side, the places in parts (sizes.h) that a second kernel adds up in order.
 */
#ifndef STOWAGE_CONV_DEPTHWISE_LAST_CU
#define STOWAGE_CONV_DEPTHWISE_LAST_CU

#include "kernel.h"
#include "sizes.h"

KERNEL(depthwise_last_kernel, (elem *y, const elem *x, const elem *w, const elem *bias,
    struct onto onto, int64_t b, struct conv s))
{
	int fg = s.f / s.groups;
	real keep = onto_keep(onto);

	ROWS (r, b * s.oh) {
		const elem *image = x + r / s.oh * s.h * s.w * s.c;
		int top = (int)(r % s.oh) * s.sy - s.top;

		PLACES (q, f, s.ow, s.f) {
			int left = (int)q * s.sx - s.left, c = fg == 1 ? (int)f : (int)f / fg;
			const elem *taps = w + f * s.kh * s.kw;
			real sum = bias ? VALUE(bias[f]) : 0;

			for (int ky = 0; ky < s.kh; ky++)
				for (int kx = 0; kx < s.kw; kx++) {
					int iy = top + ky * s.dy, ix = left + kx * s.dx;

					if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w)
						sum += VALUE(taps[ky * s.kw + kx]) *
						    VALUE(image[((int64_t)iy * s.w + ix) * s.c + c]);
				}
			onto_store(&y[(r * s.ow + q) * s.f + f], sum, keep);
		}
	}
}

KERNEL(depthwise_last_input_kernel, (elem *dx, const elem *dy, const elem *w, const elem *bias,
    struct onto onto, int64_t b, struct conv s))
{
	int fg = s.f / s.groups;
	real keep = onto_keep(onto);

	ROWS (r, b * s.h) {
		const elem *image = dy + r / s.h * s.oh * s.ow * s.f;
		int iy = (int)(r % s.h);

		PLACES (q, c, s.w, s.c) {
			real sum = bias ? VALUE(bias[c]) : 0;

			for (int64_t f = c * fg; f < (c + 1) * fg; f++)
				for (int ky = 0; ky < s.kh; ky++)
					for (int kx = 0; kx < s.kw; kx++) {
						int oy = iy + s.top - ky * s.dy;
						int ox = (int)q + s.left - kx * s.dx;

						if (oy < 0 || oy % s.sy || ox < 0 || ox % s.sx)
							continue;
						oy /= s.sy, ox /= s.sx;
						if (oy < s.oh && ox < s.ow)
							sum += VALUE(w[(f * s.kh + ky) * s.kw + kx]) *
							    VALUE(image[((int64_t)oy * s.ow + ox) *
							    s.f + f]);
					}
			onto_store(&dx[(r * s.w + q) * s.c + c], sum, keep);
		}
	}
}

/* Part P of the sums of a strip of filters under tap T: WORK has [part][tap][filter]. */
KERNEL(depthwise_last_weight_kernel, (real *work, const elem *dy, const elem *x, int64_t b,
    int64_t parts, struct conv s))
{
	int64_t strips = (s.f + STRIP - 1) / STRIP, rows = b * s.oh;
	int fg = s.f / s.groups, taps = s.kh * s.kw;

	ROWS (r, strips * taps * parts) {
		int64_t p = r % parts, first = r / parts % strips * STRIP;
		int64_t width = s.f - first < STRIP ? s.f - first : STRIP;
		int t = (int)(r / parts / strips), ky = t / s.kw, kx = t % s.kw;
		real sum[STRIP_LANES] = { 0 };

		for (int64_t i = PART_FROM(rows, p, parts); i < PART_FROM(rows, p + 1, parts); i++) {
			int64_t iy = i % s.oh * s.sy - s.top + ky * s.dy;
			const elem *row;

			if (iy < 0 || iy >= s.h)
				continue;
			row = x + (i / s.oh * s.h + iy) * s.w * s.c;
			for (int q = 0; q < s.ow; q++) {
				int64_t ix = q * s.sx - s.left + kx * s.dx;

				if (ix < 0 || ix >= s.w)
					continue;
				ALONG (j, width)
					sum[LANE(j)] += VALUE(dy[(i * s.ow + q) * s.f + first + j]) *
					    VALUE(row[ix * s.c + (fg == 1 ? first + j :
					    (first + j) / fg)]);
			}
		}
		ALONG (j, width)
			work[(p * taps + t) * s.f + first + j] = sum[LANE(j)];
	}
}

KERNEL(depthwise_last_sum_kernel, (elem *dw, const real *work, struct onto onto, int64_t parts,
    struct conv s))
{
	int64_t n = (int64_t)s.f * s.kh * s.kw;
	real keep = onto_keep(onto);

	EACH (i, n) {
		int64_t f = i / (s.kh * s.kw), t = i % (s.kh * s.kw);
		double sum = 0;

		for (int64_t p = 0; p < parts; p++)
			sum += work[(p * s.kh * s.kw + t) * s.f + f];
		onto_store(&dw[i], (real)sum, keep);
	}
}

static void
depthwise_last_forward(elem *y, const elem *x, const elem *w, const elem *bias, struct onto onto,
    int64_t b, struct conv s)
{
	LAUNCH_ROWS(depthwise_last_kernel, b * s.oh, (y, x, w, bias, onto, b, s));
}

static void
depthwise_last_backward_input(elem *dx, const elem *dy, const elem *w, const elem *bias,
    struct onto onto, int64_t b, struct conv s)
{
	LAUNCH_ROWS(depthwise_last_input_kernel, b * s.h, (dx, dy, w, bias, onto, b, s));
}

/* WORK: depthwise_last_sums() reals. */
static void
depthwise_last_backward_weight(elem *dw, const elem *dy, const elem *x, struct onto onto,
    void *work, int64_t b, struct conv s)
{
	int64_t strips = (s.f + STRIP - 1) / STRIP, n = (int64_t)s.f * s.kh * s.kw;
	int64_t parts = depthwise_last_parts(&s);

	LAUNCH_ROWS(depthwise_last_weight_kernel, strips * s.kh * s.kw * parts,
	    ((real *)work, dy, x, b, parts, s));
	LAUNCH(depthwise_last_sum_kernel, n, (dw, (const real *)work, onto, parts, s));
}

#endif
