/*
 * What a name means where it stands: the name of an argument, of a definition, of a setting, or
 * just a name. A name that directly follows a complete value never belongs to it, so there a
 * statement or a setting starts, or something is missing; the rules below decide which, and if the
 * context leaves no doubt, they put the parser back on track with one message.
 */
#include <string.h>

#include "syntax/filter.h"
#include "syntax/words.h"

#include "grammar/parser.h"

static bool
is_literal(int kind)
{
	return filter_begins_value(kind) && kind != TOK_NAME && kind != TOK_PATH;
}

static void
put_as(struct filter *f, struct token t, int kind)
{
	t.kind = kind;
	filter_put(f, t);
}

/* Replaces the separator that follows by the right one. */
static void
replace_next(struct filter *f, int kind)
{
	struct token t = *filter_peek(f, 0);

	filter_drop(f);
	put_as(f, t, kind);
}

/* ---- inside round and square brackets ---- */

/* Is this "pad: 2", an argument with ':' written for '='? A label never names a literal. */
static bool
is_colon_argument(struct filter *f)
{
	int end;

	if (filter_peek(f, 0)->kind != ':' || !is_literal(filter_peek(f, 1)->kind))
		return false;
	end = filter_peek(f, 2)->kind;
	return end == ',' || end == ')' || end == ']';
}

static void
argument(struct filter *f, struct token t)
{
	const struct bracket *b = &f->open[f->depth - 1];
	int next = filter_peek(f, 0)->kind;
	bool first = f->prev.kind == ',' || f->prev.kind == b->kind;

	if (filter_complete(f) && b->list) {
		filter_missing_comma(f, &t);
		first = true;
	}
	if (next == '=' && first) {
		put_as(f, t, TOK_ARG);
	} else if (first && b->list && is_colon_argument(f)) {
		filter_error(f, filter_peek(f, 0)->loc, "expected '=' after '%s', found ':'",
		    t.text);
		put_as(f, t, TOK_ARG);
		replace_next(f, '=');
	} else {
		filter_put(f, t);
	}
}

/* Does T start a new statement or setting, so that the brackets around it were never closed? */
static bool
escapes(struct filter *f, const struct token *t)
{
	int next = filter_peek(f, 0)->kind;

	if (!t->line_start || !filter_complete(f))
		return false;
	if (f->mode == IN_BODY)	/* indented deeper it is an argument that lacks its comma */
		return next == '=' && loc_column(t->loc) <= loc_column(f->statement);
	return f->mode == IN_SETTINGS && next != '=' && word_is_setting(t->text);
}

static void
unknown_word(struct filter *f, const struct token *t, const char *right)
{
	diag_fix_word(f->p->diags, filter_error(f, t->loc, "unknown word '%s'; did you mean '%s'?",
	    t->text, right), t->text, right);
}

void
filter_unknown_unit(struct filter *f, const struct token *unit, const char *right)
{
	struct diag *g = filter_error(f, unit->loc, "unknown unit '%s'", unit->text);

	diag_help(f->p->diags, g, "did you mean '%s'?", right);
	diag_fix_word(f->p->diags, g, unit->text, right);
}

/* ---- at file level ---- */

static void
item_word(struct filter *f, struct token t)
{
	const char *right;
	int token, next = filter_peek(f, 0)->kind;

	if (f->prev.kind == TOK_PARAM) {
		if (next == ':' || next == TOK_EQ) {
			filter_error(f, filter_peek(f, 0)->loc, "expected '=' after '%s', found %s",
			    t.text, token_text(f->p, filter_peek(f, 0)));
			put_as(f, t, TOK_DEF);
			replace_next(f, '=');
			return;
		}
		put_as(f, t, TOK_DEF);
		return;
	}
	if (filter_complete(f) && next != '=' &&
	    (right = word_near_keyword(t.text, WORDS_FILE, &token))) {
		unknown_word(f, &t, right);
		t.kind = token;
		filter_keyword(f, t);
		return;
	}
	put_as(f, t, next == '=' && filter_complete(f) ? TOK_DEF : TOK_NAME);
}

/* ---- in the body of a block or network ---- */

static void
define(struct filter *f, struct token t)
{
	filter_begin_statement(f);
	f->statement = t.loc;
	put_as(f, t, TOK_DEF);
}

/* "netwrok x {" or "blok f(" where a '}' is missing before. */
static bool
is_lost_item(struct filter *f, const struct token *t, int *token)
{
	int next = filter_peek(f, 0)->kind, after = filter_peek(f, 1)->kind;

	if (!t->line_start || !word_near_keyword(t->text, WORDS_FILE, token))
		return false;
	return word_is_section(*token) ? next == '{' || (next == TOK_NAME && after == '{') :
	    next == TOK_NAME && (after == '{' || (after == '(' && *token == TOK_BLOCK));
}

