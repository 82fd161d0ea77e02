/* Windows of pooling; see pool.h. */
#include "ops/pool.h"

#include <string.h>

#include "ops/product.h"
#include "ops/shapes.h"

static bool
has_kernel(const struct op *op)
{
	return op->attrs && strcmp(op->attrs[0].name, "kernel") == 0;
}

static struct window_axis
strided(const struct node *n, int axis, struct window_axis a)
{
	const struct attr *stride = op_attr(n, "stride"), *pad = op_attr(n, "pad");

	a.kernel = space_of(op_attr(n, "kernel"), axis, 1);
	a.stride = stride->n ? space_of(stride, axis, 1) : a.kernel;
	a.before = space_frame(pad, axis, false);
	a.after = space_frame(pad, axis, true);
	return a;
}

static struct window_axis
even(struct window_axis a)
{
	bool divides = a.size % a.out == 0;

	a.kernel = a.size / a.out + (divides ? 0 : 2);
	a.stride = divides ? a.kernel : 0;
	return a;
}

struct window
pool_window(const struct node *n, const struct tensor *in, const struct tensor *out)
{
	struct window w = { .axes = space_axes(in) };
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		w.at[i].size = space_extent(in, i);
		w.at[i].out = space_extent(out, i);
		w.at[i] = has_kernel(n->op) ? strided(n, i, w.at[i]) : even(w.at[i]);
	}
	return w;
}

int64_t
window_cells(const struct window *w)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < SPACE_AXES; i++)
		n = product_of(n, w->at[i].kernel);
	return n;
}

bool
window_is_flat(const struct window *w)
{
	return w->axes <= 2 && w->at[HEIGHT].stride > 0 && w->at[WIDTH].stride > 0;
}

/* ---- shapes ---- */

static bool
check_size(struct build *b, const struct node *n, const struct window *w)
{
	if (window_cells(w) <= LARGEST_POOL &&
	    shape_product(n->in[0], 1, n->in[0]->rank) <= LARGEST_POOL)
		return true;
	return op_error(b, n, "%s: input is %s, too large: the places that windows lie on, and those "
	    "of a window, are limited to 2^30", n->op->name, op_operand_text(b, n->in[0]));
}

/* With `ceil`, the last window begins in the input or the padding before it. */
static int64_t
windows_along(const struct window_axis *a, bool ceil)
{
	int64_t room = a->size + a->before + a->after - a->kernel + (ceil ? a->stride - 1 : 0);
	int64_t count = room < 0 ? 0 : room / a->stride + 1;

	return ceil && count > 0 && (count - 1) * a->stride >= a->size + a->before ? count - 1 : count;
}

static bool
outputs(struct build *b, const struct node *n, const struct window *w, int64_t *dim)
{
	int64_t kernel[SPACE_AXES];
	bool padded = false;
	int i;

	for (i = 0; i < SPACE_AXES; i++) {
		kernel[i] = w->at[i].kernel;
		padded |= w->at[i].before || w->at[i].after;
	}
	for (i = SPACE_AXES - w->axes; i < SPACE_AXES; i++) {
		const struct window_axis *a = &w->at[i];
		int64_t pad = a->before > a->after ? a->before : a->after;

		if (pad > a->kernel / 2)
			return op_error(b, n, "%s: pad=%lld is more than half the kernel's %s of "
			    "%lld; some windows would hold nothing but padding", n->op->name,
			    (long long)pad, space_name(i, w->axes), (long long)a->kernel);
		dim[1 + i - (SPACE_AXES - w->axes)] = windows_along(a, op_bool(n, "ceil"));
		if (windows_along(a, op_bool(n, "ceil")) < 1)
			return op_error(b, n, "%s: input is %s, smaller than the %s%s",
			    n->op->name, op_operand_text(b, n->in[0]),
			    space_kernel(b->module->arena, kernel, w->axes), padded ? ", even padded" : "");
	}
	return check_size(b, n, w);
}

bool
pool_output(struct build *b, struct node *n, int64_t dim[1 + SPACE_AXES])
{
	const struct attr *kernel, *stride;
	struct window w;

	if (!space_given(b, n, SPACE_AXES))
		return false;
	kernel = op_attr(n, "kernel");
	stride = op_attr(n, "stride");
	space_same(n, "pad", kernel, stride->n ? stride : kernel, NULL);
	w = pool_window(n, n->in[0], n->in[0]);
	dim[0] = n->in[0]->dim[0];
	return outputs(b, n, &w, dim);
}

bool
pool_sized(struct build *b, struct node *n, int64_t dim[1 + SPACE_AXES])
{
	const struct tensor *x = n->in[0];
	struct tensor y = { .rank = x->rank };
	struct window w;
	int i;

	if (!space_given(b, n, SPACE_AXES))
		return false;
	dim[0] = y.dim[0] = x->dim[0];
	for (i = 1; i < x->rank; i++)
		dim[i] = y.dim[i] = op_nattrs(n->op) ? op_attr(n, "size")->v[i - 1] : 1;
	w = pool_window(n, x, &y);
	return check_size(b, n, &w);
}

/* ---- calls ---- */

const char *
pool_text(struct emitter *e, const struct window *w)
{
	const struct window_axis *y = &w->at[HEIGHT], *x = &w->at[WIDTH];
	struct arena *a = e->module->arena;
	const char *padding = y->before || x->before ? arena_printf(a, ", .ph = %lld, .pw = %lld",
	    (long long)y->before, (long long)x->before) : "";

	return arena_printf(a, "(struct pool){ .h = %lld, .w = %lld, .oh = %lld, .ow = %lld,\n\t    "
	    ".kh = %lld, .kw = %lld, .sh = %lld, .sw = %lld%s }", (long long)y->size,
	    (long long)x->size, (long long)y->out, (long long)x->out, (long long)y->kernel,
	    (long long)x->kernel, (long long)y->stride, (long long)x->stride, padding);
}

const char *
pool_axes_text(struct emitter *e, const struct window *w, int64_t inner, bool counts)
{
	struct arena *a = e->module->arena;
	const char *text = "(struct pool_axes){ .at = {";
	int i;

	for (i = 0; i < SPACE_AXES; i++)
		text = arena_printf(a, "%s%s\n\t    { .size = %lld, .out = %lld, .kernel = %lld, "
		    ".stride = %lld, .pad = %lld, .after = %lld }", text, i ? "," : "",
		    (long long)w->at[i].size, (long long)w->at[i].out, (long long)w->at[i].kernel,
		    (long long)w->at[i].stride, (long long)w->at[i].before, (long long)w->at[i].after);
	return arena_printf(a, "%s },\n\t    .inner = %lld%s }", text, (long long)inner,
	    counts ? ", .counts = true" : "");
}
