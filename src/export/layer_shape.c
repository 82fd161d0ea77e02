/* Layers that put elements elsewhere, or only say another shape. */
#include "export/exporter.h"

#include "ops/conv.h"
#include "ops/shapes.h"

static void
flatten(struct exporter *x, const struct node *n)
{
	const char *v = value_of(x, n->in[0]);

	result(x, n->out[0], n->in[0]->batched ? make(x, "Flatten", IN(v), AS(attr_is_int("axis", 1))) :
	    reshaped_as(x, v, n->out[0]));
}

EXPORT_OP_ROW(flatten, .write = flatten);

static void
reshape(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], reshaped_as(x, value_of(x, n->in[0]), n->out[0]));
}

EXPORT_OP_ROW(reshape, .write = reshape);

/* Axis i of the result is axis FROM[i]. */
static void
put_axes(struct exporter *x, const struct node *n, const int *from)
{
	const struct tensor *t = n->in[0];
	int64_t axes[MAX_RANK + 1] = { 0 };
	int i;

	for (i = 0; i < t->rank; i++)
		axes[i + t->batched] = from[i] + t->batched;
	result(x, n->out[0], transposed(x, value_of(x, t), t->rank + t->batched, axes));
}

static void
permute(struct exporter *x, const struct node *n)
{
	int from[MAX_RANK], i;

	for (i = 0; i < n->in[0]->rank; i++)
		from[i] = shape_axis_at(op_attr(n, "axes")->v[i], n->in[0]);
	put_axes(x, n, from);
}

EXPORT_OP_ROW(permute, .write = permute);

static void
transpose(struct exporter *x, const struct node *n)
{
	int a = shape_axis_at(op_int(n, "axis"), n->in[0]), b = shape_axis_at(op_int(n, "with"), n->in[0]);
	int from[MAX_RANK], i;

	for (i = 0; i < n->in[0]->rank; i++)
		from[i] = i == a ? b : i == b ? a : i;
	put_axes(x, n, from);
}

EXPORT_OP_ROW(transpose, .write = transpose);

static void
concat(struct exporter *x, const struct node *n)
{
	const char **in = arena_array(x->arena, (size_t)n->nin + 1, sizeof(*in));
	int k;

	for (k = 0; k < n->nin; k++)
		in[k] = value_of(x, n->in[k]);
	result(x, n->out[0], make(x, "Concat", in, AS(attr_is_int("axis", onnx_axis(n->in[0], op_int(n, "axis"))))));
}

EXPORT_OP_ROW(concat, .write = concat);

static void
split(struct exporter *x, const struct node *n)
{
	const char **part = arena_array(x->arena, (size_t)n->nout + 1, sizeof(*part));
	int64_t *size = arena_array(x->arena, (size_t)n->nout + 1, sizeof(*size));
	int axis = shape_axis_at(op_int(n, "axis"), n->in[0]), k;

	for (k = 0; k < n->nout; k++)
		size[k] = n->out[k]->dim[axis];
	make_several(x, "Split", IN(value_of(x, n->in[0]), ints_constant(x, n->nout, size)),
	    AS(attr_is_int("axis", axis + n->in[0]->batched)), n->nout, part);
	for (k = 0; k < n->nout; k++)
		result(x, n->out[k], part[k]);
}

EXPORT_OP_ROW(split, .write = split);

/* ---- ranges ---- */

/* ONNX counts a stop below 0 from the end, so what goes back to the first index stops at the least
 * of all numbers. */
static void
slice(struct exporter *x, const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis"), *start = op_attr(n, "start"), *stop = op_attr(n, "stop");
	const struct attr *step = op_attr(n, "step"), *drop = op_attr(n, "drop");
	int64_t a[MAX_RANK], from[MAX_RANK], end[MAX_RANK], by[MAX_RANK], gone[MAX_RANK];
	const char *y;
	int k;

	for (k = 0; k < axes->n; k++) {
		a[k] = onnx_axis(n->in[0], axes->v[k]);
		by[k] = step->given ? step->v[k] : 1;
		from[k] = start->given ? start->v[k] : by[k] < 0 ? INT64_MAX : 0;
		end[k] = stop->given ? stop->v[k] : by[k] < 0 ? INT64_MIN : INT64_MAX;
		if (by[k] < 0 && stop->given && stop->v[k] == -n->in[0]->dim[a[k] - n->in[0]->batched] - 1)
			end[k] = INT64_MIN;
	}
	for (k = 0; k < drop->n; k++)
		gone[k] = onnx_axis(n->in[0], drop->v[k]);
	y = make(x, "Slice", IN(value_of(x, n->in[0]), ints_constant(x, axes->n, from), ints_constant(x, axes->n, end),
	    ints_constant(x, axes->n, a), ints_constant(x, axes->n, by)), AS_IS);
	if (drop->n > 0)
		y = two(x, "Squeeze", y, ints_constant(x, drop->n, gone));
	result(x, n->out[0], y);
}

