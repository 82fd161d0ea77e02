/*
 * The gradients of resizing, and of frames of elements: along each axis the result is a matrix of
 * what each of its places takes of the input's, times the input; what comes back is multiplied by
 * that matrix, turned. Matrices are made as ONNX says of Resize and Pad.
 */
#include "export/gradient.h"

#include <math.h>
#include <string.h>

struct line {			/* an axis, and how it is resized */
	int64_t in, out;
	enum { NEAREST, LINEAR, CUBIC } kind;
	bool corners;
	double sharpness;	/* of cubic curves */
};

static double
cubic(double d, double a)
{
	d = fabs(d);
	if (d <= 1)
		return ((a + 2) * d - (a + 3)) * d * d + 1;
	return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* Where a place of the result lies in the input. */
static double
lies_at(const struct line *l, int64_t o)
{
	if (l->corners)
		return l->out > 1 ? (double)(o * (l->in - 1)) / (double)(l->out - 1) : 0;
	return ((double)o + 0.5) * (double)l->in / (double)l->out - 0.5;
}

static int64_t
within(int64_t i, int64_t n)
{
	return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Turned, [in, out]: of each place of the input what it gives. Beyond the edges are more of the
 * elements there. */
static const char *
matrix(struct exporter *x, const struct line *l)
{
	double *v = arena_array(x->arena, (size_t)(l->in * l->out), sizeof(*v)), at;
	int64_t dim[] = { l->in, l->out }, o, i, first;

	for (o = 0; o < l->out; o++) {
		if (l->kind == NEAREST) {
			v[o * l->in / l->out * l->out + o] = 1;
			continue;
		}
		at = lies_at(l, o);
		first = (int64_t)floor(at);
		for (i = first - 1; i <= first + 2; i++)
			v[within(i, l->in) * l->out + o] += l->kind == CUBIC ? cubic(at - (double)i, l->sharpness) :
			    fmax(0, 1 - fabs(at - (double)i));
	}
	return reals_constant(x, 2, dim, v);
}

/* DY by the matrix of axis I of OUT, on the left: those before it are as they are in the input,
 * those behind it not yet. */
static const char *
along(struct gradients *g, const char *dy, const char *matrix, const struct known_shape *out, int i)
{
	int64_t dim[] = { -1, out->dim[i], 1 };
	int k;

	for (k = i + 1; k < out->rank; k++)
		dim[2] *= out->dim[k];
	return two(g->x, "MatMul", matrix, two(g->x, "Reshape", dy, ints_constant(g->x, 3, dim)));
}

static bool
text_is(const struct model_node *n, const char *name, const char *value)
{
	const struct model_attr *a = node_attr(n, name);

	return a && strcmp(a->s, value) == 0;
}

static void
resize(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *in = shape_known(g, n->in[0]), *out = shape_known(g, n->out[0]);
	const struct model_attr *sharpness = node_attr(n, "cubic_coeff_a");
	struct line l = { .kind = text_is(n, "mode", "nearest") ? NEAREST : text_is(n, "mode", "cubic") ? CUBIC : LINEAR,
		.corners = text_is(n, "coordinate_transformation_mode", "align_corners"), .sharpness = sharpness ? sharpness->r : -0.75 };
	const char *v = dy[0];
	int i;

	if (!extents_known(in) || !extents_known(out)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	for (i = 2; i < in->rank; i++) {
		l.in = in->dim[i];
		l.out = out->dim[i];
		if (l.in != l.out)
			v = along(g, v, matrix(g->x, &l), out, i);
	}
	flow_to(g, n->in[0], shaped_as(g, v, n->in[0]));
}

/* ---- frames ---- */

/* The element of N that stands at place I, which may be outside. */
static int64_t
stands_at(int64_t i, int64_t n, const char *mode)
{
	int64_t period = strcmp(mode, "wrap") == 0 ? n : n > 1 ? 2 * (n - 1) : 1;

	if (strcmp(mode, "edge") == 0)
		return within(i, n);
	i = (i % period + period) % period;
	return i < n ? i : period - i;
}

void
framed(struct gradients *g, const struct model_node *n, const char *dy, const char *mode, const struct numbers *pads)
{
	const struct known_shape *in = shape_known(g, n->in[0]), *out = shape_known(g, n->out[0]);
	int64_t o;
	double *v;
	int i;

	if (!extents_known(in) || !extents_known(out)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	for (i = 1; i < in->rank; i++) {
		if (in->dim[i] == out->dim[i])
			continue;
		v = arena_array(g->x->arena, (size_t)(in->dim[i] * out->dim[i]), sizeof(*v));
		for (o = 0; o < out->dim[i]; o++)
			v[stands_at(o - numbers_integer(pads, i), in->dim[i], mode) * out->dim[i] + o] = 1;
		dy = along(g, dy, reals_constant(g->x, 2, (int64_t[]){ in->dim[i], out->dim[i] }, v), out, i);
	}
	flow_to(g, n->in[0], shaped_as(g, dy, n->in[0]));
}

const struct gradient_row gradients_of_resizing[] = { { "Resize", resize }, { NULL, NULL } };
