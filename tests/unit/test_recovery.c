/*
 * The parser on broken text: that one mistake gives one message, at the right place, and leaves
 * the rest of the file readable; that text of any size gives trees of bounded depth and a bounded
 * number of messages. What the messages say is in tests/golden/lang.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/ast.h"

struct parsed {
	struct arena *arena;
	struct diags diags;
	struct file *file;
};

static struct parsed
parse_bytes(const char *text, size_t size)
{
	struct parsed p = { .arena = arena_new() };

	diags_init(&p.diags, p.arena);
	p.file = parse_file(p.arena, &p.diags,
	    source_from_text(p.arena, "test.nn", text, size));
	diags_sort(&p.diags);
	return p;
}

static struct parsed
parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* One edit, one message, at the right line and column, and the rest of the file is still read. */
static void
one_mistake(const char *text, int line, int column)
{
	struct parsed p = parse(text);
	int i;

	for (i = 0; i < p.diags.all.n; i++)
		cr_log_info("%d:%d %s", loc_line(p.diags.all.v[i]->loc),
		    loc_column(p.diags.all.v[i]->loc), p.diags.all.v[i]->message);
	cr_assert_eq(p.diags.all.n, 1, "%d messages for:\n%s", p.diags.all.n, text);
	cr_assert_eq(loc_line(p.diags.all.v[0]->loc), line, "%s", text);
	cr_assert_eq(loc_column(p.diags.all.v[0]->loc), column, "%s: column %d", text,
	    loc_column(p.diags.all.v[0]->loc));
	cr_assert_eq(p.file->networks.n, 1, "%s", text);
	cr_assert_eq(p.file->sections.n, 1, "%s", text);
	cr_assert_eq(p.file->sections.v[0]->nsettings, 2, "%s", text);
	arena_free(p.arena);
}

Test(recovery, one_edit_gives_one_message)
{
	static const struct edit {
		const char *body, *settings;
		int line, column;
	} edits[] = {
		{ "y = f(x, 3 -> relu", "", 3, 6 },
		{ "y = f(x, 3)) -> relu", "", 3, 12 },
		{ "y = f(x, [3)", "", 3, 10 },
		{ "y = (x -> f(3, 4) -> relu", "", 3, 5 },
		{ "y : x -> relu", "", 3, 3 },
		{ "y == x -> relu", "", 3, 3 },
		{ "y := x", "", 3, 3 },
		{ "y x -> relu", "", 3, 2 },
		{ "y =", "", 3, 4 },
		{ "y = x ->", "", 3, 9 },
		{ "y = x relu", "", 3, 7 },
		{ "y = f(x relu)", "", 3, 8 },
		{ "y = f(x, relu=)", "", 3, 15 },
		{ "y = f(x,, 3)", "", 3, 9 },
		{ "y = f(a,\n  b=2\n  c=3)", "", 4, 6 },
		{ "y = x -> head = f(3)", "", 3, 15 },
		{ "y = if x = 3 then a else b", "", 3, 10 },
		{ "y = if x == 3 then a", "", 3, 21 },
		{ "y = f(x, pad: 2)", "", 3, 13 },
		{ "y = x => relu", "", 3, 7 },
		{ "y = x \xe2\x86\x92 relu", "", 3, 7 },
		{ "y = x ; z = y", "", 3, 7 },
		{ "y = x @ 3", "", 3, 7 },
		{ "y = x // why", "", 3, 7 },
		{ "y = 1.2.3", "", 3, 5 },
		{ "y = 3x3", "", 3, 5 },
		{ "y = f(8Gb)", "", 3, 8 },
		{ "y = 99999999999999999999", "", 3, 5 },
		{ "y = f(\"abc)", "", 3, 7 },
		{ "y = { x }", "", 3, 5 },
		{ "x -> relu", "", 3, 1 },
		{ "imput z : f32[3]", "", 3, 1 },
		{ "input z = f32[3]", "", 3, 9 },
		{ "input a b : f32[3]", "", 3, 8 },
		{ "input z : f32[3 4]", "", 3, 16 },
		{ "input z : f32(3)", "", 3, 14 },
		{ "target z", "", 3, 9 },
		{ "los f(x)", "", 3, 1 },
		{ "loss", "", 3, 5 },
		{ "y = network", "", 3, 5 },
		{ "", "= 3", 6, 7 },
		{ "", ": 3", 6, 7 },
		{ "", "", 6, 6 },
		{ "", "3 4", 6, 8 },
		{ "", "f(x", 6, 8 },
		{ "", "f x=3", 6, 8 },
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		snprintf(text, sizeof(text), "network n {\n  input x : f32[3]\n%s\n}\n"
		    "train {\nbatch %s\nepochs 3\n}\n", edits[i].body,
		    edits[i].line < 6 ? "8" : edits[i].settings);
		one_mistake(text, edits[i].line, edits[i].column);
	}
}

