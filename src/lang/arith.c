/*
 * Arithmetic: exact on numbers, an operator on tensors. number * layer repeats it, number * tensor
 * scales it. A comparison of numbers is for choosing while the network is built; one of tensors is
 * a tensor of ones and zeros. `and`, `or` and `not` are for choosing alone, and never take a
 * tensor.
 */
#include "lang/expander.h"

#include <string.h>

static const char *const symbol[] = {
	[OPR_ADD] = "+", [OPR_SUB] = "-", [OPR_MUL] = "*", [OPR_DIV] = "/", [OPR_MOD] = "%", [OPR_POW] = "^",
	[OPR_EQ] = "==", [OPR_NE] = "!=", [OPR_LT] = "<", [OPR_LE] = "<=", [OPR_GT] = ">",
	[OPR_GE] = ">=", [OPR_AND] = "and", [OPR_OR] = "or", [OPR_NOT] = "not", [OPR_NEG] = "-",
};

static struct value
numbers(struct expander *ex, const struct expr *e, const struct value *a, const struct value *b)
{
	struct value v = value_number(number_int(0), e->loc);
	bool ok = false;

	switch (e->op) {
	case OPR_ADD:
		ok = number_add(a->num, b->num, &v.num);
		break;
	case OPR_SUB:
		ok = number_sub(a->num, b->num, &v.num);
		break;
	case OPR_MUL:
		ok = number_mul(a->num, b->num, &v.num);
		break;
	case OPR_DIV:
		ok = number_div(a->num, b->num, &v.num);
		break;
	case OPR_MOD:
		ok = number_mod(a->num, b->num, &v.num);
		break;
	case OPR_POW:
		ok = number_pow(a->num, b->num, &v.num);
		break;
	default:
		break;
	}
	v.size = a->size || b->size;
	if (ok)
		return v;
	if ((e->op == OPR_DIV || e->op == OPR_MOD) && b->num.real == 0)
		ex_error(ex, "value", e->head, "division by zero");
	else if (e->op == OPR_POW && a->num.real <= 0)
		ex_error(ex, "value", e->loc, "'%s' is no real number", ex_text(ex, e->loc));
	else
		ex_error(ex, "value", e->loc, "'%s' does not fit an exact 64-bit number",
		    ex_text(ex, e->loc));
	return value_poison(e->loc);
}

/* number (+ - *) tensor and its reverses are y = factor * x + offset */
static struct value
scaled(struct expander *ex, struct where *w, struct expr *e, const struct value *tensor,
    double factor, double offset)
{
	const double real[] = { factor, offset };

	return apply_plain(ex, w, "scale", e, (struct operands){ tensor, 1 }, real, 2);
}

/* The operator of that name, of a tensor and a number. */
static struct value
of_number(struct expander *ex, struct where *w, const char *name, struct expr *e, const struct value *tensor,
    double number)
{
	return apply_plain(ex, w, name, e, (struct operands){ tensor, 1 }, &number, 1);
}

static struct value
mismatch(struct expander *ex, const struct expr *e, const struct value *a, const struct value *b)
{
	struct diag *g = ex_error(ex, "type", e->head, "`%s` of %s and %s means nothing",
	    symbol[e->op], value_text(ex->a, a), value_text(ex->a, b));

	if (a->kind == V_INIT || b->kind == V_INIT)
		diag_help(ex->d, g, "a tensor of such numbers has a shape, or that of another: zeros((3, 4)), normal(x)");
	if (a->kind == V_LAYER || b->kind == V_LAYER)
		diag_help(ex->d, g, e->op == OPR_MUL && b->kind == V_NUMBER ?
		    "copies are written number first: %s * %s" : "a layer gives a tensor once it "
		    "has its input: x -> layer",
		    ex_text(ex, e->b->loc), ex_text(ex, e->a->loc));
	return value_poison(e->loc);
}