/* A statement that starts with a name but has no '=' after it. */
static void
broken_statement(struct filter *f, struct token t)
{
	const struct token *next = filter_peek(f, 0);
	const char *right;
	int token;

	if (word_elsewhere(t.text, false)) {
		diag_help(f->p->diags, filter_error(f, t.loc, "a network has no statement '%s'", t.text), "%s",
		    word_elsewhere(t.text, false));
		f->skip_line = true;
	} else if (next->kind == TOK_EQ || next->kind == ':') {
		filter_error(f, next->loc, "expected '=' after '%s', found %s", t.text,
		    token_text(f->p, next));
		define(f, t);
		replace_next(f, '=');
	} else if (is_lost_item(f, &t, &token)) {
		unknown_word(f, &t, word_near_keyword(t.text, WORDS_FILE, &token));
		t.kind = token;
		filter_keyword(f, t);
	} else if ((next->kind == TOK_NAME || next->kind == TOK_NUM) && !next->line_start &&
	    (right = word_near_keyword(t.text, WORDS_STATEMENT, &token))) {
		unknown_word(f, &t, right);
		t.kind = token;
		filter_keyword(f, t);
	} else if (filter_begins_value(next->kind) && !next->line_start) {
		filter_error(f, loc_after(t.loc), "expected '=' after '%s', found %s", t.text,
		    token_text(f->p, next));
		define(f, t);
		filter_insert(f, '=', NULL);
	} else if (next->line_start || next->kind == '}' || !next->kind) {
		filter_error(f, loc_after(t.loc), "expected '=' after '%s', found %s", t.text,
		    token_text(f->p, next));
		define(f, t);
		filter_insert(f, '=', NULL);
		filter_insert(f, TOK_BAD, NULL);
	} else {
		diag_help(f->p->diags, filter_error(f, t.loc, "this value has no name"),
		    "define it, out = %s ..., or say what it is: loss %s ...", t.text, t.text);
		filter_begin_statement(f);
		f->statement = t.loc;
		filter_insert(f, TOK_DEF, NULL);
		filter_insert(f, '=', NULL);
		filter_put(f, t);
	}
}

/* A name among those an input or target declares. False: it starts the next statement. */
static bool
declared_name(struct filter *f, struct token t)
{
	bool next_is_def = filter_peek(f, 0)->kind == '=';

	if (f->prev.kind == TOK_INPUT || f->prev.kind == TOK_TARGET || f->prev.kind == ',') {
		if (t.line_start && next_is_def)
			return false;
		filter_put(f, t);
		return true;
	}
	if (t.line_start || next_is_def)
		return false;
	filter_missing(f, &t, "',' or ':'");
	filter_insert(f, ',', NULL);
	filter_put(f, t);
	return true;
}

/* "-> head = dense(10)", "loss depth = l1(d, t)", "if stride = 1": '=' written for ':' or '=='. */
static bool
is_label(const struct filter *f)
{
	return f->prev.kind == TOK_ARROW || f->prev.kind == TOK_LOSS || f->prev.kind == TOK_METRIC;
}

static void
body_word(struct filter *f, struct token t)
{
	int next = filter_peek(f, 0)->kind;
	bool complete = filter_complete(f) || f->prev.kind == '{';

	if (f->names && declared_name(f, t))
		return;
	if (next == '=') {
		if (complete || t.line_start || f->prev.kind == '=' || f->names) {
			define(f, t);
		} else if (is_label(f)) {
			filter_error(f, filter_peek(f, 0)->loc,
			    "expected ':' after the label '%s', found '='", t.text);
			filter_put(f, t);
			replace_next(f, ':');
		} else if (f->ifs > 0) {
			filter_put(f, t);	/* separator() sees the '=' */
		} else {
			define(f, t);
		}
		return;
	}
	if (complete && (t.line_start || f->prev.kind == '{'))
		broken_statement(f, t);
	else
		filter_put(f, t);
}

/* ---- in settings ---- */

/* Where a setting's value is complete: does T name the next setting? */
static bool
is_key(struct filter *f, const struct token *t)
{
	const struct token *next = filter_peek(f, 0);

	if (t->line_start || f->prev.kind == '{' || word_is_setting(t->text) || word_elsewhere(t->text, false))
		return true;
	return is_literal(next->kind) && !next->line_start;
}

static void
key(struct filter *f, struct token t)
{
	const struct token *next = filter_peek(f, 0);

	filter_begin_statement(f);
	put_as(f, t, TOK_KEY);
	if (next->kind == '=' || next->kind == ':') {
		diag_help(f->p->diags, filter_error(f, next->loc,
		    "expected a value after '%s', found '%c'", t.text, next->kind),
		    "a setting is written without '%c'", next->kind);
		filter_drop(f);
	}
}

static void
settings_word(struct filter *f, struct token t, bool keyword)
{
	const struct token *next = filter_peek(f, 0);
	bool complete = filter_complete(f) || f->prev.kind == '{';

	if (complete && next->kind == '=' && !t.line_start && f->prev.kind == TOK_NAME &&
	    !word_is_setting(t.text)) {
		diag_help(f->p->diags, filter_error(f, loc_after(f->prev.loc),
		    "expected '(' before the arguments of '%s'", f->prev.text),
		    "write %s(%s=...)", f->prev.text, t.text);
		f->skip_line = true;
	} else if (complete && is_key(f, &t)) {
		key(f, t);
	} else if (complete) {
		if (!f->guessed)
			filter_missing(f, &t, "',' or a setting");
		f->guessed = true;	/* and the word is left out */
	} else if (t.line_start && (keyword || word_is_setting(t.text)) &&
	    filter_begins_value(next->kind) && !next->line_start) {
		key(f, t);	/* the setting before lacks its value: the parser says so */
	} else {
		filter_put(f, t);
	}
}

void
filter_word(struct filter *f, struct token t)
{
	bool keyword = t.kind != TOK_NAME;

	t.kind = TOK_NAME;
	if (filter_in_brackets(f)) {
		if (!escapes(f, &t)) {
			argument(f, t);
			return;
		}
		filter_close_brackets(f, &t);
	}
	switch (f->mode) {
	case IN_FILE:
		item_word(f, t);
		break;
	case IN_BODY:
		body_word(f, t);
		break;
	case IN_SETTINGS:
		settings_word(f, t, keyword);
		break;
	}
}
