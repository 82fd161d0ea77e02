/*
 * copy/rectangle.cu - pad and crop: a rectangle of each plane.
 */
#ifndef STOWAGE_COPY_RECTANGLE_CU
#define STOWAGE_COPY_RECTANGLE_CU

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

#endif
