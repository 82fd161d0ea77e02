/*
 * Resizing. Where an element of the result lies in the input has many rules; two are those of
 * upsample. By any other each axis is resized by itself: by a frozen matrix, whose rows say of what
 * each place is made.
 */
#include "import/importer.h"
#include "import/resample.h"

#include <math.h>
#include <string.h>

#define MOST_PLACES	(1 << 24)	/* of an axis */

struct resized {		/* by axes of ours */
	struct resample axis[MODEL_RANK];
	int rank;
	double value;		/* what is outside */
};

/* Which of the numbers in scales or sizes is that of the source's axis; -1: none, it stays. */
static int
place_of(const struct model_node *n, int rank, int axis, int *count)
{
	const int64_t *v;
	int i;

	*count = rank;
	if (!attr_ints(n, "axes", count, &v))
		return axis;
	for (i = 0; i < *count; i++)
		if (v[i] == axis || v[i] + rank == axis)
			return i;
	return -1;
}

/* By the least of the axes' scales, or the largest, where it keeps their ratio. */
static double
common_scale(const struct model_node *n, const struct val *x, const struct integers *sizes, const char *policy)
{
	int64_t own[MODEL_RANK];
	double scale = 0, one;
	int i, at, count;

	val_extents(x, own);
	for (i = 0; i < val_rank(x); i++) {
		at = place_of(n, val_rank(x), i, &count);
		if (at < 0 || at >= sizes->n)
			continue;
		one = (double)sizes->v[at] / (double)own[i];
		if (scale == 0 || (strcmp(policy, "not_larger") == 0 ? one < scale : one > scale))
			scale = one;
	}
	return scale;
}

/* What the source's axis becomes. */
static bool
axis_of(struct importer *im, const struct model_node *n, const struct val *x, int axis, struct resample *r)
{
	struct val *scales = node_in(im, n, 2), *sizes = node_in(im, n, 3), *roi = node_in(im, n, 1);
	const struct integers *k = val_integers(im, sizes);
	const char *policy = attr_text(n, "keep_aspect_ratio_policy", "stretch");
	int count, at = place_of(n, val_rank(x), axis, &count);
	double to;

	if (at < 0)
		return true;
	if (sizes ? !k || at >= k->n : !scales || !scales->data || !scales->data->data || at >= scales->data->count)
		return cannot(im, "its size is computed, or not one for each axis");
	if (!sizes)
		r->scale = numbers_real(scales->data, at);
	else if (strcmp(policy, "stretch") == 0)
		r->scale = (double)k->v[at] / (double)r->in;
	else
		r->scale = common_scale(n, x, k, policy);
	to = !sizes ? floor((double)r->in * r->scale) : strcmp(policy, "stretch") == 0 ? (double)k->v[at] :
	    floor((double)r->in * r->scale + 0.5);
	if (!(to >= 1 && to <= MOST_PLACES))
		return cannot(im, "its size is out of range");
	r->out = (int64_t)to;
	r->to = 1;
	if (roi && roi->data && roi->data->data && roi->data->count == 2 * count) {
		r->from = numbers_real(roi->data, at);
		r->to = numbers_real(roi->data, at + count);
	} else if (strcmp(r->where, "tf_crop_and_resize") == 0)
		return cannot(im, "the part that it takes is computed");
	return true;
}

static bool
resizes_batch(struct importer *im, const struct model_node *n, const struct val *x)
{
	struct resample r = { .in = 1, .where = "" };

	/* the sizes say as many samples as the file has, whatever those are */
	if (node_in(im, n, 3) && place_of(n, val_rank(x), 0, &(int){ 0 }) >= 0)
		return false;
	r.scale = 1;
	return !axis_of(im, n, x, 0, &r) || r.scale != 1;
}

static bool
read_axes(struct importer *im, const struct model_node *n, const struct val *x, struct resized *z)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	const char *mode = attr_text(n, "mode", "nearest");
	struct resample common = { .scale = 1, .to = 1,
		.where = attr_text(n, "coordinate_transformation_mode", "half_pixel"),
		.nearest = attr_text(n, "nearest_mode", "round_prefer_floor"), .a = attr_real(n, "cubic_coeff_a", -0.75),
		.antialias = attr_int(n, "antialias", 0), .exclude_outside = attr_int(n, "exclude_outside", 0) };
	int i;

	while (common.mode < BY_CUBICS && strcmp(modes[common.mode], mode) != 0)
		common.mode++;
	*z = (struct resized){ .rank = x->t->rank, .value = attr_real(n, "extrapolation_value", 0) };
	if (!x->t->batched || resizes_batch(im, n, x))
		return cannot(im, "it resizes the batch, or its input has none");
	for (i = 0; i < z->rank; i++) {
		z->axis[i] = common;
		z->axis[i].in = z->axis[i].out = x->t->dim[i];
		if (!axis_of(im, n, x, i + 1, &z->axis[i]))
			return false;
	}
	return true;
}

static bool
stays(const struct resample *r)
{
	return r->in == r->out && r->scale == 1 && strcmp(r->where, "tf_crop_and_resize") != 0;
}

