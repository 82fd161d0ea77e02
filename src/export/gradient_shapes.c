/* Gradients of reductions, and of what moves elements. */
#include "export/gradient.h"

#include <string.h>

/* ---- the same elements in another shape ---- */

static void
reshape(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], shaped_as(g, dy[0], n->in[0]));
}

static void
transpose(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct model_attr *perm = node_attr(n, "perm");
	int64_t axes[MODEL_RANK + 4];
	int i;

	for (i = 0; i < perm->n; i++)
		axes[perm->v[i]] = i;
	flow_to(g, n->in[0], transposed(g->x, dy[0], perm->n, axes));
}

static void
expand(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_summed(g, n->in[0], dy[0], shape_known(g, n->out[0]));
}

/* [B, C, H r, W r] -> [B, C, H, r, W, r] -> [B, C, r, r, H, W] */
static void
depth_to_space(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	int64_t r = node_int(n, "blocksize", 1);
	const char *v;

	if (!extents_known(in)) {
		no_gradient(g, "the shape of its map is not known");
		return;
	}
	v = two(g->x, "Reshape", dy[0], ints_constant(g->x, 6, (int64_t[]){ -1, in->dim[1] / r / r, in->dim[2], r, in->dim[3], r }));
	flow_to(g, n->in[0], shaped_as(g, transposed(g->x, v, 6, (int64_t[]){ 0, 1, 3, 5, 2, 4 }), n->in[0]));
}

/* Copies along an axis are an axis of their own, before it. */
static void
tile(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *times = constant_of(g, n->in[1]);
	int64_t dim[2 * (MODEL_RANK + 4)], axes[MODEL_RANK + 4];
	int rank = 0, copied = 0, i;

	if (!times || !in || (in->rank > 1 && !extents_known(in)) || in->rank == 0) {
		no_gradient(g, "the shape of what is repeated is not known");
		return;
	}
	for (i = 0; i < in->rank; i++) {
		if (numbers_integer(times, i) > 1) {
			axes[copied++] = rank;
			dim[rank++] = numbers_integer(times, i);
		}
		dim[rank++] = in->dim[i] < 0 ? -1 : in->dim[i];
	}
	if (copied == 0)
		flow_to(g, n->in[0], dy[0]);
	else
		flow_to(g, n->in[0], reduced(g->x, "ReduceSum", two(g->x, "Reshape", dy[0], ints_constant(g->x, rank, dim)), copied, axes,
		    false));
}

/* ---- parts ---- */

static const char *
extent_of(struct gradients *g, const char *value, const char *axes)
{
	return make(g->x, "Gather", IN(one(g->x, "Shape", value), axes), AS(attr_is_int("axis", 0)));
}

static const char *
scalar(struct exporter *x, int64_t v)
{
	return two(x, "Squeeze", int_constant(x, v), int_constant(x, 0));
}

static void
concat(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char **size = arena_array(g->x->arena, (size_t)n->nin + 1, sizeof(*size));
	const char **part = arena_array(g->x->arena, (size_t)n->nin + 1, sizeof(*part));
	const char *axis = int_constant(g->x, node_int(n, "axis", 0));
	int k;

	for (k = 0; k < n->nin; k++)
		size[k] = extent_of(g, n->in[k], axis);
	if (n->nin == 1) {
		flow_to(g, n->in[0], dy[0]);
		return;
	}
	make_several(g->x, "Split", IN(dy[0], make(g->x, "Concat", size, AS(attr_is_int("axis", 0)))),
	    AS(attr_is_int("axis", node_int(n, "axis", 0))), n->nin, part);
	for (k = 0; k < n->nin; k++)
		if (wants(g, n, k))
			flow_to(g, n->in[k], part[k]);
}

static void
split(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char **part = arena_array(g->x->arena, (size_t)n->nout + 1, sizeof(*part));
	int k;

	for (k = 0; k < n->nout; k++)
		part[k] = *dy[k] ? dy[k] : zeros_as(g, n->out[k]);
	flow_to(g, n->in[0], make(g->x, "Concat", part, AS(attr_is_int("axis", node_int(n, "axis", 0)))));
}

/* Along one axis elements are put back where the slice with these numbers took them from, which it
 * says itself of all places. */
