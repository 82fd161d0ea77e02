/*
 * What detectors do with boxes. ONNX has RoiAlign, MaxRoiPool and NonMaxSuppression, which take
 * lists of boxes of all pictures and say nothing of what is no box: so those that are some are
 * listed, with the number of their picture, by NonZero, and what is made of them is put where they
 * stood, among zeros.
 *
 *     boxes [B, n, 4]  some [B, n]  ->  at [m, 2]: picture, place  ->  [m, ...]  ->  [B, n, ...]
 */
#include "export/exporter.h"

#include <math.h>

#include "calls/sizes.h"
#include "ops/anchors.h"
#include "ops/shapes.h"

/* ---- boxes that are known ---- */

static void
anchors(struct exporter *x, const struct node *n)
{
	const struct attr *size = op_attr(n, "map"), *stride = op_attr(n, "stride");
	double across[ANCHOR_SHAPES], down[ANCHOR_SHAPES];
	int64_t each = anchor_shapes(n, across, down), boxes = size->v[0] * size->v[1] * each, i;
	double *v = arena_array(x->arena, (size_t)(4 * boxes), sizeof(*v));

	for (i = 0; i < boxes; i++) {
		int64_t shape = i % each, column = i / each % size->v[1], row = i / each / size->v[1];
		double right = (double)(column * stride->v[1]), below = (double)(row * stride->v[0]);

		v[4 * i] = right - across[shape];
		v[4 * i + 1] = below - down[shape];
		v[4 * i + 2] = right + across[shape];
		v[4 * i + 3] = below + down[shape];
	}
	result(x, n->out[0], reals_constant(x, 2, n->out[0]->dim, v));
}

EXPORT_OP_ROW(anchors, .write = anchors, .apart = true);

/* ---- which are some ---- */

/* The corners, each without the last axis, and extents. */
struct boxes {
	const char *all, *x1, *y1, *x2, *y2, *wide, *high;
	const char *some;	/* has it an area? Of no number nothing is greater */
};

static const char *
corner(struct exporter *x, const char *boxes, int32_t which)
{
	return make(x, "Gather", IN(boxes, places_constant(x, 0, NULL, &which)), AS(attr_is_int("axis", -1)));
}

static struct boxes
boxes_of(struct exporter *x, const char *all)
{
	struct boxes b = { .all = all, .x1 = corner(x, all, 0), .y1 = corner(x, all, 1), .x2 = corner(x, all, 2),
		.y2 = corner(x, all, 3) };

	b.wide = two(x, "Sub", b.x2, b.x1);
	b.high = two(x, "Sub", b.y2, b.y1);
	b.some = two(x, "And", two(x, "Greater", b.x2, b.x1), two(x, "Greater", b.y2, b.y1));
	return b;
}

/* Those of which RoiAlign can make something. */
static const char *
not_endless(struct exporter *x, const struct boxes *b)
{
	const char *most = real_constant(x, 1e8);

	return two(x, "And", b->some, two(x, "And", two(x, "Less", b->wide, most), two(x, "Less", b->high, most)));
}

struct listed {
	const char *at;		/* [m, 2], int64 */
	const char *picture;	/* [m] */
	const char *boxes;	/* [m, 4] */
};

static struct listed
listed(struct exporter *x, const struct boxes *b, const char *which)
{
	struct listed l = { .at = transposed(x, one(x, "NonZero", which), 2, (int64_t[]){ 1, 0 }) };
	const int32_t first = 0;

	l.picture = make(x, "Gather", IN(l.at, places_constant(x, 0, NULL, &first)), AS(attr_is_int("axis", 1)));
	l.boxes = two(x, "GatherND", b->all, l.at);
	return l;
}

/* ---- what they see of a map ---- */

static const char *
seen(struct exporter *x, const struct node *n, const char *map, const struct listed *l, const char *map_number, double scale,
    bool aligned)
{
	const struct attr *size = op_attr(n, "size");

	return make(x, "RoiAlign", IN(map, l->boxes, map_number), AS(
	    attr_is_text("coordinate_transformation_mode", aligned ? "half_pixel" : "output_half_pixel"),
	    attr_is_int("output_height", size->v[0]), attr_is_int("output_width", size->v[1]),
	    attr_is_int("sampling_ratio", op_int(n, "points")), attr_is_real("spatial_scale", scale)));
}

