/*
 * copy/upsample.cu - nearest neighbours, of [b, planes, h, w], or with _last of [b, h, w,
 * channels].
 */
#ifndef STOWAGE_COPY_UPSAMPLE_CU
#define STOWAGE_COPY_UPSAMPLE_CU

#include "copy/resize.cu"

struct upsample {
	int64_t oh, ow, ih, iw;	/* height and width of the output, and of the input */
};

/* out[y, x] = in[y * ih / oh, x * iw / ow], rounded down */
KERNEL(upsample_kernel, (elem *out, const elem *in, int64_t planes, struct upsample u))
{
	EACH_PLACE (p, y, x, planes, u.oh, u.ow)
		out[(p * u.oh + y) * u.ow + x] =
		    in[(p * u.ih + y * u.ih / u.oh) * u.iw + x * u.iw / u.ow];
}

/* Twice as wide, the commonest case: a thread writes both copies. */
KERNEL(upsample_double_kernel, (elem *out, const elem *in, int64_t planes, struct upsample u))
{
	EACH_PLACE (p, y, x, planes, u.oh, u.iw) {
		elem v = in[(p * u.ih + y * u.ih / u.oh) * u.iw + x];
		elem *to = out + ((p * u.oh + y) * u.iw + x) * 2;

		to[0] = v;
		to[1] = v;
	}
}

static void
upsample_forward(elem *out, const elem *in, int64_t b, int64_t planes, struct upsample u)
{
	if (u.ow == 2 * u.iw)
		LAUNCH(upsample_double_kernel, b * planes * u.oh * u.iw, (out, in, b * planes, u));
	else
		LAUNCH(upsample_kernel, b * planes * u.oh * u.ow, (out, in, b * planes, u));
}

/* Each input gathers from the block of outputs that show it. */
KERNEL(upsample_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    struct upsample u))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, u.ih, u.iw) {
		int64_t y0 = (y * u.oh + u.ih - 1) / u.ih, y1 = ((y + 1) * u.oh + u.ih - 1) / u.ih;
		int64_t x0 = (x * u.ow + u.iw - 1) / u.iw, x1 = ((x + 1) * u.ow + u.iw - 1) / u.iw;
		real sum = 0;

		for (int64_t oy = y0; oy < y1; oy++)
			for (int64_t ox = x0; ox < x1; ox++)
				sum += VALUE(dy[(p * u.oh + oy) * u.ow + ox]);
		onto_store(&dx[(p * u.ih + y) * u.iw + x], sum, keep);
	}
}

KERNEL(upsample_double_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t planes,
    struct upsample u))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, u.ih, u.iw) {
		int64_t y0 = (y * u.oh + u.ih - 1) / u.ih, y1 = ((y + 1) * u.oh + u.ih - 1) / u.ih;
		real sum = 0;

		for (int64_t oy = y0; oy < y1; oy++) {
			const elem *from = dy + ((p * u.oh + oy) * u.iw + x) * 2;

			sum += VALUE(from[0]);
			sum += VALUE(from[1]);
		}
		onto_store(&dx[(p * u.ih + y) * u.iw + x], sum, keep);
	}
}

static void
upsample_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t planes,
    struct upsample u)
{
	if (u.ow == 2 * u.iw)
		LAUNCH(upsample_double_grad_kernel, b * planes * u.ih * u.iw,
		    (dx, dy, onto, b * planes, u));
	else
		LAUNCH(upsample_grad_kernel, b * planes * u.ih * u.iw,
		    (dx, dy, onto, b * planes, u));
}

/* ---- channels-last ---- */

KERNEL(upsample_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels,
    struct upsample u))
{
	ROWS (r, b * u.oh) {
		const elem *row = in + (r / u.oh * u.ih + r % u.oh * u.ih / u.oh) * u.iw * channels;

		PLACES (x, c, u.ow, channels)
			out[(r * u.ow + x) * channels + c] = row[x * u.iw / u.ow * channels + c];
	}
}

static void
upsample_last_forward(elem *out, const elem *in, int64_t b, int64_t channels, struct upsample u)
{
	LAUNCH_ROWS(upsample_last_kernel, b * u.oh, (out, in, b, channels, u));
}

KERNEL(upsample_last_grad_kernel, (elem *dx, const elem *dy, struct onto onto, int64_t b,
    int64_t channels, struct upsample u))
{
	real keep = onto_keep(onto);

	ROWS (r, b * u.ih) {
		int64_t y = r % u.ih, image = r / u.ih * u.oh;
		int64_t y0 = (y * u.oh + u.ih - 1) / u.ih, y1 = ((y + 1) * u.oh + u.ih - 1) / u.ih;

		PLACES (x, c, u.iw, channels) {
			int64_t x0 = (x * u.ow + u.iw - 1) / u.iw;
			int64_t x1 = ((x + 1) * u.ow + u.iw - 1) / u.iw;
			real sum = 0;

			for (int64_t oy = y0; oy < y1; oy++)
				for (int64_t ox = x0; ox < x1; ox++)
					sum += VALUE(dy[((image + oy) * u.ow + ox) * channels + c]);
			onto_store(&dx[(r * u.iw + x) * channels + c], sum, keep);
		}
	}
}

static void
upsample_last_backward(elem *dx, const elem *dy, struct onto onto, int64_t b, int64_t channels,
    struct upsample u)
{
	LAUNCH_ROWS(upsample_last_grad_kernel, b * u.ih, (dx, dy, onto, b, channels, u));
}

#endif
