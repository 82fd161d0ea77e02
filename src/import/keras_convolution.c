/*
 * Convolutions, pooling and what stands before them: frames, and images made larger. Keras' kernels
 * are [extents..., in, filters], ours [filters, in, extents...]; a depthwise one is a convolution
 * in as many groups as there are channels. A frame of zeros that a convolution alone reads becomes
 * its pad.
 */
#include "import/keras.h"

#include <string.h>

struct window {
	int n;			/* axes of space */
	int64_t kernel[SPACE_AXES], stride[SPACE_AXES], dilation[SPACE_AXES], pad[2 * SPACE_AXES];
	bool same, padded;
};

/* The operand, whose frame is taken into W, with channels in front. */
static struct val *
input_of(struct importer *im, const struct model_node *n, int axes, struct window *w)
{
	const int64_t *pad = n->nin > 0 ? map_get(&im->pads, n->in[0]) : NULL;
	struct val *x = pad ? val_of(im, n->in[0]) : keras_in(im, n, 0);

	if (x && x->t->rank != axes + 1) {
		cannot(im, "its input has %d axes of a sample in place of %d", x->t->rank, axes + 1);
		return NULL;
	}
	x = keras_is_first(n) ? val_as_source(im, x) : val_as_map(im, x);
	if (x && !x->t->batched) {
		cannot(im, "its input does not depend on the batch");
		return NULL;
	}
	w->n = axes;
	if (pad) {
		memcpy(w->pad, pad, 2 * (size_t)axes * sizeof(*pad));
		w->padded = true;
	}
	return x;
}

static bool
stride_of(struct importer *im, const struct model_node *n, struct window *w)
{
	const char *name = keras_has(n, "subsample_length") ? "subsample_length" : keras_name(n, "strides", "subsample");

	return keras_extents(im, n, name, w->n, 1, w->stride);
}

/* Keras 1 has an attribute for each extent. */
static bool
kernel_of(struct importer *im, const struct model_node *n, struct window *w)
{
	if (keras_has(n, "nb_row") && w->n == 2) {
		return keras_extents(im, n, "nb_row", 1, 1, &w->kernel[0]) && keras_extents(im, n, "nb_col", 1, 1, &w->kernel[1]);
	}
	return keras_extents(im, n, keras_name(n, "kernel_size", "filter_length"), w->n, 1, w->kernel);
}

static bool
padding_of(struct importer *im, const struct model_node *n, struct window *w)
{
	const char *how = attr_text(n, keras_name(n, "padding", "border_mode"), "valid");

	w->same = strcmp(how, "same") == 0;
	if (strcmp(how, "causal") == 0 && w->n == 1 && w->kernel[0] > 0) {
		w->pad[0] += (w->kernel[0] - 1) * w->dilation[0];
		w->padded = true;
		return true;
	}
	return w->same || strcmp(how, "valid") == 0 || cannot(im, "padding '%s' is not ours", how);
}

static bool
window_of(struct importer *im, const struct model_node *n, struct window *w)
{
	const char *dilation = keras_name(n, "dilation_rate", "atrous_rate");

	return stride_of(im, n, w) && keras_extents(im, n, dilation, w->n, 1, w->dilation) && kernel_of(im, n, w) &&
	    padding_of(im, n, w);
}

static bool
all_one(const int64_t *v, int n)
{
	while (n > 0 && v[n - 1] == 1)
		n--;
	return n == 0;
}

static void
give_window(struct call *c, const struct window *w)
{
	call_ints(c, "kernel", w->n, w->kernel);
	if (!all_one(w->stride, w->n))
		call_ints(c, "stride", w->n, w->stride);
	if (w->same && !(all_one(w->kernel, w->n) && all_one(w->stride, w->n)))
		call_word(c, "pad", "same");
	else if (w->padded && !w->same)
		call_frame(c, "pad", w->n, w->pad);
	if (!all_one(w->dilation, w->n))
		call_ints(c, "dilation", w->n, w->dilation);
}

/* [filters, in, extents...] of [extents..., in, filters]; of a depthwise one the last two are one
 * axis, that of filters. */
static const struct view *
kernel_view(struct importer *im, const struct window *w, int64_t in, int64_t filters, bool depthwise)
{
	struct view *v = ARENA_NEW(im->arena, struct view);
	int64_t stride;
	int i;

	if (__builtin_mul_overflow(in, filters, &stride))
		stride = 0;	/* which weights_fit() refuses */
	v->rank = w->n + 2;
	v->dim[0] = depthwise ? stride : filters;
	v->stride[0] = 1;
	v->dim[1] = depthwise ? 1 : in;
	v->stride[1] = depthwise ? 0 : filters;
	for (i = w->n - 1; i >= 0; i--) {
		v->dim[i + 2] = w->kernel[i];
		v->stride[i + 2] = stride;
		if (__builtin_mul_overflow(stride, w->kernel[i], &stride))
			stride = 0;
	}
	return v;
}

