/*
 * Functions of numbers and shapes: min max divisible channels height width dim rank;
 * and the ways a parameter starts: zeros ones constant uniform normal.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#include "formula/formula.h"

struct function {
	const char *name;
	int min_args, max_args;		/* max -1: any */
	bool of_tensor;			/* its first argument is one */
	const char *usage;
	bool (*of)(struct expander *, const struct expr *, const struct value *, int n,
	    struct number *);
};

static bool
extreme(const struct value *v, int n, int sign, struct number *out)
{
	int i, best = 0;

	for (i = 1; i < n; i++)
		if (sign * number_compare(v[i].num, v[best].num) > 0)
			best = i;
	*out = v[best].num;
	return true;
}

static bool
do_min(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)ex, (void)e;
	return extreme(v, n, -1, out);
}

static bool
do_max(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)ex, (void)e;
	return extreme(v, n, 1, out);
}

/*
 * divisible(x, 8): the multiple of 8 nearest to x, at least 8, and never more than a tenth below x:
 * how scaled networks (MobileNet, EfficientNet) round their channel counts.
 */
static bool
do_divisible(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	struct number half, sum, ratio, k, tenth;
	int64_t by;

	(void)e, (void)n;
	if (!want_int(ex, &v[1], "the divisor", 1, LARGEST_EXTENT, &by))
		return false;
	if (!number_div(v[1].num, number_int(2), &half) || !number_add(v[0].num, half, &sum) ||
	    !number_div(sum, v[1].num, &ratio) || !number_floor(ratio, &k) ||
	    !number_mul(k, v[1].num, out))
		return false;
	if (number_compare(*out, v[1].num) < 0)
		*out = v[1].num;
	if (!number_mul(v[0].num, number_int(9), &tenth) ||
	    !number_div(tenth, number_int(10), &tenth))
		return false;
	return number_compare(*out, tenth) >= 0 || number_add(*out, v[1].num, out);
}

/* The extent of an axis counted from the front, or from the back when negative. */
static bool
extent(struct expander *ex, const struct expr *e, const struct value *v, int rank, int axis,
    struct number *out)
{
	const struct tensor *t = v->tensor;

	if (t->rank < rank) {
		ex_error(ex, "shape", e->loc, "%s: %s has no such extent", e->name,
		    value_text(ex->a, v));
		return false;
	}
	*out = number_int(t->dim[axis < 0 ? t->rank + axis : axis]);
	return true;
}

static bool
do_channels(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)n;
	return extent(ex, e, v, 1, 0, out);
}

static bool
do_height(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)n;
	return extent(ex, e, v, 3, -2, out);
}

static bool
do_width(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)n;
	return extent(ex, e, v, 3, -1, out);
}

static bool
do_dim(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	int64_t axis;

	(void)n;
	if (v->tensor->rank == 0) {
		ex_error(ex, "shape", e->loc, "dim: a scalar has no extents");
		return false;
	}
	return want_int(ex, &v[1], "the axis", 0, v->tensor->rank - 1, &axis) &&
	    extent(ex, e, v, 1, (int)axis, out);
}

static bool
do_rank(struct expander *ex, const struct expr *e, const struct value *v, int n,
    struct number *out)
{
	(void)ex, (void)e, (void)n;
	*out = number_int(v->tensor->rank);
	return true;
}

static const struct function table[] = {
	{ "min", 1, -1, false, "min(a, b, ...)", do_min },
	{ "max", 1, -1, false, "max(a, b, ...)", do_max },
	{ "divisible", 2, 2, false, "divisible(x, 8)", do_divisible },
	{ "channels", 1, 1, true, "channels(tensor)", do_channels },
	{ "height", 1, 1, true, "height(tensor)", do_height },
	{ "width", 1, 1, true, "width(tensor)", do_width },
	{ "dim", 2, 2, true, "dim(tensor, axis)", do_dim },
	{ "rank", 1, 1, true, "rank(tensor)", do_rank },
};