EXPORT_OP_ROW(slice, .write = slice);

static void
crop(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0], *y = n->out[0];
	int64_t from[2], end[2], axes[] = { onnx_axis(t, -2), onnx_axis(t, -1) };

	crop_corner(n, t, &from[0], &from[1]);
	end[0] = from[0] + y->dim[y->rank - 2];
	end[1] = from[1] + y->dim[y->rank - 1];
	result(x, y, make(x, "Slice", IN(value_of(x, t), ints_constant(x, 2, from), ints_constant(x, 2, end),
	    ints_constant(x, 2, axes)), AS_IS));
}

EXPORT_OP_ROW(crop, .write = crop);

static void
pad(struct exporter *x, const struct node *n)
{
	static const char *const mode[] = { "constant", "reflect", "edge", "wrap" };
	const struct attr *sides = op_attr(n, "sides"), *axes = op_attr(n, "axis");
	const struct tensor *t = n->in[0];
	int64_t pads[2 * (MAX_RANK + 1)] = { 0 };
	int rank = t->rank + t->batched, k;

	for (k = 0; k < axes->n; k++) {
		int at = onnx_axis(t, axes->v[k]);

		pads[at] = sides->v[2 * k];
		pads[rank + at] = sides->v[2 * k + 1];
	}
	result(x, n->out[0], make(x, "Pad", IN(value_of(x, t), ints_constant(x, 2 * rank, pads),
	    real_constant(x, op_real(n, "value"))), AS(attr_is_text("mode", mode[op_int(n, "mode")]))));
}

EXPORT_OP_ROW(pad, .write = pad);

static void
roll(struct exporter *x, const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis"), *shifts = op_attr(n, "shift");
	const char *v = value_of(x, n->in[0]);
	int k;

	for (k = 0; k < axes->n; k++) {
		int axis = shape_axis_at(axes->v[k], n->in[0]), theirs = axis + n->in[0]->batched;
		int64_t all = n->in[0]->dim[axis], shift = (shifts->v[k] % all + all) % all;

		if (shift > 0)
			v = make(x, "Concat", IN(sliced(x, v, theirs, all - shift, all), sliced(x, v, theirs, 0, all - shift)),
			    AS(attr_is_int("axis", theirs)));
	}
	result(x, n->out[0], v);
}

EXPORT_OP_ROW(roll, .write = roll);

static void
flip(struct exporter *x, const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis");
	int64_t a[MAX_RANK], from[MAX_RANK], end[MAX_RANK], by[MAX_RANK];
	int k;

	for (k = 0; k < axes->n; k++) {
		a[k] = onnx_axis(n->in[0], axes->v[k]);
		from[k] = INT64_MAX;
		end[k] = INT64_MIN;
		by[k] = -1;
	}
	result(x, n->out[0], make(x, "Slice", IN(value_of(x, n->in[0]), ints_constant(x, axes->n, from),
	    ints_constant(x, axes->n, end), ints_constant(x, axes->n, a), ints_constant(x, axes->n, by)), AS_IS));
}

EXPORT_OP_ROW(flip, .write = flip);

static void
repeat(struct exporter *x, const struct node *n)
{
	int64_t times[MAX_RANK + 1] = { 1 };
	int i;

	for (i = 0; i < n->in[0]->rank; i++)
		times[i + n->in[0]->batched] = op_attr(n, "times")->v[i];
	result(x, n->out[0], two(x, "Tile", value_of(x, n->in[0]),
	    ints_constant(x, n->in[0]->rank + n->in[0]->batched, times)));
}

EXPORT_OP_ROW(repeat, .write = repeat);

static void
channel_shuffle(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	int64_t groups = op_int(n, "groups"), parts[] = { groups, t->dim[0] / groups, shape_product(t, 1, t->rank) };
	int64_t of_samples[] = { 0, 2, 1, 3 }, of_one[] = { 1, 0, 2 };

	result(x, n->out[0], reshaped_as(x, transposed(x, reshaped(x, value_of(x, t), t->batched, 3, parts),
	    3 + t->batched, t->batched ? of_samples : of_one), n->out[0]));
}

