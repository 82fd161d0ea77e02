/*
 * The filter between scanner and parser. With a few tokens of lookahead and the stack of open
 * brackets it knows what an LALR(1) grammar cannot: that a name before '=' is a definition, that
 * a name begins the next setting, that a '(' was never closed. It hands the parser tokens whose
 * kind says so, and a text with balanced brackets:
 *
 *      x = f(a, b          x  =  f ( a , b )         the ')' is made up at the next definition,
 *      y = g(x)       ->   y  =  g ( x )             and reported at the '(' it belongs to
 *
 * Invariants: brackets in what the parser sees always pair up; nothing nests deeper than
 * MAX_BRACKETS; each token of the text is looked at once, so the work is linear.
 */
#include "syntax/filter.h"

#include <stdarg.h>
#include <string.h>

#include "syntax/words.h"

#include "grammar/parser.h"

struct filter *
filter_new(struct parse *p)
{
	struct filter *f = ARENA_NEW(p->arena, struct filter);

	f->p = p;
	f->prev.kind = '}';	/* the file starts like after an item */
	f->prev.loc = (struct loc){ p->src, 0, 0 };
	return f;
}

const struct token *
filter_peek(struct filter *f, int k)
{
	while (f->nahead <= k)
		scanner_next(f->p->scanner, &f->ahead[f->nahead++]);
	return &f->ahead[k];
}

void
filter_drop(struct filter *f)
{
	filter_peek(f, 0);
	f->nahead--;
	memmove(f->ahead, f->ahead + 1, (size_t)f->nahead * sizeof(f->ahead[0]));
}

struct diag *
filter_error(struct filter *f, struct loc loc, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	if (f->p->panic >= 0 && f->depth > f->p->panic)
		return syntax_unreported(f->p);
	va_start(ap, fmt);
	g = syntax_error(f->p, loc, "%s", arena_vprintf(f->p->arena, fmt, ap));
	va_end(ap);
	return g;
}

struct diag *
filter_missing(struct filter *f, const struct token *t, const char *expected)
{
	if (f->p->panic >= 0 || syntax_dropped(f->p, &f->prev, t))
		return syntax_unreported(f->p);
	return syntax_error(f->p, loc_after(f->prev.loc), "expected %s, found %s", expected,
	    token_text(f->p, t));
}

void
filter_put(struct filter *f, struct token t)
{
	t.depth = f->depth;
	vec_push(f->p->arena, &f->out, t);
	f->prev = t;
}

void
filter_insert(struct filter *f, int kind, const char *text)
{
	filter_put(f, (struct token){ .kind = kind, .text = text, .loc = loc_after(f->prev.loc) });
}

void
filter_begin_statement(struct filter *f)
{
	f->declares = f->names = 0;
	f->type = false;
	f->ifs = 0;
	f->guessed = false;
}

bool
filter_in_brackets(const struct filter *f)
{
	return f->depth > 0 && f->open[f->depth - 1].kind != '{';
}

bool
filter_begins_value(int kind)
{
	switch (kind) {
	case TOK_NAME: case TOK_PATH: case TOK_NUM: case TOK_SIZE: case TOK_DURATION:
	case TOK_STR: case TOK_BAD: case TOK_TRUE: case TOK_FALSE: case TOK_ELLIPSIS:
		return true;
	}
	return false;
}

bool
filter_complete(const struct filter *f)
{
	return filter_begins_value(f->prev.kind) || f->prev.kind == ')' || f->prev.kind == ']' ||
	    f->prev.kind == '}' || f->prev.kind == TOK_STAR || f->prev.kind == TOK_SELECTED;
}

void
filter_missing_comma(struct filter *f, const struct token *t)
{
	filter_missing(f, t, f->open[f->depth - 1].kind == '(' ? "',' or ')'" : "',' or ']'");
	filter_insert(f, ',', NULL);
}

/* ---- heads of items: network NAME {, block NAME(...) {, train [NAME] {, lint ["PATTERN"] { ---- */

void
filter_enter_body(struct filter *f, struct token brace)
{
	f->mode = word_is_section(f->head) ? IN_SETTINGS : IN_BODY;
	f->head = 0;
	f->head_state = HEAD_NONE;
	f->commas = false;
	filter_begin_statement(f);
	filter_push(f, brace, false, false);
}

void
filter_leave_body(struct filter *f)
{
	filter_pop(f, (struct token){ .kind = '}', .loc = loc_after(f->prev.loc) });
	f->mode = IN_FILE;
}

/* Says once what this head lacks. Items that must have a name get one that no text can
 * refer to. */