static bool
arguments_fit(struct expander *ex, const struct function *f, const struct expr *e,
    const struct value *v)
{
	bool ok = true;
	int i;

	for (i = 0; i < e->nargs; i++) {
		bool tensor = i == 0 && f->of_tensor;

		if (v[i].kind == V_POISON || v[i].kind == (tensor ? V_TENSOR : V_NUMBER))
			continue;
		ex_error(ex, "type", v[i].loc, "%s takes a %s here, not %s", f->name,
		    tensor ? "tensor" : "number", value_text(ex->a, &v[i]));
		ok = false;
	}
	for (i = 0; i < e->nargs; i++)
		ok &= v[i].kind != V_POISON;
	return ok;
}

/* min and max of a tensor and something else are operators. */
static struct value
extreme_of_two(struct expander *ex, struct where *w, struct expr *e, struct value *v)
{
	const char *name = strcmp(e->name, "min") == 0 ? "minimum" : "maximum";
	const struct value *other = v[0].kind == V_TENSOR ? &v[1] : &v[0];

	if (v[0].kind == V_TENSOR && v[1].kind == V_TENSOR)
		return apply_plain(ex, w, name, e, (struct operands){ v, 2 }, NULL, 0);
	if (other->kind != V_NUMBER || other->size) {
		ex_error(ex, "type", other->loc, "%s takes a tensor or a number here, not %s", e->name,
		    value_text(ex->a, other));
		return value_poison(e->loc);
	}
	return apply_plain(ex, w, name, e, (struct operands){ other == &v[1] ? &v[0] : &v[1], 1 },
	    &other->num.real, 1);
}

struct value
apply_extreme(struct expander *ex, struct where *w, const struct op *op, struct expr *e,
    const struct actual *actual, int n, struct operands ops)
{
	struct value *v = arena_array(ex->a, (size_t)ops.n + (size_t)n + 1, sizeof(*v));
	int i, count = 0;

	for (i = 0; i < ops.n; i++)
		v[count++] = ops.v[i];
	for (i = 0; i < n; i++)
		if (!actual[i].arg->name)
			v[count++] = actual[i].value;
	if (count != 2 || count < ops.n + n)
		return apply_operator(ex, w, op, e, actual, n, ops);
	for (i = 0; i < count; i++)
		if (v[i].kind == V_POISON)
			return v[i];
	return extreme_of_two(ex, w, e, v);
}

static bool
any_tensor(const struct value *v, int n)
{
	int i = 0;

	while (i < n && v[i].kind != V_TENSOR)
		i++;
	return i < n;
}

/* min or max of tensors, as it was written with several arguments. */
static struct value
extreme_call(struct expander *ex, struct where *w, struct expr *e, struct value *v)
{
	int i;

	for (i = 0; i < e->nargs; i++)
		if (v[i].kind == V_POISON)
			return v[i];
	if (e->nargs == 2 && !e->arg[0].name && !e->arg[1].name)
		return extreme_of_two(ex, w, e, v);
	ex_error(ex, "type", e->loc, "%s of tensors takes two, %s(a, b), or one and its axes by name, %s(x, axis=0)",
	    e->name, e->name, e->name);
	return value_poison(e->loc);
}

struct value
eval_function(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	const struct function *f = table;
	struct value *v = arena_array(ex->a, (size_t)e->nargs + 1, sizeof(*v));
	struct where group, *in = where_inside(w, &group);
	struct value result = value_number(number_int(0), e->loc);
	int before = ex->d->all.n, i;

	while (strcmp(f->name, e->name) != 0)
		f++;
	for (i = 0; i < e->nargs; i++)
		v[i] = eval(ex, s, in, e->arg[i].value);
	if ((f->of == do_min || f->of == do_max) && any_tensor(v, e->nargs))
		return extreme_call(ex, w, e, v);
	for (i = 0; i < e->nargs; i++)
		if (e->arg[i].name)
			ex_error(ex, "name", e->arg[i].name_loc, "%s has no named arguments",
			    f->name);
	if (e->nargs < f->min_args || (f->max_args >= 0 && e->nargs > f->max_args)) {
		ex_error(ex, "type", e->loc, "%s is used as %s", f->name, f->usage);
		return value_poison(e->loc);
	}
	if (!arguments_fit(ex, f, e, v))
		return value_poison(e->loc);
	result.size = !f->of_tensor && v[0].size;
	if (f->of(ex, e, v, e->nargs, &result.num))
		return result;
	if (ex->d->all.n == before)	/* what it did not explain can only be the size */
		ex_error(ex, "value", e->loc, "'%s' does not fit an exact 64-bit number",
		    ex_text(ex, e->loc));
	return value_poison(e->loc);
}