static const struct numbers *
kernel_weight(struct importer *im, const struct model_node *n, int k, const char *word, const struct window *w, int64_t in,
    int64_t filters)
{
	int64_t dim[MODEL_RANK];

	memcpy(dim, w->kernel, (size_t)w->n * sizeof(*dim));
	dim[w->n] = in;
	dim[w->n + 1] = filters;
	return keras_weight(im, n, k, word, w->n + 2, dim);
}

static bool
has_bias(const struct model_node *n)
{
	return attr_int(n, keras_name(n, "use_bias", "bias"), 1) != 0;
}

static void
give_bias(struct call *c, const struct model_node *n, int k, int64_t filters)
{
	if (has_bias(n))
		call_view(c, keras_weight(c->im, n, k, "bias", 1, &filters), NULL);
	else
		call_int(c, "bias", false);
}

static bool
is_theano(struct importer *im, const struct model_node *n)
{
	return strcmp(attr_text(n, "dim_ordering", ""), "th") == 0 &&
	    !cannot(im, "its kernels have Theano's order of axes (dim_ordering='th'), and lie upside down");
}

static bool
conv(struct importer *im, const struct model_node *n, int axes)
{
	struct window w = { 0 };
	struct val *x = input_of(im, n, axes, &w);
	int64_t filters = attr_int(n, keras_name(n, "filters", "nb_filter"), 0), groups = attr_int(n, "groups", 1), in;
	struct call c;

	if (!x || is_theano(im, n) || !window_of(im, n, &w))
		return false;
	if (groups < 1 || filters < 1 || filters > LARGEST_EXTENT)
		return cannot(im, "it has no filters");
	in = x->t->dim[0] / groups;
	call_begin(&c, im, "conv");
	call_in(&c, x);
	call_int(&c, "filters", filters);
	give_window(&c, &w);
	if (groups != 1)
		call_int(&c, "groups", groups);
	call_view(&c, kernel_weight(im, n, 0, "kernel", &w, in, filters), kernel_view(im, &w, in, filters, false));
	give_bias(&c, n, 1, filters);
	return keras_end_activated(&c, n, "activation", x);
}

static bool
conv_1(struct importer *im, const struct model_node *n)
{
	return conv(im, n, 1);
}

static bool
conv_2(struct importer *im, const struct model_node *n)
{
	return conv(im, n, 2);
}

static bool
conv_3(struct importer *im, const struct model_node *n)
{
	return conv(im, n, 3);
}

const struct keras_op keras_op_conv1d = { .name = "Conv1D", .translate = conv_1 };
const struct keras_op keras_op_conv2d = { .name = "Conv2D", .translate = conv_2 };
const struct keras_op keras_op_conv3d = { .name = "Conv3D", .translate = conv_3 };
const struct keras_op keras_op_convolution1d = { .name = "Convolution1D", .translate = conv_1 };
const struct keras_op keras_op_convolution2d = { .name = "Convolution2D", .translate = conv_2 };
const struct keras_op keras_op_convolution3d = { .name = "Convolution3D", .translate = conv_3 };

static bool
depthwise_begin(struct importer *im, struct call *c, const struct model_node *n, struct window *w, struct val *x)
{
	int64_t each = attr_int(n, "depth_multiplier", 1), channels = x->t->dim[0];

	if (each < 1 || each > 1 << 20)
		return cannot(im, "its depth_multiplier is out of range");
	call_begin(c, im, "conv");
	call_in(c, x);
	call_int(c, "filters", channels * each);
	give_window(c, w);
	if (channels != 1)
		call_int(c, "groups", channels);
	call_view(c, kernel_weight(im, n, 0, "depthwise_kernel", w, channels, each), kernel_view(im, w, channels, each, true));
	return true;
}

static bool
depthwise(struct importer *im, const struct model_node *n, int axes)
{
	struct window w = { 0 };
	struct val *x = input_of(im, n, axes, &w);
	struct call c;

	if (!x || is_theano(im, n) || !window_of(im, n, &w) || !depthwise_begin(im, &c, n, &w, x))
		return false;
	give_bias(&c, n, 1, x->t->dim[0] * attr_int(n, "depth_multiplier", 1));
	return keras_end_activated(&c, n, "activation", x);
}

static bool
depthwise_1(struct importer *im, const struct model_node *n)
{
	return depthwise(im, n, 1);
}

static bool
depthwise_2(struct importer *im, const struct model_node *n)
{
	return depthwise(im, n, 2);
}

const struct keras_op keras_op_depthwise_conv1d = { .name = "DepthwiseConv1D", .translate = depthwise_1 };
const struct keras_op keras_op_depthwise_conv2d = { .name = "DepthwiseConv2D", .translate = depthwise_2 };

