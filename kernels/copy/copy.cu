/*
 * copy/copy.cu - moving elements without arithmetic: pad, crop, concat, upsample, cast.
 */
#include "kernel.h"

/* out[y, x] = in[y - top, x - left] where that exists, else VALUE. Pad has top, left >= 0, crop
 * <= 0; each is the other's gradient. */
KERNEL(window_copy_kernel, (elem *out, const elem *in, int64_t planes, int64_t oh, int64_t ow,
    int64_t ih, int64_t iw, int64_t top, int64_t left, real value))
{
	EACH_PLACE (p, y, x, planes, oh, ow) {
		int64_t iy = y - top, ix = x - left;
		bool there = iy >= 0 && iy < ih && ix >= 0 && ix < iw;

		out[(p * oh + y) * ow + x] = there ? in[(p * ih + iy) * iw + ix] :
		    ELEM(value);
	}
}

/* The same, added to what is to be kept of OUT: where IN is not, nothing is. */
KERNEL(window_add_kernel, (elem *out, const elem *in, struct onto onto, int64_t planes, int64_t oh,
    int64_t ow, int64_t ih, int64_t iw, int64_t top, int64_t left))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, oh, ow) {
		int64_t iy = y - top, ix = x - left;
		bool there = iy >= 0 && iy < ih && ix >= 0 && ix < iw;

		onto_store(&out[(p * oh + y) * ow + x],
		    there ? VALUE(in[(p * ih + iy) * iw + ix]) : 0, keep);
	}
}

static void
window_add(elem *out, const elem *in, struct onto onto, int64_t b, int64_t planes, int64_t oh,
    int64_t ow, int64_t ih, int64_t iw, int64_t top, int64_t left)
{
	LAUNCH(window_add_kernel, b * planes * oh * ow,
	    (out, in, onto, b * planes, oh, ow, ih, iw, top, left));
}

static void
window_copy(elem *out, const elem *in, int64_t b, int64_t planes, int64_t oh, int64_t ow,
    int64_t ih, int64_t iw, int64_t top, int64_t left, real value)
{
	LAUNCH(window_copy_kernel, b * planes * oh * ow,
	    (out, in, b * planes, oh, ow, ih, iw, top, left, value));
}

#define CONCAT_CHUNK	4096
#define CONCAT_SHORT	1024	/* rows shorter than this are taken together */

/* ROWS pieces of N elements, from places FROM_PITCH apart to places TO_PITCH apart. */
KERNEL(concat_kernel, (elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch,
    int64_t rows, int64_t n))
{
	int64_t chunks = (n + CONCAT_CHUNK - 1) / CONCAT_CHUNK;

	ROWS (r, rows * chunks) {
		int64_t row = r / chunks, at = r % chunks * CONCAT_CHUNK;
		int64_t count = n - at < CONCAT_CHUNK ? n - at : CONCAT_CHUNK;
		const elem *f = from + row * from_pitch + at;
		elem *t = to + row * to_pitch + at;

		ALONG_EACH (j, count)
			t[j] = f[j];
	}
}

/* The same of rows that are too short for a block of threads each. */
KERNEL(concat_short_kernel, (elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch,
    int64_t rows, int64_t n))
{
	EACH_PLACE (r, one, j, rows, 1, n)
		to[(r + one) * to_pitch + j] = from[(r + one) * from_pitch + j];
}

static void
concat_copy(elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch, int64_t rows,
    int64_t n)
{
	if (n < CONCAT_SHORT)
		LAUNCH(concat_short_kernel, rows * n, (to, to_pitch, from, from_pitch, rows, n));
	else
		LAUNCH_ROWS(concat_kernel, rows * ((n + CONCAT_CHUNK - 1) / CONCAT_CHUNK),
		    (to, to_pitch, from, from_pitch, rows, n));
}

/* One operand of concat: its rows of N elements, at OFFSET in rows of PITCH elements. */
static void
concat_forward(elem *out, const elem *in, int64_t rows, int64_t pitch, int64_t offset, int64_t n)
{
	concat_copy(out + offset, pitch, in, n, rows, n);
}

static void
concat_backward(elem *dx, const elem *dy, int64_t rows, int64_t pitch, int64_t offset, int64_t n)
{
	concat_copy(dx, n, dy + offset, pitch, rows, n);
}

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

/* ---- upsample of [b, h, w, channels] ---- */

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

KERNEL(cast_u8_kernel, (elem *y, const uint8_t *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM((real)x[i]);
}

static void
cast_u8(elem *y, const uint8_t *x, int64_t n)
{
	LAUNCH(cast_u8_kernel, n, (y, x, n));
}

KERNEL(cast_i32_kernel, (elem *y, const int32_t *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM((real)x[i]);
}

static void
cast_i32(elem *y, const int32_t *x, int64_t n)
{
	LAUNCH(cast_i32_kernel, n, (y, x, n));
}
