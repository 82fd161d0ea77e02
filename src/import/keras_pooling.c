/* Pooling, frames, and images made larger or smaller. Windows of averages count what lies in the
 * input alone. */
#include "import/keras.h"

#include <string.h>

static struct val *
input_of(struct importer *im, const struct model_node *n, int axes)
{
	struct val *x = keras_is_first(n) ? keras_plain(im, n, 0) : keras_map(im, n, 0);

	if (x && x->t->rank != axes + 1) {
		cannot(im, "its input has %d axes of a sample in place of %d", x->t->rank, axes + 1);
		return NULL;
	}
	return x;
}

static bool
pool(struct importer *im, const struct model_node *n, const char *ours, int axes)
{
	struct val *x = input_of(im, n, axes);
	const char *name = keras_has(n, "pool_length") ? "pool_length" : "pool_size",
	    *how = attr_text(n, keras_has(n, "padding") ? "padding" : "border_mode", "valid");
	int64_t kernel[SPACE_AXES], stride[SPACE_AXES];
	bool same = strcmp(how, "same") == 0;
	struct call c;

	if (!x || !keras_extents(im, n, name, axes, 2, kernel))
		return false;
	memcpy(stride, kernel, sizeof(stride));
	name = keras_has(n, "stride") ? "stride" : "strides";
	if (keras_has(n, name) && !keras_extents(im, n, name, axes, 1, stride))
		return false;
	call_begin(&c, im, ours);
	call_in(&c, x);
	call_ints(&c, "kernel", axes, kernel);
	if (memcmp(stride, kernel, (size_t)axes * sizeof(*stride)) != 0)
		call_ints(&c, "stride", axes, stride);
	if (same)
		call_word(&c, "pad", "same");
	if (same && strcmp(ours, "avgpool") == 0)
		call_int(&c, "count_pad", false);
	return keras_end(&c, n, x);
}

#define POOL(id, our, axes)							\
	static bool									\
	id(struct importer *im, const struct model_node *n)				\
	{										\
		return pool(im, n, our, axes);						\
	}

POOL(maxpool_1, "maxpool", 1)
POOL(maxpool_2, "maxpool", 2)
POOL(maxpool_3, "maxpool", 3)
POOL(avgpool_1, "avgpool", 1)
POOL(avgpool_2, "avgpool", 2)
POOL(avgpool_3, "avgpool", 3)

const struct keras_op keras_op_maxpool1d = { .name = "MaxPooling1D", .translate = maxpool_1 };
const struct keras_op keras_op_maxpool2d = { .name = "MaxPooling2D", .translate = maxpool_2 };
const struct keras_op keras_op_maxpool3d = { .name = "MaxPooling3D", .translate = maxpool_3 };
const struct keras_op keras_op_avgpool1d = { .name = "AveragePooling1D", .translate = avgpool_1 };
const struct keras_op keras_op_avgpool2d = { .name = "AveragePooling2D", .translate = avgpool_2 };
const struct keras_op keras_op_avgpool3d = { .name = "AveragePooling3D", .translate = avgpool_3 };

/* Of each channel one number; ours keeps the axes, theirs does where it says so. */
static bool
global(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_is_first(n) ? keras_plain(im, n, 0) : keras_map(im, n, 0);
	struct val *y;
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, ours);
	call_in(&c, x);
	if (attr_int(n, "keepdims", 0))
		return keras_end(&c, n, x);
	if (!(y = call_value(&c)))
		return false;
	call_begin(&c, im, "flatten");
	call_in(&c, y);
	return keras_end(&c, n, NULL);
}

static bool
global_avgpool(struct importer *im, const struct model_node *n)
{
	return global(im, n, "global_avgpool");
}

