/* pad: a frame around the last two axes, of constants or of what lies at the edges. The gradient of the first is a
 * crop; of the others dy is summed over all places that show an element. Either needs only dy. */
#include "ops/move.h"
#include "ops/shapes.h"

#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "sides", ATTR_SIDES, "rows and columns to add: all sides, (vertical, horizontal) or "
	    "(top, bottom, left, right)", .required = true, .min = 0, .max = 1 << 30 },
	{ "value", ATTR_REAL, "what they hold, where they are constant", .preset = "0" },
	{ "mode", ATTR_ENUM, "constant; reflect: what lies inside of the edge, mirrored at it; replicate: the edge "
	    "itself; circular: what lies at the other end", .preset = "constant",
	    .choices = "constant reflect replicate circular" },
	ATTRS_END
};

enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

/* Where in N indices those before the first come from, and those after the last; below 0: they hold the constant. */
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
		int side = 2 * (i - (x->rank - 2));

		if (side >= 0)
			frame(p, op_int(n, "mode"), sides->v[side], sides->v[side + 1]);
	}
}

/* A mirror shows all but the edge; the other end is all that there is. */
static bool
frame_fits(struct build *b, const struct node *n)
{
	static const char *const side[] = { "top", "bottom", "left", "right" };
	const struct attr *sides = op_attr(n, "sides");
	const struct tensor *x = n->in[0];
	bool mirror = op_int(n, "mode") == REFLECT;
	int i;

	for (i = 0; (mirror || op_int(n, "mode") == CIRCULAR) && i < 4; i++) {
		int64_t most = x->dim[x->rank - 2 + i / 2] - mirror;

		if (sides->v[i] > most)
			return op_error(b, n, "pad: %lld at the %s, but input is %s, and mode=%s has at most %lld there",
			    (long long)sides->v[i], side[i], op_operand_text(b, x), mirror ? "reflect" : "circular",
			    (long long)most);
	}
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *sides = op_attr(n, "sides");
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[..., height, width]") || !frame_fits(b, n))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	dim[x->rank - 2] += sides->v[0] + sides->v[1];
	dim[x->rank - 1] += sides->v[2] + sides->v[3];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	const struct attr *sides = op_attr(n, "sides");

	(void)g;
	return sides->v[0] + sides->v[1] + sides->v[2] + sides->v[3] == 0 ? n->in[0] : NULL;
}

/* What PyTorch copies from one end to the other goes back an end at a time: with a copy of dy, one of the end's part of
 * it, and zeros for what lay there before; in the end with x's part. */
static int64_t
torch_scratch(const struct tape *t, const struct node *n)
{
	const struct attr *sides = op_attr(n, "sides");
	const struct tensor *y = n->out[0];
	int64_t all = tape_bytes(t, y), most = tape_bytes(t, n->in[0]);
	int i;

	for (i = 0; i < 4; i++) {
		int64_t part = all / y->dim[y->rank - 2 + i / 2] * sides->v[i];

		most = 2 * part > most ? 2 * part : most;
	}
	return all + most;
}

/* Of the kernels of PyTorch that mirror and extend, autograd keeps the input. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]), mode = (int)op_int(n, "mode");

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
	    .bytes = tape_bytes(t, n->out[0]), .saves = mode == REFLECT || mode == REPLICATE ? SAVES_IN(0) : 0,
	    .scratch = mode == CIRCULAR ? torch_scratch(t, n) : 0 }));
}

const struct op op_pad = {
	.name = "pad",
	.kind = OP_LAYER,
	.brief = "a frame around height and width",
	.doc = "Adds rows and columns that hold `value` around the last two axes: pad(2), pad((1, "
	    "0)), pad((0, 1, 0, 1)). Input [C, H, W] gives [C, H + top + bottom, W + left + "
	    "right]. With mode=reflect the frame mirrors what lies inside of the edge, which is not repeated: of 0 1 2 "
	    "3, two to the left are 2 1; with mode=replicate it repeats the edge; with mode=circular it is what lies at the other end, "
	    "2 3. "
	    "Backward needs neither input nor output. A convolution's own pad= costs no "
	    "memory; use this for frames that are not alike on all sides, or not 0.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = move_gradient,
	.simplify.identity = identity,
	.memory.layout = op_layout_either,
	.torch = { .calls = torch_calls },
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = moves,
};
