/* The words of the IR's text; see reader.h. */
#include "ir/ir_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct loc
ir_read_here(const struct ir_reader *r)
{
	int at = (int)(r->s - r->start);

	return (struct loc){ r->m->src, at, at + (at < r->m->src->size) };
}

bool
ir_read_fail(struct ir_reader *r, const char *expected)
{
	if (!r->failed)
		diag_error(r->m->diags, "ir", ir_read_here(r), "expected %s", expected);
	r->failed = true;
	return false;
}

void
ir_read_blanks(struct ir_reader *r)
{
	while (*r->s == ' ')
		r->s++;
}

bool
ir_read_accept(struct ir_reader *r, const char *text)
{
	size_t n = strlen(text);

	ir_read_blanks(r);
	if (strncmp(r->s, text, n) != 0 ||
	    (isalpha((unsigned char)*text) && (isalnum((unsigned char)r->s[n]) || r->s[n] == '_')))
		return false;
	r->s += n;
	return true;
}

bool
ir_read_expect(struct ir_reader *r, const char *text)
{
	return ir_read_accept(r, text) || ir_read_fail(r, arena_printf(r->a, "'%s'", text));
}

const char *
ir_read_word(struct ir_reader *r)
{
	const char *beg;

	ir_read_blanks(r);
	for (beg = r->s; isalnum((unsigned char)*r->s) || *r->s == '_' || *r->s == '-'; r->s++)
		;
	if (r->s == beg)
		ir_read_fail(r, "a word");
	return arena_strndup(r->a, beg, (size_t)(r->s - beg));
}

const char *
ir_read_string(struct ir_reader *r)
{
	const char *beg;

	if (!ir_read_expect(r, "\""))
		return "";
	for (beg = r->s; *r->s && *r->s != '"' && *r->s != '\n'; r->s++)
		;
	beg = arena_strndup(r->a, beg, (size_t)(r->s - beg));
	ir_read_expect(r, "\"");
	return beg;
}

int64_t
ir_read_integer(struct ir_reader *r)
{
	char *end;
	int64_t v;

	ir_read_blanks(r);
	v = strtoll(r->s, &end, 10);
	if (end == r->s)
		ir_read_fail(r, "a number");
	r->s = end;
	return v;
}

double
ir_read_number(struct ir_reader *r)
{
	char *end;
	double v;

	ir_read_blanks(r);
	v = strtod(r->s, &end);
	if (end == r->s)
		ir_read_fail(r, "a number");
	r->s = end;
	return v;
}

int
ir_read_one_of(struct ir_reader *r, const char *what, const char *const *names, int n)
{
	const char *w = ir_read_word(r);
	int i;

	for (i = 0; i < n; i++)
		if (names[i] && strcmp(names[i], w) == 0)
			return i;
	ir_read_fail(r, what);
	return 0;
}