/* ---- operators of elements, of a number ---- */

static bool
number_abs(struct number a, struct number *out)
{
	*out = a;
	return a.real >= 0 || number_sub(number_int(0), a, out);
}

static bool
number_sign(struct number a, struct number *out)
{
	*out = number_int((a.real > 0) - (a.real < 0));
	return true;
}

/* The operator's formula of a number, in double precision. */
static bool
by_formula(struct expander *ex, const struct op *op, struct number x, struct number *out)
{
	struct formula *f = formula_new(ex->a, 0);
	const struct formula_name names[] = { { op->operands, formula_number(f, x.real) }, { NULL, 0 } };
	const char *where;
	int term = formula_read(f, op->formula, names, &where);

	if (term < 0 || f->terms.v[term].operand != TERM_NUMBER || !isfinite(f->terms.v[term].number))
		return false;
	*out = number_real(f->terms.v[term].number);
	return true;
}

bool
eval_of_number(struct expander *ex, const struct op *op, const struct expr *e, const struct actual *actual, int n,
    struct value *out)
{
	static const struct {
		const char *name;
		bool (*of)(struct number, struct number *);
	} exact[] = { { "abs", number_abs }, { "sign", number_sign }, { "sqrt", number_sqrt }, { "floor", number_floor },
	    { "ceil", number_ceil } };
	struct number x;
	size_t i = 0;

	if (n != 1 || actual[0].arg->name || actual[0].value.kind != V_NUMBER)
		return false;
	*out = actual[0].value;
	out->loc = e->loc;
	if (is_function(op->name))
		return true;	/* max(3) */
	if (!op->formula || op->max_operands != 1 || op_nattrs(op) > 0)
		return false;
	x = out->num;
	while (i < sizeof(exact) / sizeof(*exact) && strcmp(exact[i].name, op->name) != 0)
		i++;
	if (i < sizeof(exact) / sizeof(*exact) ? exact[i].of(x, &out->num) : by_formula(ex, op, x, &out->num))
		return true;
	ex_error(ex, "value", e->loc, by_formula(ex, op, x, &out->num) ? "'%s' does not fit an exact 64-bit number" :
	    "'%s' is no finite real number", ex_text(ex, e->loc));
	*out = value_poison(e->loc);
	return true;
}

bool
is_init_call(const struct expr *e, const struct actual *actual)
{
	if (is_plain_init(e->name))
		return e->nargs == 0;
	return e->nargs == 1 && !e->arg[0].name && actual[0].value.kind == V_NUMBER;
}

/* zeros, ones, constant(c), uniform(b), normal(deviation) */
struct value
eval_init(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	static const struct {
		const char *name;
		struct init init;
		bool arg;
	} way[] = {
		{ "zeros", { INIT_ZEROS, 0 }, false }, { "ones", { INIT_CONSTANT, 1 }, false },
		{ "constant", { INIT_CONSTANT, 0 }, true },
		{ "uniform", { INIT_UNIFORM, 0 }, true }, { "normal", { INIT_NORMAL, 0 }, true },
	};
	struct value v = { .kind = V_INIT, .loc = e->loc }, x;
	int i = 0;

	while (strcmp(way[i].name, e->name) != 0)
		i++;
	v.init = way[i].init;
	if (!way[i].arg && e->nargs == 0)
		return v;
	if (e->nargs != 1 || !way[i].arg || e->arg[0].name) {
		ex_error(ex, "type", e->loc, way[i].arg ? "%s takes one number: %s(0.02)" :
		    "%s takes no arguments", way[i].name, way[i].name);
		return value_poison(e->loc);
	}
	x = eval(ex, s, w, e->arg[0].value);
	if (x.kind == V_POISON)
		return x;
	if (x.kind != V_NUMBER || x.size || !isfinite(x.num.real)) {
		ex_error(ex, "type", x.loc, "%s takes a number, not %s", way[i].name,
		    value_text(ex->a, &x));
		return value_poison(e->loc);
	}
	if (way[i].init.kind != INIT_CONSTANT && x.num.real < 0) {
		ex_error(ex, "value", x.loc, "%s takes a number of at least 0", way[i].name);
		return value_poison(e->loc);
	}
	v.init.value = x.num.real;
	return v;
}
