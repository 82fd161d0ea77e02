/*
 * The filter's stack of open brackets: what opens and closes them, and the closers that are made up
 * where the text lacks them. See filter.h.
 */
#include "syntax/filter.h"

#include "grammar/parser.h"

static char
closer_of(char kind)
{
	return kind == '(' ? ')' : kind == '[' ? ']' : '}';
}

void
filter_push(struct filter *f, struct token t, bool list, bool nested)
{
	filter_put(f, t);
	f->open[f->depth++] = (struct bracket){ .kind = (char)t.kind, .list = list, .nested = nested,
	    .ifs = f->ifs, .loc = t.loc };
	f->ifs = 0;
}

/* Puts out the closer of the innermost bracket. */
void
filter_pop(struct filter *f, struct token t)
{
	f->depth--;
	f->ifs = f->open[f->depth].ifs;
	filter_put(f, t);
}

/* Makes up the closer of the innermost bracket. */
static void
pop_missing(struct filter *f, const struct token *before)
{
	struct bracket b = f->open[f->depth - 1];
	struct token t = { .kind = closer_of(b.kind), .loc = loc_after(f->prev.loc),
	    .text = "made up" };

	if (b.loc.end > b.loc.beg)	/* else made up, too, and reported where it is missing */
		diag_place(f->p->diags, filter_error(f, b.loc, "'%c' is never closed", b.kind),
		    before->loc, "'%c' is missing before %s", closer_of(b.kind),
		    token_text(f->p, before));
	filter_pop(f, t);
	f->forgiven['}'] += t.kind == '}';
}

void
filter_close_brackets(struct filter *f, const struct token *before)
{
	while (filter_in_brackets(f))
		pop_missing(f, before);
}

void
filter_open_bracket(struct filter *f, struct token t)
{
	bool list = t.kind == '(' ? f->prev.kind == TOK_NAME : f->type;

	if (f->depth == MAX_BRACKETS) {
		diag_help(f->p->diags, filter_error(f, t.loc,
		    "brackets nested more than %d deep", MAX_BRACKETS),
		    "name a part of this in a definition of its own");
		f->over = 1;
		if (!filter_complete(f))
			filter_insert(f, TOK_BAD, NULL);
		return;
	}
	filter_push(f, t, list, false);
}

/* Is a bracket of that kind open inside the current braces? */
static bool
is_open(const struct filter *f, char kind)
{
	int i;

	for (i = f->depth - 1; i >= 0 && f->open[i].kind != '{'; i--)
		if (f->open[i].kind == kind)
			return true;
	return false;
}

void
filter_close_bracket(struct filter *f, struct token t)
{
	char kind = t.kind == ')' ? '(' : '[';
	struct bracket *top = f->depth ? &f->open[f->depth - 1] : NULL;

	if (top && top->round && t.kind == ')') {
		t.kind = ']';
		kind = '[';
	}
	if (!is_open(f, kind) && filter_in_brackets(f)) {	/* f32[3, 4) */
		diag_place(f->p->diags, filter_error(f, t.loc, "'%c' cannot close '%c'",
		    t.kind, top->kind), top->loc, "opened here; '%c' closes it",
		    closer_of(top->kind));
		t.kind = closer_of(top->kind);
	} else if (!filter_in_brackets(f)) {
		if (f->forgiven[t.kind] > 0)
			f->forgiven[t.kind]--;
		else if (f->p->panic < 0)
			filter_error(f, t.loc, "'%c' closes nothing", t.kind);
		return;
	}
	while (f->open[f->depth - 1].kind != kind && is_open(f, kind))
		pop_missing(f, &t);
	filter_pop(f, t);
}

void
filter_close_brace(struct filter *f, struct token t)
{
	filter_close_brackets(f, &t);
	if (f->depth == 0) {
		if (f->forgiven['}'] > 0)
			f->forgiven['}']--;
		else if (f->p->panic < 0)
			filter_error(f, t.loc, "'}' closes nothing");
		return;
	}
	filter_pop(f, t);
	f->forgiven[')'] = f->forgiven[']'] = 0;
	if (f->depth == 0)
		f->mode = IN_FILE;
	filter_begin_statement(f);
}

/* Closes everything: an item starts, or the file ends. A '{' inside a body has been reported as
 * such, and may be what the missing '}' belonged to. */
void
filter_close_all(struct filter *f, const struct token *before)
{
	bool nested = false;

	while (f->depth > 0) {
		struct bracket *b = &f->open[f->depth - 1];

		if (b->kind == '{' && (b->nested || nested || f->over)) {
			nested |= b->nested;
			filter_pop(f, (struct token){ .kind = '}', .loc = loc_after(f->prev.loc) });
		} else if (f->over) {
			filter_pop(f, (struct token){ .kind = closer_of(b->kind),
			    .loc = loc_after(f->prev.loc) });
		} else {
			pop_missing(f, before);
		}
	}
	f->over = 0;
	f->mode = IN_FILE;
	f->forgiven[')'] = f->forgiven[']'] = 0;
	filter_begin_statement(f);
}

/* Leaves the too deep brackets unclosed, in silence: their number has been reported. */
void
filter_give_up_brackets(struct filter *f)
{
	while (filter_in_brackets(f))
		filter_pop(f, (struct token){ .kind = closer_of(f->open[f->depth - 1].kind),
		    .loc = loc_after(f->prev.loc), .text = "made up" });
	f->over = 0;
	f->forgiven[')'] = f->forgiven[']'] = f->p->src->size;
}