EXPORT_OP_ROW(channel_shuffle, .write = channel_shuffle);

/* ---- tensors of nothing but their shape ---- */

static void
broadcast(struct exporter *x, const struct node *n)
{
	static const int64_t ones[MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	const struct tensor *t = n->in[0], *y = n->out[0];
	const char *v = value_of(x, t);
	int64_t dim[MAX_RANK + 1] = { 1 };
	int i;

	if (t->rank == 0 && t->batched && y->rank > 0)
		v = reshaped(x, v, true, y->rank, ones);
	if (y->batched && !t->batched) {
		result(x, y, for_each_sample(x, v, y->rank, y->dim));
		return;
	}
	for (i = 0; i < y->rank; i++)
		dim[i + y->batched] = y->dim[i];
	result(x, y, two(x, "Expand", v, ints_constant(x, y->rank + y->batched, dim)));
}

EXPORT_OP_ROW(broadcast, .write = broadcast);

/* What is the same for all samples, as the tensor says whether there is one for each. */
static void
known(struct exporter *x, const struct tensor *y, const char *value)
{
	result(x, y, y->batched ? for_each_sample(x, value, y->rank, y->dim) : value);
}

static void
filled(struct exporter *x, const struct tensor *y, double value)
{
	const char *v = real_constant(x, value);

	known(x, y, y->batched || y->rank == 0 ? v : two(x, "Expand", v, ints_constant(x, y->rank, y->dim)));
}

static void
zeros(struct exporter *x, const struct node *n)
{
	filled(x, n->out[0], 0);
}

EXPORT_OP_ROW(zeros, .write = zeros);

static void
ones(struct exporter *x, const struct node *n)
{
	filled(x, n->out[0], 1);
}

EXPORT_OP_ROW(ones, .write = ones);

static void
constant(struct exporter *x, const struct node *n)
{
	filled(x, n->out[0], op_real(n, "value"));
}

EXPORT_OP_ROW(constant, .write = constant);

static void
iota(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int axis = shape_axis_at(op_int(n, "axis"), y), i;
	int64_t dim[MAX_RANK], k;
	double *v = arena_array(x->arena, (size_t)y->dim[axis] + 1, sizeof(*v));
	const char *line;

	for (k = 0; k < y->dim[axis]; k++)
		v[k] = op_real(n, "start") + op_real(n, "step") * (double)k;
	for (i = 0; i < y->rank; i++)
		dim[i] = i == axis ? y->dim[i] : 1;
	line = reals_constant(x, y->rank, dim, v);
	known(x, y, y->batched || y->rank == 1 ? line :
	    two(x, "Expand", line, ints_constant(x, y->rank, y->dim)));
}

EXPORT_OP_ROW(iota, .write = iota);

/* Triangles: ones, of which ONNX keeps one side of a diagonal. */
static void
triangle(struct exporter *x, const struct node *n, bool upper)
{
	const struct tensor *y = n->out[0];
	const char *ones = two(x, "Expand", real_constant(x, 1), ints_constant(x, y->rank, y->dim)), *diagonal;

	diagonal = one(x, "Squeeze", int_constant(x, op_int(n, "diagonal")));
	result(x, y, make(x, "Trilu", IN(ones, diagonal), AS(attr_is_int("upper", upper))));
}

static void
tril(struct exporter *x, const struct node *n)
{
	triangle(x, n, false);
}

EXPORT_OP_ROW(tril, .write = tril);

static void
triu(struct exporter *x, const struct node *n)
{
	triangle(x, n, true);
}

EXPORT_OP_ROW(triu, .write = triu);

static void
places(struct exporter *x, const struct node *n, bool upper)
{
	const struct attr *shape = op_attr(n, "shape");
	int64_t rows = shape->v[0], columns = shape->n > 1 ? shape->v[1] : rows, d = op_int(n, "diagonal"), i, j, at = 0;
	int32_t *v = arena_array(x->arena, (size_t)n->out[0]->dim[0] + 1, sizeof(*v));

	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			if (upper ? j - i >= d : j - i <= d)
				v[at++] = (int32_t)(i * columns + j);
	result(x, n->out[0], places_constant(x, 1, &at, v));
}

static void
tril_index(struct exporter *x, const struct node *n)
{
	places(x, n, false);
}

EXPORT_OP_ROW(tril_index, .write = tril_index);

static void
triu_index(struct exporter *x, const struct node *n)
{
	places(x, n, true);
}

EXPORT_OP_ROW(triu_index, .write = triu_index);
