/*
 * Formulas of elements by ONNX's arithmetic, a row for each operation. A condition is a bool there
 * and a number here, so each is turned into the other where it must be. exp(x) - 1 and log(1 + x)
 * have no operator of their own, and are said so that they stay exact near 0.
 */
#include "export/exporter.h"

#include <string.h>

#include "formula/formula.h"
#include "ops/pointwise.h"

struct writing {
	struct exporter *x;
	const struct formula *f;
	const char **value;	/* by term, a number */
	const char **truth;	/* by term, the same as a condition; NULL: it is none yet */
};

struct primitive_row {
	const char *name;	/* as formulas call it */
	int operands;
	const char *onnx;
	const char *(*write)(struct exporter *, const char *);	/* in place of onnx */
};

/* 2 t / (1 - t) with t = tanh(x / 2), which is exact near 0 but not far from it. */
static const char *
expm1_nodes(struct exporter *x, const char *a)
{
	const char *t = one(x, "Tanh", two(x, "Mul", a, real_constant(x, 0.5))), *far;
	const char *near = two(x, "Div", two(x, "Add", t, t), two(x, "Sub", real_constant(x, 1), t));

	far = two(x, "Sub", one(x, "Exp", a), real_constant(x, 1));
	return make(x, "Where", IN(two(x, "Less", one(x, "Abs", a), real_constant(x, 0.5)), near, far), AS_IS);
}

/* log(u) x / (u - 1) with u = 1 + x as it was rounded; where that is 1, x (Kahan). */
static const char *
log1p_nodes(struct exporter *x, const char *a)
{
	const char *unit = real_constant(x, 1), *u = two(x, "Add", a, unit), *same = two(x, "Equal", u, unit);
	const char *by = make(x, "Where", IN(same, unit, two(x, "Sub", u, unit)), AS_IS);
	const char *big = two(x, "Greater", u, real_constant(x, 1e30)), *scaled;

	scaled = two(x, "Mul", one(x, "Log", u), two(x, "Div", a, by));
	scaled = make(x, "Where", IN(same, a, scaled), AS_IS);
	return make(x, "Where", IN(big, one(x, "Log", u), scaled), AS_IS);
}

static const char *
rsqrt_nodes(struct exporter *x, const char *a)
{
	return one(x, "Reciprocal", one(x, "Sqrt", a));
}

static const char *
normal_nodes(struct exporter *x, const char *a)
{
	const char *e = one(x, "Erf", two(x, "Mul", a, real_constant(x, 0.70710678118654752)));

	return two(x, "Mul", two(x, "Add", e, real_constant(x, 1)), real_constant(x, 0.5));
}

static const struct primitive_row rows[] = {
	{ "+", 2, "Add", NULL }, { "-", 2, "Sub", NULL }, { "*", 2, "Mul", NULL }, { "/", 2, "Div", NULL },
	{ "-", 1, "Neg", NULL }, { "^", 2, "Pow", NULL },
	{ "exp", 1, "Exp", NULL }, { "expm1", 1, NULL, expm1_nodes }, { "log", 1, "Log", NULL },
	{ "log1p", 1, NULL, log1p_nodes }, { "sqrt", 1, "Sqrt", NULL }, { "rsqrt", 1, NULL, rsqrt_nodes },
	{ "relu", 1, "Relu", NULL }, { "abs", 1, "Abs", NULL }, { "sign", 1, "Sign", NULL }, { "sin", 1, "Sin", NULL },
	{ "cos", 1, "Cos", NULL }, { "atan", 1, "Atan", NULL }, { "tanh", 1, "Tanh", NULL },
	{ "sigmoid", 1, "Sigmoid", NULL }, { "normal", 1, NULL, normal_nodes }, { "erf", 1, "Erf", NULL },
	{ "softplus", 1, "Softplus", NULL }, { "floor", 1, "Floor", NULL }, { "min", 2, "Min", NULL }, { "max", 2, "Max", NULL },
};

