/* slice: a range of indices along some axes. x[2:5, ::2, -1] of the language is this operator. */
#include "ops/move.h"

#include "calls/tape.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INTS, "the axes, one or several: 0 is the first after the batch, -1 the last", .preset = "0",
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	{ "start", ATTR_INTS, "the first index taken of each; of those below 0, -1 is the last index. By default the "
	    "first, or with a step below 0 the last", .min = -(double)LARGEST_EXTENT, .max = LARGEST_EXTENT },
	{ "stop", ATTR_INTS, "the index before which it ends, likewise; by default all are taken",
	    .min = -(double)LARGEST_EXTENT - 1, .max = LARGEST_EXTENT },
	{ "step", ATTR_INTS, "the distance of two; below 0 it goes backwards. By default 1",
	    .min = -(double)LARGEST_EXTENT, .max = LARGEST_EXTENT },
	{ "drop", ATTR_INTS, "axes of which one index is taken, and that the result does not have",
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

struct range {
	int64_t start, stop, step, n;
};

/* Of axis[K]. */
static struct range
range_at(const struct node *n, int k)
{
	const struct attr *start = op_attr(n, "start"), *stop = op_attr(n, "stop"), *step = op_attr(n, "step");
	const struct tensor *x = n->in[0];
	int64_t all = x->dim[shape_axis_at(op_attr(n, "axis")->v[k], x)];
	struct range r = { .step = step->given ? step->v[k] : 1 };

	r.start = start->given ? start->v[k] : r.step < 0 ? all - 1 : 0;
	r.stop = stop->given ? stop->v[k] : r.step < 0 ? -all - 1 : all;
	if (start->given && r.start < 0)
		r.start += all;
	if (r.stop < 0)
		r.stop += all;
	if (r.step > 0 && r.stop > r.start)
		r.n = (r.stop - r.start - 1) / r.step + 1;
	else if (r.step < 0 && r.stop < r.start)
		r.n = (r.start - r.stop - 1) / -r.step + 1;
	return r;
}

/* Of axis I of the input: all of it, where the node does not name it. */
static struct range
range_of(const struct node *n, int i)
{
	const struct attr *axes = op_attr(n, "axis");
	int k;

	for (k = 0; k < axes->n; k++)
		if (shape_axis_at(axes->v[k], n->in[0]) == i)
			return range_at(n, k);
	return (struct range){ 0, n->in[0]->dim[i], 1, n->in[0]->dim[i] };
}

static bool
is_dropped(const struct node *n, int i)
{
	const struct attr *drop = op_attr(n, "drop");
	int k;

	for (k = 0; k < drop->n; k++)
		if (shape_axis_at(drop->v[k], n->in[0]) == i)
			return true;
	return false;
}

static void
moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i, at = 0;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++) {
		struct range r = range_of(n, i);
		struct move_part *p = move_part(m, is_dropped(n, i) ? MOVE_NOWHERE : at++, i, r.n);

		p->of = x->dim[i];
		if (r.n != x->dim[i] || r.step != 1)
			move_run(p, r.n, r.start, r.step);
	}
}

/* ---- the shape rule ---- */

static bool
counts_agree(struct build *b, const struct node *n)
{
	static const char *const name[] = { "start", "stop", "step" };
	int axes = op_attr(n, "axis")->n, i;

	for (i = 0; i < 3; i++) {
		const struct attr *a = op_attr(n, name[i]);

		if (a->given && a->n != axes)
			return op_error(b, n, "slice: %s has %d number%s, but %d %s: each axis has its own", name[i],
			    a->n, a->n == 1 ? "" : "s", axes, axes == 1 ? "axis is named" : "axes are named");
	}
	return true;
}

static bool
range_is_good(struct build *b, const struct node *n, int axis, const struct range *r)
{
	const struct tensor *x = n->in[0];
	long long all = x->dim[axis];

	if (r->step == 0)
		return op_error(b, n, "slice: a step of 0 never gets anywhere");
	if (r->start < 0 || r->start >= all)
		return op_error(b, n, "slice: index %lld is outside of axis %d, whose indices are 0 to %lld: input is %s",
		    (long long)(r->start < 0 ? r->start - all : r->start), axis, all - 1, op_operand_text(b, x));
	if (r->stop < -1 || r->stop > all)
		return op_error(b, n, "slice: it would stop at %lld, outside of axis %d, which ends at %lld: input is "
		    "%s", (long long)(r->stop < -1 ? r->stop - all : r->stop), axis, all, op_operand_text(b, x));
	if (r->n == 0)
		return op_error(b, n, "slice: from %lld to %lld by %lld there is nothing in axis %d",
		    (long long)r->start, (long long)r->stop, (long long)r->step, axis);
	return true;
}

static bool
axes_are_good(struct build *b, const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis"), *drop = op_attr(n, "drop");
	const struct tensor *x = n->in[0];
	int i, axis;

	if (!shape_axes(b, n))
		return false;
	for (i = 0; i < axes->n; i++) {
		struct range r = range_at(n, i);

		if (!range_is_good(b, n, shape_axis_at(axes->v[i], x), &r))
			return false;
	}
	for (i = 0; i < drop->n; i++) {
		if (!shape_axis_known(b, n, x, drop->v[i], &axis))
			return false;
		if (range_of(n, axis).n != 1)
			return op_error(b, n, "slice: axis %d cannot be dropped: %lld indices of it are taken, not one",
			    axis, (long long)range_of(n, axis).n);
	}
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int i, rank = 0;

	if (!shape_float(b, n, 0) || !counts_agree(b, n) || !axes_are_good(b, n))
		return false;
	for (i = 0; i < x->rank; i++)
		if (!is_dropped(n, i))
			dim[rank++] = range_of(n, i).n;
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	int i;

	(void)g;
	for (i = 0; i < n->in[0]->rank; i++)
		if (range_of(n, i).step != 1)
			return NULL;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

/* In PyTorch one view for each axis, whose gradient is zeros but where it was; backwards, a copy of
 * what was taken forwards. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int y = tape_value(t, x), i;
	bool flipped = false;

	for (i = x->rank - 1; i >= 0; i--) {	/* the last first: an axis that is dropped moves none of these */
		struct range r = range_of(n, i);

		if (r.n != x->dim[i] || is_dropped(n, i))
			y = tape_narrow(t, y, i + x->batched, r.n, r.step < 0 ? -r.step : r.step, is_dropped(n, i));
		flipped |= r.step < 0 && r.n > 1;
	}
	if (flipped)
		y = tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = t->values.v[y].bytes });
	tape_result(t, n->out[0], y);
}

const struct op op_slice = {
	.name = "slice",
	.kind = OP_LAYER,
	.brief = "a range of indices along some axes",
	.doc = "What the language writes x[2:5], x[:, ::2] or x[-1]: of axis `axis` the indices from start up to, and "
	    "not with, stop, at a distance of step. slice(axis=1, start=2, stop=5) is x[:, 2:5]; several axes are "
	    "said with tuples, slice(axis=(0, 1), start=(2, 0), stop=(5, 3)). An index counts from the end if it is below 0, and none may be "
	    "outside of its axis. The batch is not counted.\n\n"
	    "Elements are copied. Backward needs neither input nor output; the gradient is 0 where nothing was taken, "
	    "and those of several slices of one tensor add up in one place.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = move_gradient,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = moves,
};