static void
head_mistake(struct filter *f, const struct token *t)
{
	bool named = f->head_state != HEAD_START || word_is_section(f->head);
	struct loc loc = t->line_start || named ? loc_after(f->prev.loc) : t->loc;

	if (!f->head_wrong)
		filter_error(f, loc, "expected %s, found %s", !named ? "a name" :
		    f->head == TOK_BLOCK && f->head_state == HEAD_NAMED ? "'(' or '{'" : "'{'",
		    token_text(f->p, t));
	f->head_wrong = true;
}

static void
head_name(struct filter *f)
{
	if (f->head_state == HEAD_START && !word_is_section(f->head))
		filter_insert(f, TOK_NAME, "(unnamed)");
	f->head_state = HEAD_NAMED;
}

/* Gives a keyword that is used as a name its text. */
static void
spell(struct filter *f, struct token *t)
{
	t->text = arena_strndup(f->p->arena, f->p->src->text + t->loc.beg,
	    (size_t)(t->loc.end - t->loc.beg));
}

/* One token between an item's keyword and its '{'. False: T is not part of the head, which has
 * been completed for it. */
static bool
head_token(struct filter *f, struct token t)
{
	bool item = word_is_item(t.kind);

	if (t.kind == '{') {
		if (f->head_state == HEAD_START && !word_is_section(f->head))
			head_mistake(f, &t);
		head_name(f);
		filter_enter_body(f, t);
		return true;
	}
	if (f->head_state == HEAD_START && (t.kind == TOK_NAME || (!t.line_start &&
	    (item || word_is_statement(t.kind))))) {
		if (t.kind != TOK_NAME)
			filter_error(f, t.loc, "%s is a keyword, not a name",
			    token_text(f->p, &t));
		spell(f, &t);
		t.kind = TOK_NAME;
		filter_put(f, t);
		f->head_state = HEAD_NAMED;
		return true;
	}
	if (f->head == TOK_LINT && t.kind == TOK_STR && f->head_state == HEAD_START) {
		filter_put(f, t);
		f->head_state = HEAD_NAMED;
		return true;
	}
	if (f->head == TOK_DEVICE && t.kind == TOK_STR && f->head_state == HEAD_START) {
		filter_device(f, t);
		return true;
	}
	if (f->head == TOK_BLOCK && t.kind == '(' && f->head_state != HEAD_FORMALS) {
		if (f->head_state == HEAD_START)
			head_mistake(f, &t);
		head_name(f);
		f->head_state = HEAD_FORMALS;
		filter_open_bracket(f, t);
		return true;
	}
	head_mistake(f, &t);
	if (!t.line_start && t.kind)
		return true;	/* dropped */
	head_name(f);
	filter_enter_body(f, (struct token){ .kind = '{', .loc = loc_after(f->prev.loc) });
	if (item || t.kind == '}' || !t.kind) {
		filter_leave_body(f);
		f->forgiven['}'] = t.kind == '}';
	}
	return false;
}

/* ---- keywords ---- */

static void
item_keyword(struct filter *f, struct token t)
{
	filter_close_all(f, &t);
	filter_put(f, t);
	if (t.kind != TOK_USE && t.kind != TOK_PARAM) {
		f->head = t.kind;
		f->head_state = HEAD_START;
		f->head_wrong = false;
	}
}

void
filter_keyword(struct filter *f, struct token t)
{
	int next = filter_peek(f, 0)->kind;

	if (filter_in_brackets(f) && next == '=') {	/* an argument that has a keyword's name */
		spell(f, &t);
		filter_word(f, t);
		return;
	}
	if (word_is_item(t.kind)) {
		if (t.line_start || f->mode == IN_FILE || next == '{')
			item_keyword(f, t);
		else
			filter_put(f, t);
		return;
	}
	if (f->mode == IN_FILE && f->depth == 0) {
		filter_put(f, t);
		return;
	}
	if (t.line_start || (f->mode == IN_BODY && filter_begins_value(next)))
		filter_close_brackets(f, &t);
	if (filter_in_brackets(f)) {
		filter_put(f, t);
		return;
	}
	filter_begin_statement(f);
	f->statement = t.loc;
	if (f->mode == IN_SETTINGS) {
		if (t.kind != TOK_METRIC) {
			spell(f, &t);
			filter_word(f, t);
			return;
		}
	} else if (t.kind == TOK_INPUT || t.kind == TOK_TARGET) {
		f->declares = f->names = t.kind;
	}
	filter_put(f, t);
}

/* ---- the flow ---- */

/* Inside brackets too deep to read: nothing is put out until they are closed. */
static bool
beyond(struct filter *f, const struct token *t)
{
	if (t->kind == '(' || t->kind == '[')
		f->over++;
	else if (t->kind == ')' || t->kind == ']')
		f->over--;
	else if (!t->kind || (t->line_start && (word_is_item(t->kind) ||
	    word_is_statement(t->kind) || t->kind == TOK_NAME)) || t->kind == '}')
		return false;
	return true;
}

