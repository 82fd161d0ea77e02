/*
 * Layers with windows that move along the axes of space, and resizing. Attributes that ONNX has by
 * default are left out where that is what the layer does.
 */
#include "export/exporter.h"

#include <string.h>

#include "ops/space.h"

#define MOST_ATTRS	8
#define MOST_CELLS	4096	/* of an adaptive pooling's output, along an axis */

struct window_attrs {
	struct exporter *x;
	const struct node *n;
	int axes;
	int count;
	struct model_attr attr[MOST_ATTRS + 1];	/* ends with name NULL */
};

static void
add(struct window_attrs *w, struct model_attr a)
{
	w->attr[w->count++] = a;
}

static void
add_axes(struct window_attrs *w, const char *theirs, const struct attr *a)
{
	add(w, attr_is_ints(w->x, theirs, w->axes, a->v));
}

/* What comes before each axis, then what comes after. */
static void
add_pads(struct window_attrs *w, const struct attr *frame)
{
	int64_t pads[2 * SPACE_AXES];
	bool any = false;
	int i;

	for (i = 0; i < w->axes; i++) {
		pads[i] = frame->v[2 * i];
		pads[w->axes + i] = frame->v[2 * i + 1];
		any |= pads[i] || pads[w->axes + i];
	}
	if (any)
		add(w, attr_is_ints(w->x, "pads", 2 * w->axes, pads));
}

static struct window_attrs
window_begin(struct exporter *x, const struct node *n)
{
	if (!n->in[0]->batched)
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
	return (struct window_attrs){ .x = x, .n = n, .axes = space_axes(n->in[0]) };
}

static void
conv(struct exporter *x, const struct node *n)
{
	struct window_attrs w = window_begin(x, n);

	add_axes(&w, "kernel_shape", op_attr(n, "kernel"));
	add_axes(&w, "strides", op_attr(n, "stride"));
	add_pads(&w, op_attr(n, "pad"));
	add_axes(&w, "dilations", op_attr(n, "dilation"));
	add(&w, attr_is_int("group", op_int(n, "groups")));
	result(x, n->out[0], make(x, "Conv", IN(value_of(x, n->in[0]), value_of(x, n->in[1]),
	    n->nin > 2 ? value_of(x, n->in[2]) : NULL), w.attr));
}

EXPORT_OP_ROW(conv, .write = conv);

static void
conv_transpose(struct exporter *x, const struct node *n)
{
	const struct attr *pad = op_attr(n, "pad");
	struct window_attrs w = window_begin(x, n);
	int64_t pads[2 * SPACE_AXES];
	int i;

	for (i = 0; i < w.axes; i++)
		pads[i] = pads[w.axes + i] = pad->v[i];
	add_axes(&w, "kernel_shape", op_attr(n, "kernel"));
	add_axes(&w, "strides", op_attr(n, "stride"));
	add(&w, attr_is_ints(x, "pads", 2 * w.axes, pads));
	add_axes(&w, "output_padding", op_attr(n, "output_pad"));
	add_axes(&w, "dilations", op_attr(n, "dilation"));
	add(&w, attr_is_int("group", op_int(n, "groups")));
	result(x, n->out[0], make(x, "ConvTranspose", IN(value_of(x, n->in[0]), value_of(x, n->in[1]),
	    n->nin > 2 ? value_of(x, n->in[2]) : NULL), w.attr));
}

EXPORT_OP_ROW(conv_transpose, .write = conv_transpose);

/* ---- pooling ---- */

/* The frame, where it is so wide that rounding up gives a window more, which begins behind the
 * elements and is none: not all that read a model know that, so what is behind the last window is
 * left out. */
static struct attr
frame_seen(const struct node *n, const struct attr *kernel, const struct attr *stride)
{
	struct attr frame = *op_attr(n, "pad");
	int axes = space_axes(n->in[0]), i;

	for (i = 0; i < axes && op_bool(n, "ceil"); i++) {
		int64_t reach = n->in[0]->dim[1 + i] + frame.v[2 * i], count = n->out[0]->dim[1 + i];
		int64_t rest = reach + frame.v[2 * i + 1] - kernel->v[i] - (count - 1) * stride->v[i];

		if (rest > 0 && count * stride->v[i] >= reach)
			frame.v[2 * i + 1] -= rest < frame.v[2 * i + 1] ? rest : frame.v[2 * i + 1];
	}
	return frame;
}

