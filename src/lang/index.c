/*
 * v[2:5, ::2, -1]: of a tensor a slice, of a tuple one of its parts. What the brackets say becomes
 * the attributes of the operator slice, which checks them against the extents.
 */
#include "lang/expander.h"

enum { AXIS, START, STOP, STEP, DROP };	/* attributes of slice, in its order */

static void
give(struct binding_result *r, int attr, int64_t v, struct loc loc)
{
	struct attr *a = &r->attr[attr];

	if (!a->given)
		a->n = 0;
	a->given = true;
	a->loc = loc;
	a->v[a->n++] = v;
}

/* A bound of a range of axis AXIS; DEFAULT if it is left out. */
static bool
bound(struct expander *ex, struct scope *s, struct where *w, struct expr *e, const char *what, int64_t otherwise,
    int64_t *v)
{
	struct value number;

	*v = otherwise;
	if (!e)
		return true;
	number = eval(ex, s, w, e);
	return want_int(ex, &number, what, -LARGEST_EXTENT, LARGEST_EXTENT, v);
}

/* One index of the brackets, of an axis with so many. */
static bool
index_axis(struct expander *ex, struct scope *s, struct where *w, struct expr *e, int axis, int64_t extent,
    struct binding_result *r)
{
	int64_t start, stop, step = 1;
	struct value one;

	if (e->kind != E_RANGE) {
		one = eval(ex, s, w, e);
		if (!want_int(ex, &one, arena_printf(ex->a, "the index of axis %d", axis), -extent, extent - 1, &start))
			return false;
		stop = start == -1 ? extent : start + 1;
		give(r, DROP, axis, e->loc);
	} else {
		if (!bound(ex, s, w, e->c, "the step", 1, &step) ||
		    !bound(ex, s, w, e->a, "the first index", step < 0 ? extent - 1 : 0, &start) ||
		    !bound(ex, s, w, e->b, "the index to stop at", step < 0 ? -extent - 1 : extent, &stop))
			return false;
		if (!e->a && !e->b && step == 1)
			return true;
	}
	give(r, AXIS, axis, e->loc);
	give(r, START, start, e->loc);
	give(r, STOP, stop, e->loc);
	give(r, STEP, step, e->loc);
	return true;
}

static bool
is_ellipsis(const struct arg *a)
{
	return a->value && a->value->kind == E_ELLIPSIS;
}

/* How many axes the brackets name; the rest are the ellipsis, which is there once at most. */
static bool
count_indices(struct expander *ex, const struct expr *e, int *n)
{
	int i;

	*n = e->nargs;
	for (i = 0; i < e->nargs; i++)
		if (is_ellipsis(&e->arg[i]) && --*n < e->nargs - 1) {
			ex_error(ex, "type", e->arg[i].value->loc, "'...' stands for all axes that no index names, and "
			    "for these once");
			return false;
		}
	return true;
}

static struct value
slice(struct expander *ex, struct scope *s, struct where *w, struct where *in, struct expr *e, struct value v)
{
	const struct op *op = op_find("slice");
	const struct tensor *t = v.tensor;
	struct binding_result r = { .nties = 0 };
	int indices, i, axis = 0;

	if (!count_indices(ex, e, &indices))
		return value_poison(e->loc);
	if (indices > t->rank) {
		ex_error(ex, "type", e->head, "there are %d indices, but %s has %d %s: the batch is not counted",
		    indices, value_text(ex->a, &v), t->rank, t->rank == 1 ? "axis" : "axes");
		return value_poison(e->loc);
	}
	for (i = 0; i < e->nargs; i++) {
		if (is_ellipsis(&e->arg[i]))
			axis += t->rank - indices;
		else if (!e->arg[i].value || e->arg[i].value->kind == E_BAD ||
		    !index_axis(ex, s, in, e->arg[i].value, axis, t->dim[axis], &r))
			return value_poison(e->loc);
		else
			axis++;
	}
	if (!r.attr[AXIS].given)	/* x[:] */
		return v;
	return apply_with(ex, w, op, e, (struct operands){ &v, 1 }, &r);
}

static struct value
select_item(struct expander *ex, struct scope *s, struct where *in, struct expr *e, const struct value *v)
{
	struct value i;
	int64_t k;

	if (e->nargs != 1 || e->arg[0].value->kind == E_RANGE || is_ellipsis(&e->arg[0])) {
		ex_error(ex, "type", e->head, "one part of a tuple is selected: (a, b)[0]");
		return value_poison(e->loc);
	}
	i = eval(ex, s, in, e->arg[0].value);
	if (!want_int(ex, &i, "the index", 0, v->n - 1, &k))
		return value_poison(e->loc);
	return v->item[k];
}

struct value
eval_index(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct where group, *in = where_inside(w, &group);
	struct value v = eval(ex, s, in, e->a);
	struct diag *g;

	if (v.kind == V_POISON)
		return v;
	if (v.kind == V_TENSOR)
		return slice(ex, s, w, in, e, v);
	if (v.kind == V_TUPLE)
		return select_item(ex, s, in, e, &v);
	g = ex_error(ex, "type", e->loc, "only a tensor or a tuple can be indexed; this is %s", value_text(ex->a, &v));
	if (v.kind == V_LAYER)
		diag_help(ex->d, g, "a layer gives a tensor once it has its input: (x -> layer)[2:5]");
	return value_poison(e->loc);
}