/* A value or its first token, a name excepted. */
static void
value_token(struct filter *f, struct token t)
{
	const struct token *unit;
	bool wanted = filter_complete(f);

	if (wanted && filter_in_brackets(f) && f->open[f->depth - 1].list)
		filter_missing_comma(f, &t);
	if (t.kind == TOK_PATH && !filter_in_brackets(f) && f->mode == IN_BODY &&
	    filter_peek(f, 0)->kind == '=' && (t.line_start || f->prev.kind == '{')) {
		diag_help(f->p->diags, filter_error(f, t.loc, "'%s' cannot be defined", t.text),
		    "a definition's name has no dot");
		t.kind = TOK_DEF;
		t.text = NULL;
		filter_begin_statement(f);
	}
	if ((t.kind == TOK_NUM || t.kind == TOK_BAD) && filter_in_brackets(f)) {
		unit = filter_peek(f, 0);
		if (unit->kind == TOK_NAME && !unit->line_start &&
		    word_near_duration(unit->text)) {
			const char *name = word_near_duration(unit->text);

			if (strcmp(name, unit->text) != 0)
				filter_unknown_unit(f, unit, name);
			t.loc = loc_join(t.loc, unit->loc);
			if (t.kind == TOK_NUM) {
				t.kind = TOK_DURATION;
				t.expr->kind = E_DURATION;
				t.expr->loc = t.loc;
				t.expr->name = name;
			}
			filter_drop(f);
		}
	}
	filter_put(f, t);
}

/* '=' and ':' that are where the other should be. */
static void
separator(struct filter *f, struct token t)
{
	if (t.kind == ':' && f->names) {
		f->names = 0;
		f->type = true;
	} else if (t.kind == '=' && f->names && !t.line_start) {
		filter_error(f, t.loc, "expected ':' before the type, found '='");
		t.kind = ':';
		f->names = 0;
		f->type = true;
	} else if (t.kind == '=' && f->ifs > 0 && f->prev.kind != TOK_ARG &&
	    f->prev.kind != TOK_DEF) {
		filter_error(f, t.loc, "'=' defines; to compare write '=='");
		t.kind = TOK_EQ;
	}
	filter_put(f, t);
}

static void
process(struct filter *f, struct token t)
{
	if (f->over > 0) {
		if (beyond(f, &t))
			return;
		filter_give_up_brackets(f);
	}
	if (f->skip_line && t.kind && t.kind != '}' && !t.line_start)
		return;
	f->skip_line = false;
	if (f->head && filter_in_brackets(f) && (t.kind == '{' || !t.kind ||
	    (t.line_start && (word_is_item(t.kind) || word_is_statement(t.kind))))) {
		filter_close_brackets(f, &t);
		f->head_wrong = true;
	}
	if (f->head && !filter_in_brackets(f) && head_token(f, t))
		return;
	if (!filter_habit(f, &t))
		return;
	switch (t.kind) {
	case 0:
		filter_close_all(f, &t);
		filter_put(f, t);
		break;
	case '(': case '[':
		filter_open_bracket(f, t);
		break;
	case ')': case ']':
		filter_close_bracket(f, t);
		break;
	case '{':
		filter_close_brackets(f, &t);
		if (f->depth == MAX_BRACKETS)
			break;
		filter_push(f, t, false, true);
		break;
	case '}':
		filter_close_brace(f, t);
		break;
	case TOK_NAME:
		filter_word(f, t);
		break;
	case '=': case ':':
		separator(f, t);
		break;
	case '*':
		if (f->mode == IN_SETTINGS && !filter_in_brackets(f) && (f->prev.kind == ',' ||
		    f->prev.kind == TOK_KEY || f->prev.kind == TOK_METRIC))
			t.kind = TOK_STAR;
		filter_put(f, t);
		break;
	case TOK_IF: case TOK_THEN:
		f->ifs += t.kind == TOK_IF ? 1 : -(f->ifs > 0);
		filter_put(f, t);
		break;
	default:
		if (filter_begins_value(t.kind))
			value_token(f, t);
		else if (word_is_item(t.kind) || word_is_statement(t.kind))
			filter_keyword(f, t);
		else
			filter_put(f, t);
	}
}

/* While the parser looks for its place again it must not see what brackets hold it apart from. */
static bool
withheld(const struct parse *p, const struct token *t)
{
	bool closer = t->kind == ')' || t->kind == ']' || t->kind == '}';

	return p->panic >= 0 && t->kind && (t->depth > p->panic ||
	    (closer && t->depth == p->panic));
}

void
filter_next(struct filter *f, struct token *t)
{
	struct token raw;

	do {
		while (f->taken == f->out.n) {
			f->taken = f->out.n = 0;
			raw = *filter_peek(f, 0);
			filter_drop(f);
			process(f, raw);
		}
		*t = f->out.v[f->taken++];
	} while (withheld(f->p, t));
}