static struct window_attrs
pool_attrs(struct exporter *x, const struct node *n)
{
	const struct attr *kernel = op_attr(n, "kernel"), *stride = op_attr(n, "stride")->n ? op_attr(n, "stride") : kernel;
	struct attr frame = frame_seen(n, kernel, stride);
	struct window_attrs w = window_begin(x, n);

	add_axes(&w, "kernel_shape", kernel);
	add_axes(&w, "strides", stride);
	add_pads(&w, &frame);
	if (op_bool(n, "ceil"))
		add(&w, attr_is_int("ceil_mode", 1));
	return w;
}

static void
maxpool(struct exporter *x, const struct node *n)
{
	const char *out[2];	/* what is largest, and where it is, which a gradient asks for */

	make_several(x, "MaxPool", IN(value_of(x, n->in[0])), pool_attrs(x, n).attr, x->training ? 2 : 1, out);
	result(x, n->out[0], out[0]);
}

EXPORT_OP_ROW(maxpool, .write = maxpool);

static void
avgpool(struct exporter *x, const struct node *n)
{
	struct window_attrs w = pool_attrs(x, n);

	if (op_bool(n, "count_pad"))
		add(&w, attr_is_int("count_include_pad", 1));
	result(x, n->out[0], make(x, "AveragePool", IN(value_of(x, n->in[0])), w.attr));
}

EXPORT_OP_ROW(avgpool, .write = avgpool);

EXPORT_OP_ROW(global_avgpool, .same = "GlobalAveragePool");
EXPORT_OP_ROW(global_maxpool, .same = "GlobalMaxPool");

/* Cells of one axis that are not alike: each by itself, one after the other. */
static const char *
uneven_cells(struct exporter *x, const char *value, const char *reduce, int axis, int64_t size, int64_t cells)
{
	const char **cell = arena_array(x->arena, (size_t)cells + 1, sizeof(*cell));
	int64_t i;

	for (i = 0; i < cells; i++)
		cell[i] = make(x, reduce, IN(sliced(x, value, axis, i * size / cells,
		    ((i + 1) * size + cells - 1) / cells), int_constant(x, axis)), AS(attr_is_int("keepdims", 1)));
	return make(x, "Concat", cell, AS(attr_is_int("axis", axis)));
}

static void
adaptive(struct exporter *x, const struct node *n, const char *pool, const char *reduce)
{
	struct window_attrs w = window_begin(x, n);
	const struct tensor *from = n->in[0], *to = n->out[0];
	const char *y = value_of(x, from);
	int64_t kernel[SPACE_AXES];
	bool even = true;
	int i;

	for (i = 0; i < w.axes; i++) {
		even &= from->dim[1 + i] % to->dim[1 + i] == 0;
		kernel[i] = from->dim[1 + i] / to->dim[1 + i];
	}
	if (even) {
		add(&w, attr_is_ints(x, "kernel_shape", w.axes, kernel));
		add(&w, attr_is_ints(x, "strides", w.axes, kernel));
		result(x, to, make(x, pool, IN(y), w.attr));
		return;
	}
	for (i = 0; i < w.axes; i++) {
		if (to->dim[1 + i] > MOST_CELLS)
			export_cannot(x, "its windows are not alike, and more than %d along an axis", MOST_CELLS);
		else if (from->dim[1 + i] != to->dim[1 + i])
			y = uneven_cells(x, y, reduce, 2 + i, from->dim[1 + i], to->dim[1 + i]);
	}
	result(x, to, y);
}

static void
adaptive_avgpool(struct exporter *x, const struct node *n)
{
	adaptive(x, n, "AveragePool", "ReduceMean");
}

EXPORT_OP_ROW(adaptive_avgpool, .write = adaptive_avgpool);

static void
adaptive_maxpool(struct exporter *x, const struct node *n)
{
	adaptive(x, n, "MaxPool", "ReduceMax");
}

EXPORT_OP_ROW(adaptive_maxpool, .write = adaptive_maxpool);

/* ---- windows as columns ---- */

