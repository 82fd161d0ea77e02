/*
 * Suppression comments:  # stowage: allow(rule, rule) reason   and   # stowage: allow-file(rule)
 *
 * A comment behind code covers its line. One on a line of its own covers the next statement, block,
 * network, section or setting with all its lines; inside a statement, the next line. At the end
 * of a body, where nothing follows, it covers nothing.
 */
#include "syntax/parse.h"

#include <stdlib.h>
#include <string.h>

struct span {			/* bytes of something a comment can stand before */
	int beg, end;
	bool item;		/* holds other spans */
};

struct spans {
	struct arena *arena;
	VEC(struct span) list;
	int at;			/* the first span after the comment looked at last */
	const struct span *item;	/* the last item that starts before it */
};

static void
span_add(struct spans *s, struct loc loc, bool item)
{
	vec_push(s->arena, &s->list, ((struct span){ loc.beg, loc.end, item }));
}

static void
span_stmts(struct spans *s, const struct stmt *stmt, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (stmt[i].kind != S_BAD)
			span_add(s, stmt[i].loc, false);
}

static int
span_order(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->beg != y->beg)
		return x->beg < y->beg ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static void
span_file(struct spans *s, const struct file *f)
{
	int i, j;

	for (i = 0; i < f->imports.n; i++)
		span_add(s, f->imports.v[i].loc, false);
	for (i = 0; i < f->globals.n; i++)
		span_add(s, loc_join(f->globals.v[i].name.loc, f->globals.v[i].value->loc), false);
	for (i = 0; i < f->blocks.n; i++) {
		span_add(s, f->blocks.v[i]->loc, true);
		span_stmts(s, f->blocks.v[i]->stmt, f->blocks.v[i]->nstmts);
	}
	for (i = 0; i < f->networks.n; i++) {
		span_add(s, f->networks.v[i]->loc, true);
		span_stmts(s, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
	}
	for (i = 0; i < f->sections.n; i++) {
		span_add(s, f->sections.v[i]->loc, true);
		for (j = 0; j < f->sections.v[i]->nsettings; j++)
			span_add(s, f->sections.v[i]->setting[j].loc, false);
	}
	if (s->list.n)
		qsort(s->list.v, (size_t)s->list.n, sizeof(struct span), span_order);
}

/* ---- reading a comment ---- */

struct cursor {
	const char *c, *end;
};

static void
skip_blanks(struct cursor *cur)
{
	while (cur->c < cur->end && strchr(" \t\r", *cur->c))
		cur->c++;
}

/* The word here, of letters, digits, - and _; NULL if there is none. */
static const char *
take_word(struct arena *a, struct cursor *cur)
{
	const char *from = cur->c;

	while (cur->c < cur->end && ((*cur->c >= 'a' && *cur->c <= 'z') ||
	    (*cur->c >= 'A' && *cur->c <= 'Z') || (*cur->c >= '0' && *cur->c <= '9') ||
	    *cur->c == '-' || *cur->c == '_'))
		cur->c++;
	return cur->c > from ? arena_strndup(a, from, (size_t)(cur->c - from)) : NULL;
}

static bool
take(struct cursor *cur, char c)
{
	skip_blanks(cur);
	if (cur->c == cur->end || *cur->c != c)
		return false;
	cur->c++;
	skip_blanks(cur);
	return true;
}

/* Reads the rules and the reason; false if the comment is not well-formed. */
static bool
read_comment(struct arena *a, struct loc loc, struct suppression *s, bool *whole_file)
{
	const char *text = loc.src->text;
	const char *colon = memchr(text + loc.beg, ':', (size_t)(loc.end - loc.beg));
	struct cursor cur = { colon + 1, text + loc.end };
	VEC(struct name) rules = { 0 };
	const char *word;
	int at;

	skip_blanks(&cur);
	word = take_word(a, &cur);
	if (!word || (strcmp(word, "allow") != 0 && strcmp(word, "allow-file") != 0))
		return false;
	*whole_file = word[5] != '\0';
	if (!take(&cur, '('))
		return false;
	do {
		at = (int)(cur.c - text);
		if (!(word = take_word(a, &cur)))
			return false;
		vec_push(a, &rules, ((struct name){ word, { loc.src, at,
		    (int)(cur.c - text) } }));
	} while (take(&cur, ','));
	if (!take(&cur, ')'))
		return false;
	while (cur.end > cur.c && strchr(" \t\r", cur.end[-1]))
		cur.end--;
	s->rule = rules.v;
	s->nrules = rules.n;
	s->reason = arena_strndup(a, cur.c, (size_t)(cur.end - cur.c));
	return true;
}

/* ---- what it covers ---- */

/* The lines of what a comment on its own line stands before. The spans are sorted, and comments
 * come in order too, so the place among them only moves on. */
static void
cover_next(struct spans *s, struct suppression *sup)
{
	const struct span *next, *before;

	for (; s->at < s->list.n && s->list.v[s->at].beg < sup->loc.beg; s->at++)
		if (s->list.v[s->at].item)
			s->item = &s->list.v[s->at];
	before = s->at > 0 ? &s->list.v[s->at - 1] : NULL;
	if (before && !before->item && before->end > sup->loc.end) {
		sup->from_line = sup->to_line = loc_line(sup->loc) + 1;
		return;
	}
	next = s->at < s->list.n ? &s->list.v[s->at] : NULL;
	if (!next || (s->item && s->item->end > sup->loc.beg && next->beg > s->item->end))
		return;
	sup->from_line = loc_line((struct loc){ sup->loc.src, next->beg, next->beg });
	sup->to_line = loc_line((struct loc){ sup->loc.src, next->end - 1, next->end });
}

void
suppress_attach(struct parse *p)
{
	struct spans spans = { .arena = p->arena };
	struct suppression s;
	bool whole_file;
	int i;

	if (p->comments.n == 0)
		return;
	span_file(&spans, p->file);
	for (i = 0; i < p->comments.n; i++) {
		struct comment *c = &p->comments.v[i];

		memset(&s, 0, sizeof(s));
		s.loc = c->loc;
		s.own_line = c->own_line;
		if (!read_comment(p->arena, c->loc, &s, &whole_file)) {
			diag_help(p->diags, syntax_error(p, c->loc,
			    "this comment is addressed to stowage but is not understood"),
			    "write '# stowage: allow(rule) reason', or allow-file(rule)");
			continue;
		}
		s.from_line = s.to_line = loc_line(c->loc);
		if (whole_file) {
			s.from_line = 1;
			s.to_line = p->src->lines;
		} else if (c->own_line) {
			cover_next(&spans, &s);
		}
		vec_push(p->arena, &p->file->suppressions, s);
	}
}
