/*
 * Reading formulas. From the weakest: comparisons, + and -, * and /, - of one, ^, which binds to
 * the right; then numbers, names, functions and parentheses. What is wrong is our own mistake, or
 * that of IR text.
 */
#include "formula/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST		200
#define MOST_NAMES	512

struct reader {
	struct formula *f;
	const char *s;
	const struct formula_name *names;
	const char *failed;	/* where; NULL: nowhere */
	int depth;
};

static int	read_infix(struct reader *, int least);

static void
blanks(struct reader *r)
{
	r->s += strspn(r->s, " \t\n");
}

static int
fail(struct reader *r)
{
	if (!r->failed)
		r->failed = r->s;
	return 0;
}

static bool
accept(struct reader *r, char c)
{
	blanks(r);
	if (*r->s != c)
		return false;
	r->s++;
	return true;
}

static size_t
word(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return isdigit((unsigned char)*s) ? 0 : n;
}

static int
apply(struct reader *r, const char *name, int n, const int *of)
{
	const struct primitive *p = primitive_find(name, n);

	return p && !r->failed ? formula_apply(r->f, p, of) : fail(r);
}

static int
read_call(struct reader *r, const char *name)
{
	int of[PRIMITIVE_OPERANDS], n = 0;

	do {
		if (n == PRIMITIVE_OPERANDS)
			return fail(r);
		of[n++] = read_infix(r, 1);
	} while (accept(r, ','));
	return accept(r, ')') ? apply(r, name, n, of) : fail(r);
}

static int
read_name(struct reader *r, size_t n)
{
	char name[64];
	const struct formula_name *k;

	if (n >= sizeof(name))
		return fail(r);
	memcpy(name, r->s, n);
	name[n] = '\0';
	r->s += n;
	if (accept(r, '('))
		return read_call(r, name);
	for (k = r->names; k && k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k->term;
	return fail(r);
}

static int
read_primary(struct reader *r)
{
	char *end;
	int t;

	blanks(r);
	if (accept(r, '(')) {
		t = read_infix(r, 1);
		return accept(r, ')') ? t : fail(r);
	}
	if (word(r->s))
		return read_name(r, word(r->s));
	if (!isdigit((unsigned char)*r->s))
		return fail(r);
	t = formula_number(r->f, strtod(r->s, &end));
	r->s = end;
	return t;
}

static int
read_unary(struct reader *r)
{
	const struct primitive *minus = primitive_find("-", 1);
	int t;

	if (accept(r, '-')) {
		t = read_infix(r, minus->binds);
		return apply(r, "-", 1, &t);
	}
	return read_primary(r);
}

/* The infix operation here that binds at least so strongly; its name is taken. */
static const struct primitive *
infix(struct reader *r, int least)
{
	const struct primitive *p, *best = NULL;

	blanks(r);
	for (p = primitive_table; p->name; p++)
		if (*p->name == *r->s && p->binds >= least && p->operands == 2 && p->binds > 0 &&
		    strncmp(r->s, p->name, strlen(p->name)) == 0 &&
		    (!best || strlen(p->name) > strlen(best->name)))
			best = p;
	if (best)
		r->s += strlen(best->name);
	return best;
}

static int
read_infix(struct reader *r, int least)
{
	const struct primitive *p;
	int of[2];

	if (r->failed || r->depth > DEEPEST)
		return fail(r);
	r->depth++;
	of[0] = read_unary(r);
	while (!r->failed && (p = infix(r, least))) {
		of[1] = read_infix(r, *p->name == '^' ? p->binds : p->binds + 1);
		of[0] = apply(r, p->name, 2, of);
	}
	r->depth--;
	return of[0];
}

int
formula_read(struct formula *f, const char *text, const struct formula_name *names, const char **where)
{
	struct reader r = { .f = f, .s = text, .names = names };
	int t = read_infix(&r, 1);

	blanks(&r);
	if (!r.failed && *r.s)
		fail(&r);
	*where = r.failed;
	return r.failed ? -1 : t;
}

/* Takes "name: " and returns it, or "name = " if SIGN is '='; NULL: there is none. */
static const char *
read_defined(struct reader *r, char sign)
{
	const char *before = r->s, *name;
	size_t n;

	blanks(r);
	n = word(r->s);
	name = arena_strndup(r->f->arena, r->s, n);
	r->s += n;
	if (n > 0 && accept(r, sign) && *r->s != '=')
		return name;
	r->s = before;
	return NULL;
}

static bool
read_operands(struct reader *r, struct formula_name *names, int *n)
{
	do {
		size_t k;

		blanks(r);
		if (*r->s == ':' && *n == 0)
			break;
		if (!(k = word(r->s)) || *n == FORMULA_OPERANDS)
			return false;
		names[*n] = (struct formula_name){ arena_strndup(r->f->arena, r->s, k),
			formula_operand(r->f, *n) };
		++*n;
		r->s += k;
	} while (accept(r, ','));
	r->f->operands = *n;
	return accept(r, ':');
}

struct formula *
formula_parse(struct arena *a, const char *text)
{
	struct formula_name *names = arena_array(a, MOST_NAMES + 1, sizeof(*names));
	struct reader r = { .f = formula_new(a, 0), .s = text, .names = names };
	int n = 0;

	r.f->name = read_defined(&r, '=');
	if (!read_operands(&r, names, &n))
		return NULL;
	for (;;) {
		const char *name = read_defined(&r, '=');
		int t = read_infix(&r, 1);

		if (r.failed || n == MOST_NAMES)
			return NULL;
		if (name) {
			names[n++] = (struct formula_name){ name, t };
			if (!accept(&r, ';'))
				return NULL;
			continue;
		}
		if (r.f->results == FORMULA_RESULTS)
			return NULL;
		r.f->result[r.f->results++] = t;
		if (!accept(&r, ','))
			break;
	}
	blanks(&r);
	return *r.s ? NULL : r.f;
}