/* A convolution of each channel by itself, whose filters each pick out one cell of the window. */
static const char *
windows(struct exporter *x, const struct node *n, struct window_attrs *w, const int64_t *kernel)
{
	int64_t channels = n->in[0]->dim[0], cells = 1, dim[2 + SPACE_AXES], i;
	double *pick;

	for (i = 0; i < w->axes; i++)
		cells *= dim[2 + i] = kernel[i];
	dim[0] = channels * cells;
	dim[1] = 1;
	pick = arena_array(x->arena, (size_t)(channels * cells * cells), sizeof(*pick));
	for (i = 0; i < channels * cells; i++)
		pick[i * cells + i % cells] = 1;
	add(w, attr_is_ints(x, "kernel_shape", w->axes, kernel));
	add(w, attr_is_int("group", channels));
	return make(x, "Conv", IN(value_of(x, n->in[0]), reals_constant(x, 2 + w->axes, dim, pick)), w->attr);
}

static void
unfold(struct exporter *x, const struct node *n)
{
	struct window_attrs w = window_begin(x, n);

	add_axes(&w, "strides", op_attr(n, "stride"));
	add_pads(&w, op_attr(n, "pad"));
	add_axes(&w, "dilations", op_attr(n, "dilation"));
	result(x, n->out[0], reshaped_as(x, windows(x, n, &w, op_attr(n, "kernel")->v), n->out[0]));
}

EXPORT_OP_ROW(unfold, .write = unfold);

/* y[n, f, p] = sum over c of weight[p, f, c] windows[n, c, p] */
static void
local(struct exporter *x, const struct node *n)
{
	struct window_attrs w = window_begin(x, n);
	const struct tensor *weight = n->in[1], *y = n->out[0];
	const char *columns, *sums;

	add_axes(&w, "strides", op_attr(n, "stride"));
	columns = reshaped(x, windows(x, n, &w, op_attr(n, "kernel")->v), true, 2,
	    (int64_t[]){ weight->dim[2], weight->dim[0] });
	sums = make(x, "Einsum", IN(columns, value_of(x, weight)), AS(attr_is_text("equation", "ncp,pfc->nfp")));
	sums = reshaped_as(x, sums, y);
	if (n->nin > 2 && n->in[2])
		sums = two(x, "Add", sums, value_of(x, n->in[2]));
	result(x, y, sums);
}

EXPORT_OP_ROW(local, .write = local);

/* ---- resizing ---- */

static void
upsample(struct exporter *x, const struct node *n)
{
	static const char *const mode[] = { "nearest", "linear", "linear", "linear", "cubic" };
	struct window_attrs w = window_begin(x, n);
	int64_t axes[SPACE_AXES] = { 2, 3, 4 }, kind = op_int(n, "mode");

	add(&w, attr_is_ints(x, "axes", w.axes, axes));
	add(&w, attr_is_text("mode", mode[kind]));
	add(&w, attr_is_text("coordinate_transformation_mode", kind == 0 ? "asymmetric" :
	    op_bool(n, "corners") ? "align_corners" : "half_pixel"));
	if (kind == 0)
		add(&w, attr_is_text("nearest_mode", "floor"));
	if (kind == 4)
		add(&w, attr_is_real("cubic_coeff_a", -0.75));
	result(x, n->out[0], make(x, "Resize", IN(value_of(x, n->in[0]), "", "",
	    ints_constant(x, w.axes, n->out[0]->dim + 1)), w.attr));
}

EXPORT_OP_ROW(upsample, .write = upsample);

static void
pixel_shuffle(struct exporter *x, const struct node *n)
{
	if (n->in[0]->rank != 3 || !n->in[0]->batched)
		export_cannot(x, "it is none of images");
	result(x, n->out[0], make(x, "DepthToSpace", IN(value_of(x, n->in[0])),
	    AS(attr_is_int("blocksize", op_int(n, "factor")), attr_is_text("mode", "CRD"))));
}

EXPORT_OP_ROW(pixel_shuffle, .write = pixel_shuffle);

static void
pixel_unshuffle(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int64_t r = op_int(n, "factor");
	int64_t parts[] = { y->dim[0] / r / r, y->dim[1], r, y->dim[2], r };
	const char *v;

	if (n->in[0]->rank != 3 || !n->in[0]->batched)
		export_cannot(x, "it is none of images");
	v = reshaped(x, value_of(x, n->in[0]), true, 5, parts);
	result(x, y, reshaped_as(x, transposed(x, v, 6, (int64_t[]){ 0, 1, 3, 5, 2, 4 }), y));
}

EXPORT_OP_ROW(pixel_unshuffle, .write = pixel_unshuffle);
