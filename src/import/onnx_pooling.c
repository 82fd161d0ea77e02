/*
 * Pooling. Windows that have holes, or lie outside by more than half, are not those of our layers.
 * A mean of them is one along each axis, by a frozen matrix; a maximum that of slices, one axis
 * after the other.
 */
#include "import/window.h"

#include <float.h>
#include <string.h>

/* How many windows there are along an axis, and what is added behind, so that all lie inside. */
static int64_t
windows(const struct model_node *n, const struct window *w, const struct tensor *x, int i, int64_t *behind)
{
	int64_t in = x->dim[i + 1], all = in + w->pad[2 * i] + w->pad[2 * i + 1], reach = (w->kernel[i] - 1) * w->dilation[i] + 1,
	    count;

	if (all < reach)
		return 0;
	count = (all - reach) / w->stride[i] + 1;
	if (attr_int(n, "ceil_mode", 0) && (all - reach) % w->stride[i] != 0 && count * w->stride[i] < in + w->pad[2 * i])
		count++;
	*behind = (count - 1) * w->stride[i] + reach - in - w->pad[2 * i];
	return count;
}

#define MOST_TERMS	(1 << 26)

/* A row for each window: so much of each place. Of what is added as a frame, a count may be part of
 * the mean. */
static struct val *
averaged(struct importer *im, const struct model_node *n, const struct window *w, struct val *x, int i, int64_t count)
{
	bool frame = attr_int(n, "count_include_pad", 0);
	int64_t in = x->t->dim[i + 1], j, k, at, places;
	double *m = count <= MOST_TERMS / w->kernel[i] ? along_room(im, x, i + 1, count) : NULL;

	for (j = 0; m && j < count; j++) {
		for (k = places = 0; k < w->kernel[i]; k++) {
			at = j * w->stride[i] - w->pad[2 * i] + k * w->dilation[i];
			places += frame ? at < in + w->pad[2 * i + 1] : at >= 0 && at < in;
		}
		for (k = 0; k < w->kernel[i] && places > 0; k++) {
			at = j * w->stride[i] - w->pad[2 * i] + k * w->dilation[i];
			if (at >= 0 && at < in)
				m[j * in + at] = 1 / (double)places;
		}
	}
	if (!m && count > MOST_TERMS / w->kernel[i])
		cannot(im, "its windows have holes, or lie outside by more than half, and are too large");
	return m ? along_matrix(im, x, i + 1, count, m) : NULL;
}

#define MOST_SLICES	64	/* of a maximum, along an axis */

static struct val *
largest(struct importer *im, const struct window *w, struct val *x, int i, int64_t count, int64_t behind)
{
	int64_t k, sides[MODEL_RANK][2] = { { 0 } };
	struct val *most = NULL, *part;
	struct call c;

	if (w->kernel[i] > MOST_SLICES)
		return cannot(im, "its window has holes, or lies outside by more than half, and is too large"), NULL;
	sides[1 + i][0] = w->pad[2 * i];
	sides[1 + i][1] = behind > 0 ? behind : 0;
	if (!(x = along_frame(im, x, sides, -FLT_MAX, "constant")))
		return NULL;
	for (k = 0; k < w->kernel[i]; k++) {
		if (!(part = along_run(im, x, i + 1, k * w->dilation[i], count > 1 ? w->stride[i] : 1, count)))
			return NULL;
		if (!most) {
			most = part;
			continue;
		}
		call_begin(&c, im, "maximum");
		call_like(&c, most);
		call_in(&c, part);
		if (!(most = call_value(&c)))
			return NULL;
	}
	return most;
}

static bool
pool_apart(struct importer *im, const struct model_node *n, const struct window *w, struct val *x, bool average)
{
	int64_t behind = 0, count;
	int i;

	for (i = 0; i < w->n && x; i++) {
		count = windows(n, w, x->t, i, &behind);
		if (count < 1)
			return cannot(im, "its window is larger than what it is moved over");
		if (w->kernel[i] == 1 && w->stride[i] == 1 && w->pad[2 * i] == 0 && w->pad[2 * i + 1] == 0)
			continue;
		x = average ? averaged(im, n, w, x, i, count) : largest(im, w, x, i, count, behind);
	}
	return node_makes(im, n, x);
}

/* Is it a window of our layers? */
static bool
window_is_ours(const struct window *w)
{
	int i;

	for (i = 0; i < w->n; i++)
		if (w->dilation[i] != 1 || 2 * w->pad[2 * i] > w->kernel[i] || 2 * w->pad[2 * i + 1] > w->kernel[i])
			return false;
	return true;
}

