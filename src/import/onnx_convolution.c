/* Convolutions and pooling. ONNX has pads as all the beginnings, then all the ends; ours go axis by axis. */
#include "import/importer.h"

#include <string.h>

#define MOST_SPACE	3

/* kernel_shape, strides, pads and dilations, as both have them. */
struct window {
	int n;
	bool lower;		/* as many as make ceil(input / stride), of which the larger half is in front */
	int64_t kernel[MOST_SPACE], stride[MOST_SPACE], dilation[MOST_SPACE], pad[2 * MOST_SPACE];
	bool same;		/* auto_pad=SAME_UPPER */
	bool plain;		/* no padding */
};

static bool
axes_of(struct importer *im, const struct model_node *n, const char *name, int want, int64_t *to)
{
	const int64_t *v;
	int count, i;

	if (!attr_ints(n, name, &count, &v)) {
		for (i = 0; i < want; i++)
			to[i] = 1;
		return true;
	}
	if (count != want)
		return cannot(im, "its %s has %d numbers in place of %d", name, count, want);
	for (i = 0; i < want; i++)
		if (v[i] < 1 || v[i] > INT32_MAX)
			return cannot(im, "its %s have the number %lld", name, (long long)v[i]);
	memcpy(to, v, (size_t)want * sizeof(*to));
	return true;
}

static bool
pads_of(struct importer *im, const struct model_node *n, struct window *w)
{
	const char *how = attr_text(n, "auto_pad", "NOTSET");
	const int64_t *v;
	int count, i;

	w->plain = true;
	w->lower = strcmp(how, "SAME_LOWER") == 0;
	w->same = strcmp(how, "SAME_UPPER") == 0;
	if (w->same || strcmp(how, "VALID") == 0 || !attr_ints(n, "pads", &count, &v))
		return true;
	if (count != 2 * w->n)
		return cannot(im, "its pads have %d numbers in place of %d", count, 2 * w->n);
	for (i = 0; i < count; i++) {
		if (v[i] < 0)
			return cannot(im, "it pads by a negative number");
		w->pad[i < w->n ? 2 * i : 2 * (i - w->n) + 1] = v[i];
		w->plain &= v[i] == 0;
	}
	return true;
}

static bool
window_of(struct importer *im, const struct model_node *n, const struct val *x, struct window *w)
{
	*w = (struct window){ .n = x->t->rank - 1 };
	if (!x->t->batched)
		return cannot(im, "its input has no batch in front");
	if (w->n < 1 || w->n > MOST_SPACE)
		return cannot(im, "its input has %d axes of space: 1 to 3 are ours", w->n);
	return axes_of(im, n, "strides", w->n, w->stride) && axes_of(im, n, "dilations", w->n, w->dilation) &&
	    axes_of(im, n, "kernel_shape", w->n, w->kernel) && pads_of(im, n, w);
}

/* Pads of SAME_LOWER, once the kernel is known. */
static bool
pad_lower(struct importer *im, struct window *w, const struct tensor *x)
{
	int i;

	for (i = 0; w->lower && i < w->n; i++) {
		int64_t in = x->dim[i + 1], out = (in + w->stride[i] - 1) / w->stride[i];
		int64_t all = (out - 1) * w->stride[i] + 1 - in, reach;

		if (w->kernel[i] < 1 || __builtin_mul_overflow(w->kernel[i] - 1, w->dilation[i], &reach) ||
		    reach > LARGEST_EXTENT)
			return cannot(im, "its window is too large");
		all = all + reach > 0 ? all + reach : 0;
		w->pad[2 * i] = all - all / 2;
		w->pad[2 * i + 1] = all / 2;
		w->plain &= all == 0;
	}
	return true;
}

static bool
all_one(const int64_t *v, int n)
{
	while (n > 0 && v[n - 1] == 1)
		n--;
	return n == 0;
}

static void
give_pad(struct call *c, const struct window *w)
{
	if (w->same)
		call_word(c, "pad", "same");
	else if (!w->plain)
		call_ints(c, "pad", 2 * w->n, w->pad);
}

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

