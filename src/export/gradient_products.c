/*
 * Gradients of products and of windows that move. That of a convolution's input is the transposed
 * convolution; that of its weights is a convolution, too, of maps whose samples are channels, with
 * what comes back as the kernel:
 *
 *     x [B, g C, H, W] -> [C, g B, H, W]      dy [B, F, h, w] -> [F, B, h, w]      dw [C, F, kh, kw] -> [F, C, kh, kw]
 */
#include "export/gradient.h"

#include <string.h>

/* ---- products ---- */

/* Of a matrix that all of X meet: one product of all rows. */
static const char *
of_matrix(struct gradients *g, const char *x, const char *dy, const struct known_shape *w)
{
	int64_t rows[] = { -1, w->dim[0] }, columns[] = { -1, w->dim[1] };

	x = two(g->x, "Reshape", x, ints_constant(g->x, 2, rows));
	dy = two(g->x, "Reshape", dy, ints_constant(g->x, 2, columns));
	return two(g->x, "MatMul", last_exchanged(g, x, 2), dy);
}

/* It has the operand's matrices, for all that these were multiplied by. */
static void
of_operand(struct gradients *g, const struct model_node *n, int k, const char *gradient)
{
	const struct known_shape *y = shape_known(g, n->out[0]), *in = shape_known(g, n->in[k]);
	struct known_shape from;

	if (y && in) {
		from = *y;
		memcpy(from.dim + from.rank - 2, in->dim + in->rank - 2, 2 * sizeof(*from.dim));
	}
	flow_summed(g, n->in[k], gradient, y && in ? &from : NULL);
}

static void
matmul(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *a = shape_known(g, n->in[0]), *b = shape_known(g, n->in[1]);

	if (!b || b->rank < 2 || ((b->rank > 2 || b->dim[0] < 0 || b->dim[1] < 0) && (!a || a->rank < 2))) {
		no_gradient(g, "the shape of what is multiplied is not known");
		return;
	}
	if (wants(g, n, 0))
		of_operand(g, n, 0, two(g->x, "MatMul", dy[0], last_exchanged(g, n->in[1], b->rank)));
	if (!wants(g, n, 1))
		return;
	if (b->rank == 2 && b->dim[0] > 0 && b->dim[1] > 0)
		flow_to(g, n->in[1], of_matrix(g, n->in[0], dy[0], b));
	else
		of_operand(g, n, 1, two(g->x, "MatMul", last_exchanged(g, n->in[0], a->rank), dy[0]));
}

/* Of rows and a matrix that is turned. */
static void
gemm(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	if (wants(g, n, 0))
		flow_to(g, n->in[0], two(g->x, "MatMul", dy[0], n->in[1]));
	if (wants(g, n, 1))
		flow_to(g, n->in[1], two(g->x, "MatMul", last_exchanged(g, dy[0], 2), n->in[0]));
	if (wants(g, n, 2))
		flow_to(g, n->in[2], reduced(g->x, "ReduceSum", dy[0], 1, &(const int64_t){ 0 }, false));
}

/* Of two operands, each axis of which the result or the other has too: the same sum with letters in
 * other places. */
static void
einsum(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *equation = node_attr(n, "equation")->s, *comma = strchr(equation, ','), *arrow = strstr(equation, "->");
	const char *part[2];
	int k;

	if (n->nin != 2 || !comma || !arrow || strchr(equation, '.')) {
		no_gradient(g, "an Einsum that is none of two operands with a letter for each axis");
		return;
	}
	part[0] = arena_strndup(g->x->arena, equation, (size_t)(comma - equation));
	part[1] = arena_strndup(g->x->arena, comma + 1, (size_t)(arrow - comma - 1));
	for (k = 0; k < 2; k++)
		if (wants(g, n, k))
			flow_to(g, n->in[k], make(g->x, "Einsum", IN(dy[0], n->in[!k]), AS(attr_is_text("equation",
			    arena_printf(g->x->arena, "%s,%s->%s", arrow + 2, part[!k], part[k])))));
}

/* ---- convolutions ---- */

static const int64_t *
axes_of(const struct model_node *n, const char *name, const int64_t *otherwise)
{
	const struct model_attr *a = node_attr(n, name);

	return a ? a->v : otherwise;
}

struct windows
windows_of(const struct model_node *n)
{
	static const int64_t ones[] = { 1, 1, 1, 1 }, zeros[8];
	const struct model_attr *kernel = node_attr(n, "kernel_shape");

	return (struct windows){ kernel->n, node_int(n, "group", 1), kernel->v, axes_of(n, "strides", ones),
		axes_of(n, "dilations", ones), axes_of(n, "pads", zeros) };
}

