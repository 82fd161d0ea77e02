/*
 * Parsing a file: scanner, filter and parser put together. What they make lives in the arena, and
 * they keep no state outside it, so parses may be nested or run side by side.
 */
#include "syntax/parse.h"

#include <stdarg.h>
#include <string.h>

#include "grammar/parser.h"

struct diag *
syntax_unreported(struct parse *p)
{
	p->unreported.remarks.n = 0;
	return &p->unreported;
}

static struct diag *
report(struct parse *p, struct loc loc, const char *fmt, va_list ap)
{
	if (p->errors++ < MAX_SYNTAX_ERRORS)
		return diag_error(p->diags, "syntax", loc, "%s", arena_vprintf(p->arena, fmt, ap));
	if (p->errors == MAX_SYNTAX_ERRORS + 1)
		diag_error(p->diags, "syntax", loc,
		    "more than %d syntax errors; the rest are not shown", MAX_SYNTAX_ERRORS);
	return syntax_unreported(p);
}

struct diag *
syntax_error(struct parse *p, struct loc loc, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = report(p, loc, fmt, ap);
	va_end(ap);
	return g;
}

struct diag *
syntax_drop(struct parse *p, struct loc loc, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	p->dropped = loc.beg;
	va_start(ap, fmt);
	g = report(p, loc, fmt, ap);
	va_end(ap);
	return g;
}

bool
syntax_dropped(const struct parse *p, const struct token *a, const struct token *b)
{
	return a->loc.end <= p->dropped && p->dropped < b->loc.beg;
}

struct loc
loc_after(struct loc loc)
{
	loc.beg = loc.end;
	return loc;
}

static bool
is_utf16(const struct source *src)
{
	return src->size >= 2 && (memcmp(src->text, "\xff\xfe", 2) == 0 ||
	    memcmp(src->text, "\xfe\xff", 2) == 0);
}

/* What is no text is one mistake, however much of it could be taken for words. */
static bool
is_text(struct parse *p)
{
	const char *text = p->src->text, *nul = memchr(text, '\0', (size_t)p->src->size);

	if (is_utf16(p->src))
		diag_help(p->diags, syntax_error(p, (struct loc){ p->src, 0, 0 },
		    "this file is UTF-16 text"), "save it as UTF-8");
	else if (nul)
		syntax_error(p, (struct loc){ p->src, (int)(nul - text), (int)(nul - text) + 1 },
		    "NUL byte: this is not a text file");
	return !is_utf16(p->src) && !nul;
}

static struct file *
parse(struct arena *arena, struct arena *tree, struct diags *diags, const struct source *src, struct tape *tape)
{
	struct parse *p = ARENA_NEW(arena, struct parse);

	p->arena = arena;
	p->tree = tree;
	p->diags = diags;
	p->src = src;
	p->tape = tape;
	p->file = ARENA_NEW(arena, struct file);
	p->file->src = src;
	p->panic = p->dropped = -1;
	if (!is_text(p) || python_reported(p))
		return p->file;
	p->scanner = scanner_new(p);
	p->filter = filter_new(p);
	nn_parse(p);
	suppress_attach(p);
	return p->file;
}

struct file *
parse_tape(struct arena *arena, struct diags *diags, const struct source *src, struct tape *tape)
{
	return parse(arena, arena, diags, src, tape);
}

struct file *
parse_file(struct arena *arena, struct diags *diags, const struct source *src)
{
	return parse(arena, arena, diags, src, NULL);
}

struct file *
parse_file_apart(struct arena *arena, struct arena *tree, struct diags *diags, const struct source *src)
{
	return parse(arena, tree, diags, src, NULL);
}

void
file_forget(struct file *f)
{
	int i;

	for (i = 0; i < f->blocks.n; i++)
		f->blocks.v[i]->nstmts = f->blocks.v[i]->nformals = 0;
	for (i = 0; i < f->networks.n; i++)
		f->networks.v[i]->nstmts = 0;
	for (i = 0; i < f->sections.n; i++)
		f->sections.v[i]->nsettings = 0;
	f->globals.n = 0;
}