static const struct {
	const char *name, *onnx;
	bool opposite;
} comparisons[] = {
	{ "<", "Less", false }, { "<=", "LessOrEqual", false }, { ">", "Greater", false },
	{ ">=", "GreaterOrEqual", false }, { "==", "Equal", false }, { "!=", "Equal", true },
};

static const char *
number_of(struct writing *w, int term)
{
	if (!w->value[term])
		w->value[term] = cast_to(w->x, w->truth[term], ELEMENT_F32);
	return w->value[term];
}

static const char *
truth_of(struct writing *w, int term)
{
	if (!w->truth[term])
		w->truth[term] = one(w->x, "Not", two(w->x, "Equal", w->value[term], real_constant(w->x, 0)));
	return w->truth[term];
}

static bool
write_comparison(struct writing *w, int i)
{
	const struct term *t = &w->f->terms.v[i];
	size_t k;

	for (k = 0; k < sizeof(comparisons) / sizeof(comparisons[0]); k++)
		if (strcmp(comparisons[k].name, t->op->name) == 0) {
			w->truth[i] = two(w->x, comparisons[k].onnx, number_of(w, t->of[0]), number_of(w, t->of[1]));
			if (comparisons[k].opposite)
				w->truth[i] = one(w->x, "Not", w->truth[i]);
			return true;
		}
	return false;
}

static void
write_primitive(struct writing *w, int i)
{
	const struct term *t = &w->f->terms.v[i];
	size_t k;

	if (strcmp(t->op->name, "where") == 0) {
		w->value[i] = make(w->x, "Where", IN(truth_of(w, t->of[0]), number_of(w, t->of[1]),
		    number_of(w, t->of[2])), AS_IS);
		return;
	}
	if (strcmp(t->op->name, "leaky") == 0) {
		const char *a = number_of(w, t->of[0]);

		w->value[i] = make(w->x, "Where", IN(two(w->x, "Greater", a, real_constant(w->x, 0)), a,
		    two(w->x, "Mul", number_of(w, t->of[1]), a)), AS_IS);
		return;
	}
	if (write_comparison(w, i))
		return;
	for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if (rows[k].operands == t->op->operands && strcmp(rows[k].name, t->op->name) == 0) {
			const char *a = number_of(w, t->of[0]);

			w->value[i] = rows[k].write ? rows[k].write(w->x, a) : t->op->operands == 1 ?
			    one(w->x, rows[k].onnx, a) : two(w->x, rows[k].onnx, a, number_of(w, t->of[1]));
			return;
		}
	export_cannot(w->x, "'%s' of its formula has no counterpart in ONNX", t->op->name);
	w->value[i] = "";
}

/* A number of each sample meets all elements of that sample. */
static const char *
operand(struct exporter *x, const struct tensor *t, const struct tensor *y)
{
	static const int64_t ones[MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	const char *value = value_of(x, t);

	if (t->dtype == DT_I32 || t->dtype == DT_U8)
		value = cast_to(x, value, ELEMENT_F32);
	return t->rank == 0 && t->batched && y->rank > 0 ? reshaped(x, value, true, y->rank, ones) : value;
}

const char *
formula_value(struct exporter *x, const struct node *n)
{
	const struct formula *f = pointwise_formula(x->arena, n);
	struct writing w = { .x = x, .f = f };
	int i;

	if (!f) {
		export_cannot(x, "its formula cannot be read");
		return NULL;
	}
	w.value = arena_array(x->arena, (size_t)f->terms.n + 1, sizeof(*w.value));
	w.truth = arena_array(x->arena, (size_t)f->terms.n + 1, sizeof(*w.truth));
	for (i = 0; i < f->terms.n; i++) {
		const struct term *t = &f->terms.v[i];

		if (t->operand >= 0)
			w.value[i] = operand(x, n->in[t->operand], n->out[0]);
		else if (t->operand == TERM_NUMBER)
			w.value[i] = real_constant(x, t->number);
		else
			write_primitive(&w, i);
	}
	return number_of(&w, f->result[0]);
}

void
formula_write(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], formula_value(x, n));
}