static const char *
moved(struct gradients *g, const char *op, const char *x, const char *w, const struct windows *m, const int64_t *stride,
    const int64_t *dilation, int64_t group, const int64_t *more)
{
	struct model_attr attr[6] = { { .name = NULL } };
	int n = 0;

	attr[n++] = attr_is_ints(g->x, "strides", m->axes, stride);
	attr[n++] = attr_is_ints(g->x, "dilations", m->axes, dilation);
	attr[n++] = attr_is_ints(g->x, "pads", 2 * m->axes, m->pads);
	attr[n++] = attr_is_int("group", group);
	if (more)
		attr[n++] = attr_is_ints(g->x, "output_padding", m->axes, more);
	return make(g->x, op, IN(x, w), attr);
}

/* From DY of windows to their input, whose extents are known. Behind its end some elements may be
 * in no window, or windows may see more than there is. */
static const char *
to_input(struct gradients *g, const char *dy, const char *w, const struct windows *m, const struct known_shape *x,
    const struct known_shape *y)
{
	int64_t more[4], pads[8];
	struct windows back = *m;
	int i;

	for (i = 0; i < m->axes; i++) {
		more[i] = x->dim[2 + i] - ((y->dim[2 + i] - 1) * m->stride[i] + m->dilation[i] * (m->kernel[i] - 1) + 1 -
		    m->pads[i] - m->pads[m->axes + i]);
		pads[i] = m->pads[i];
		pads[m->axes + i] = m->pads[m->axes + i] + (more[i] < 0 ? -more[i] : 0);
		more[i] = more[i] < 0 ? 0 : more[i];
	}
	back.pads = pads;
	return moved(g, "ConvTranspose", dy, w, &back, m->stride, m->dilation, m->group, more);
}

static const char *
samples_as_channels(struct gradients *g, const char *x, const struct known_shape *s, int64_t group)
{
	int64_t dim[MODEL_RANK + 4] = { -1, group, s->dim[1] / group }, axes[MODEL_RANK + 4] = { 2, 1, 0 };
	int i;

	for (i = 2; i < s->rank; i++) {
		dim[i + 1] = s->dim[i];
		axes[i + 1] = i + 1;
	}
	x = transposed(g->x, two(g->x, "Reshape", x, ints_constant(g->x, s->rank + 1, dim)), s->rank + 1, axes);
	dim[1] = s->dim[1] / group;	/* [C, g B, ...] */
	dim[2] = -1;
	return two(g->x, "Reshape", x, ints_constant(g->x, s->rank, dim + 1));
}

/* The first two axes change places. */
static const char *
turned(struct gradients *g, const char *x, int rank)
{
	int64_t axes[MODEL_RANK + 4];
	int i;

	for (i = 0; i < rank; i++)
		axes[i] = i < 2 ? 1 - i : i;
	return transposed(g->x, x, rank, axes);
}

/* From the input X of a convolution and what comes back to its weights. */
static const char *
to_weights(struct gradients *g, const char *x, const char *dy, const struct windows *m, const struct known_shape *s)
{
	int64_t from[4] = { 0 }, axes[4];
	const char *w;
	int i;

	w = moved(g, "Conv", samples_as_channels(g, x, s, m->group), turned(g, dy, s->rank), m, m->dilation, m->stride, m->group, NULL);
	for (i = 0; i < m->axes; i++)	/* where the stride left out the last elements, it is larger than the kernel */
		axes[i] = 2 + i;
	w = make(g->x, "Slice", IN(w, ints_constant(g->x, m->axes, from), ints_constant(g->x, m->axes, m->kernel),
	    ints_constant(g->x, m->axes, axes)), AS_IS);
	return turned(g, w, s->rank);
}

static const char *
to_bias(struct gradients *g, const char *dy, int rank)
{
	int64_t axes[MODEL_RANK + 4] = { 0 };
	int i;

	for (i = 1; i < rank - 1; i++)
		axes[i] = i + 1;
	return reduced(g->x, "ReduceSum", dy, rank - 1, axes, false);
}

