/*
 * Writing formulas, as text and as C. A term that is used more than once gets a name before its
 * first use; all others stand where they are used, in no more parentheses than they need.
 */
#include "formula/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct formula *f;
	struct text *out;	/* of names */
	const char *const *operand;
	const char *(*literal)(void *, double);
	void *context;
	bool c;			/* as C; else as formula_parse() reads it */
	const char *indent;
	const char **name;	/* by term; NULL: it has none */
	int *uses;
	int names;
};

#define BINDS_MOST	9

struct piece {
	const char *text;
	int binds;		/* how strongly its outermost operation does */
};

static struct piece	write_term(struct writer *, int);

static const char *
within(struct writer *w, struct piece p, int least)
{
	return p.binds >= least ? p.text : arena_printf(w->f->arena, "(%s)", p.text);
}

/* C's own order of conditions, sums, products and signs is that of formulas. */
static struct piece
write_infix(struct writer *w, const struct term *t)
{
	const struct primitive *p = t->op;
	struct arena *a = w->f->arena;
	struct piece left = write_term(w, t->of[0]), right;

	if (p->operands == 1)
		return (struct piece){ arena_printf(a, "%s%s", p->name, within(w, left, p->binds + 1)), p->binds };
	right = write_term(w, t->of[1]);
	return (struct piece){ arena_printf(a, *p->name == '^' ? "%s%s%s" : "%s %s %s",
	    within(w, left, *p->name == '^' ? p->binds + 1 : p->binds), p->name,
	    within(w, right, *p->name == '^' ? p->binds : p->binds + 1)), p->binds };
}

static struct piece
write_function(struct writer *w, const struct term *t)
{
	struct arena *a = w->f->arena;
	const char *args = write_term(w, t->of[0]).text;
	int i;

	for (i = 1; i < t->op->operands; i++)
		args = arena_printf(a, "%s, %s", args, write_term(w, t->of[i]).text);
	return (struct piece){ arena_printf(a, "%s(%s)", t->op->name, args), BINDS_MOST };
}

/* The row's text, with operands in the places of $1, $2, $3. Whatever stands around them in it,
 * they are put in parentheses unless they are alone between those of a function. */
static struct piece
write_c(struct writer *w, const struct term *t)
{
	struct text text;
	const char *s;
	bool call = !strpbrk(t->op->c, " -") || strstr(t->op->c, "_of(");

	text_init(&text, w->f->arena);
	for (s = t->op->c; *s; s++)
		if (*s == '$') {
			struct piece p = write_term(w, t->of[*++s - '1']);

			text_puts(&text, call ? p.text : within(w, p, BINDS_MOST));
		} else {
			text_add(&text, s, 1);
		}
	return (struct piece){ text.s, call || *t->op->c == '(' ? BINDS_MOST : 3 };
}

static struct piece
write_number(struct writer *w, double x)
{
	char buf[40];
	int digits;

	if (w->c)
		return (struct piece){ w->literal(w->context, x), x < 0 ? 0 : BINDS_MOST };
	for (digits = 1; digits < 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			break;
	}
	if (digits == 17)
		snprintf(buf, sizeof(buf), "%.17g", x);
	if (!isfinite(x))	/* it is read as what it is */
		snprintf(buf, sizeof(buf), "%s", isnan(x) ? "(0 / 0)" : x > 0 ? "(1 / 0)" : "(-1 / 0)");
	return (struct piece){ arena_strdup(w->f->arena, buf), x < 0 ? 0 : BINDS_MOST };
}

static struct piece
write_fresh(struct writer *w, int k)
{
	const struct term *t = &w->f->terms.v[k];

	if (t->operand == TERM_NUMBER)
		return write_number(w, t->number);
	if (!t->op)
		return (struct piece){ w->operand[t->operand], BINDS_MOST };
	if (w->c && !(t->op->binds >= 2 && *t->op->name != '^'))
		return write_c(w, t);
	return t->op->binds ? write_infix(w, t) : write_function(w, t);
}

static struct piece
write_term(struct writer *w, int k)
{
	struct piece p;

	if (w->name[k])
		return (struct piece){ w->name[k], BINDS_MOST };
	p = write_fresh(w, k);
	if (w->uses[k] < 2 || !w->f->terms.v[k].op)
		return p;
	w->name[k] = arena_printf(w->f->arena, "t%d", w->names++);
	if (w->c)
		text_printf(w->out, "%sreal %s = %s;\n", w->indent, w->name[k], p.text);
	else
		text_printf(w->out, "%s = %s; ", w->name[k], p.text);
	return (struct piece){ w->name[k], BINDS_MOST };
}

static void
prepare(struct writer *w)
{
	const struct formula *f = w->f;
	bool *need = arena_array(f->arena, (size_t)f->terms.n + 1, sizeof(*need));
	int i, j;

	w->name = arena_array(f->arena, (size_t)f->terms.n + 1, sizeof(*w->name));
	w->uses = arena_array(f->arena, (size_t)f->terms.n + 1, sizeof(*w->uses));
	for (i = 0; i < f->results; i++) {
		need[f->result[i]] = true;
		w->uses[f->result[i]]++;
	}
	for (i = f->terms.n - 1; i >= 0; i--)
		for (j = 0; need[i] && f->terms.v[i].op && j < f->terms.v[i].op->operands; j++) {
			need[f->terms.v[i].of[j]] = true;
			w->uses[f->terms.v[i].of[j]]++;
		}
}

void
formula_c(const struct formula *f, struct text *out, const char *indent, const char *const *operand,
    const char *(*literal)(void *, double), void *context, const char **result)
{
	struct writer w = { .f = f, .out = out, .operand = operand, .literal = literal, .context = context,
		.c = true, .indent = indent };
	int i;

	prepare(&w);
	for (i = 0; i < f->results; i++)
		result[i] = write_term(&w, f->result[i]).text;
}

const char *
formula_text(struct arena *a, const struct formula *f)
{
	const char **operand = arena_array(a, (size_t)f->operands + 1, sizeof(*operand)), *results = "";
	struct writer w = { .f = f, .operand = operand };
	struct text text;
	int i;

	text_init(&text, a);
	w.out = &text;
	if (f->name)
		text_printf(&text, "%s = ", f->name);
	for (i = 0; i < f->operands; i++) {
		operand[i] = arena_printf(a, "x%d", i);
		text_printf(&text, "%s%s", i ? ", " : "", operand[i]);
	}
	text_puts(&text, ": ");
	prepare(&w);
	for (i = 0; i < f->results; i++)
		results = arena_printf(a, "%s%s%s", results, i ? ", " : "", write_term(&w, f->result[i]).text);
	text_puts(&text, results);
	return text.s;
}
