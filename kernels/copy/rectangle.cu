/*
 * copy/rectangle.cu - pad and crop: a rectangle of each plane.
 */
#ifndef STOWAGE_COPY_RECTANGLE_CU
#define STOWAGE_COPY_RECTANGLE_CU

#include "kernel.h"

/* out[y, x] = in[y - top, x - left] where that exists, else VALUE. Pad has top, left >= 0, crop
 * <= 0; each is the other's gradient. */
struct rectangle {
	int64_t oh, ow, ih, iw;	/* planes of the output, and of the input */
	int64_t top, left;
};

KERNEL(rectangle_copy_kernel, (elem *out, const elem *in, int64_t planes, struct rectangle r,
    real value))
{
	EACH_PLACE (p, y, x, planes, r.oh, r.ow) {
		int64_t iy = y - r.top, ix = x - r.left;
		bool there = iy >= 0 && iy < r.ih && ix >= 0 && ix < r.iw;

		out[(p * r.oh + y) * r.ow + x] = there ? in[(p * r.ih + iy) * r.iw + ix] :
		    ELEM(value);
	}
}

/* The same, added to what is to be kept of OUT: where IN is not, nothing is. */
KERNEL(rectangle_add_kernel, (elem *out, const elem *in, struct onto onto, int64_t planes,
    struct rectangle r))
{
	real keep = onto_keep(onto);

	EACH_PLACE (p, y, x, planes, r.oh, r.ow) {
		int64_t iy = y - r.top, ix = x - r.left;
		bool there = iy >= 0 && iy < r.ih && ix >= 0 && ix < r.iw;

		onto_store(&out[(p * r.oh + y) * r.ow + x],
		    there ? VALUE(in[(p * r.ih + iy) * r.iw + ix]) : 0, keep);
	}
}

static void
rectangle_add(elem *out, const elem *in, struct onto onto, int64_t b, int64_t planes,
    struct rectangle r)
{
	LAUNCH(rectangle_add_kernel, b * planes * r.oh * r.ow, (out, in, onto, b * planes, r));
}

static void
rectangle_copy(elem *out, const elem *in, int64_t b, int64_t planes, struct rectangle r,
    real value)
{
	LAUNCH(rectangle_copy_kernel, b * planes * r.oh * r.ow, (out, in, b * planes, r, value));
}

#endif
