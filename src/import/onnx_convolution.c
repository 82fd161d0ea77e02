/* Convolutions, and transposed ones. */
#include "import/window.h"

#include <string.h>

static bool
kernel_of_weight(struct importer *im, struct window *w, const struct val *weight)
{
	int i;

	if (!weight || !weight->data)
		return cannot(im, "its kernel is computed: only trained ones are ours");
	if (weight->data->rank != w->n + 2)
		return cannot(im, "its kernel has %d axes in place of %d", weight->data->rank, w->n + 2);
	for (i = 0; i < w->n; i++)
		w->kernel[i] = weight->data->dim[i + 2];
	return true;
}

/* PyTorch's exporter computes zeros where a layer has no bias. */
static const struct val *
bias_of(struct importer *im, const struct model_node *n)
{
	const struct val *bias = node_in(im, n, 2);
	double one;

	return bias && bias->data && bias->data->computed && numbers_are_one(bias->data, &one) && one == 0 ? NULL : bias;
}

/* What convolutions and transposed ones have in common: dilation, groups and weights. */
static bool
end_convolution(struct call *c, const struct model_node *n, const struct window *w, const struct val *weight,
    const struct val *bias)
{
	int64_t groups = attr_int(n, "group", 1);

	if (bias && !numbers_are_finite(bias->data))
		return cannot(c->im, "its bias has a number that is not finite");
	if (!window_all_one(w->dilation, w->n))
		call_ints(c, "dilation", w->n, w->dilation);
	if (groups != 1)
		call_int(c, "groups", groups);
	if (!bias)
		call_int(c, "bias", false);
	call_weight(c, weight->data, false);
	if (bias)
		call_weight(c, bias->data, false);
	return call_end(c, n->out[0]);
}

/* Does each filter of a constant pick one place of one channel, all of them in their order? Then it
 * makes windows of an image. */
static bool
picks_windows(const struct model_node *n, const struct val *x, const struct numbers *weight)
{
	int64_t channels = x->t->dim[0], cells = channels > 0 ? weight->dim[0] / channels : 0, i;

	if (!weight->computed || !weight->data || cells < 1 || weight->dim[0] != channels * cells || weight->dim[1] != 1 ||
	    attr_int(n, "group", 1) != channels || weight->count != weight->dim[0] * cells)
		return false;
	for (i = 0; i < weight->count; i++)
		if (numbers_real(weight, i) != (i % cells == i / cells % cells))
			return false;
	return true;
}

static bool
windows(struct importer *im, const struct model_node *n, struct val *x, const struct window *w)
{
	int64_t dim[1 + MOST_SPACE];
	int i;
	struct call c;

	call_begin(&c, im, "unfold");
	call_in(&c, x);
	call_ints(&c, "kernel", w->n, w->kernel);
	if (!window_all_one(w->stride, w->n))
		call_ints(&c, "stride", w->n, w->stride);
	window_give_pad(&c, w);
	if (!window_all_one(w->dilation, w->n))
		call_ints(&c, "dilation", w->n, w->dilation);
	if (!(x = call_value(&c)))
		return false;
	dim[0] = x->t->dim[0];
	for (i = 0; i < w->n; i++)
		dim[1 + i] = (c.in.v[0]->t->dim[1 + i] + w->pad[2 * i] + w->pad[2 * i + 1] -
		    (w->kernel[i] - 1) * w->dilation[i] - 1) / w->stride[i] + 1;
	return reshape_to(im, n, x, (struct layout){ .at = 0 }, 1 + w->n, dim);
}

static bool
conv(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *weight = node_in(im, n, 1);
	const struct val *bias = bias_of(im, n);
	struct window w;
	struct call c;

	if (!x || !window_of(im, n, x, &w) || !kernel_of_weight(im, &w, weight))
		return false;
	if (bias && !bias->data)
		return cannot(im, "its bias is computed: only trained ones are ours");
	if (!window_pad_same(im, &w, x->t, false))
		return false;
	if (!bias && !w.same && w.n < MOST_SPACE && picks_windows(n, x, weight->data))
		return windows(im, n, x, &w);
	call_begin(&c, im, "conv");
	call_in(&c, x);
	call_int(&c, "filters", weight->data->dim[0]);
	call_ints(&c, "kernel", w.n, w.kernel);
	if (!window_all_one(w.stride, w.n))
		call_ints(&c, "stride", w.n, w.stride);
	window_give_pad(&c, &w);
	return end_convolution(&c, n, &w, weight, bias);
}

const struct onnx_op onnx_op_conv = { .name = "Conv", .translate = conv };

