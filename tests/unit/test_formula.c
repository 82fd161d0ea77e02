/* Formulas: reading and writing, values, gradients against central differences, and their text in
 * C. */
#include "formula/formula.h"
#include "formula/formula_pool.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double
value_of(const struct formula *f, int term, const double *operand)
{
	const struct term *t = &f->terms.v[term];
	double x[PRIMITIVE_OPERANDS] = { 0 };
	int i;

	if (t->operand == TERM_NUMBER)
		return t->number;
	if (!t->op)
		return operand[t->operand];
	for (i = 0; i < t->op->operands; i++)
		x[i] = value_of(f, t->of[i], operand);
	return t->op->of(x[0], x[1], x[2]);
}

static struct formula *
parse(struct arena *a, const char *text)
{
	struct formula *f = formula_parse(a, text);

	cr_assert(f, "'%s' is a formula", text);
	return f;
}

static const struct { const char *text; double value; } values[] = {	/* where x = 2 and y = 3 */
	{ "x, y: x + y * 2", 8 }, { "x, y: (x + y) * 2", 10 }, { "x, y: x - y - 1", -2 },
	{ "x, y: x - (y - 1)", 0 }, { "x, y: -x ^ 2", -4 }, { "x, y: x ^ y ^ 2", 512 },
	{ "x, y: (x ^ y) ^ 2", 64 }, { "x, y: x ^ -1", 0.5 }, { "x, y: x / y / 2", 1.0 / 3 },
	{ "x, y: x / (y / 2)", 4.0 / 3 }, { "x, y: x < y", 1 }, { "x, y: x >= y", 0 },
	{ "x, y: 1 + (x < y) * 3", 4 }, { "x, y: where(x > y, x, y)", 3 }, { "x, y: max(x, min(y, 1))", 2 },
	{ "x, y: t = x * y; t * t + t", 42 }, { "x, y: 1e-3 * x", 2e-3 }, { "name = x, y: - - x", 2 },
	{ "x, y: sqrt(x * x) + abs(-y) + sign(-y)", 4 }, { "x, y: y + floor(x / y)", 3 },
};

Test(formula, values_and_text)
{
	struct arena *a = arena_new();
	const double at[] = { 2, 3 };
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct formula *f = parse(a, values[i].text), *again;
		double v = value_of(f, f->result[0], at);

		cr_assert(fabs(v - values[i].value) < 1e-12, "'%s' is %g", values[i].text, v);
		again = parse(a, formula_text(a, f));
		cr_assert(formula_same(f, again) || fabs(value_of(again, again->result[0], at) - v) < 1e-15,
		    "'%s' is read as '%s'", formula_text(a, f), formula_text(a, again));
	}
	arena_free(a);
}

static const char *const wrong[] = {
	"", "x", "x:", "x: y", "x: x +", "x: x x", "x: (x", "x: x)", "x: exp(x, x)", "x: nothing(x)", "x: x,", "x: ,x",
	"x: t = x", "x: t = x;", "x: 1 2", "x: where(x, x)", "x: max(x)", ": x", "x: x ^", "x: * x", "x x: x",
};

Test(formula, what_is_none)
{
	struct arena *a = arena_new();
	char deep[2000] = "x: ";
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_null(formula_parse(a, wrong[i]), "'%s' is no formula", wrong[i]);
	for (i = 3; i < sizeof(deep) - 1; i++)
		deep[i] = '(';
	cr_assert_null(formula_parse(a, deep));
	arena_free(a);
}

Test(formula, terms_are_there_once_and_do_something)
{
	struct arena *a = arena_new();

	cr_assert_str_eq(formula_text(a, parse(a, "x: exp(x) * exp(x) + exp(x)")), "x0: t0 = exp(x0); t0 * t0 + t0");
	cr_assert_str_eq(formula_text(a, parse(a, "x: (x + 0) * 1 - 0")), "x0: x0");
	cr_assert_str_eq(formula_text(a, parse(a, "x: x * 0")), "x0: x0 * 0");
	cr_assert_str_eq(formula_text(a, parse(a, "x: x ^ 2 + x ^ 0.5 + x ^ -1")), "x0: x0 * x0 + sqrt(x0) + 1 / x0");
	cr_assert_str_eq(formula_text(a, parse(a, "x: (2 + 3) * x")), "x0: 5 * x0");
	cr_assert_str_eq(formula_text(a, parse(a, "x: where(1 < 2, x, exp(x))")), "x0: x0");
	cr_assert_eq(formula_cost(parse(a, "x, y: x * y + 1")), 2);
	cr_assert(!formula_reads(parse(a, "x, y: x * x"), 1));
	arena_free(a);
}

