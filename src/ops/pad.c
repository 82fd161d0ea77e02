/* pad: a frame around some axes, of constants or of what lies at the edges. The gradient of the
 * first is a crop; of the others dy is summed over all places that show an element. Either needs
 * only dy. Once shape() is done, `axis` has every axis by its index, and `sides` two numbers for
 * each. */
#include "ops/move.h"
#include "ops/shapes.h"

#include "calls/tape.h"

#define PLANE	2	/* axes where none is named: height and width */

static const struct attr_spec attrs[] = {
	{ "sides", ATTR_FRAME, "indices to add: on all sides, one number for each axis, as (vertical, horizontal), or two, "
	    "before and after, as (top, bottom, left, right)", .required = true, .min = 0, .max = 1 << 30 },
	{ "value", ATTR_REAL, "what they hold, where they are constant", .preset = "0" },
	{ "mode", ATTR_ENUM, "constant; reflect: what lies inside of the edge, mirrored at it; replicate: the edge "
	    "itself; circular: what lies at the other end", .preset = "constant",
	    .choices = "constant reflect replicate circular" },
	{ "axis", ATTR_INTS, "the axes, one or several: 0 is the first after the batch, -1 the last; by default the last two, or the one there is",
	    .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

/* Where in N indices those before the first come from, and those after the last; below 0: they hold
 * the constant. */
static int64_t
comes_from(int64_t mode, int64_t n, int64_t before, bool after)
{
	switch (mode) {
	case REFLECT:
		return after ? n - 2 : before;
	case REPLICATE:
		return after ? n - 1 : 0;
	case CIRCULAR:
		return after ? 0 : n - before;
	default:
		return -1;
	}
}

/* N indices of an axis, with BEFORE and AFTER more. */
static void
frame(struct move_part *p, int64_t mode, int64_t before, int64_t after)
{
	int64_t n = p->of, by = mode == REFLECT ? -1 : mode == REPLICATE ? 0 : 1;

	p->n = n + before + after;
	move_run(p, before, comes_from(mode, n, before, false), by);
	move_run(p, n, 0, 1);
	move_run(p, after, comes_from(mode, n, before, true), by);
}

static void
moves(const struct node *n, struct moving *m)
{
	const struct attr *sides = op_attr(n, "sides");
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	m->value = op_real(n, "value");
	for (i = 0; i < x->rank; i++) {
		struct move_part *p = move_part(m, i, i, x->dim[i]);
		int k = shape_axis_named(n, i);

		if (k >= 0)
			frame(p, op_int(n, "mode"), sides->v[2 * k], sides->v[2 * k + 1]);
	}
}

/* The axes by their indices, each once. */
static bool
axes_known(struct build *b, struct node *n)
{
	struct attr *axes = op_preset(n->op, n->attr, "axis");
	const struct tensor *x = n->in[0];
	int i;

	if (axes->n == 0)
		for (i = x->rank > PLANE ? x->rank - PLANE : 0; i < x->rank; i++)
			axes->v[axes->n++] = i;
	if (!shape_axes(b, n))
		return false;
	for (i = 0; i < axes->n; i++)
		axes->v[i] = shape_axis_at(axes->v[i], x);
	return true;
}

/* Two numbers for each axis. */
static bool
sides_known(struct build *b, struct node *n)
{
	int axes = op_attr(n, "axis")->n;

	if (axes == 0)
		return op_error(b, n, "pad: %s has no axis", op_operand_text(b, n->in[0]));
	if (2 * axes > MAX_RANK)
		return op_error(b, n, "pad: %d axes are named, and one layer pads at most %d", axes, MAX_RANK / 2);
	return shape_spread(b, n, op_preset(n->op, n->attr, "sides"), axes, "to frame");
}

/* A mirror shows all but the edge; the other end is all that there is; and an edge is shown where
 * there is one. */
static bool
frame_fits(struct build *b, const struct node *n)
{
	static const char *const side[] = { "top", "bottom", "left", "right" };
	const struct attr *sides = op_attr(n, "sides"), *axes = op_attr(n, "axis");
	const struct tensor *x = n->in[0];
	bool mirror = op_int(n, "mode") == REFLECT;
	int i;

	for (i = 0; (mirror || op_int(n, "mode") == CIRCULAR) && i < sides->n; i++) {
		int64_t axis = axes->v[i / 2], most = x->dim[axis] - mirror;
		int at = (int)(axis - (x->rank - PLANE));

		if (sides->v[i] > most)
			return op_error(b, n, "pad: %lld %s, but input is %s, and mode=%s has at most %lld there",
			    (long long)sides->v[i], x->rank > PLANE && at >= 0 ?
			    arena_printf(b->module->arena, "at the %s", side[2 * at + i % 2]) :
			    arena_printf(b->module->arena, "%s axis %lld", i % 2 ? "after" : "before", (long long)axis),
			    op_operand_text(b, x), mirror ? "reflect" : "circular", (long long)most);
	}
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *sides = op_attr(n, "sides"), *axes = op_attr(n, "axis");
	const struct tensor *x = n->in[0];
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0) || !axes_known(b, n) || !sides_known(b, n) || !frame_fits(b, n))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	for (i = 0; i < axes->n; i++)
		dim[axes->v[i]] += sides->v[2 * i] + sides->v[2 * i + 1];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

/* ---- in PyTorch ---- */

/* Some of the node's axes, framed by one call: of X, which becomes what is made. */
struct framing {
	const struct node *n;
	int from, to;		/* of those that it names */
	struct tensor x;
};

/* What PyTorch copies from one end to the other goes back an end at a time: with a copy of dy, one
 * of the end's part of it, and zeros for what lay there before; in the end with x's part. */
static int64_t
torch_scratch(const struct tape *t, const struct framing *f, const struct tensor *y)
{
	const struct attr *sides = op_attr(f->n, "sides"), *axes = op_attr(f->n, "axis");
	int64_t all = tape_bytes(t, y), most = tape_bytes(t, &f->x);
	int i;

	for (i = 2 * f->from; i < 2 * f->to; i++) {
		int64_t part = all / y->dim[axes->v[i / 2]] * sides->v[i];

		most = 2 * part > most ? 2 * part : most;
	}
	return all + most;
}

/* Of the kernels of PyTorch that mirror and extend, autograd keeps the input. */
static int
torch_framed(struct tape *t, struct framing *f, int x)
{
	const struct attr *sides = op_attr(f->n, "sides"), *axes = op_attr(f->n, "axis");
	struct tensor y = f->x;
	int64_t mode = op_int(f->n, "mode");
	int k;

	for (k = f->from; k < f->to; k++)
		y.dim[axes->v[k]] += sides->v[2 * k] + sides->v[2 * k + 1];
	x = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1, .bytes = tape_bytes(t, &y),
	    .saves = mode == REFLECT || mode == REPLICATE ? SAVES_IN(0) : 0,
	    .scratch = mode == CIRCULAR ? torch_scratch(t, f, &y) : 0 });
	f->x = y;
	return x;
}

