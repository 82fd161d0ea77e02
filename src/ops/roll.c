/* roll, flip, repeat: an axis that begins elsewhere, runs backwards, or comes several times. */
#include "ops/move.h"

#include "calls/tape.h"
#include "ops/shapes.h"

#define AXES_ATTR(doc)	{ "axis", ATTR_INTS, doc, .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 }

static const struct attr_spec roll_attrs[] = {
	{ "shift", ATTR_INTS, "by how many places elements move towards the end; below 0 towards the beginning",
	    .required = true, .min = -(double)LARGEST_EXTENT, .max = LARGEST_EXTENT },
	AXES_ATTR("the axes, as many as there are shifts: 0 is the first after the batch, -1 the last"),
	ATTRS_END
};

static const struct attr_spec flip_attrs[] = {
	AXES_ATTR("the axes, one or several: 0 is the first after the batch, -1 the last"),
	ATTRS_END
};

static const struct attr_spec repeat_attrs[] = {
	{ "times", ATTR_INTS, "how often each axis comes", .required = true, .min = 1, .max = LARGEST_EXTENT },
	ATTRS_END
};

/* ---- roll ---- */

/* 0 <= shift < extent */
static int64_t
shift_of(const struct node *n, int i)
{
	int k = shape_axis_named(n, i);
	int64_t all = n->in[0]->dim[i], shift = k < 0 ? 0 : op_attr(n, "shift")->v[k] % all;

	return shift < 0 ? shift + all : shift;
}

static void
roll_moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++) {
		int64_t shift = shift_of(n, i);
		struct move_part *p = move_part(m, i, i, x->dim[i]);

		if (shift > 0) {
			move_run(p, shift, x->dim[i] - shift, 1);
			move_run(p, x->dim[i] - shift, 0, 1);
		}
	}
}

static bool
roll_shape(struct build *b, struct node *n)
{
	int shifts = op_attr(n, "shift")->n, axes = op_attr(n, "axis")->n;

	if (shifts != axes)
		return op_error(b, n, "roll: %d shift%s for %d ax%ss: each axis has its own", shifts,
		    shifts == 1 ? "" : "s", axes, axes == 1 ? "i" : "e");
	return shape_float(b, n, 0) && shape_axes(b, n) && op_shape_same(b, n);
}

static struct tensor *
roll_identity(const struct graph *g, const struct node *n)
{
	int i;

	(void)g;
	for (i = 0; i < n->in[0]->rank; i++)
		if (shift_of(n, i))
			return NULL;
	return n->in[0];
}

/* In PyTorch an axis after the other. */
static void
roll_torch(struct tape *t, const struct node *n)
{
	int y = tape_value(t, n->in[0]), k;

	for (k = 0; k < op_attr(n, "shift")->n; k++)
		y = tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = tape_bytes(t, n->out[0]) });
	tape_result(t, n->out[0], y);
}

const struct op op_roll = {
	.name = "roll",
	.kind = OP_LAYER,
	.brief = "elements moved along an axis, round its end",
	.doc = "y[j] = x[j - shift] along an axis, where what leaves it at one end comes back at the other: roll(2) of "
	    "the elements 0 1 2 3 4 gives 3 4 0 1 2. Several axes are rolled with roll((-3, -3), axis=(1, 2)), as "
	    "shifted windows need. Backward needs neither input nor output.",
	.attrs = roll_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = roll_shape,
	.gradient.build = move_gradient,
	.simplify.identity = roll_identity,
	.torch = { .calls = roll_torch },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = roll_moves,
};

/* ---- flip ---- */

static void
flip_moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++) {
		struct move_part *p = move_part(m, i, i, x->dim[i]);

		if (shape_axis_named(n, i) >= 0 && x->dim[i] > 1)
			move_run(p, x->dim[i], x->dim[i] - 1, -1);
	}
}

static bool
flip_shape(struct build *b, struct node *n)
{
	return shape_float(b, n, 0) && shape_axes(b, n) && op_shape_same(b, n);
}

const struct op op_flip = {
	.name = "flip",
	.kind = OP_LAYER,
	.brief = "an axis backwards",
	.doc = "y[j] = x[n - 1 - j] along an axis of n indices, or several: flip(-1), flip((1, 2)). The same as "
	    "x[::-1]. Backward needs neither input nor output.",
	.attrs = flip_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = flip_shape,
	.gradient.build = move_gradient,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = flip_moves,
};

/* ---- repeat ---- */

static void
repeat_moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++) {
		if (op_attr(n, "times")->v[i] > 1)
			move_part(m, i, MOVE_NOWHERE, op_attr(n, "times")->v[i])->out_step = x->dim[i];
		move_part(m, i, i, x->dim[i]);
	}
}

static bool
repeat_shape(struct build *b, struct node *n)
{
	const struct attr *times = op_attr(n, "times");
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0))
		return false;
	if (times->n != x->rank)
		return op_error(b, n, "repeat: input is %s, with %d ax%ss besides the batch, but %d number%s given: each "
		    "axis has its own", op_operand_text(b, x), x->rank, x->rank == 1 ? "i" : "e", times->n,
		    times->n == 1 ? " is" : "s are");
	for (i = 0; i < x->rank; i++)
		if (__builtin_mul_overflow(x->dim[i], times->v[i], &dim[i]))
			dim[i] = INT64_MAX;	/* op_output() objects */
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
repeat_identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

const struct op op_repeat = {
	.name = "repeat",
	.kind = OP_LAYER,
	.brief = "each axis several times over",
	.doc = "Copies of the input side by side: repeat(1, 2) of [T, D] gives [T, 2 D], each row twice one after the "
	    "other, as PyTorch's repeat and NumPy's tile. Backward sums dy over the copies, and needs neither input "
	    "nor output. Where an extent is 1, broadcast does the same; arithmetic does it by itself.",
	.attrs = repeat_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = repeat_shape,
	.gradient.build = move_gradient,
	.simplify.identity = repeat_identity,
	.torch.copies = true,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = repeat_moves,
};