/* Does upsample take that axis's elements from the same places? */
static bool
is_ours(const struct resample *r, int space)
{
	bool half = strcmp(r->where, "half_pixel") == 0 || strcmp(r->where, "half_pixel_symmetric") == 0 ||
	    strcmp(r->where, "pytorch_half_pixel") == 0;
	double at;
	int64_t j;

	if (r->mode == TO_NEAREST) {
		for (j = 0; j < r->out; j++)
			if (!resample_place(r, j, &at) || resample_nearest(r, at) != (int64_t)((double)j * (double)r->in / (double)r->out))
				return false;
		return true;
	}
	if (r->antialias || (!half && strcmp(r->where, "align_corners") != 0))
		return false;
	if (r->mode == BY_CUBICS && (space != 2 || fabs(r->a + 0.75) > 1e-6 || r->exclude_outside))
		return false;
	if (r->out == 1 && r->in > 1 && strcmp(r->where, "pytorch_half_pixel") == 0)
		return false;	/* it takes the first, and upsample the middle */
	return fabs((double)r->in * r->scale - (double)r->out) <= 1e-4 * (double)r->out;
}

static bool
is_upsample(const struct resized *z)
{
	bool ours = z->rank >= 2 && z->rank <= 4 && stays(&z->axis[0]);
	int i;

	for (i = 1; i < z->rank; i++)
		ours = ours && is_ours(&z->axis[i], z->rank - 1);
	return ours;
}

static bool
upsample(struct importer *im, const struct model_node *n, struct val *x, const struct resized *z)
{
	static const char *const linear[] = { "linear", "bilinear", "trilinear" };
	int64_t size[MODEL_RANK], factor[MODEL_RANK];
	const struct resample *r = &z->axis[1];
	bool whole = true;
	int i, space = z->rank - 1;
	struct call c;

	for (i = 0; i < space; i++) {
		size[i] = r[i].out;
		factor[i] = r[i].out / r[i].in;
		whole &= r[i].out % r[i].in == 0;
	}
	call_begin(&c, im, "upsample");
	call_in(&c, x);
	call_ints(&c, whole ? "factor" : "size", space, whole ? factor : size);
	if (r->mode != TO_NEAREST)
		call_word(&c, "mode", r->mode == BY_CUBICS ? "bicubic" : linear[space - 1]);
	if (r->mode != TO_NEAREST && strcmp(r->where, "align_corners") == 0)
		call_int(&c, "corners", true);
	return call_end(&c, n->out[0]);
}

static struct val *
nearest(struct importer *im, struct val *x, int axis, const struct resample *r)
{
	int64_t *index = arena_array(im->arena, (size_t)r->out + 1, sizeof(*index)), j;
	double at;

	for (j = 0; j < r->out; j++) {
		if (!resample_place(r, j, &at))
			return cannot(im, "of what is outside it takes the nearest"), NULL;
		index[j] = resample_nearest(r, at);
	}
	return along_pick(im, x, axis, r->out, index);
}

static struct val *
weighted(struct importer *im, struct val *x, int axis, const struct resample *r)
{
	double *m = along_room(im, x, axis, r->out), at;
	int64_t j;

	for (j = 0; m && j < r->out; j++)
		if (resample_place(r, j, &at) && !resample_weights(r, at, m + j * r->in))
			return cannot(im, "each element is made of too many"), NULL;
	return m ? along_matrix(im, x, axis, r->out, m) : NULL;
}

/* What is outside is 0 so far, and is to be that value. */
static bool
fill_outside(struct importer *im, const struct model_node *n, struct val *x, const struct resized *z)
{
	struct numbers *made = ARENA_NEW(im->arena, struct numbers);
	struct val *pair[2] = { x, val_new(im, "") };
	int64_t k, rest, count = 1;
	double *to, at;
	int i;

	*made = (struct numbers){ .name = "", .type = ELEMENT_F64, .rank = z->rank + 1, .dim = { 1 }, .computed = true };
	for (i = 0; i < z->rank; i++)
		count *= made->dim[i + 1] = stays(&z->axis[i]) ? 1 : z->axis[i].out;
	to = arena_array(im->arena, (size_t)count + 1, sizeof(*to));
	for (k = 0; k < count; k++)
		for (i = z->rank - 1, rest = k; i >= 0; rest /= made->dim[i + 1], i--)
			if (!stays(&z->axis[i]) && !resample_place(&z->axis[i], rest % made->dim[i + 1], &at))
				to[k] = z->value;
	made->count = count;
	made->data = (const unsigned char *)to;
	pair[1]->data = made;
	return broadcast_call(im, n, "add", pair, 2);
}

static bool
resize(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	struct resized z;
	int64_t all = 1;
	int i;

	if (!x || !read_axes(im, n, x, &z))
		return false;
	if (is_upsample(&z))
		return upsample(im, n, x, &z);
	for (i = 0; i < z.rank && x; i++) {
		const struct resample *r = &z.axis[i];

		if (stays(r))
			continue;
		x = r->mode == TO_NEAREST ? nearest(im, x, i, r) : weighted(im, x, i, r);
		all = all <= MOST_PLACES ? all * r->out : all;
	}
	if (!x || z.value == 0 || strcmp(z.axis[0].where, "tf_crop_and_resize") != 0)
		return node_makes(im, n, x);
	return all <= MOST_PLACES ? fill_outside(im, n, x, &z) : cannot(im, "what is outside is too large");
}

const struct onnx_op onnx_op_resize = { .name = "Resize", .translate = resize };