/* What convolutions and transposed ones have in common: dilation, groups and weights. */
static bool
end_convolution(struct call *c, const struct model_node *n, const struct window *w, const struct val *weight,
    const struct val *bias)
{
	int64_t groups = attr_int(n, "group", 1);

	if (!all_one(w->dilation, w->n))
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

static bool
conv(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *weight = node_in(im, n, 1), *bias = node_in(im, n, 2);
	struct window w;
	struct call c;

	if (!x || !window_of(im, n, x, &w) || !kernel_of_weight(im, &w, weight))
		return false;
	if (bias && !bias->data)
		return cannot(im, "its bias is computed: only trained ones are ours");
	if (!pad_lower(im, &w, x->t))
		return false;
	call_begin(&c, im, "conv");
	call_in(&c, x);
	call_int(&c, "filters", weight->data->dim[0]);
	call_ints(&c, "kernel", w.n, w.kernel);
	if (!all_one(w.stride, w.n))
		call_ints(&c, "stride", w.n, w.stride);
	give_pad(&c, &w);
	return end_convolution(&c, n, &w, weight, bias);
}

const struct onnx_op onnx_op_conv = { .name = "Conv", .translate = conv };

static bool
pad_of_transposed(struct importer *im, const struct window *w, struct call *c)
{
	int64_t pad[MOST_SPACE];
	int i;

	if (w->same || w->lower)
		return cannot(im, "auto_pad of a transposed convolution is not ours");
	for (i = 0; i < w->n; i++) {
		pad[i] = w->pad[2 * i];
		if (pad[i] != w->pad[2 * i + 1])
			return cannot(im, "it cuts more from one side than from the other");
	}
	if (!w->plain)
		call_ints(c, "pad", w->n, pad);
	return true;
}

static bool
conv_transpose(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *weight = node_in(im, n, 1), *bias = node_in(im, n, 2);
	const int64_t *more;
	int count;
	struct window w;
	struct call c;

	if (!x || !window_of(im, n, x, &w) || !kernel_of_weight(im, &w, weight))
		return false;
	if (bias && !bias->data)
		return cannot(im, "its bias is computed: only trained ones are ours");
	if (model_attr(n, "output_shape"))
		return cannot(im, "it is given its output's shape in place of pads");
	call_begin(&c, im, "conv_transpose");
	call_in(&c, x);
	call_int(&c, "filters", weight->data->dim[1] * attr_int(n, "group", 1));
	call_ints(&c, "kernel", w.n, w.kernel);
	if (!all_one(w.stride, w.n))
		call_ints(&c, "stride", w.n, w.stride);
	if (!pad_of_transposed(im, &w, &c))
		return false;
	if (attr_ints(n, "output_padding", &count, &more) && count == w.n)
		call_ints(&c, "output_pad", count, more);
	return end_convolution(&c, n, &w, weight, bias);
}

const struct onnx_op onnx_op_conv_transpose = { .name = "ConvTranspose", .translate = conv_transpose };

static bool
pool(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	bool average = strcmp(ours, "avgpool") == 0;
	struct window w;
	struct call c;

	if (!x || !window_of(im, n, x, &w))
		return false;
	if (!all_one(w.dilation, w.n))
		return cannot(im, "its window has holes (dilations)");
	if (n->nout > 1 && read_by_node(im, n->out[1]))
		return cannot(im, "the places of its maxima are read");
	if (!pad_lower(im, &w, x->t))
		return false;
	call_begin(&c, im, ours);
	call_in(&c, x);
	call_ints(&c, "kernel", w.n, w.kernel);
	if (memcmp(w.stride, w.kernel, (size_t)w.n * sizeof(*w.stride)) != 0)
		call_ints(&c, "stride", w.n, w.stride);
	give_pad(&c, &w);
	if (attr_int(n, "ceil_mode", 0))
		call_int(&c, "ceil", true);
	if (average && !attr_int(n, "count_include_pad", 0) && (w.same || !w.plain))
		call_int(&c, "count_pad", false);
	return call_end(&c, n->out[0]);
}

static bool
maxpool(struct importer *im, const struct model_node *n)
{
	return pool(im, n, "maxpool");
}

static bool
all_or_none(const struct model_node *n, const char *name, int64_t want)
{
	const int64_t *v;
	int count;

	if (attr_ints(n, name, &count, &v))
		while (count > 0)
			if (v[--count] != want)
				return false;
	return true;
}

static bool
avgpool(struct importer *im, const struct model_node *n)
{
	int count, i;
	const int64_t *kernel;

	/* a window of one place is what exporters make of an adaptive pool to the extents that there are */
	if (attr_ints(n, "kernel_shape", &count, &kernel)) {
		for (i = 0; i < count && kernel[i] == 1; i++)
			;
		if (i == count && all_or_none(n, "strides", 1) && all_or_none(n, "pads", 0)) {
			val_alias(im, n->out[0], val_of(im, n->in[0]));
			return true;
		}
	}
	return pool(im, n, "avgpool");
}

const struct onnx_op onnx_op_maxpool = { .name = "MaxPool", .translate = maxpool };
const struct onnx_op onnx_op_avgpool = { .name = "AveragePool", .translate = avgpool };

ONNX_OP_ROW(global_avgpool, "GlobalAveragePool", "global_avgpool");
ONNX_OP_ROW(global_maxpool, "GlobalMaxPool", "global_maxpool");
