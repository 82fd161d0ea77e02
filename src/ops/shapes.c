/* Helpers of shape rules and emissions; see shapes.h. */
#include "ops/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "calls/emitter.h"
#include "calls/sizes.h"

bool
shape_float(struct build *b, const struct node *n, int k)
{
	const struct tensor *t = n->in[k];

	if (dtype_is_float(t->dtype))
		return true;
	if (t->classes)
		return op_error(b, n, "%s: needs floating-point numbers, but %s holds labels",
		    n->op->name, op_operand_text(b, t));
	return op_error(b, n, "%s: needs floating-point numbers, but %s holds %s; put `cast` "
	    "before it", n->op->name, op_operand_text(b, t), dtype_name(t->dtype));
}

bool
shape_needs_rank(struct build *b, const struct node *n, int k, int least, const char *form)
{
	const struct tensor *t = n->in[k];

	if (t->rank >= least)
		return true;
	return op_error(b, n, "%s: input must have shape %s, but it is %s", n->op->name, form,
	    op_operand_text(b, t));
}

bool
shape_image(struct build *b, const struct node *n, int k)
{
	if (!shape_float(b, n, k))
		return false;
	if (n->in[k]->rank == 3)
		return true;
	return op_error(b, n, "%s: input must have shape [channels, height, width], but it is %s",
	    n->op->name, op_operand_text(b, n->in[k]));
}

bool
shape_boxes(struct build *b, const struct node *n, int k, bool of_samples)
{
	const struct tensor *x = n->in[k];

	if (!shape_float(b, n, k))
		return false;
	if (x->rank != 2 || x->dim[1] != 4)
		return op_error(b, n, "%s: boxes have shape [n, 4], x1, y1, x2, y2 of each, but operand %d is %s", n->op->name,
		    k + 1, op_operand_text(b, x));
	return !of_samples || x->batched || op_error(b, n, "%s: the boxes are those of a sample, but %s does not depend on "
	    "the batch", n->op->name, op_operand_text(b, x));
}

bool
shape_same_float(struct build *b, struct node *n)
{
	return shape_float(b, n, 0) && op_shape_same(b, n);
}

int
shape_axis_at(int64_t named, const struct tensor *t)
{
	return (int)(named < 0 ? named + t->rank : named);
}

int
shape_axis_of(const struct node *n, const struct tensor *t)
{
	return shape_axis_at(op_int(n, "axis"), t);
}

bool
shape_axis_known(struct build *b, const struct node *n, const struct tensor *t, int64_t named, int *axis)
{
	*axis = shape_axis_at(named, t);
	if (*axis >= 0 && *axis < t->rank)
		return true;
	return op_error(b, n, "%s: axis %lld does not exist: input is %s, with axes 0 to %d "
	    "(the batch is not counted)", n->op->name, (long long)named, op_operand_text(b, t), t->rank - 1);
}

bool
shape_axis(struct build *b, const struct node *n, const struct tensor *t, int *axis)
{
	return shape_axis_known(b, n, t, op_int(n, "axis"), axis);
}

int
shape_axis_named(const struct node *n, int i)
{
	const struct attr *axes = op_attr(n, "axis");
	int k;

	for (k = 0; k < axes->n; k++)
		if (shape_axis_at(axes->v[k], n->in[0]) == i)
			return k;
	return -1;
}

bool
shape_axes(struct build *b, const struct node *n)
{
	const struct attr *axes = op_attr(n, "axis");
	unsigned seen = 0;
	int k, axis;

	for (k = 0; k < axes->n; k++) {
		if (!shape_axis_known(b, n, n->in[0], axes->v[k], &axis))
			return false;
		if (seen >> axis & 1)
			return op_error(b, n, "%s: axis %d is named twice", n->op->name, axis);
		seen |= 1u << axis;
	}
	return true;
}

bool
shape_spread(struct build *b, const struct node *n, struct attr *a, int axes, const char *what)
{
	const struct attr_spec *spec = &n->op->attrs[a - n->attr];
	bool frame = spec->type == ATTR_FRAME;
	int count = frame ? 2 * axes : axes, i;
	struct arena *arena = b->module->arena;

	if (a->n == 0 || a->n == count)
		return true;
	if (a->n != 1 && (!frame || a->n != axes))
		return op_error(b, n, "%s: %s has %d numbers, but %s has %d ax%ss %s: give one number%s%s",
		    n->op->name, spec->name, a->n, op_operand_text(b, n->in[0]), axes, axes == 1 ? "i" : "e", what,
		    axes == 1 ? "" : arena_printf(arena, frame ? ", %d" : " or %d", axes),
		    frame ? arena_printf(arena, " or %d, before and after each", count) : "");
	for (i = count - 1; i >= 0; i--)
		a->v[i] = a->v[a->n == 1 ? 0 : i / 2];
	a->n = count;
	return true;
}

bool
shape_like(struct build *b, struct node *n, bool for_each_sample)
{
	const struct attr *a = op_attr(n, "shape");
	const struct tensor *x = n->nin ? n->in[0] : NULL;

	if ((x != NULL) == a->given)
		return op_error(b, n, "%s: say either a tensor that it is like, %s(x), or its shape, %s((3, 4)%s)",
		    n->op->name, n->op->name, n->op->name, strcmp(n->op->name, "constant") == 0 ? ", 0.5" : "");
	n->nin = 0;
	if (x)
		return op_output(b, n, NULL, x->rank || x->batched ? T_ACTIVATION : T_SCALAR, shape_real(b->module),
		    x->batched, x->rank, x->dim) != NULL;
	return op_output(b, n, NULL, T_ACTIVATION, shape_real(b->module), for_each_sample, a->n, a->v) != NULL;
}