/* How many times the map has been halved that each box is seen in. */
static const char *
levels(struct exporter *x, const struct node *n, const struct boxes *b)
{
	const struct attr *scale = op_attr(n, "scale");
	const char *v = one(x, "Sqrt", two(x, "Mul", b->wide, b->high));

	v = one(x, "Log", two(x, "Div", v, real_constant(x, op_real(n, "canonical"))));
	v = two(x, "Add", two(x, "Mul", v, real_constant(x, 1 / log(2))), real_constant(x, 4));
	v = one(x, "Floor", two(x, "Add", v, real_constant(x, 1e-6)));
	return make(x, "Clip", IN(v, real_constant(x, -round(log2(scale->real[0]))),
	    real_constant(x, -round(log2(scale->real[scale->n - 1])))), AS_IS);
}

static void
roi_align(struct exporter *x, const struct node *n)
{
	const struct attr *scale = op_attr(n, "scale");
	const struct tensor *y = n->out[0];
	struct boxes b = boxes_of(x, value_of(x, n->in[0]));
	const char *some = not_endless(x, &b), *level = n->nin > 2 ? levels(x, n, &b) : NULL;
	const char *v = for_each_sample(x, real_constant(x, 0), y->rank, y->dim);
	int k;

	for (k = 1; k < n->nin; k++) {
		const char *here = level ? two(x, "And", some, two(x, "Equal", level,
		    real_constant(x, -round(log2(scale->real[k - 1]))))) : some;
		struct listed l = listed(x, &b, here);

		v = make(x, "ScatterND", IN(v, l.at, seen(x, n, value_of(x, n->in[k]), &l, l.picture, scale->real[k - 1],
		    op_bool(n, "aligned"))), AS_IS);
	}
	result(x, y, v);
}

EXPORT_OP_ROW(roi_align, .write = roi_align, .apart = true);

static void
roi_pool(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	struct boxes b = boxes_of(x, value_of(x, n->in[0]));
	struct listed l = listed(x, &b, b.some);
	const char *numbered = two(x, "Unsqueeze", cast_to(x, l.picture, ELEMENT_F32), int_constant(x, 1));

	numbered = make(x, "Concat", IN(numbered, l.boxes), AS(attr_is_int("axis", 1)));
	result(x, y, make(x, "ScatterND", IN(for_each_sample(x, real_constant(x, 0), y->rank, y->dim), l.at,
	    make(x, "MaxRoiPool", IN(value_of(x, n->in[1]), numbered), AS(
	    attr_is_ints(x, "pooled_shape", 2, op_attr(n, "size")->v), attr_is_real("spatial_scale", op_real(n, "scale"))))),
	    AS_IS));
}

EXPORT_OP_ROW(roi_pool, .write = roi_pool, .apart = true);

/* Masks of all pictures are maps of one channel, and a box's is that of its picture and index. */
static void
roi_masks(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0], *masks = n->in[1];
	struct boxes b = boxes_of(x, value_of(x, n->in[0]));
	const char *index = value_of(x, n->in[2]), *zero = places_constant(x, 0, NULL, &(const int32_t){ 0 }), *map, *number, *v;
	struct listed l = listed(x, &b, two(x, "And", not_endless(x, &b), two(x, "GreaterOrEqual", index, zero)));
	int64_t one[] = { -1, 1, masks->dim[1], masks->dim[2] }, bins[] = { -1, y->dim[1], y->dim[2] };

	map = two(x, "Reshape", cast_to(x, value_of(x, masks), ELEMENT_F32), ints_constant(x, 4, one));
	number = cast_to(x, two(x, "GatherND", index, l.at), ELEMENT_I64);
	number = two(x, "Add", two(x, "Mul", l.picture, int_constant(x, masks->dim[0])), number);
	v = two(x, "Reshape", seen(x, n, map, &l, number, op_real(n, "scale"), false), ints_constant(x, 3, bins));
	result(x, y, make(x, "ScatterND", IN(for_each_sample(x, real_constant(x, 0), y->rank, y->dim), l.at, v), AS_IS));
}

EXPORT_OP_ROW(roi_masks, .write = roi_masks, .apart = true);

/* ---- how much they overlap ---- */

/* What one box and the other have in common along an axis: [..., m, n]. */
static const char *
shared(struct exporter *x, const char *to, const char *other_to, const char *from, const char *other_from)
{
	return two(x, "Sub", two(x, "Min", to, other_to), two(x, "Max", from, other_from));
}