static struct value
with_number(struct expander *ex, struct where *w, struct expr *e, const struct value *a,
    const struct value *b)
{
	const struct value *t = a->kind == V_TENSOR ? a : b, *n = t == a ? b : a;
	double x = n->num.real;

	if (n->size)
		return mismatch(ex, e, a, b);
	switch (e->op) {
	case OPR_ADD:
		return scaled(ex, w, e, t, 1, x);
	case OPR_SUB:
		return t == a ? scaled(ex, w, e, t, 1, -x) : scaled(ex, w, e, t, -1, x);
	case OPR_MUL:
		return scaled(ex, w, e, t, x, 0);
	case OPR_POW:
		if (t != a && x <= 0) {
			ex_error(ex, "value", n->loc, "a tensor is the exponent of a positive number");
			return value_poison(e->loc);
		}
		return of_number(ex, w, t == a ? "pow" : "raise", e, t, x);
	case OPR_DIV:
		if (t != a)
			return of_number(ex, w, "reciprocal", e, t, x);
		if (x == 0) {
			ex_error(ex, "value", e->head, "division by zero");
			return value_poison(e->loc);
		}
		return scaled(ex, w, e, t, 1 / x, 0);
	default:
		break;
	}
	ex_error(ex, "type", e->head, "there is no operator for %s %s %s", value_text(ex->a, a),
	    symbol[e->op], value_text(ex->a, b));
	return value_poison(e->loc);
}

static struct value
tensors(struct expander *ex, struct where *w, struct expr *e, const struct value *a,
    const struct value *b)
{
	static const char *const name[] = {
		[OPR_ADD] = "add", [OPR_SUB] = "sub", [OPR_MUL] = "mul", [OPR_DIV] = "div", [OPR_POW] = "pow",
		[OPR_EQ] = "equal", [OPR_NE] = "not_equal", [OPR_LT] = "less", [OPR_LE] = "less_equal",
		[OPR_GT] = "greater", [OPR_GE] = "greater_equal",
	};
	struct value pair[] = { *a, *b };

	if (!name[e->op]) {
		ex_error(ex, "type", e->head, "there is no `%s` of two tensors", symbol[e->op]);
		return value_poison(e->loc);
	}
	return apply_plain(ex, w, name[e->op], e, (struct operands){ pair, 2 }, NULL, 0);
}

static struct value
arithmetic(struct expander *ex, struct where *w, struct expr *e, struct value a, struct value b)
{
	bool ta = a.kind == V_TENSOR, tb = b.kind == V_TENSOR;

	if (a.kind == V_POISON || b.kind == V_POISON)
		return value_poison(e->loc);
	if (ta && tb)
		return tensors(ex, w, e, &a, &b);
	if ((ta && b.kind == V_NUMBER) || (tb && a.kind == V_NUMBER))
		return with_number(ex, w, e, &a, &b);
	if (a.kind == V_NUMBER && b.kind == V_NUMBER)
		return numbers(ex, e, &a, &b);
	return mismatch(ex, e, &a, &b);
}

static bool
equal(const struct value *a, const struct value *b, bool *comparable)
{
	int i;

	*comparable = a->kind == b->kind;
	if (!*comparable)
		return false;
	switch (a->kind) {
	case V_NUMBER:
		return number_compare(a->num, b->num) == 0;
	case V_BOOL:
		return a->flag == b->flag;
	case V_STRING:
		return strcmp(a->text, b->text) == 0;
	case V_TUPLE:
		for (i = 0; a->n == b->n && i < a->n; i++)
			if (!equal(&a->item[i], &b->item[i], comparable))
				return false;
		return a->n == b->n;
	default:
		*comparable = false;
	}
	return false;
}

/* A tensor of ones and zeros. */
static struct value
compared(struct expander *ex, struct where *w, struct expr *e, const struct value *a, const struct value *b)
{
	static const char *const name[][2] = {	/* as it stands, and turned round */
		[OPR_EQ] = { "equal", "equal" }, [OPR_NE] = { "not_equal", "not_equal" },
		[OPR_LT] = { "less", "greater" }, [OPR_LE] = { "less_equal", "greater_equal" },
		[OPR_GT] = { "greater", "less" }, [OPR_GE] = { "greater_equal", "less_equal" },
	};
	bool turned = a->kind != V_TENSOR;

	if ((turned ? a : b)->size)
		return mismatch(ex, e, a, b);
	return of_number(ex, w, name[e->op][turned], e, turned ? b : a, turned ? a->num.real : b->num.real);
}