/* Are the places of maxima those of windows side by side, and read by what goes back there alone?
 * Ours are counted in each window, theirs over all of the tensor. */
static bool
places_are_ours(struct importer *im, const struct model_node *n, const struct window *w)
{
	int i, k;

	for (i = 0; i < w->n; i++)
		if (w->dilation[i] != 1 || w->stride[i] != w->kernel[i])
			return false;
	for (i = 0; i < im->model->nodes.n; i++)
		for (k = 0; k < im->model->nodes.v[i]->nin; k++)
			if (strcmp(im->model->nodes.v[i]->in[k], n->out[1]) == 0 &&
			    (k != 1 || strcmp(im->model->nodes.v[i]->op, "MaxUnpool") != 0))
				return false;
	for (i = 0; i < im->model->outputs.n; i++)
		if (strcmp(im->model->outputs.v[i].name, n->out[1]) == 0)
			return false;
	return w->plain && !attr_int(n, "ceil_mode", 0) && !attr_int(n, "storage_order", 0);
}

static bool
places(struct importer *im, const struct model_node *n, const struct window *w, struct val *x)
{
	struct call c;

	if (!places_are_ours(im, n, w))
		return cannot(im, "the places of its maxima are read, and not by MaxUnpool alone, or its windows do not lie side by side");
	call_begin(&c, im, "argmaxpool");
	call_in(&c, x);
	call_ints(&c, "kernel", w->n, w->kernel);
	return call_end(&c, n->out[1]);
}

static bool
pool(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	bool average = strcmp(ours, "avgpool") == 0;
	struct window w;
	struct call c;

	if (!x || !window_of(im, n, x, &w))
		return false;
	if (n->nout > 1 && read_by_node(im, n->out[1]) && !places(im, n, &w, x))
		return false;
	if (!window_pad_same(im, &w, x->t, !window_is_ours(&w)))
		return false;
	if (!window_is_ours(&w))
		return pool_apart(im, n, &w, x, average);
	call_begin(&c, im, ours);
	call_in(&c, x);
	call_ints(&c, "kernel", w.n, w.kernel);
	if (memcmp(w.stride, w.kernel, (size_t)w.n * sizeof(*w.stride)) != 0)
		call_ints(&c, "stride", w.n, w.stride);
	window_give_pad(&c, &w);
	if (attr_int(n, "ceil_mode", 0))
		call_int(&c, "ceil", true);
	if (average && !attr_int(n, "count_include_pad", 0) && (w.same || !w.plain))
		call_int(&c, "count_pad", false);
	return call_end(&c, n->out[0]);
}

/* Of places that argmaxpool makes; the result is as large as what these are of. */
static bool
max_unpool(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *k = node_in(im, n, 1);
	const struct step *pooled = k ? made_by(k, "argmaxpool") : NULL;
	const struct integers *shape = val_integers(im, node_in(im, n, 2));
	const struct attr *kernel;
	struct window w;
	struct call c;
	int i;

	if (!x)
		return false;
	if (!pooled)
		return cannot(im, "its places are not those of a MaxPool");
	if (!window_of(im, n, x, &w))
		return false;
	kernel = step_attr(pooled, "kernel");
	if (node_in(im, n, 2) && (!shape || shape->n != w.n + 2))
		return cannot(im, "how large its result is, is computed");
	for (i = 0; i < w.n; i++)
		if (w.kernel[i] != kernel->v[kernel->n == 1 ? 0 : i] || w.stride[i] != w.kernel[i] || !w.plain ||
		    (shape ? shape->v[2 + i] : x->t->dim[1 + i] * w.kernel[i]) != pooled->in[0]->t->dim[1 + i])
			return cannot(im, "its windows are not those of the MaxPool, or its result is not as large as what that reads");
	call_begin(&c, im, "max_unpool");
	call_in(&c, x);
	call_in(&c, k);
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

	/* a window of one place is what exporters make of an adaptive pool to the extents that
	 * there are */
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
const struct onnx_op onnx_op_max_unpool = { .name = "MaxUnpool", .translate = max_unpool };
const struct onnx_op onnx_op_avgpool = { .name = "AveragePool", .translate = avgpool };

ONNX_OP_ROW(global_avgpool, "GlobalAveragePool", "global_avgpool");
ONNX_OP_ROW(global_maxpool, "GlobalMaxPool", "global_maxpool");
