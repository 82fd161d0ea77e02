/*
 * copy/upsample.cu - nearest neighbours, of [b, planes, h, w], or with _last of [b, h, w,
 * channels].
 */
#ifndef STOWAGE_COPY_UPSAMPLE_CU
#define STOWAGE_COPY_UPSAMPLE_CU

#include "kernel.h"

/* out[y, x] = in[y * ih / oh, x * iw / ow], rounded down */
KERNEL(upsample_kernel, (elem *out, const elem *in, int64_t planes, int64_t oh, int64_t ow,
    int64_t ih, int64_t iw))
{
	EACH_PLACE (p, y, x, planes, oh, ow)
		out[(p * oh + y) * ow + x] = in[(p * ih + y * ih / oh) * iw + x * iw / ow];
}

/* Twice as wide, the commonest case: a thread writes both copies. */
KERNEL(upsample_double_kernel, (elem *out, const elem *in, int64_t planes, int64_t oh, int64_t ih,
    int64_t iw))
{
	EACH_PLACE (p, y, x, planes, oh, iw) {
		elem v = in[(p * ih + y * ih / oh) * iw + x];
		elem *to = out + ((p * oh + y) * iw + x) * 2;

		to[0] = v;
		to[1] = v;
	}
}

static void
upsample_forward(elem *out, const elem *in, int64_t b, int64_t planes, int64_t oh, int64_t ow,
    int64_t ih, int64_t iw)
{
	if (ow == 2 * iw)
		LAUNCH(upsample_double_kernel, b * planes * oh * iw,
		    (out, in, b * planes, oh, ih, iw));
	else
		LAUNCH(upsample_kernel, b * planes * oh * ow,
		    (out, in, b * planes, oh, ow, ih, iw));
}

/* Each input gathers from the block of outputs that show it. */
KERNEL(upsample_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    int64_t oh, int64_t ow, int64_t ih, int64_t iw))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, ih, iw) {
		int64_t y0 = (y * oh + ih - 1) / ih, y1 = ((y + 1) * oh + ih - 1) / ih;
		int64_t x0 = (x * ow + iw - 1) / iw, x1 = ((x + 1) * ow + iw - 1) / iw;
		real sum = 0;

		for (int64_t oy = y0; oy < y1; oy++)
			for (int64_t ox = x0; ox < x1; ox++)
				sum += VALUE(dy[(p * oh + oy) * ow + ox]);
		onto_store(&dx[(p * ih + y) * iw + x], sum, keep);
	}
}

KERNEL(upsample_double_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    int64_t oh, int64_t ih, int64_t iw))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, ih, iw) {
		int64_t y0 = (y * oh + ih - 1) / ih, y1 = ((y + 1) * oh + ih - 1) / ih;
		real sum = 0;

		for (int64_t oy = y0; oy < y1; oy++) {
			const elem *from = dy + ((p * oh + oy) * iw + x) * 2;

			sum += VALUE(from[0]);
			sum += VALUE(from[1]);
		}
		onto_store(&dx[(p * ih + y) * iw + x], sum, keep);
	}
}

static void
upsample_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t planes, int64_t oh,
    int64_t ow, int64_t ih, int64_t iw)
{
	if (ow == 2 * iw)
		LAUNCH(upsample_double_grad_kernel, b * planes * ih * iw,
		    (dx, dy, onto, b * planes, oh, ih, iw));
	else
		LAUNCH(upsample_grad_kernel, b * planes * ih * iw,
		    (dx, dy, onto, b * planes, oh, ow, ih, iw));
}

/* ---- channels-last ---- */

KERNEL(upsample_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels, int64_t oh,
    int64_t ow, int64_t ih, int64_t iw))
{
	ROWS (r, b * oh) {
		const elem *row = in + (r / oh * ih + r % oh * ih / oh) * iw * channels;

		PLACES (x, c, ow, channels)
			out[(r * ow + x) * channels + c] = row[x * iw / ow * channels + c];
	}
}

static void
upsample_last_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t oh,
    int64_t ow, int64_t ih, int64_t iw)
{
	LAUNCH_ROWS(upsample_last_kernel, b * oh, (out, in, b, channels, oh, ow, ih, iw));
}

KERNEL(upsample_last_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t b,
    int64_t channels, int64_t oh, int64_t ow, int64_t ih, int64_t iw))
{
	real keep = onto_keep(onto);

	ROWS (r, b * ih) {
		int64_t y = r % ih, image = r / ih * oh;
		int64_t y0 = (y * oh + ih - 1) / ih, y1 = ((y + 1) * oh + ih - 1) / ih;

		PLACES (x, c, iw, channels) {
			int64_t x0 = (x * ow + iw - 1) / iw, x1 = ((x + 1) * ow + iw - 1) / iw;
			real sum = 0;

			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++)
					sum += VALUE(dy[((image + oy) * ow + ox) * channels + c]);
			onto_store(&dx[(r * iw + x) * channels + c], sum, keep);
		}
	}
}

static void
upsample_last_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels,
    int64_t oh, int64_t ow, int64_t ih, int64_t iw)
{
	LAUNCH_ROWS(upsample_last_grad_kernel, b * ih,
	    (dx, dy, onto, b, channels, oh, ow, ih, iw));
}

#endif
