/*
 * boxes/box.cu - boxes of two corners, [x1, y1, x2, y2], and what two of them share. Which overlaps
 * are equal is asked, so one must be the same number wherever it is computed, whether or not a
 * compiler fuses products with sums: of floats products are exact in double; elsewhere they are
 * rounded before they are summed.
 */
#ifndef STOWAGE_BOXES_BOX_CU
#define STOWAGE_BOXES_BOX_CU

#include "kernel.h"

struct box {
	real x1, y1, x2, y2;
};

DEVICE struct box
box_at(const elem *boxes, int64_t i)
{
	struct box b = { VALUE(boxes[4 * i]), VALUE(boxes[4 * i + 1]), VALUE(boxes[4 * i + 2]),
	    VALUE(boxes[4 * i + 3]) };

	return b;
}

/* A box without an area, or with a corner that is no number, is none. */
DEVICE bool
box_is_some(struct box b)
{
	return b.x2 > b.x1 && b.y2 > b.y1;
}

#ifdef __CUDACC__
typedef real box_area;
#ifdef USE_DOUBLE
#define BOX_PRODUCT(a, b)	__dmul_rn(a, b)
#else
#define BOX_PRODUCT(a, b)	__fmul_rn(a, b)
#endif
#else
typedef double box_area;
#ifdef USE_DOUBLE
APART double
box_product(double a, double b)
{
	return a * b;
}
#define BOX_PRODUCT(a, b)	box_product(a, b)
#else
#define BOX_PRODUCT(a, b)	((double)(a) * (double)(b))
#endif
#endif

/* Intersection over union, as torchvision's box_iou(); what is no number is no overlap. */
DEVICE real
box_iou(struct box a, struct box b)
{
	real w = (a.x2 < b.x2 ? a.x2 : b.x2) - (a.x1 > b.x1 ? a.x1 : b.x1);
	real h = (a.y2 < b.y2 ? a.y2 : b.y2) - (a.y1 > b.y1 ? a.y1 : b.y1);
	box_area both = w > 0 && h > 0 ? BOX_PRODUCT(w, h) : 0;
	box_area all = BOX_PRODUCT(a.x2 - a.x1, a.y2 - a.y1) + BOX_PRODUCT(b.x2 - b.x1, b.y2 - b.y1) - both;
	real iou = (real)(both / all);

	return iou > 0 ? iou : 0;
}

#endif
