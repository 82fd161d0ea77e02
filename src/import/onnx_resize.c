/* Resizing of all axes of space. Where an element of the result lies in the input has several rules; two are ours. */
#include "import/importer.h"

#include <math.h>
#include <string.h>

#define MOST_SPACE	3

/* Which of the numbers in scales or sizes is that of the axis; -1: none, it stays. */
static int
place_of(const struct model_node *n, int rank, int axis)
{
	const int64_t *v;
	int count, i;

	if (!attr_ints(n, "axes", &count, &v))
		return axis;
	for (i = 0; i < count; i++)
		if (v[i] == axis || v[i] + rank == axis)
			return i;
	return -1;
}

static bool
interpolated(const struct model_node *n)
{
	return strcmp(attr_text(n, "mode", "nearest"), "nearest") != 0;
}

/* What an axis of that extent becomes. */
static bool
extent(struct importer *im, const struct model_node *n, int rank, int axis, int64_t in, int64_t *size)
{
	struct val *scales = node_in(im, n, 2), *sizes = node_in(im, n, 3);
	const struct integers *k = val_integers(im, sizes);
	int at = place_of(n, rank, axis);
	double scale, to;

	*size = in;
	if (at < 0)
		return true;
	if (sizes ? !k || at >= k->n : !scales || !scales->data || at >= scales->data->count)
		return cannot(im, "its size is computed, or not one for each axis");
	scale = sizes ? 1 : numbers_real(scales->data, at);
	to = sizes ? (double)k->v[at] : floor((double)in * scale);
	if (axis < 2 && (sizes ? axis == 1 && to != (double)in : scale != 1))
		return cannot(im, "it resizes more than the axes of space");
	if (axis < 2)
		return true;
	if (!(to >= 1 && to <= LARGEST_EXTENT))
		return cannot(im, "its size is out of range");
	if (!sizes && fabs((double)in * scale - to) > 1e-4 * to && interpolated(n))
		return cannot(im, "its scale makes no whole number of elements, and it counts with the rest; upsample counts "
		    "with the size that comes of it");
	if (to == 1 && in > 1 && interpolated(n) && strcmp(attr_text(n, "coordinate_transformation_mode", "half_pixel"),
	    "pytorch_half_pixel") == 0)
		return cannot(im, "where one element is left it takes the first; upsample takes the middle");
	*size = (int64_t)to;
	return true;
}

/* The new extents; with whole factors in FACTOR, or 0 there. */
static bool
extents(struct importer *im, const struct model_node *n, const struct val *x, int64_t *size, int64_t *factor)
{
	int64_t same;
	int i, space = x->t->rank - 1;

	if (strcmp(attr_text(n, "keep_aspect_ratio_policy", "stretch"), "stretch") != 0)
		return cannot(im, "it keeps the ratio of height and width; upsample goes to the size that is said");
	if (!extent(im, n, space + 2, 0, 1, &same) || !extent(im, n, space + 2, 1, x->t->dim[0], &same))
		return false;
	for (i = 0; i < space; i++) {
		int64_t in = x->t->dim[i + 1];

		if (!extent(im, n, space + 2, i + 2, in, &size[i]))
			return false;
		factor[i] = size[i] % in == 0 ? size[i] / in : 0;
	}
	return true;
}

static bool
interpolates(struct importer *im, const struct model_node *n, int space, struct call *c)
{
	static const char *const linear[] = { "linear", "bilinear", "trilinear" };
	const char *where = attr_text(n, "coordinate_transformation_mode", "half_pixel");
	bool cubic = strcmp(attr_text(n, "mode", "nearest"), "cubic") == 0, corners = strcmp(where, "align_corners") == 0;

	if (!corners && strcmp(where, "half_pixel") != 0 && strcmp(where, "pytorch_half_pixel") != 0)
		return cannot(im, "its coordinates are %s; the closest is upsample with those of half_pixel", where);
	if (cubic && (space != 2 || fabs(attr_real(n, "cubic_coeff_a", -0.75) + 0.75) > 1e-6 ||
	    attr_int(n, "exclude_outside", 0)))
		return cannot(im, "its cubic is not the one of upsample, of images and with a = -3/4");
	call_word(c, "mode", cubic ? "bicubic" : linear[space - 1]);
	if (corners)
		call_int(c, "corners", true);
	return true;
}

static bool
resize(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const char *where = attr_text(n, "coordinate_transformation_mode", "half_pixel");
	int64_t size[MOST_SPACE], factor[MOST_SPACE];
	bool whole = true, floors = strcmp(where, "asymmetric") == 0 && strcmp(attr_text(n, "nearest_mode",
	    "round_prefer_floor"), "floor") == 0;
	int i, space;
	struct call c;

	if (!x)
		return false;
	space = x->t->rank - 1;
	if (space < 1 || space > MOST_SPACE || !x->t->batched)
		return cannot(im, "its input has %d axes of space: 1 to 3 are ours", space);
	if (attr_int(n, "antialias", 0))
		return cannot(im, "antialias is not ours; the closest is upsample");
	if (!extents(im, n, x, size, factor))
		return false;
	for (i = 0; i < space; i++)
		whole &= factor[i] > 0;
	call_begin(&c, im, "upsample");
	call_in(&c, x);
	if (whole)
		call_ints(&c, "factor", space, factor);
	else
		call_ints(&c, "size", space, size);
	if (interpolated(n)) {
		if (!interpolates(im, n, space, &c))
			return false;
	} else if (!floors && !(whole && strcmp(where, "half_pixel") == 0 && strcmp(attr_text(n, "nearest_mode",
	    "round_prefer_floor"), "round_prefer_floor") == 0))
		return cannot(im, "of what is nearest it has a rule of its own (%s); ours is asymmetric with floor", where);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_resize = { .name = "Resize", .translate = resize };