/* A convolution from X to Y, or one that is transposed, which goes the other way. */
static void
convolution(struct gradients *g, const struct model_node *n, const char *dy, bool back)
{
	const struct known_shape *x = shape_known(g, n->in[0]), *y = shape_known(g, n->out[0]);
	struct windows m = windows_of(n);

	if (!extents_known(x) || !extents_known(y)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	if (wants(g, n, 0))
		flow_to(g, n->in[0], back ? moved(g, "Conv", dy, n->in[1], &m, m.stride, m.dilation, m.group, NULL) :
		    to_input(g, dy, n->in[1], &m, x, y));
	if (wants(g, n, 1))
		flow_to(g, n->in[1], back ? to_weights(g, dy, n->in[0], &m, y) : to_weights(g, n->in[0], dy, &m, x));
	if (wants(g, n, 2))
		flow_to(g, n->in[2], to_bias(g, dy, x->rank));
}

static void
conv(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	convolution(g, n, dy[0], false);
}

static void
conv_transpose(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	convolution(g, n, dy[0], true);
}

/* ---- pooling ---- */

/* The places of the largest are a second result; where windows overlap, one may be that of
 * several. */
static void
maxpool(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	const char *all = int_constant(x, -1), *zeros, *at = two(x, "Reshape", n->out[1], all);

	zeros = two(x, "Expand", real_constant(x, 0), two(x, "Reshape", one(x, "Size", n->in[0]), int_constant(x, 1)));
	zeros = make(x, "ScatterElements", IN(zeros, at, two(x, "Reshape", dy[0], all)),
	    AS(attr_is_int("axis", 0), attr_is_text("reduction", "add")));
	flow_to(g, n->in[0], shaped_as(g, zeros, n->in[0]));
}

/* How many elements a window along an axis has, which begins at FROM: of N, and of those of the
 * frame if they count. What is behind that is in no window. */
static int64_t
elements_of(int64_t from, int64_t kernel, int64_t n, int64_t before, int64_t after, bool frame)
{
	int64_t first = frame ? -before : 0, last = frame ? n + after : n;

	return (from + kernel < last ? from + kernel : last) - (from > first ? from : first);
}

/* One over the elements of each window, [1, 1, ...] */
static const char *
window_shares(struct gradients *g, const struct windows *m, const struct known_shape *x, const struct known_shape *y, bool frame)
{
	int64_t dim[MODEL_RANK + 4] = { 1, 1 }, count = 1, i, j, left, n;
	double *v;

	for (i = 0; i < m->axes; i++)
		count *= dim[2 + i] = y->dim[2 + i];
	v = arena_array(g->x->arena, (size_t)count, sizeof(*v));
	for (j = 0; j < count; j++) {
		for (n = 1, left = j, i = m->axes - 1; i >= 0; left /= dim[2 + i], i--)
			n *= elements_of(left % dim[2 + i] * m->stride[i] - m->pads[i], m->kernel[i], x->dim[2 + i], m->pads[i],
			    m->pads[m->axes + i], frame);
		v[j] = 1 / (double)n;
	}
	return reals_constant(g->x, m->axes + 2, dim, v);
}

/* Each element has its share of all windows that see it: a transposed convolution of each
 * channel. */
static void
avgpool(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *x = shape_known(g, n->in[0]), *y = shape_known(g, n->out[0]);
	struct windows m = windows_of(n);
	int64_t dim[MODEL_RANK] = { 0 }, count = 1, i;
	const char *shares;
	double *v;

	if (!extents_known(x) || !extents_known(y)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	dim[0] = m.group = x->dim[1];
	dim[1] = 1;
	for (i = 0; i < m.axes; i++)
		count *= dim[2 + i] = m.kernel[i];
	v = arena_array(g->x->arena, (size_t)(count * dim[0]), sizeof(*v));
	for (i = 0; i < count * dim[0]; i++)
		v[i] = 1;
	shares = window_shares(g, &m, x, y, node_int(n, "count_include_pad", 0));
	flow_to(g, n->in[0], to_input(g, two(g->x, "Mul", dy[0], shares), reals_constant(g->x, m.axes + 2, dim, v), &m, x, y));
}

static void
global_avgpool(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *x = shape_known(g, n->in[0]);
	double count = 1;
	int i;

	if (!extents_known(x)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	for (i = 2; i < x->rank; i++)
		count *= (double)x->dim[i];
	flow_to(g, n->in[0], two(g->x, "Expand", two(g->x, "Mul", dy[0], real_constant(g->x, 1 / count)), shape_value(g, n->in[0])));
}

/* All goes where the first of the largest was. */
static void
global_maxpool(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	const char *lines = ints_constant(x, 3, (int64_t[]){ 0, 0, -1 }), *in = two(x, "Reshape", n->in[0], lines), *at;

	at = make(x, "ArgMax", IN(in), AS(attr_is_int("axis", 2), attr_is_int("keepdims", 1)));
	in = two(x, "Expand", real_constant(x, 0), one(x, "Shape", in));
	in = make(x, "ScatterElements", IN(in, at, two(x, "Reshape", dy[0], lines)), AS(attr_is_int("axis", 2)));
	flow_to(g, n->in[0], shaped_as(g, in, n->in[0]));
}

const struct gradient_row gradients_of_products[] = {
	{ "AveragePool", avgpool }, { "Conv", conv }, { "ConvTranspose", conv_transpose }, { "Einsum", einsum }, { "Gemm", gemm },
	{ "GlobalAveragePool", global_avgpool }, { "GlobalMaxPool", global_maxpool }, { "MatMul", matmul }, { "MaxPool", maxpool }, { NULL, NULL }
};