/* A definition whose value is broken still defines its name. */
Test(recovery, a_broken_value_leaves_its_name)
{
	struct parsed p = parse("network n {\n  a = x -> * 3\n  b = f(1 +)\n  c = a\n"
	    "  loss )\n  input i : \n}\nparam k = \nuse \"x\"\n");
	const struct stmt *s;
	int i, defs = 0, bad = 0;

	cr_assert_eq(p.diags.errors, 6);
	cr_assert_eq(p.file->networks.n, 1);
	for (i = 0; i < p.file->networks.v[0]->nstmts; i++) {
		s = &p.file->networks.v[0]->stmt[i];
		defs += s->kind == S_DEF;
		bad += s->kind != S_INPUT && s->expr && s->expr->kind == E_BAD;
	}
	cr_assert_eq(defs, 3);
	cr_assert_eq(bad, 3);
	cr_assert_eq(p.file->globals.n, 1);
	cr_assert_eq(p.file->globals.v[0].value->kind, E_BAD);
	cr_assert_eq(p.file->imports.n, 1);
	arena_free(p.arena);
}

/* ---- text of any size ---- */

static int
depth_of(const struct expr *e)
{
	int d = 0, n, i;

	if (!e)
		return 0;
	for (i = 0; i < e->nargs; i++)
		d = (n = depth_of(e->arg[i].value)) > d ? n : d;
	d = (n = depth_of(e->a)) > d ? n : d;
	d = (n = depth_of(e->b)) > d ? n : d;
	d = (n = depth_of(e->c)) > d ? n : d;
	return d + 1;
}

/* BEFORE, then PART repeated, then AFTER, as the value of a definition. */
static void
stays_shallow(const char *before, const char *part, const char *after, int times)
{
	size_t n = strlen(part);
	char *text = malloc((size_t)times * n + 256), *to = text;
	struct parsed p;
	int i;

	to += sprintf(to, "network n {\n  x = %s", before);
	for (i = 0; i < times; i++, to += n)
		memcpy(to, part, n);
	sprintf(to, "%s\n  y = x\n}\n", after);
	p = parse(text);
	cr_assert_geq(p.diags.errors, 1, "%s", part);
	cr_assert_leq(p.diags.errors, 2, "%s: %d", part, p.diags.errors);
	for (i = 0; p.file->networks.n && i < p.file->networks.v[0]->nstmts; i++)
		cr_assert_leq(depth_of(p.file->networks.v[0]->stmt[i].expr), 257);
	arena_free(p.arena);
	free(text);
}

Test(limits, deep_and_long_expressions_are_refused)
{
	stays_shallow("", "(", "1", 10000);
	stays_shallow("", "f(", "1", 10000);
	stays_shallow("", "x[", "1", 10000);
	stays_shallow("", "- ", "1", 10000);
	stays_shallow("", "not ", "a", 1000000);
	stays_shallow("x", " + 1", "", 100000);
	stays_shallow("x", " -> f", "", 100000);
	stays_shallow("x", "[1]", "", 1000);
	stays_shallow("", "l: (", "x", 300);
	stays_shallow("", "if a then b else ", "c", 1000);
	stays_shallow("", "if ", "a", 300);
}

Test(limits, what_is_allowed_is_not_refused)
{
	char text[4096] = "network n { x = a", *to = text + strlen(text);
	struct parsed p;
	int i;

	for (i = 0; i < 250; i++)
		to += sprintf(to, " -> f");
	sprintf(to, " }");
	p = parse(text);
	cr_assert_eq(p.diags.all.n, 0);
	cr_assert_eq(depth_of(p.file->networks.v[0]->stmt[0].expr), 251);
	arena_free(p.arena);
}

Test(limits, errors_are_counted_not_listed_for_ever)
{
	size_t size = 0, lines = 20000, i;
	char *text = malloc(lines * 16 + 64);
	struct parsed p;

	size += (size_t)sprintf(text, "network n {\n");
	for (i = 0; i < lines; i++)
		size += (size_t)sprintf(text + size, "a = f(x y))\n");
	p = parse(text);
	cr_assert_eq(p.diags.errors, 51);
	cr_assert_not_null(strstr(p.diags.all.v[p.diags.all.n - 1]->message, "not shown"));
	arena_free(p.arena);
	free(text);
}

Test(limits, nothing_at_all)
{
	static const char *const empty[] = { "", "\n\n  \t", "# only a comment" };
	size_t i;

	for (i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		struct parsed p = parse(empty[i]);

		cr_assert_eq(p.diags.all.n, 0);
		cr_assert_eq(p.file->networks.n, 0);
		arena_free(p.arena);
	}
}

Test(limits, bytes_that_are_no_text)
{
	char every[3 * 256];
	struct parsed p;
	int i;

	for (i = 0; i < 256; i++) {
		every[3 * i] = 'a';
		every[3 * i + 1] = i ? (char)i : '\t';	/* NUL: below */
		every[3 * i + 2] = i & 1 ? '\n' : ' ';
	}
	p = parse_bytes(every, sizeof(every));
	cr_assert_geq(p.diags.errors, 10);
	arena_free(p.arena);
	p = parse_bytes("\xff\xfe" "n\0e\0t\0", 8);
	cr_assert_eq(p.diags.errors, 1);
	cr_assert_not_null(strstr(p.diags.all.v[0]->message, "UTF-16"));
	arena_free(p.arena);
	p = parse_bytes("network n {\n\0\0\0 x = \n# \0stowage: allow(\n", 38);
	cr_assert_eq(p.diags.all.n, 1);
	cr_assert_eq(p.diags.all.v[0]->loc.beg, 12);
	cr_assert_eq(p.file->networks.n, 0);
	cr_assert_eq(p.file->suppressions.n, 0);
	arena_free(p.arena);
}