static const char *
product(struct exporter *x, const char *a, const char *b)
{
	return two(x, "Mul", cast_to(x, a, ELEMENT_F64), cast_to(x, b, ELEMENT_F64));
}

/* Intersection over union of each anchor and each box, [B, m, n]: products are exact in double, as
 * in the program (kernels/boxes/ box.cu), so that what overlaps as much there does so here. What is
 * no number is no overlap, and no box -1. */
static const char *
overlaps(struct exporter *x, const struct node *n)
{
	const struct boxes b = boxes_of(x, two(x, "Unsqueeze", value_of(x, n->in[0]), int_constant(x, 1)));
	const struct boxes a = boxes_of(x, two(x, "Unsqueeze", value_of(x, n->in[1]), int_constant(x, -2)));
	const char *zero = real_constant(x, 0), *wide = shared(x, a.x2, b.x2, a.x1, b.x1), *high = shared(x, a.y2, b.y2, a.y1, b.y1);
	const char *both = two(x, "And", two(x, "Greater", wide, zero), two(x, "Greater", high, zero)), *all;

	both = make(x, "Where", IN(both, product(x, wide, high), cast_to(x, zero, ELEMENT_F64)), AS_IS);
	all = two(x, "Sub", two(x, "Add", product(x, a.wide, a.high), product(x, b.wide, b.high)), both);
	all = cast_to(x, two(x, "Div", both, all), ELEMENT_F32);
	all = make(x, "Where", IN(two(x, "Greater", all, zero), all, zero), AS_IS);
	return make(x, "Where", IN(b.some, all, real_constant(x, -1)), AS_IS);
}

/* Where no anchor overlaps a box more, a box's number, the last such box of an anchor; else -1: [B,
 * m]. With each=true that is the first such anchor of a box alone. */
static const char *
forced(struct exporter *x, const struct node *n, const char *iou)
{
	int64_t boxes = n->in[0]->dim[0], anchors = n->in[1]->dim[0];
	const char *zero = real_constant(x, 0), *most = reduced(x, "ReduceMax", iou, 1, &(const int64_t){ 1 }, true), *is;
	const int32_t none = -1;

	most = two(x, "Max", most, zero);
	if (op_bool(n, "each")) {
		is = make(x, "ArgMax", IN(iou), AS(attr_is_int("axis", 1), attr_is_int("keepdims", 1)));
		is = two(x, "Equal", cast_to(x, is, ELEMENT_I32), counted(x, 2, (int64_t[]){ anchors, 1 }));
		is = two(x, "And", is, two(x, "Greater", most, zero));
	} else {
		is = two(x, "Equal", iou, most);
	}
	is = make(x, "Where", IN(is, counted(x, 1, &boxes), places_constant(x, 0, NULL, &none)), AS_IS);
	return reduced(x, "ReduceMax", is, 1, &(const int64_t){ 2 }, false);
}

static void
match(struct exporter *x, const struct node *n)
{
	const struct attr *low = op_attr(n, "low");
	const char *iou = overlaps(x, n), *best = reduced(x, "ReduceMax", iou, 1, &(const int64_t){ 2 }, false), *own, *at, *is;
	const char *none = places_constant(x, 0, NULL, &(const int32_t){ -1 }), *between = places_constant(x, 0, NULL,
	    &(const int32_t){ -2 });

	at = make(x, "ArgMax", IN(iou), AS(attr_is_int("axis", 2), attr_is_int("keepdims", 0)));
	at = cast_to(x, at, ELEMENT_I32);
	is = two(x, "GreaterOrEqual", best, real_constant(x, op_real(n, "high")));
	between = make(x, "Where", IN(two(x, "GreaterOrEqual", best, real_constant(x, low->given ? low->r : op_real(n, "high"))),
	    between, none), AS_IS);
	if (op_bool(n, "force") || op_bool(n, "each")) {
		own = forced(x, n, iou);
		is = two(x, "Or", is, two(x, "Greater", own, none));
		if (op_bool(n, "each"))
			at = make(x, "Where", IN(two(x, "Greater", own, none), own, at), AS_IS);
	}
	result(x, n->out[0], make(x, "Where", IN(is, at, between), AS_IS));
}

EXPORT_OP_ROW(match, .write = match, .apart = true);