/* Of steps, of which those that are hidden do not count. */
static bool
global_avgpool_1(struct importer *im, const struct model_node *n)
{
	struct val *seen, *x, *sum, *count;
	struct call c;

	if (!keras_mask(im, n, 0, &seen))
		return false;
	if (!seen)
		return global_avgpool(im, n);
	if (!(x = keras_plain(im, n, 0)))
		return false;
	if (keras_is_first(n) || x->t->rank != 2)
		return cannot(im, "some steps are hidden from it, which are not the first of two axes");
	if (!(sum = call_two(im, "mul", x, seen)) || !(sum = reduced_along(im, "sum", sum, 0)) ||
	    !(count = reduced_along(im, "sum", seen, 0)))
		return false;
	keras_pair(&c, im, "div", sum, count);
	if (!(sum = call_value(&c)))
		return false;
	if (attr_int(n, "keepdims", 0))
		return keras_alias(im, n, sum);
	call_begin(&c, im, "flatten");
	call_in(&c, sum);
	return keras_end(&c, n, NULL);
}

static bool
global_maxpool(struct importer *im, const struct model_node *n)
{
	return global(im, n, "global_maxpool");
}

const struct keras_op keras_op_global_avgpool1d = { .name = "GlobalAveragePooling1D", .translate = global_avgpool_1 };
const struct keras_op keras_op_global_avgpool2d = { .name = "GlobalAveragePooling2D", .translate = global_avgpool };
const struct keras_op keras_op_global_avgpool3d = { .name = "GlobalAveragePooling3D", .translate = global_avgpool };
const struct keras_op keras_op_global_maxpool1d = { .name = "GlobalMaxPooling1D", .translate = global_maxpool };
const struct keras_op keras_op_global_maxpool2d = { .name = "GlobalMaxPooling2D", .translate = global_maxpool };
const struct keras_op keras_op_global_maxpool3d = { .name = "GlobalMaxPooling3D", .translate = global_maxpool };

/* ---- frames ---- */

/* One number, one for each axis, or two: ((top, bottom), (left, right)). */
static bool
sides_of(struct importer *im, const struct model_node *n, const char *name, int axes, int64_t *sides)
{
	const struct model_attr *a = model_attr(n, name);
	int i, each;

	if (!a || (a->type != A_INT && a->type != A_INTS))
		return cannot(im, "its %s is not said by numbers", name);
	each = a->type == A_INT ? 0 : a->n == axes ? 1 : a->n == 2 * axes ? 2 : -1;
	if (each < 0)
		return cannot(im, "its %s has %d numbers for %d axes", name, a->n, axes);
	for (i = 0; i < 2 * axes; i++) {
		sides[i] = each == 0 ? a->i : each == 1 ? a->v[i / 2] : a->v[i];
		if (sides[i] < 0 || sides[i] > LARGEST_EXTENT)
			return cannot(im, "its %s is out of range", name);
	}
	return true;
}

/* Does a convolution that has no padding of its own, and alone reads it, take the frame? */
static bool
goes_into_reader(struct importer *im, const struct model_node *n, int axes)
{
	const struct model_node *reader = sole_user(im, n->out[0]);
	const char *end = axes == 1 ? "Conv1D" : axes == 2 ? "Conv2D" : "Conv3D";
	size_t at = reader ? strlen(reader->op) : 0, k = strlen(end);

	return reader && at >= k && strcmp(reader->op + at - k, end) == 0 &&
	    strcmp(attr_text(reader, "padding", "valid"), "valid") == 0 && keras_is_first(reader) == keras_is_first(n);
}

static bool
frame(struct importer *im, const struct model_node *n, int axes)
{
	struct val *x = input_of(im, n, axes);
	int64_t *sides = arena_array(im->arena, 2 * SPACE_AXES, sizeof(*sides));
	struct call c;

	if (!x || !sides_of(im, n, "padding", axes, sides))
		return false;
	if (goes_into_reader(im, n, axes)) {
		map_put(im->arena, &im->pads, n->out[0], sides);
		return keras_alias(im, n, x);
	}
	call_begin(&c, im, "pad");
	call_in(&c, x);
	call_frame(&c, "sides", axes, sides);
	if (axes != 2)
		call_ints(&c, "axis", axes, (int64_t[]){ 1, 2, 3 });
	return keras_end(&c, n, x);
}

static bool
frame_1(struct importer *im, const struct model_node *n)
{
	return frame(im, n, 1);
}

static bool
frame_2(struct importer *im, const struct model_node *n)
{
	return frame(im, n, 2);
}

static bool
frame_3(struct importer *im, const struct model_node *n)
{
	return frame(im, n, 3);
}

