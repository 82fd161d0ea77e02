/*
 * What the parser would have accepted, in the language's words. The grammar knows some sixty
 * tokens; a reader wants "expected ',' or ')'". So groups of tokens get one phrase, and phrases
 * that say little give way to those that say more.
 *
 * A missing token is reported where it is missing: at the end of the token before. A wrong token is
 * reported where it is.
 */
#include "syntax/parse.h"
#include "syntax/words.h"

#include <string.h>

#include "grammar/parser.h"

#define MOST_PHRASES	8

struct phrases {
	const char *text[MOST_PHRASES];
	int n;
	bool mark;	/* one of them is punctuation or a keyword that comes next */
};

static void
add(struct phrases *ph, bool if_true, const char *text)
{
	if (if_true && ph->n < MOST_PHRASES)
		ph->text[ph->n++] = text;
}

/* Punctuation and connecting words. */
static void
add_marks(struct phrases *ph, const bool ok[TOKEN_KINDS])
{
	static const struct mark {
		int kind;
		const char *text;
	} marks[] = {
		{ TOK_THEN, "'then'" }, { TOK_ELSE, "'else'" }, { '=', "'='" }, { ',', "','" },
		{ ':', "':'" }, { ')', "')'" }, { ']', "']'" }, { '{', "'{'" },
	};
	int before = ph->n;	/* phrases for what could stand in the wrong token's place */
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i].kind != ':' || !ok[TOK_ARROW])	/* a label is rarely meant */
			add(ph, ok[marks[i].kind], marks[i].text);
	ph->mark = ph->n > before && before == 0;
}

static void
collect(const struct parse *p, struct phrases *ph, const bool ok[TOKEN_KINDS])
{
	bool value = ok[TOK_NUM], statement = ok[TOK_DEF] && ok[TOK_INPUT];

	add(ph, value && !ok[TOK_ARROW], "a value");
	add(ph, !value && ok[TOK_STR], "a string");
	add(ph, !value && ok[TOK_NAME], "a name");
	if (!ok[TOK_KEY] || !p->look.line_start)	/* else no value goes on here */
		add_marks(ph, ok);
	if (ok[TOK_THEN] || ok[TOK_ELSE])
		return;
	add(ph, ok[TOK_ARROW] && !ph->mark && !ok[TOK_KEY], "'->'");
	add(ph, ok[TOK_ARROW] && !ph->mark && !ok[TOK_KEY], "another operator");
	add(ph, statement, "a statement");
	add(ph, ok[TOK_DEF] && !statement, "a name");
	add(ph, ok[TOK_KEY], "a setting");
	add(ph, ok['}'] && !ok[TOK_ARROW], "'}'");
	add(ph, ok[TOK_NETWORK], "'network', 'block', 'param', 'use' or a section such as 'train'");
}

static const char *
join(struct parse *p, const struct phrases *ph)
{
	struct text t;
	int i;

	text_init(&t, p->arena);
	for (i = 0; i < ph->n; i++) {
		if (i)
			text_puts(&t, i == ph->n - 1 ? " or " : ", ");
		text_puts(&t, ph->text[i]);
	}
	return t.s;
}

static const char *
cure(const struct parse *p, const bool ok[TOKEN_KINDS])
{
	int found = p->look.kind;

	if (ok[TOK_NETWORK] && !ok[TOK_DEF]) {
		if (found == TOK_DEF)
			return "a value for the whole file is written: param name = value";
		if (word_is_statement(found))
			return "this belongs between the { } of a network or block";
	}
	if (found == ':' && p->before.kind == TOK_NAME)
		return "a label comes first in a step of a pipe; behind anything else it is put in parentheses, "
		    "with what it names: 5 * (name: ...)";
	if ((found == TOK_NUM || found == TOK_STR) && ok[TOK_ARROW] && p->before.kind == TOK_NAME)
		return "arguments stand in parentheses: dense(10)";
	if (found == TOK_IF && ok[TOK_NUM])
		return "put the 'if' in parentheses";
	if (found == '(' && ok[TOK_ARROW] && (p->before.kind == ')' || p->before.kind == ']'))
		return "an operator is applied with '->': value -> dense(10)";
	if (found == '{' && (ok[TOK_DEF] || ok[TOK_KEY]))
		return "only a network, block or section has a body in { }";
	if (found == '[' && ok[TOK_NUM])
		return "several values stand in ( ): (3, 4)";
	if (found == '{' && ok[TOK_NUM])
		return "values are grouped with ( )";
	if (word_is_item(found) && ok[TOK_NUM])
		return "this word is a keyword; it cannot name a value";
	return NULL;
}

void
expect_report(struct parse *p, const bool ok[TOKEN_KINDS])
{
	struct phrases ph = { .n = 0 };
	const char *found = token_text(p, &p->look), *help = cure(p, ok), *elsewhere = NULL;
	struct loc loc = p->look.loc;
	struct diag *g;

	if (syntax_dropped(p, &p->before, &p->look))
		return;

	collect(p, &ph, ok);
	if (p->before.loc.src && (ph.mark || (!ok[TOK_ARROW] && !ok[TOK_NETWORK] &&
	    (p->look.line_start || !p->look.kind || p->look.kind == '}' ||
	    p->look.kind == ')' || p->look.kind == ']'))))
		loc = loc_after(p->before.loc);
	if (ok[TOK_NETWORK] && p->look.kind == TOK_NAME && (elsewhere = word_elsewhere(p->look.text, false)))
		g = syntax_error(p, loc, "a file has no section %s", found);
	else if (ph.n)
		g = syntax_error(p, loc, "expected %s, found %s", join(p, &ph), found);
	else
		g = syntax_error(p, loc, "%s is not expected here", found);
	if (help || elsewhere)
		diag_help(p->diags, g, "%s", elsewhere ? elsewhere : help);
}

#define LONGEST_SHOWN	40

const char *
token_text(struct parse *p, const struct token *t)
{
	int n = t->loc.end - t->loc.beg, shown = n;
	const char *s = p->src->text + t->loc.beg, *kind = "";

	if (!t->kind)
		return "the end of the file";
	if (n == 0)	/* made up by the filter: a bracket's end, or a definition's beginning */
		return t->kind < 128 ? arena_printf(p->arena, "'%c'", t->kind) :
		    "the next statement";
	if (shown > LONGEST_SHOWN)
		for (shown = LONGEST_SHOWN; shown > 0 && ((unsigned char)s[shown] & 0xc0) == 0x80;)
			shown--;
	if (t->kind == TOK_KEY)
		kind = "the setting ";
	else if (t->kind == TOK_DEF)
		kind = "the definition of ";
	else if (t->kind == TOK_STR)
		kind = "the string ";
	return arena_printf(p->arena, t->kind == TOK_STR ? "%s%.*s%s" : "%s'%.*s%s'", kind, shown,
	    s, n > shown ? "..." : "");
}