/* ---- gradients ---- */

static const struct { const char *text; double x, y; } differentiable[] = {
	{ "x, y: x * y + x / y - y", 1.3, 0.7 }, { "x, y: exp(x * y) / (1 + exp(-x))", 0.4, -1.1 },
	{ "x, y: log(x) * sqrt(y) + rsqrt(x * y)", 1.7, 0.6 }, { "x, y: x ^ y + y ^ 2.5", 1.2, 2.2 },
	{ "x, y: sin(x) * cos(y) + tanh(x * y)", 0.3, 0.9 }, { "x, y: atan(x / y)", 0.8, -1.3 },
	{ "x, y: erf(x) + softplus(y) * sigmoid(x)", 0.2, -0.8 },
	{ "x, y: expm1(x) - log1p(y * y) + abs(x * y)", -0.6, 0.5 },
	{ "x, y: max(x, y) * min(x, 2 * y) + where(x > y, x * x, exp(y))", 1.5, 0.4 },
	{ "x, y: where(x < 0, 1 / x, x * y) ^ 3", 0.8, -0.3 },
	{ "x, y: t = tanh(softplus(x)); t * x + t * y", 0.7, 1.9 },
};

static void
check_gradient(struct arena *a, const char *text, double x, double y, bool by_results)
{
	const bool wanted[] = { true, true };
	struct formula *f = parse(a, text), *g = formula_gradient(a, f, wanted, by_results);
	const double step = 1e-6;
	int k;

	cr_assert(g);
	cr_assert_eq(g->operands, 4);
	for (k = 0; k < 2; k++) {
		double up[2] = { x, y }, down[2] = { x, y }, at[4] = { x, y, 0, 1.5 }, mine, want;

		up[k] += step;
		down[k] -= step;
		at[2] = value_of(f, f->result[0], at);
		want = 1.5 * (value_of(f, f->result[0], up) - value_of(f, f->result[0], down)) / (2 * step);
		mine = value_of(g, g->result[k], at);
		cr_assert(fabs(mine - want) < 1e-7 * (1 + fabs(want)), "%s by operand %d: %g, not %g", text, k, mine,
		    want);
	}
}

Test(formula, gradients)
{
	struct arena *a = arena_new();
	size_t i;

	for (i = 0; i < sizeof(differentiable) / sizeof(differentiable[0]); i++) {
		check_gradient(a, differentiable[i].text, differentiable[i].x, differentiable[i].y, false);
		check_gradient(a, differentiable[i].text, differentiable[i].x, differentiable[i].y, true);
	}
	arena_free(a);
}

/* Every row's own gradients, at a place where it has them. */
Test(formula, each_row)
{
	struct arena *a = arena_new();
	const struct primitive *p;

	for (p = primitive_table; p->name; p++) {
		struct formula *f = formula_new(a, 2);
		int of[] = { formula_operand(f, 0), formula_operand(f, 1), 0 };

		of[2] = formula_number(f, 0.3);
		if (p->operands == 3) {	/* the condition has none */
			of[2] = of[1];
			of[1] = of[0];
			of[0] = formula_number(f, 1);
		}
		f->result[f->results++] = formula_apply(f, p, of);
		check_gradient(a, formula_text(a, f)[0] ? arena_printf(a, "x, y: %s",
		    p->operands == 1 && p->binds ? "-x" : p->operands == 1 ? arena_printf(a, "%s(x)", p->name) :
		    p->operands == 3 ? "where(1, x, y)" : p->binds ? arena_printf(a, "x %s y", p->name) :
		    arena_printf(a, "%s(x, y)", p->name)) : "", 0.7, 1.3, false);
	}
	arena_free(a);
}