static const char *
put_back(struct gradients *g, const char *of, const char *dy, int rank, int64_t axis, const int64_t *bounds)
{
	struct exporter *x = g->x;
	const char *extent = extent_of(g, of, int_constant(x, axis)), *places, *shape, *all = int_constant(x, 0);
	int64_t dim[MODEL_RANK + 4], i;

	for (i = 0; i < rank; i++)
		dim[i] = i == axis ? -1 : 1;
	places = make(x, "Range", IN(scalar(x, 0), two(x, "Squeeze", extent, all), scalar(x, 1)), AS_IS);
	places = make(x, "Slice", IN(places, int_constant(x, bounds[0]), int_constant(x, bounds[1]), all, int_constant(x, bounds[2])), AS_IS);
	places = two(x, "Expand", two(x, "Reshape", places, ints_constant(x, rank, dim)), one(x, "Shape", dy));
	shape = make(x, "ScatterElements", IN(one(x, "Shape", dy), int_constant(x, axis), extent), AS_IS);
	return make(x, "ScatterElements", IN(two(x, "Expand", real_constant(x, 0), shape), places, dy), AS(attr_is_int("axis", axis)));
}

static void
strided(struct gradients *g, const struct model_node *n, const char *dy)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	const struct numbers *part[4];	/* starts, ends, axes, steps */
	int64_t i;
	int k;

	for (k = 0; k < 4; k++)
		if (!in || !(part[k] = constant_of(g, n->in[1 + k]))) {
			no_gradient(g, "a slice with steps, of what has no known shape");
			return;
		}
	for (i = 0; i < part[2]->count; i++) {
		int64_t bounds[] = { numbers_integer(part[0], i), numbers_integer(part[1], i), numbers_integer(part[3], i) };
		int64_t axis = numbers_integer(part[2], i);

		dy = put_back(g, n->in[0], dy, in->rank, axis < 0 ? axis + in->rank : axis, bounds);
	}
	flow_to(g, n->in[0], dy);
}

/* What was cut off in front and behind is 0. */
static void
slice(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	const struct numbers *starts = constant_of(g, n->in[1]), *axes = n->nin > 3 ? constant_of(g, n->in[3]) : NULL,
	    *steps = n->nin > 4 ? constant_of(g, n->in[4]) : NULL;
	const char *extent, *before, *after;
	int64_t i;

	for (i = 0; steps && i < steps->count; i++)
		if (numbers_integer(steps, i) != 1) {
			strided(g, n, dy[0]);
			return;
		}
	if (!starts || !axes) {
		no_gradient(g, "a slice whose bounds are computed");
		return;
	}
	extent = extent_of(g, n->in[0], n->in[3]);
	before = make(x, "Where", IN(two(x, "Less", n->in[1], int_constant(x, 0)), two(x, "Add", n->in[1], extent), n->in[1]), AS_IS);
	after = two(x, "Sub", two(x, "Sub", extent, before), extent_of(g, n->out[0], n->in[3]));
	before = make(x, "Concat", IN(before, after), AS(attr_is_int("axis", 0)));
	flow_to(g, n->in[0], make(x, "Pad", IN(dy[0], before, real_constant(x, 0), n->in[3]), AS_IS));
}

static void
pad(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct model_attr *mode = node_attr(n, "mode");
	const struct numbers *pads = constant_of(g, n->in[1]);
	struct exporter *x = g->x;
	int64_t axes[MODEL_RANK + 4], from[MODEL_RANK + 4], i;
	const char *start;

	if (!pads || n->nin > 3) {
		no_gradient(g, "a frame whose width is not known");
		return;
	}
	if (mode && strcmp(mode->s, "constant") != 0) {
		framed(g, n, dy[0], mode->s, pads);
		return;
	}
	for (i = 0; i < pads->count / 2; i++) {
		axes[i] = i;
		from[i] = numbers_integer(pads, i);
	}
	start = ints_constant(x, (int)pads->count / 2, from);
	flow_to(g, n->in[0], make(x, "Slice", IN(dy[0], start, two(x, "Add", start, one(x, "Shape", n->in[0])),
	    ints_constant(x, (int)pads->count / 2, axes)), AS_IS));
}

/* ---- reductions ---- */

/* What is no longer there is an axis of one again, and the same for all that went into it. */
static const char *
spread(struct gradients *g, const struct model_node *n, const char *dy)
{
	if (!node_int(n, "keepdims", 1) && n->nin > 1 && *n->in[1])
		dy = two(g->x, "Unsqueeze", dy, n->in[1]);
	return two(g->x, "Expand", dy, shape_value(g, n->in[0]));
}

static void
total(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], spread(g, n, dy[0]));
}

