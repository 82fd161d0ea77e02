/* Axes of space; see space.h. */
#include "ops/space.h"

#include "calls/tape.h"
#include "ops/shapes.h"

int
space_axes(const struct tensor *t)
{
	return t->rank - 1;
}

int64_t
space_extent(const struct tensor *t, int axis)
{
	int at = axis + t->rank - SPACE_AXES;

	return at < 1 ? 1 : t->dim[at];
}

int64_t
space_of(const struct attr *a, int axis, int64_t none)
{
	int at = axis + a->n - SPACE_AXES;

	return at < 0 ? none : a->v[at];
}

int64_t
space_frame(const struct attr *a, int axis, bool after)
{
	int at = axis + a->n / 2 - SPACE_AXES;

	return at < 0 ? 0 : a->v[2 * at + after];
}

const char *
space_text(struct arena *a, const int64_t v[SPACE_AXES], int axes)
{
	const char *text = NULL;
	int i;

	for (i = SPACE_AXES - axes; i < SPACE_AXES; i++)
		text = arena_printf(a, "%s%s%lld", text ? text : "", text ? "x" : "", (long long)v[i]);
	return text;
}

const char *
space_kernel(struct arena *a, const int64_t v[SPACE_AXES], int axes)
{
	const char *text = space_text(a, v, axes);

	return arena_printf(a, axes == 1 ? "kernel of %s" : "%s kernel", text);
}

const char *
space_name(int axis, int axes)
{
	static const char *const name[] = { "depth", "height", "width" };

	return axes == 1 ? "length" : name[axis];
}

/* ---- numbers of a node ---- */

void
space_same(struct node *n, const char *frame, const struct attr *kernel, const struct attr *stride,
    const struct attr *dilation)
{
	struct attr *a = op_preset(n->op, n->attr, frame);
	int axes = space_axes(n->in[0]), i;

	if (a->n > 0 || !a->i)
		return;
	a->i = 0;
	a->n = 2 * axes;
	for (i = 0; i < axes; i++) {
		int64_t extent = n->in[0]->dim[1 + i];
		int64_t reach = (kernel->v[i] - 1) * (dilation ? dilation->v[i] : 1) + 1;
		int64_t need = (extent - 1) / stride->v[i] * stride->v[i] + reach - extent;

		a->v[2 * i] = need > 0 ? need / 2 : 0;
		a->v[2 * i + 1] = need > 0 ? need - need / 2 : 0;
	}
}

static bool
has_space(struct build *b, const struct node *n, int most)
{
	static const char *const form[] = { "[channels, length]", "[channels, length] or "
		"[channels, height, width]", "[channels, length], [channels, height, width] or "
		"[channels, depth, height, width]" };
	const struct tensor *x = n->in[0];

	if (!shape_float(b, n, 0))
		return false;
	if (space_axes(x) >= 1 && space_axes(x) <= most)
		return true;
	return op_error(b, n, "%s: input must have shape %s, but it is %s", n->op->name, form[most - 1],
	    op_operand_text(b, x));
}

bool
space_given(struct build *b, struct node *n, int most)
{
	const struct attr_spec *spec = n->op->attrs;
	int axes = space_axes(n->in[0]), i;

	if (!has_space(b, n, most))
		return false;
	for (i = 0; i < op_nattrs(n->op); i++)
		if ((spec[i].type == ATTR_AXES || spec[i].type == ATTR_FRAME) &&
		    !shape_spread(b, n, &n->attr[i], axes, "of space"))
			return false;
	return true;
}

void
space_torch_calls(struct tape *t, const struct node *n)
{
	const struct attr *pad = op_attr(n, "pad");
	struct tensor framed = tensor_value(n->in[0]);
	bool uneven = false;
	int x = TAPE_NONE, i;

	for (i = 0; i < space_axes(&framed); i++) {
		uneven |= pad->v[2 * i] != pad->v[2 * i + 1];
		framed.dim[1 + i] += pad->v[2 * i] + pad->v[2 * i + 1];
	}
	if (uneven) {
		x = tape_value(t, n->in[0]);
		x = tape_call(t, &(struct tape_call){ .in = &x, .nin = 1,
		    .bytes = tape_bytes(t, &framed) });
	}
	tape_plain(t, n, x);
}