/* F.pad has constants around any axis; of the other modes at most three that lie side by side,
 * where all that comes behind them is a view as one. Others are framed one after the other. */
static bool
torch_at_once(const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis");
	int64_t first = n->in[0]->rank, last = -1;
	int k;

	for (k = 0; k < axes->n; k++) {
		first = axes->v[k] < first ? axes->v[k] : first;
		last = axes->v[k] > last ? axes->v[k] : last;
	}
	return op_int(n, "mode") == CONSTANT || last - first + 1 + (last + 1 < n->in[0]->rank) <= 3;
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	struct framing f = { .n = n, .to = op_attr(n, "axis")->n, .x = tensor_value(n->in[0]) };
	int x = tape_value(t, n->in[0]), all = f.to;

	if (torch_at_once(n))
		x = torch_framed(t, &f, x);
	else
		for (f.from = 0; f.from < all; f.from++) {
			f.to = f.from + 1;
			x = torch_framed(t, &f, x);
		}
	tape_result(t, n->out[0], x);
}

const struct op op_pad = {
	.name = "pad",
	.kind = OP_LAYER,
	.brief = "a frame around height and width, or any axes",
	.doc = "Adds indices that hold `value` before and after axes: pad(2), pad((1, 0)), pad((0, 1, 0, 1)) around the last "
	    "two, so that [C, H, W] gives [C, H + top + bottom, W + left + right]; pad((3, 0), axis=-1) before those of the "
	    "last, as steps of time before the first; pad(1, axis=(-3, -2, -1)) around a volume; pad((0, 8), axis=0) makes "
	    "channels more. An axis has one number, for both of its ends, or two; a number alone is for all. "
	    "With mode=reflect the frame mirrors what lies inside of the edge, which is not repeated: of 0 1 2 "
	    "3, two to the left are 2 1; with mode=replicate it repeats the edge; with mode=circular it is what lies at the other end, "
	    "2 3. "
	    "Backward needs neither input nor output. A convolution's own pad= costs no "
	    "memory; use this for frames that it has not, or that are not 0. The batch has no frame.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = move_gradient,
	.simplify.identity = identity,
	.memory.layout = op_layout_either,
	.torch = { .calls = torch_calls, .copies = true },
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = moves,
};