/* A depthwise convolution without a bias, and one of single places. */
static bool
separable(struct importer *im, const struct model_node *n, int axes)
{
	struct window w = { 0 }, one = { .n = axes, .kernel = { 1, 1, 1 }, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 } };
	struct val *x = input_of(im, n, axes, &w), *between;
	int64_t filters = attr_int(n, keras_name(n, "filters", "nb_filter"), 0), in;
	struct call c;

	if (!x || is_theano(im, n) || !window_of(im, n, &w) || !depthwise_begin(im, &c, n, &w, x))
		return false;
	call_int(&c, "bias", false);
	if (!(between = keras_value(&c, x)))
		return false;
	in = between->t->dim[0];
	if (filters < 1 || filters > LARGEST_EXTENT)
		return cannot(im, "it has no filters");
	call_begin(&c, im, "conv");
	call_in(&c, between);
	call_int(&c, "filters", filters);
	give_window(&c, &one);
	call_view(&c, kernel_weight(im, n, 1, "pointwise_kernel", &one, in, filters),
	    kernel_view(im, &one, in, filters, false));
	give_bias(&c, n, 2, filters);
	return keras_end_activated(&c, n, "activation", x);
}

static bool
separable_1(struct importer *im, const struct model_node *n)
{
	return separable(im, n, 1);
}

static bool
separable_2(struct importer *im, const struct model_node *n)
{
	return separable(im, n, 2);
}

const struct keras_op keras_op_separable_conv1d = { .name = "SeparableConv1D", .translate = separable_1 };
const struct keras_op keras_op_separable_conv2d = { .name = "SeparableConv2D", .translate = separable_2 };
const struct keras_op keras_op_separable_convolution2d = { .name = "SeparableConvolution2D", .translate = separable_2 };

/* ---- transposed ---- */

/* As many places as the stride makes, or those that the kernel reaches: what is to be cut in front,
 * and added behind. */
static bool
pads_of_transposed(struct importer *im, const struct window *w, int64_t *pad, int64_t *more)
{
	int i;

	for (i = 0; i < w->n; i++) {
		int64_t over = w->kernel[i] - w->stride[i];

		pad[i] = w->same && over > 0 ? over / 2 : 0;
		more[i] = over < 0 ? -over : 0;
		if (w->same && over > 0 && over % 2 != 0)
			return cannot(im, "it cuts one place more behind than in front; the closest is a kernel of %lld, or crop",
			    (long long)w->kernel[i] + 1);
	}
	return true;
}

static bool
conv_transpose(struct importer *im, const struct model_node *n, int axes)
{
	struct window w = { 0 };
	struct val *x = input_of(im, n, axes, &w);
	int64_t filters = attr_int(n, "filters", 0), pad[SPACE_AXES], more[SPACE_AXES], in;
	struct call c;
	int i, any = 0, after = 0;

	if (!x || !window_of(im, n, &w) || !pads_of_transposed(im, &w, pad, more))
		return false;
	if (keras_has(n, "output_padding") || !all_one(w.dilation, axes))
		return cannot(im, "its output_padding or dilation is not imported yet");
	if (filters < 1 || filters > LARGEST_EXTENT)
		return cannot(im, "it has no filters");
	in = x->t->dim[0];
	call_begin(&c, im, "conv_transpose");
	call_in(&c, x);
	call_int(&c, "filters", filters);
	call_ints(&c, "kernel", axes, w.kernel);
	if (!all_one(w.stride, axes))
		call_ints(&c, "stride", axes, w.stride);
	for (i = 0; i < axes; i++) {
		any |= pad[i] != 0;
		after |= more[i] != 0;
	}
	if (any)
		call_ints(&c, "pad", axes, pad);
	if (after)
		call_ints(&c, "output_pad", axes, more);
	/* [in, filters, extents...] of [extents..., filters, in] */
	call_view(&c, kernel_weight(im, n, 0, "kernel", &w, filters, in), kernel_view(im, &w, filters, in, false));
	give_bias(&c, n, 1, filters);
	return keras_end_activated(&c, n, "activation", x);
}

static bool
conv_transpose_1(struct importer *im, const struct model_node *n)
{
	return conv_transpose(im, n, 1);
}

static bool
conv_transpose_2(struct importer *im, const struct model_node *n)
{
	return conv_transpose(im, n, 2);
}

static bool
conv_transpose_3(struct importer *im, const struct model_node *n)
{
	return conv_transpose(im, n, 3);
}

const struct keras_op keras_op_conv1d_transpose = { .name = "Conv1DTranspose", .translate = conv_transpose_1 };
const struct keras_op keras_op_conv2d_transpose = { .name = "Conv2DTranspose", .translate = conv_transpose_2 };
const struct keras_op keras_op_conv3d_transpose = { .name = "Conv3DTranspose", .translate = conv_transpose_3 };