Test(formula, what_backward_reads)
{
	struct arena *a = arena_new();
	const bool wanted[] = { true };
	int kept[FORMULA_OPERANDS];
	struct formula *g = formula_gradient(a, parse(a, "x: exp(x)"), wanted, true);

	cr_assert(!formula_reads(g, 0) && formula_reads(g, 1) && formula_reads(g, 2));
	g = formula_drop_unread(a, g, kept);
	cr_assert_eq(g->operands, 2);
	cr_assert_eq(kept[0], 1);
	cr_assert_eq(kept[1], 2);
	cr_assert_str_eq(formula_text(a, g), "x0, x1: x1 * x0");
	{	/* terms of nothing wanted may be of operands that are not there any more */
		struct formula *f = parse(a, "x, y: max(x, y) + x * y");
		const bool one[] = { true, false };

		g = formula_drop_unread(a, formula_gradient(a, f, one, false), kept);
		cr_assert_eq(g->operands, 3);
		g = formula_drop_unread(a, parse(a, "x, y: t = exp(x); y * 2"), kept);
		cr_assert_str_eq(formula_text(a, g), "x0: x0 * 2");
	}
	g = formula_gradient(a, parse(a, "x: 3 * x + 1"), wanted, false);	/* neither x nor y */
	cr_assert(!formula_reads(g, 0) && !formula_reads(g, 1));
	arena_free(a);
}

/* ---- C ---- */

static const char *
literal(void *context, double x)
{
	return arena_printf(context, "REAL(%g)", x);
}

Test(formula, text_in_c)
{
	struct arena *a = arena_new();
	const char *const operand[] = { "a", "b" };
	const char *result[FORMULA_RESULTS];
	struct text out;

	text_init(&out, a);
	formula_c(parse(a, "x, y: t = exp(x - y); t / (t + 1) - (x > y), -(x * y)"), &out, "\t", operand, literal, a,
	    result);
	cr_assert_str_eq(out.s, "\treal t0 = exp_of(a - b);\n");
	cr_assert_str_eq(result[0], "t0 / (t0 + REAL(1)) - (real)(a > b)");
	cr_assert_str_eq(result[1], "-(a * b)");
	arena_free(a);
}

/* ---- those that are kept once ---- */

static const struct formula *
kept(struct intern *p, struct arena *a, const char *text)
{
	struct arena *scratch = arena_child(a);
	const struct formula *f = formula_pool_keep(p, a, parse(scratch, text));

	arena_free(scratch);	/* what is kept does not need it */
	return f;
}

Test(formula, pool_keeps_the_same_once)
{
	struct arena *a = arena_new();
	struct intern p = { 0 };
	const struct formula *f = kept(&p, a, "f = x: x + 1"), *many[200];
	char text[64];
	int i;

	cr_assert_str_eq(f->name, "f");
	cr_assert_eq(value_of(f, f->result[0], (const double[]){ 2 }), 3);
	cr_assert_neq(f, kept(&p, a, "g = x: x + 1"), "another name");
	cr_assert_neq(f, kept(&p, a, "x: x + 1"), "no name");
	cr_assert_neq(f, kept(&p, a, "f = x: x + 2"), "another number");
	cr_assert_neq(f, kept(&p, a, "f = x: x * 1.5"), "another operation");
	cr_assert_neq(f, kept(&p, a, "f = x, y: x + 1"), "one more operand");
	cr_assert_neq(f, kept(&p, a, "f = x: x + 1, x"), "one more result");
	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "x: x + %d", 10 + i);
		many[i] = kept(&p, a, text);
	}
	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "x: x + %d", 10 + i);
		cr_assert_eq(kept(&p, a, text), many[i], "%s", text);
		cr_assert_eq(value_of(many[i], many[i]->result[0], (const double[]){ 2 }), 12 + i);
	}
	cr_assert_eq(kept(&p, a, "f = x: x + 1"), f);
	arena_free(a);
}

Test(formula, pool_keeps_what_is_known)
{
	struct arena *a = arena_new();
	struct intern p = { 0 };
	int number[200], i;
	char text[64];

	for (i = 0; i < 200; i++) {
		void **known;

		snprintf(text, sizeof(text), "x: x + %d", 10 + i);
		known = formula_pool_known(&p, a, parse(a, text));
		cr_assert_null(*known, "nothing is known yet of %s", text);
		*known = &number[i];
	}
	for (i = 0; i < 200; i++) {	/* of each its own, though the pool has grown */
		snprintf(text, sizeof(text), "x: x + %d", 10 + i);
		cr_assert_eq(*formula_pool_known(&p, a, parse(a, text)), &number[i], "%s", text);
	}
	cr_assert_null(*formula_pool_known(&p, a, parse(a, "f = x: x + 10")), "another name");
	arena_free(a);
}
