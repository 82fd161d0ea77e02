/*
 * boxes/anchors.cu - the same few boxes about each place of a map, place by place, row by row.
 */
#include "kernel.h"
#include "sizes.h"

struct anchors {
	int64_t height, width, shapes;
	real down, right;	/* from place to place */
	real x[ANCHOR_SHAPES], y[ANCHOR_SHAPES];	/* half the extents */
};

KERNEL(anchors_kernel, (elem *boxes, struct anchors k))
{
	EACH (i, k.height * k.width * k.shapes) {
		int64_t place = quotient(i, k.shapes), row = quotient(place, k.width), shape = i - place * k.shapes;
		real x = k.right * (real)(place - row * k.width), y = k.down * (real)row;

		boxes[4 * i] = ELEM(x - k.x[shape]);
		boxes[4 * i + 1] = ELEM(y - k.y[shape]);
		boxes[4 * i + 2] = ELEM(x + k.x[shape]);
		boxes[4 * i + 3] = ELEM(y + k.y[shape]);
	}
}

static void
anchors(elem *boxes, struct anchors k)
{
	LAUNCH(anchors_kernel, k.height * k.width * k.shapes, (boxes, k));
}