int64_t
shape_product(const struct tensor *t, int from, int to)
{
	int64_t n = 1;
	int i;

	for (i = from; i < to; i++)
		n *= t->dim[i];	/* whole tensors are below 2^60 elements */
	return n;
}

bool
shape_result(struct build *b, struct node *n)
{
	return op_output(b, n, NULL, T_SCALAR, n->in[0]->dtype->real, false, 0, NULL) != NULL;
}

struct affine
shape_mean_work(const struct node *n, const struct room *room)
{
	(void)n;
	(void)room;
	return (struct affine){ LOSS_PARTS * (int64_t)sizeof(double), 0 };
}

const char *
emit_double(struct emitter *e, double x)
{
	struct arena *a = e->module->arena;
	const char *s = arena_printf(a, "%.15g", x);

	return strtod(s, NULL) == x ? s : arena_printf(a, "%.17g", x);
}

const char *
emit_rows(struct emitter *e, const struct tensor *t, int axis)
{
	int64_t n = shape_product(t, 0, axis);

	if (!t->batched)
		return arena_printf(e->module->arena, "%lld", (long long)n);
	return n == 1 ? "b" : arena_printf(e->module->arena, "b * %lld", (long long)n);
}

struct channels
emit_axis(struct emitter *e, const struct tensor *t, int axis)
{
	struct tensor stored = tensor_stored(t);
	int at = tensor_stored_axis(t, axis);

	return (struct channels){ emit_rows(e, &stored, at), stored.dim[at],
		shape_product(&stored, at + 1, stored.rank) };
}

struct channels
emit_channels(struct emitter *e, const struct tensor *t)
{
	return emit_axis(e, t, 0);
}

/* ---- broadcasting ---- */

/* Does T run along axis AXIS (-1: the batch) of a full shape of rank RANK? */
static bool
runs_along(const struct tensor *t, int axis)
{
	if (!t)
		return false;
	return axis < 0 ? t->batched : t->rank > 0 && t->dim[axis] != 1;
}

bool
groups_make(struct groups *g, const struct tensor *full, const struct tensor *a,
    const struct tensor *b)
{
	int i;

	memset(g, 0, sizeof(*g));
	for (i = full->batched ? -1 : 0; i < full->rank; i++) {	/* as they lie in memory */
		int axis = full->channels_last && i >= 0 ? (i + 1) % full->rank : i;
		bool run_a = runs_along(a, axis), run_b = runs_along(b, axis);
		int last = g->n - 1;

		if (axis >= 0 && full->dim[axis] == 1)
			continue;
		if (last < 0 || g->runs[0][last] != run_a || g->runs[1][last] != run_b) {
			if (g->n == GROUPS)
				return false;
			last = g->n++;
			g->extent[last] = 1;
			g->runs[0][last] = run_a;
			g->runs[1][last] = run_b;
		}
		if (axis < 0)
			g->batch[last] = true;
		else
			g->extent[last] *= full->dim[axis];
	}
	if (g->n == 0) {	/* a single element */
		g->n = 1;
		g->extent[0] = 1;
		g->runs[0][0] = a != NULL;
		g->runs[1][0] = b != NULL;
	}
	return true;
}

static void
groups_extents(struct emitter *e, const struct groups *g, const char *text[GROUPS])
{
	struct arena *a = e->module->arena;
	int i;

	for (i = 0; i < GROUPS; i++) {
		int k = i - (GROUPS - g->n);

		if (k < 0)
			text[i] = "1";
		else if (!g->batch[k])
			text[i] = arena_printf(a, "%lld", (long long)g->extent[k]);
		else if (g->extent[k] == 1)
			text[i] = "b";
		else
			text[i] = arena_printf(a, "b * %lld", (long long)g->extent[k]);
	}
}

/* As a bit mask. */
static int64_t
groups_runs(const struct groups *g, int operand)
{
	int64_t mask = 0;
	int k;

	for (k = 0; k < g->n; k++)
		if (g->runs[operand][k])
			mask |= (int64_t)1 << (GROUPS - g->n + k);
	return mask;
}

const char *
groups_text(struct emitter *e, const struct groups *g)
{
	const char *n[GROUPS];

	groups_extents(e, g, n);
	return arena_printf(e->module->arena, "(struct axes){ { %s, %s, %s, %s, %s, %s }, "
	    ".runs_a = %lld, .runs_b = %lld }", n[0], n[1], n[2], n[3], n[4], n[5],
	    (long long)groups_runs(g, 0), (long long)groups_runs(g, 1));
}

/* ---- rectangles ---- */

void
shape_emit_window(struct emitter *e, const struct node *n, int64_t top, int64_t left, double value)
{
	const struct tensor *to = n->out[0], *from = n->in[0];
	int y = to->rank - 2, x = to->rank - 1;
	int64_t planes = shape_product(to, 0, y), each = 1;	/* elements to a place */
	const char *rectangle;

	if (to->channels_last || from->channels_last) {
		each = planes;
		planes = 1;
	}
	rectangle = arena_printf(e->module->arena, "(struct rectangle){ .oh = %lld, .ow = %lld, "
	    ".ih = %lld, .iw = %lld,\n\t    .top = %lld, .left = %lld }", (long long)to->dim[y],
	    (long long)(to->dim[x] * each), (long long)from->dim[y],
	    (long long)(from->dim[x] * each), (long long)top, (long long)(left * each));
	if (op_base(n))
		emit_call(e, "rectangle_add", arg_tensor(to), arg_tensor(from), arg_onto(n),
		    arg_batch(to), arg_int(planes), arg_text(rectangle));
	else
		emit_call(e, "rectangle_copy", arg_tensor(to), arg_tensor(from), arg_batch(to),
		    arg_int(planes), arg_text(rectangle), arg_real(value));
}