static struct value
comparison(struct expander *ex, struct where *w, struct expr *e, const struct value *a, const struct value *b)
{
	bool ok, same;
	int c;

	if (a->kind == V_POISON || b->kind == V_POISON)
		return value_poison(e->loc);
	if (a->kind == V_TENSOR && b->kind == V_TENSOR)
		return tensors(ex, w, e, a, b);
	if ((a->kind == V_TENSOR && b->kind == V_NUMBER) || (b->kind == V_TENSOR && a->kind == V_NUMBER))
		return compared(ex, w, e, a, b);
	if (e->op == OPR_EQ || e->op == OPR_NE) {
		same = equal(a, b, &ok);
		if (ok)
			return value_bool(same == (e->op == OPR_EQ), e->loc);
		return mismatch(ex, e, a, b);
	}
	if (a->kind != V_NUMBER || b->kind != V_NUMBER)
		return mismatch(ex, e, a, b);
	c = number_compare(a->num, b->num);
	return value_bool(e->op == OPR_LT ? c < 0 : e->op == OPR_LE ? c <= 0 :
	    e->op == OPR_GT ? c > 0 : c >= 0, e->loc);
}

static bool
want_bool(struct expander *ex, const struct expr *e, const struct value *v)
{
	if (v->kind != V_BOOL && v->kind != V_POISON)
		ex_error(ex, "type", v->loc, "`%s` takes true or false, not %s", symbol[e->op],
		    value_text(ex->a, v));
	return v->kind == V_BOOL;
}

static struct value
logical(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct value a = eval(ex, s, w, e->a), b;

	if (!want_bool(ex, e, &a))
		return value_poison(e->loc);
	if (a.flag == (e->op == OPR_OR))	/* decided: the other side is not looked at */
		return value_bool(a.flag, e->loc);
	b = eval(ex, s, w, e->b);
	if (!want_bool(ex, e, &b))
		return value_poison(e->loc);
	return value_bool(b.flag, e->loc);
}

/*
 * n * x: only the value of x tells a repeat from a product, and the arguments of a layer may count
 * copies. So x is looked at as the first copy would see it, and a layer is then left for later;
 * anything else has no copies that `index` could count.
 */
static struct value
product(struct expander *ex, struct scope *s, struct where *w, struct where *in, struct expr *e)
{
	struct value a = eval(ex, s, in, e->a), b, zero = value_number(number_int(0), e->loc);
	const struct expr *read = NULL;

	if (a.kind == V_NUMBER && !scope_with_index(s)) {
		s->index = &zero;
		s->index_read = &read;
		b = eval(ex, s, in, e->b);
		s->index = NULL;
		s->index_read = NULL;
	} else {
		b = eval(ex, s, in, e->b);
	}
	if (b.kind == V_LAYER && (a.kind == V_NUMBER || a.kind == V_POISON))
		return value_layer(ex->a, (struct layer){ .expr = e, .scope = s }, e->loc);
	if (read && b.kind != V_POISON) {
		scope_no_index(ex, read->loc);
		return value_poison(e->loc);
	}
	return arithmetic(ex, w, e, a, b);
}

struct value
eval_binary(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct where group, *in = where_inside(w, &group);
	struct value a, b;

	if (e->op == OPR_AND || e->op == OPR_OR)
		return logical(ex, s, in, e);
	if (e->op == OPR_MUL)
		return product(ex, s, w, in, e);
	a = eval(ex, s, in, e->a);
	b = eval(ex, s, in, e->b);
	if (e->op >= OPR_EQ)
		return comparison(ex, w, e, &a, &b);
	return arithmetic(ex, w, e, a, b);
}

struct value
eval_unary(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct where group;
	struct value v = eval(ex, s, where_inside(w, &group), e->a);

	if (v.kind == V_POISON)
		return value_poison(e->loc);
	if (e->op == OPR_NOT)
		return want_bool(ex, e, &v) ? value_bool(!v.flag, e->loc) : value_poison(e->loc);
	if (v.kind == V_TENSOR)
		return scaled(ex, w, e, &v, -1, 0);
	if (v.kind != V_NUMBER) {
		ex_error(ex, "type", e->loc, "`-` of %s means nothing", value_text(ex->a, &v));
		return value_poison(e->loc);
	}
	if (!number_sub(number_int(0), v.num, &v.num)) {
		ex_error(ex, "value", e->loc, "'%s' does not fit an exact 64-bit number",
		    ex_text(ex, e->loc));
		return value_poison(e->loc);
	}
	v.loc = e->loc;
	return v;
}