const struct keras_op keras_op_zero_padding1d = { .name = "ZeroPadding1D", .translate = frame_1 };
const struct keras_op keras_op_zero_padding2d = { .name = "ZeroPadding2D", .translate = frame_2 };
const struct keras_op keras_op_zero_padding3d = { .name = "ZeroPadding3D", .translate = frame_3 };

static bool
crop(struct importer *im, const struct model_node *n)
{
	struct val *x = input_of(im, n, 2);
	int64_t sides[2 * SPACE_AXES];
	struct call c;

	if (!x || !sides_of(im, n, "cropping", 2, sides))
		return false;
	call_begin(&c, im, "crop");
	call_in(&c, x);
	call_ints(&c, "sides", 4, sides);
	return keras_end(&c, n, x);
}

static bool
crop_1(struct importer *im, const struct model_node *n)
{
	struct val *x = input_of(im, n, 1);
	int64_t sides[2 * SPACE_AXES], axis = 1, stop;
	struct call c;

	if (!x || !sides_of(im, n, "cropping", 1, sides))
		return false;
	if (!x->channels_first && !keras_is_first(n))
		axis = 0;
	stop = x->t->dim[axis] - sides[1];
	call_begin(&c, im, "slice");
	call_in(&c, x);
	call_ints(&c, "axis", 1, &axis);
	call_ints(&c, "start", 1, &sides[0]);
	call_ints(&c, "stop", 1, &stop);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_cropping1d = { .name = "Cropping1D", .translate = crop_1 };
const struct keras_op keras_op_cropping2d = { .name = "Cropping2D", .translate = crop };

/* ---- larger ---- */

static bool
upsample(struct importer *im, const struct model_node *n, int axes)
{
	struct val *x = input_of(im, n, axes);
	const char *how = attr_text(n, "interpolation", "nearest"), *name = keras_has(n, "length") ? "length" : "size";
	int64_t factor[SPACE_AXES];
	struct call c;

	if (!x || !keras_extents(im, n, name, axes, 2, factor))
		return false;
	if (strcmp(how, "nearest") != 0 && (strcmp(how, "bilinear") != 0 || axes != 2))
		return cannot(im, "interpolation '%s' is not ours; the closest is bilinear", how);
	call_begin(&c, im, "upsample");
	call_in(&c, x);
	call_ints(&c, "factor", axes, factor);
	if (strcmp(how, "nearest") != 0)
		call_word(&c, "mode", how);
	return keras_end(&c, n, x);
}

static bool
upsample_1(struct importer *im, const struct model_node *n)
{
	return upsample(im, n, 1);
}

static bool
upsample_2(struct importer *im, const struct model_node *n)
{
	return upsample(im, n, 2);
}

static bool
upsample_3(struct importer *im, const struct model_node *n)
{
	return upsample(im, n, 3);
}

const struct keras_op keras_op_upsampling1d = { .name = "UpSampling1D", .translate = upsample_1 };
const struct keras_op keras_op_upsampling2d = { .name = "UpSampling2D", .translate = upsample_2 };
const struct keras_op keras_op_upsampling3d = { .name = "UpSampling3D", .translate = upsample_3 };

/* Another size, by the neighbours of each place, as Keras 3 and TensorFlow 2 place them. */
static bool
resizing(struct importer *im, const struct model_node *n)
{
	struct val *x = input_of(im, n, 2);
	const char *how = attr_text(n, "interpolation", "bilinear");
	int64_t size[2] = { attr_int(n, "height", 0), attr_int(n, "width", 0) };
	struct call c;

	if (!x)
		return false;
	if (strcmp(how, "bilinear") != 0 || attr_int(n, "crop_to_aspect_ratio", 0) || attr_int(n, "pad_to_aspect_ratio", 0) ||
	    attr_int(n, "antialias", 0))
		return cannot(im, "only interpolation='bilinear' without an aspect ratio or antialias is ours");
	if (size[0] == x->t->dim[1] && size[1] == x->t->dim[2])
		return keras_alias(im, n, x);
	call_begin(&c, im, "upsample");
	call_in(&c, x);
	call_ints(&c, "size", 2, size);
	call_word(&c, "mode", how);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_resizing = { .name = "Resizing", .translate = resizing };
