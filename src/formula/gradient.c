/*
 * Gradients of formulas, by reverse accumulation over their terms: each row of primitive.c says
 * what arrives at its operands, given what arrives at its result. What forward made is made again
 * from the operands, or read where it is a result.
 */
#include "formula/formula.h"

#include <ctype.h>

struct gradient {
	const struct formula *f;
	struct formula *g;
	int *value;		/* by term of f: its value in g; -1: not made yet */
	int *arrives;		/* by term of f: its gradient in g; -1: none */
	bool failed;
};

static int
value_of(struct gradient *x, int k)
{
	const struct term *t = &x->f->terms.v[k];
	int of[PRIMITIVE_OPERANDS] = { 0 }, i;

	if (x->value[k] >= 0)
		return x->value[k];
	for (i = 0; t->op && i < t->op->operands; i++)
		of[i] = value_of(x, t->of[i]);
	x->value[k] = t->op ? formula_apply(x->g, t->op, of) : t->operand == TERM_NUMBER ?
	    formula_number(x->g, t->number) : formula_operand(x->g, t->operand);
	return x->value[k];
}

static bool
is_zero(const struct formula *f, int t)
{
	return f->terms.v[t].operand == TERM_NUMBER && f->terms.v[t].number == 0;
}

static void
arrive(struct gradient *x, int at, int part)
{
	if (x->arrives[at] < 0)
		x->arrives[at] = part;
	else
		x->arrives[at] = formula_apply(x->g, primitive_find("+", 2), (int[]){ x->arrives[at], part });
}

/* Is that name, a letter, a word in it? */
static bool
mentions(const char *text, char name)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (text[i] == name && !isalpha((unsigned char)text[i + 1]) &&
		    (i == 0 || !isalpha((unsigned char)text[i - 1])))
			return true;
	return false;
}

static void
pass_back(struct gradient *x, int k, int j)
{
	const struct term *t = &x->f->terms.v[k];
	const char *text = t->op->gradient[j], *where;
	struct formula_name names[6];
	int n = 0, i, part;

	if (!text) {
		x->failed = true;
		return;
	}
	names[n++] = (struct formula_name){ "d", x->arrives[k] };
	if (mentions(text, 'y'))
		names[n++] = (struct formula_name){ "y", value_of(x, k) };
	for (i = 0; i < t->op->operands; i++)
		if (mentions(text, (char)('a' + i)))
			names[n++] = (struct formula_name){ &"a\0b\0c"[2 * i], value_of(x, t->of[i]) };
	names[n].name = NULL;
	part = formula_read(x->g, text, names, &where);
	if (part < 0)
		x->failed = true;
	else if (!is_zero(x->g, part))
		arrive(x, t->of[j], part);
}

/* Is an operand whose gradient is wanted among what the term is made of? */
static bool *
leads_to_wanted(struct arena *a, const struct formula *f, const bool *wanted)
{
	bool *leads = arena_array(a, (size_t)f->terms.n + 1, sizeof(*leads));
	int i, j;

	for (i = 0; i < f->terms.n; i++) {
		const struct term *t = &f->terms.v[i];

		leads[i] = t->operand >= 0 && wanted[t->operand];
		for (j = 0; t->op && j < t->op->operands; j++)
			leads[i] |= leads[t->of[j]];
	}
	return leads;
}

struct formula *
formula_gradient(struct arena *a, const struct formula *f, const bool *wanted, bool by_results)
{
	struct gradient x = { .f = f, .g = formula_new(a, f->operands + 2 * f->results) };
	const bool *leads = leads_to_wanted(a, f, wanted);
	int i, j;

	x.value = arena_array(a, (size_t)f->terms.n + 1, sizeof(*x.value));
	x.arrives = arena_array(a, (size_t)f->terms.n + 1, sizeof(*x.arrives));
	for (i = 0; i < f->terms.n; i++)
		x.value[i] = x.arrives[i] = -1;
	for (i = 0; i < f->results; i++) {
		arrive(&x, f->result[i], formula_operand(x.g, f->operands + f->results + i));
		if (by_results && f->terms.v[f->result[i]].op)
			x.value[f->result[i]] = formula_operand(x.g, f->operands + i);
	}
	for (i = f->terms.n - 1; i >= 0; i--)
		for (j = 0; x.arrives[i] >= 0 && f->terms.v[i].op && j < f->terms.v[i].op->operands; j++)
			if (leads[f->terms.v[i].of[j]])
				pass_back(&x, i, j);
	for (i = 0; i < f->operands; i++) {
		int t;

		if (!wanted[i])
			continue;
		for (t = 0; t < f->terms.n && f->terms.v[t].operand != i; t++)
			;
		x.g->result[x.g->results++] = t < f->terms.n && x.arrives[t] >= 0 ? x.arrives[t] :
		    formula_number(x.g, 0);
	}
	return x.failed ? NULL : x.g;
}

struct formula *
formula_passed(struct arena *a, const struct formula *f, int k, bool by_result)
{
	bool wanted[FORMULA_OPERANDS] = { false };
	int value[FORMULA_OPERANDS + 2], arrives = f->operands + 1, i;
	struct formula *g, *passed = formula_new(a, 2);

	wanted[k] = true;
	if (f->results != 1 || !(g = formula_gradient(a, f, wanted, by_result)) || !formula_reads(g, arrives))
		return NULL;
	value[arrives] = formula_operand(passed, 0);
	for (i = 0; i < arrives; i++) {
		if (formula_reads(g, i) && i != (by_result ? f->operands : k))
			return NULL;
		value[i] = formula_operand(passed, 1);
	}
	passed->result[passed->results++] = formula_insert(passed, g, 0, value);
	passed->name = arena_printf(a, "%s_grad", f->name ? f->name : "formula");
	return passed;
}

static bool
is_let_through(const struct formula *f, int t)
{
	const struct term *at = &f->terms.v[t];

	return at->operand == 0 || is_zero(f, t) || (at->op && at->op == primitive_find("where", 3) &&
	    is_let_through(f, at->of[1]) && is_let_through(f, at->of[2]));
}

bool
formula_is_gate(const struct formula *f)
{
	return f->results == 1 && is_let_through(f, f->result[0]);
}
