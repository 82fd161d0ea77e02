/* Formulas: making terms, and asking about them. */
#include "formula/formula.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct formula *
formula_new(struct arena *a, int operands)
{
	struct formula *f = ARENA_NEW(a, struct formula);

	f->arena = a;
	f->operands = operands;
	return f;
}

struct formula *
formula_keep(struct arena *a, const struct formula *f)
{
	struct formula *kept = ARENA_NEW(a, struct formula);

	*kept = *f;
	kept->arena = a;
	kept->name = f->name ? arena_strdup(a, f->name) : NULL;
	kept->slot = NULL;
	kept->slots = 0;
	kept->terms.v = arena_array(a, (size_t)f->terms.n, sizeof(*f->terms.v));
	kept->terms.cap = f->terms.n;
	memcpy(kept->terms.v, f->terms.v, (size_t)f->terms.n * sizeof(*f->terms.v));
	return kept;
}

/* ---- terms ---- */

static bool
same_number(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool
same_term(const struct term *a, const struct term *b)
{
	int i;

	if (a->operand != b->operand || a->op != b->op || !same_number(a->number, b->number))
		return false;
	for (i = 0; a->op && i < a->op->operands; i++)
		if (a->of[i] != b->of[i])
			return false;
	return true;
}

#define FEW_TERMS	16	/* are looked through, and compared without taking memory */
#define MOST_HAVE	4	/* terms at most, of the formulas of a deep network's thousands of layers */

static unsigned
hash(const struct term *t)
{
	uint64_t bits, h;
	int i;

	memcpy(&bits, &t->number, sizeof(bits));
	h = (uint64_t)t->operand * 31 + (uint64_t)(uintptr_t)t->op + bits;
	for (i = 0; t->op && i < t->op->operands; i++)
		h = h * 0x9e3779b97f4a7c15u + (uint64_t)t->of[i];
	return (unsigned)((h * 0x9e3779b97f4a7c15u) >> 32);
}

/* Where that term is, or where it would be. */
static int *
slot_of(const struct formula *f, const struct term *t)
{
	unsigned mask = (unsigned)f->slots - 1, i = hash(t) & mask;

	while (f->slot[i] && !same_term(&f->terms.v[f->slot[i] - 1], t))
		i = (i + 1) & mask;
	return &f->slot[i];
}

static void
make_slots(struct formula *f)
{
	int i;

	f->slots = 8 * f->terms.n;
	while (f->slots & (f->slots - 1))
		f->slots &= f->slots - 1;
	f->slot = arena_array(f->arena, (size_t)f->slots, sizeof(*f->slot));
	for (i = 0; i < f->terms.n; i++)
		*slot_of(f, &f->terms.v[i]) = i + 1;
}

static int
find(const struct formula *f, const struct term *t)
{
	int i;

	if (f->slots)
		return *slot_of(f, t) - 1;
	for (i = 0; i < f->terms.n && !same_term(&f->terms.v[i], t); i++)
		;
	return i < f->terms.n ? i : -1;
}

static int
add(struct formula *f, struct term t)
{
	int found = find(f, &t);

	if (found >= 0)
		return found;
	if (!f->terms.v) {
		f->terms.cap = MOST_HAVE;
		f->terms.v = arena_array(f->arena, MOST_HAVE, sizeof(t));
	}
	vec_push(f->arena, &f->terms, t);
	if (f->terms.n >= FEW_TERMS && 2 * f->terms.n >= f->slots)
		make_slots(f);
	else if (f->slots)
		*slot_of(f, &t) = f->terms.n;
	return f->terms.n - 1;
}

int
formula_operand(struct formula *f, int k)
{
	return add(f, (struct term){ .operand = k });
}

int
formula_number(struct formula *f, double x)
{
	return add(f, (struct term){ .operand = TERM_NUMBER, .number = x });
}

static bool
is_number(const struct formula *f, int t)
{
	return f->terms.v[t].operand == TERM_NUMBER;
}

static bool
is(const struct formula *f, int t, double x)
{
	return is_number(f, t) && f->terms.v[t].number == x;
}

/* The operand of a negation; -1: it is none. */
static int
negated(const struct formula *f, int t)
{
	const struct primitive *p = f->terms.v[t].op;

	return p && p->of == primitive_find("-", 1)->of ? f->terms.v[t].of[0] : -1;
}

static int
apply(struct formula *f, const char *name, int n, int a, int b)
{
	return formula_apply(f, primitive_find(name, n), (int[]){ a, b });
}

/* Powers that are something simpler; -1: it is none. */
static int
power(struct formula *f, int a, int b)
{
	double x = f->terms.v[b].number;

	if (!is_number(f, b))
		return -1;
	if (x == 0)
		return formula_number(f, 1);
	if (x == 1)
		return a;
	if (x == 2)
		return apply(f, "*", 2, a, a);
	if (x == 3)
		return apply(f, "*", 2, apply(f, "*", 2, a, a), a);
	if (x == 0.5)
		return apply(f, "sqrt", 1, a, 0);
	if (x == -0.5)
		return apply(f, "rsqrt", 1, a, 0);
	if (x == -1)
		return apply(f, "/", 2, formula_number(f, 1), a);
	return -1;
}

/* What a term is that needs no operation of its own; -1: it needs one. */
static int
simpler(struct formula *f, const struct primitive *op, const int *of)
{
	int a = of[0], b = op->operands > 1 ? of[1] : 0;

	switch (*op->name) {
	case '+':
		return is(f, a, 0) ? b : is(f, b, 0) ? a : -1;
	case '-':
		if (op->operands == 1)
			return negated(f, a);
		return is(f, b, 0) ? a : is(f, a, 0) ? apply(f, "-", 1, b, 0) : -1;
	case '*':
		if (is(f, a, 1) || is(f, b, 1))
			return is(f, a, 1) ? b : a;
		if (is(f, a, -1) || is(f, b, -1))
			return apply(f, "-", 1, is(f, a, -1) ? b : a, 0);
		return -1;
	case '/':
		return is(f, b, 1) ? a : -1;
	case '^':
		return power(f, a, b);
	case 'w':	/* where */
		if (is_number(f, a))
			return f->terms.v[a].number != 0 ? b : of[2];
		return b == of[2] ? b : -1;
	default:
		return -1;
	}
}

int
formula_apply(struct formula *f, const struct primitive *op, const int *of)
{
	struct term t = { .operand = TERM_PRIMITIVE, .op = op };
	double x[PRIMITIVE_OPERANDS] = { 0 };
	bool known = true;
	int i, other;

	for (i = 0; i < op->operands; i++) {
		known &= is_number(f, of[i]);
		x[i] = f->terms.v[of[i]].number;
		t.of[i] = of[i];
	}
	if (known)
		return formula_number(f, op->of(x[0], x[1], x[2]));
	other = simpler(f, op, of);
	return other >= 0 ? other : add(f, t);
}

/* Which terms these results are made of. */
static bool *
needed(struct arena *a, const struct formula *f, const int *result, int results)
{
	bool *need = arena_array(a, (size_t)f->terms.n + 1, sizeof(*need));
	int i, j;

	for (i = 0; i < results; i++)
		need[result[i]] = true;
	for (i = f->terms.n - 1; i >= 0; i--)
		for (j = 0; need[i] && f->terms.v[i].op && j < f->terms.v[i].op->operands; j++)
			need[f->terms.v[i].of[j]] = true;
	return need;
}

int
formula_insert(struct formula *f, const struct formula *from, int k, const int *value)
{
	int *at = arena_array(f->arena, (size_t)from->terms.n + 1, sizeof(*at)), i, j;
	const bool *need = needed(f->arena, from, &from->result[k], 1);

	for (i = 0; i <= from->result[k]; i++) {
		const struct term *t = &from->terms.v[i];
		int of[PRIMITIVE_OPERANDS] = { 0 };

		if (!need[i])
			continue;
		for (j = 0; t->op && j < t->op->operands; j++)
			of[j] = at[t->of[j]];
		at[i] = t->op ? formula_apply(f, t->op, of) :
		    t->operand == TERM_NUMBER ? formula_number(f, t->number) : value[t->operand];
	}
	return at[from->result[k]];
}

/* ---- questions ---- */

bool
formula_reads(const struct formula *f, int operand)
{
	const bool *need = needed(f->arena, f, f->result, f->results);
	int i;

	for (i = 0; i < f->terms.n; i++)
		if (need[i] && f->terms.v[i].operand == operand)
			return true;
	return false;
}

int
formula_alone(const struct formula *f)
{
	const struct term *t = &f->terms.v[f->result[0]];

	return f->results == 1 && t->operand >= 0 ? t->operand : -1;
}

struct formula *
formula_drop_unread(struct arena *a, const struct formula *f, int *kept)
{
	struct formula *g = formula_new(a, 0);
	int value[FORMULA_OPERANDS + 2 * FORMULA_RESULTS], i;

	g->name = f->name;
	for (i = 0; i < f->operands; i++) {
		value[i] = 0;
		if (!formula_reads(f, i))
			continue;
		kept[g->operands] = i;
		value[i] = formula_operand(g, g->operands++);
	}
	for (i = 0; i < f->results; i++)
		g->result[g->results++] = formula_insert(g, f, i, value);
	return g;
}

int
formula_cost(const struct formula *f)
{
	const bool *need = needed(f->arena, f, f->result, f->results);
	int i, cost = 0;

	for (i = 0; i < f->terms.n; i++)
		if (need[i] && f->terms.v[i].op)
			cost += f->terms.v[i].op->cost;
	return cost;
}

/* Is that term of A what that one of B is? MATCH[i] is one more than the term of B that term i is
 * already known to be: in neither is a term twice. */
static bool
terms_alike(const struct formula *a, int ta, const struct formula *b, int tb, int *match)
{
	const struct term *x = &a->terms.v[ta], *y = &b->terms.v[tb];
	int i;

	if (match[ta])
		return match[ta] == tb + 1;
	if (x->operand != y->operand || x->op != y->op || !same_number(x->number, y->number))
		return false;
	for (i = 0; x->op && i < x->op->operands; i++)
		if (!terms_alike(a, x->of[i], b, y->of[i], match))
			return false;
	match[ta] = tb + 1;
	return true;
}

bool
formula_same(const struct formula *a, const struct formula *b)
{
	int few[FEW_TERMS] = { 0 }, *match = few, i;

	if (a->operands != b->operands || a->results != b->results)
		return false;
	if (a->terms.n > FEW_TERMS)
		match = arena_array(a->arena, (size_t)a->terms.n, sizeof(*match));
	for (i = 0; i < a->results; i++)
		if (!terms_alike(a, a->result[i], b, b->result[i], match))
			return false;
	return true;
}