/* What is cut from both sides of a transposed convolution's output, where that is as the model
 * says. */
struct cut {
	int64_t more[MOST_SPACE];	/* output_padding */
	int64_t out[MOST_SPACE];
	bool uneven;			/* from one side more */
};

/* Where it says what comes of it, pads follow from that. */
static bool
cut_of_transposed(struct importer *im, const struct model_node *n, const struct val *x, struct window *w, struct cut *cut)
{
	const int64_t *more = NULL, *shape = NULL;
	int count, i;

	if (attr_ints(n, "output_padding", &count, &more) && count != w->n)
		return cannot(im, "its output_padding has %d numbers in place of %d", count, w->n);
	if (attr_ints(n, "output_shape", &count, &shape) && count != w->n)
		return cannot(im, "its output_shape has %d numbers in place of %d", count, w->n);
	for (i = 0; i < w->n; i++) {
		int64_t in = x->t->dim[i + 1], full, reach, over;

		cut->more[i] = more ? more[i] : 0;
		if (cut->more[i] < 0 || cut->more[i] > INT32_MAX || (shape && shape[i] < 1) ||
		    __builtin_mul_overflow(w->kernel[i] - 1, w->dilation[i], &reach) ||
		    __builtin_mul_overflow(in - 1, w->stride[i], &full) || reach > LARGEST_EXTENT || full > LARGEST_EXTENT)
			return cannot(im, "its output is too large");
		full += reach + 1 + cut->more[i];
		cut->out[i] = shape ? shape[i] : w->same || w->lower ? in * w->stride[i] : full - w->pad[2 * i] - w->pad[2 * i + 1];
		over = full - cut->out[i];
		if (shape && !more && over < 0) {	/* it is to be larger at the end */
			cut->more[i] = -over;
			over = 0;
		}
		if (over < 0 || cut->out[i] < 1)
			return cannot(im, "its output has places that it does not reach");
		if (shape || w->same || w->lower) {
			w->pad[2 * i] = w->same ? over / 2 : over - over / 2;
			w->pad[2 * i + 1] = over - w->pad[2 * i];
		}
		cut->uneven |= w->pad[2 * i] != w->pad[2 * i + 1];
	}
	return true;
}

/* Ours cuts from both sides alike; what else is to go is cut afterwards. */
static void
give_cut(struct call *c, const struct window *w, const struct cut *cut)
{
	int64_t pad[MOST_SPACE], any = 0, more = 0;
	int i;

	for (i = 0; i < w->n; i++) {
		any |= pad[i] = w->pad[2 * i] < w->pad[2 * i + 1] ? w->pad[2 * i] : w->pad[2 * i + 1];
		more |= cut->more[i];
	}
	if (any)
		call_ints(c, "pad", w->n, pad);
	if (more)
		call_ints(c, "output_pad", w->n, cut->more);
}

static bool
conv_transpose(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *weight = node_in(im, n, 1);
	const struct val *bias = bias_of(im, n);
	struct model_node part = *n;
	const char *whole = arena_join(im->arena, n->out[0], ".", "whole");
	struct cut cut = { .uneven = false };
	struct window w;
	struct call c;
	int i;

	if (!x || !window_of(im, n, x, &w) || !kernel_of_weight(im, &w, weight) || !cut_of_transposed(im, n, x, &w, &cut))
		return false;
	if (bias && !bias->data)
		return cannot(im, "its bias is computed: only trained ones are ours");
	call_begin(&c, im, "conv_transpose");
	call_in(&c, x);
	call_int(&c, "filters", weight->data->dim[1] * attr_int(n, "group", 1));
	call_ints(&c, "kernel", w.n, w.kernel);
	if (!window_all_one(w.stride, w.n))
		call_ints(&c, "stride", w.n, w.stride);
	give_cut(&c, &w, &cut);
	if (!cut.uneven)
		return end_convolution(&c, n, &w, weight, bias);
	part.out = &whole;
	if (!end_convolution(&c, &part, &w, weight, bias))
		return false;
	x = val_of(im, whole);
	for (i = 0; i < w.n && x; i++) {
		int64_t less = w.pad[2 * i + 1] < w.pad[2 * i] ? w.pad[2 * i + 1] : w.pad[2 * i];

		x = along_run(im, x, i + 1, w.pad[2 * i] - less, 1, cut.out[i]);
	}
	return node_makes(im, n, x);
}

const struct onnx_op onnx_op_conv_transpose = { .name = "ConvTranspose", .translate = conv_transpose };