/* y = sqrt of the sum of x x; where that is 0, so is the gradient. */
static void
length(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	const char *zero = real_constant(x, 0), *is = two(x, "Equal", n->out[0], zero), *by;

	by = two(x, "Div", dy[0], make(x, "Where", IN(is, real_constant(x, 1), n->out[0]), AS_IS));
	flow_to(g, n->in[0], two(x, "Mul", n->in[0], spread(g, n, make(x, "Where", IN(is, zero, by), AS_IS))));
}

static void
mean(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *count = two(g->x, "Div", one(g->x, "Size", n->in[0]), one(g->x, "Size", n->out[0]));

	flow_to(g, n->in[0], spread(g, n, two(g->x, "Div", dy[0], cast_to(g->x, count, ELEMENT_F32))));
}

/* The same where it is the first along several axes: the places in these are counted, and the least
 * of them is it. */
static void
extreme_of_several(struct gradients *g, const struct model_node *n, const struct numbers *axes, const char *dy)
{
	struct exporter *x = g->x;
	const struct known_shape *in = shape_known(g, n->in[0]);
	int64_t dim[MODEL_RANK + 4], count = 1, i, axis;
	const char *all = axes ? n->in[1] : NULL, *y = n->out[0], *place, *is;

	for (i = 0; in && i < in->rank; i++)
		dim[i] = 1;
	for (i = 0; in && axes && i < axes->count; i++) {
		axis = numbers_integer(axes, i) + (numbers_integer(axes, i) < 0 ? in->rank : 0);
		count *= dim[axis] = in->dim[axis];
	}
	if (!in || !axes || count < 1 || count > INT32_MAX) {
		no_gradient(g, "what is largest along several axes, of what has no known shape");
		return;
	}
	if (!node_int(n, "keepdims", 1)) {
		y = two(x, "Unsqueeze", y, all);
		dy = two(x, "Unsqueeze", dy, all);
	}
	place = cast_to(x, counted(x, in->rank, dim), ELEMENT_I64);
	is = make(x, "Where", IN(two(x, "Equal", n->in[0], y), place, int_constant(x, count)), AS_IS);
	is = two(x, "Equal", is, make(x, "ReduceMin", IN(is, all), AS(attr_is_int("keepdims", 1))));
	flow_to(g, n->in[0], make(x, "Where", IN(is, dy, real_constant(x, 0)), AS_IS));
}

/* All goes where the first of the largest was, or of the least. */
static void
extreme(struct gradients *g, const struct model_node *n, const char *dy, const char *op)
{
	const struct numbers *axes = n->nin > 1 ? constant_of(g, n->in[1]) : NULL;
	const char *at;

	if (!axes || axes->count != 1) {
		extreme_of_several(g, n, axes, dy);
		return;
	}
	at = make(g->x, op, IN(n->in[0]), AS(attr_is_int("axis", numbers_integer(axes, 0)), attr_is_int("keepdims", 1)));
	if (!node_int(n, "keepdims", 1))
		dy = two(g->x, "Unsqueeze", dy, n->in[1]);
	flow_to(g, n->in[0], make(g->x, "ScatterElements", IN(zeros_as(g, n->in[0]), at, dy),
	    AS(attr_is_int("axis", numbers_integer(axes, 0)))));
}

static void
largest(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	extreme(g, n, dy[0], "ArgMax");
}

static void
least(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	extreme(g, n, dy[0], "ArgMin");
}

static const char *
along(struct gradients *g, const struct model_node *n, const char *value)
{
	int64_t axis = node_int(n, "axis", -1);

	return reduced(g->x, "ReduceSum", value, 1, &axis, true);
}

static void
softmax(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *sum = along(g, n, two(g->x, "Mul", dy[0], n->out[0]));

	flow_to(g, n->in[0], two(g->x, "Mul", n->out[0], two(g->x, "Sub", dy[0], sum)));
}

static void
log_softmax(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], two(g->x, "Sub", dy[0], two(g->x, "Mul", one(g->x, "Exp", n->out[0]), along(g, n, dy[0]))));
}

const struct gradient_row gradients_of_shapes[] = {
	{ "Concat", concat }, { "DepthToSpace", depth_to_space }, { "Expand", expand }, { "Flatten", reshape }, { "LogSoftmax", log_softmax },
	{ "Pad", pad }, { "ReduceL2", length }, { "ReduceMax", largest }, { "ReduceMin", least }, { "ReduceMean", mean }, { "ReduceSum", total },
	{ "Reshape", reshape }, { "Slice", slice }, { "Softmax", softmax }, { "Split", split }, { "Squeeze", reshape }, { "Tile", tile },
	{ "Transpose", transpose }, { "Unsqueeze", reshape }, { NULL, NULL }
};
