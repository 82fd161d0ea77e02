/*
 * The scanner's numbers and sizes: what the rules of grammar/lexer.l pass as one becomes a token,
 * or is reported with what was probably meant.
 */
#include "syntax/scanner.h"

#include <string.h>
#include <strings.h>

#include "syntax/number.h"

#include "grammar/parser.h"

/* How much of TEXT the pattern NUM (or HEX) takes. */
static int
number_span(const char *text)
{
	const char *c = text, *e;

	if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X') && strspn(c + 2, "0123456789abcdefABCDEF"))
		return 2 + (int)strspn(c + 2, "0123456789abcdefABCDEF_");
	c += strspn(c, "0123456789_");
	if (c[0] == '.' && c[1] >= '0' && c[1] <= '9')
		c += 1 + strspn(c + 1, "0123456789_");
	if (*c == 'e' || *c == 'E') {
		e = c + 1 + (c[1] == '+' || c[1] == '-');
		if (*e >= '0' && *e <= '9')
			c = e + strspn(e, "0123456789");
	}
	return (int)(c - text);
}

int
scanner_number(struct scanner *s, const char *text, int length)
{
	struct loc loc = scanner_place(s, text, length);
	struct number n;
	bool whole = strcspn(text, ".eE") >= (size_t)length || text[1] == 'x' || text[1] == 'X';

	if (!number_parse(text, length, &n) || (whole && !n.exact)) {
		diag_help(s->p->diags, syntax_error(s->p, loc, "number out of range"), whole ?
		    "the largest whole number is 9223372036854775807" :
		    "numbers lie between 1e-307 and 1.7e308");
		return scanner_token(s, TOK_BAD, loc);
	}
	scanner_literal(s, E_NUM, loc);
	s->tok->expr->num = n;
	return TOK_NUM;
}

int
scanner_bad_number(struct scanner *s, const char *text, int length)
{
	struct loc loc = scanner_place(s, text, length);
	struct diag *g;

	g = syntax_error(s->p, loc, "'%.*s' is not a number", length > 40 ? 40 : length, text);
	if (text[0] == '.')
		diag_help(s->p->diags, g, "write a digit before the point: 0%.*s",
		    length > 40 ? 40 : length, text);
	else if (text[length - 1] == '.')
		diag_help(s->p->diags, g, "write a digit after the point, or leave it out");
	else if (strchr("eE+-", text[length - 1]))
		diag_help(s->p->diags, g, "the exponent has no digits");
	else if (strcmp(text, "0x") == 0 || strcmp(text, "0X") == 0)
		diag_help(s->p->diags, g, "hexadecimal digits follow 0x");
	return scanner_token(s, TOK_BAD, loc);
}

/* A unit, except for its case or a missing B? A single letter only where it touches the number. */
static bool
unit_like(const char *name, bool touches)
{
	char up = (char)(name[0] & ~0x20);

	if (strcasecmp(name, "byte") == 0 || strcasecmp(name, "bytes") == 0)
		return true;
	if (up == 'B' && touches)
		return name[1] == '\0';
	if (!up || !strchr("KMGT", up))
		return false;
	if (name[1] == '\0')
		return touches;
	return strcasecmp(name + 1, "b") == 0 || strcasecmp(name + 1, "ib") == 0 ||
	    (touches && strcasecmp(name + 1, "i") == 0);
}

static int
size(struct scanner *s, const char *text, int digits, int length, int64_t unit)
{
	struct loc loc = scanner_place(s, text, length);
	struct number n;
	int64_t bytes;

	if (!number_parse(text, digits, &n) || !n.exact || !number_mul(n, number_int(unit), &n)) {
		syntax_error(s->p, loc, "size out of range");
		return scanner_token(s, TOK_BAD, loc);
	}
	if (!number_is_int(n, &bytes)) {
		syntax_error(s->p, loc, "'%.*s' is not a whole number of bytes", length, text);
		return scanner_token(s, TOK_BAD, loc);
	}
	scanner_literal(s, E_SIZE, loc);
	s->tok->expr->num = n;
	return TOK_SIZE;
}

static int
bad_unit(struct scanner *s, const char *text, int digits, int length, const char *name)
{
	struct loc loc = scanner_place(s, text, length);
	struct diag *g;
	int shown = digits > 20 ? 20 : digits;

	loc.beg = loc.end - (int)strlen(name);
	g = syntax_error(s->p, loc, "unknown unit '%s'", name);
	if (name[0] == 'b' || name[0] == 'B')
		diag_help(s->p->diags, g, "bytes are written %.*s B", shown, text);
	else
		diag_help(s->p->diags, g, "write %.*s%c%s (binary) or %.*s%c%s (decimal)",
		    shown, text, name[0] & ~0x20, "iB", shown, text,
		    (name[0] & ~0x20) == 'K' ? 'k' : name[0] & ~0x20, "B");
	return scanner_token(s, TOK_BAD, scanner_place(s, text, length));
}

int
scanner_number_word(struct scanner *s, const char *text, int *length)
{
	int digits = number_span(text);
	const char *name = text + digits + strspn(text + digits, " \t");
	bool touches = name == text + digits;
	int64_t unit = size_unit(name);
	struct loc loc = scanner_place(s, text, *length);

	if (unit)
		return size(s, text, digits, *length, unit);
	if (unit_like(name, touches))
		return bad_unit(s, text, digits, *length, name);
	if (!touches || strcmp(name, "epochs") == 0 || strcmp(name, "steps") == 0) {
		*length = digits;
		return scanner_number(s, text, digits);
	}
	if (strcmp(text, "0x") == 0 || strcmp(text, "0X") == 0 || strcasecmp(name, "e") == 0)
		return scanner_bad_number(s, text, *length);
	diag_help(s->p->diags, syntax_error(s->p, loc, "'%.*s' is neither a number nor a name",
	    *length > 40 ? 40 : *length, text), "a name does not start with a digit");
	return scanner_token(s, TOK_BAD, loc);
}
