/* The reporters, on findings made by hand: what a user reads, to the character. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "findings/report.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(report, .init = setup, .fini = teardown);

static struct source *
source(const char *text)
{
	return source_from_text(arena, "net.nn", text, strlen(text));
}

/* The place of the first occurrence of WORD. */
static struct loc
place(const struct source *s, const char *word)
{
	const char *at = strstr(s->text, word);

	cr_assert(at);
	return (struct loc){ s, (int)(at - s->text), (int)(at - s->text + (int)strlen(word)) };
}

static const char *
printed(const char *format, const struct diags *d)
{
	char *text = NULL;
	const char *kept;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct report r;

	report_begin(&r, format_find(format), f, false);
	if (d)
		report_file(&r, "net.nn", d);
	report_end(&r);
	fclose(f);
	kept = arena_strdup(arena, text);
	free(text);
	return kept;
}

Test(report, text_shows_excerpt_caret_facts_places_and_help)
{
	const struct source *s = source("network n {\n\tinput x : f32[4]\n"
	    "    y = x -> AggConv2: local(1, (1, 1))\n}\n");
	struct diags d;
	struct diag *g;

	diags_init(&d, arena);
	g = diag_add(&d, SEV_WARNING, "local-unroll", place(s, "AggConv2"),
	    "layer '%s' costs 11.92 GiB", "AggConv2");
	diag_fact(&d, g, "5000 positions x %d B", 2560000);
	diag_place(&d, g, place(s, "x"), "the input is here");
	diag_help(&d, g, "use another");
	cr_expect_str_eq(printed("text", &d),
	    "net.nn:3:14: warning: layer 'AggConv2' costs 11.92 GiB [local-unroll]\n"
	    "  3 |     y = x -> AggConv2: local(1, (1, 1))\n"
	    "    |              ^^^^^^^^\n"
	    "    = 5000 positions x 2560000 B\n"
	    "net.nn:2:8: note: the input is here\n"
	    "  2 |         input x : f32[4]\n"
	    "    |               ^\n"
	    "    help: use another\n"
	    "1 warning in 1 file\n");
}

Test(report, carets_stay_under_wide_and_accented_characters)
{
	const struct source *s = source("# é 日本 here\n");
	struct diags d;

	diags_init(&d, arena);
	diag_error(&d, "syntax", place(s, "here"), "m");
	cr_expect_str_eq(printed("text", &d),
	    "net.nn:1:13: error: m [syntax]\n"
	    "  1 | # é 日本 here\n"
	    "    |          ^^^^\n"	/* é is one column wide, 日本 four */
	    "1 error in 1 file\n");
}

Test(report, hidden_and_ill_formed_bytes_are_spelled_out)
{
	const struct source *s = source("a \033[31m \xff b\n");
	struct diags d;

	diags_init(&d, arena);
	diag_error(&d, "syntax", place(s, "b"), "bad \033[1m \xc3");
	cr_expect_str_eq(printed("text", &d),
	    "net.nn:1:11: error: bad \\x1b[1m \xef\xbf\xbd [syntax]\n"
	    "  1 | a <1B>[31m \xef\xbf\xbd b\n"
	    "    |              ^\n"
	    "1 error in 1 file\n");
}

Test(report, long_lines_are_shown_through_a_window)
{
	char text[1200];
	const struct source *s;
	struct diags d;
	const char *out;

	memset(text, 'a', sizeof(text));
	memcpy(text + 600, "HERE", 4);
	text[sizeof(text) - 1] = '\0';
	s = source(text);
	diags_init(&d, arena);
	diag_error(&d, "syntax", place(s, "HERE"), "m");
	out = printed("text", &d);
	cr_expect(strlen(out) < 300);
	cr_expect(strstr(out, "  1 | ...aaaa"));
	cr_expect(strstr(out, "aHEREa"));
	cr_expect(strstr(out, "aaa...\n"));
	/* the carets: as far into their line as the word is into its own */
	cr_expect_eq(strstr(out, "HERE") - strstr(out, "  1 |"),
	    strstr(out, "^^^^") - strstr(out, "    |"));
}

Test(report, places_at_the_end_of_lines_and_files)
{
	const struct source *s = source("ab\n\nlast");
	struct diags d;

	diags_init(&d, arena);
	diag_error(&d, "syntax", (struct loc){ s, 2, 2 }, "after ab");
	diag_error(&d, "syntax", (struct loc){ s, 3, 3 }, "empty");
	diag_error(&d, "syntax", (struct loc){ s, 8, 8 }, "end");
	diag_error(&d, "syntax", (struct loc){ s, 0, 8 }, "all");
	cr_expect_str_eq(printed("text", &d),
	    "net.nn:1:3: error: after ab [syntax]\n  1 | ab\n    |   ^\n"
	    "net.nn:2:1: error: empty [syntax]\n  2 |\n    | ^\n"
	    "net.nn:3:5: error: end [syntax]\n  3 | last\n    |     ^\n"
	    "net.nn:1:1: error: all [syntax]\n  1 | ab\n    | ^^\n"
	    "4 errors in 1 file\n");
}

Test(report, without_a_place_the_path_stands_alone)
{
	struct diags d;

	diags_init(&d, arena);
	diag_fact(&d, diag_error(&d, "name", (struct loc){ NULL, 0, 0 }, "no network"), "why");
	cr_expect_str_eq(printed("text", &d),
	    "net.nn: error: no network [name]\n    = why\n1 error in 1 file\n");
	cr_expect_str_eq(printed("gcc", &d), "net.nn: error: no network [name]\n");
}

Test(report, clean_text_and_gcc_say_nothing)
{
	cr_expect_str_eq(printed("text", NULL), "");
	cr_expect_str_eq(printed("gcc", NULL), "");
}

Test(report, gcc_is_one_line_each)
{
	const struct source *s = source("é x\n");
	struct diags d;
	struct diag *g;

	diags_init(&d, arena);
	g = diag_error(&d, "name", place(s, "x"), "unknown 'x'");
	diag_help(&d, g, "not printed");
	diag_place(&d, g, place(s, "é"), "seen");
	cr_expect_str_eq(printed("gcc", &d),
	    "net.nn:1:4: error: unknown 'x' [name]\nnet.nn:1:1: note: seen\n");
}

Test(report, json_is_whole_when_there_is_nothing)
{
	cr_expect_str_eq(printed("json", NULL),
	    "{\n  \"version\": 1,\n  \"findings\": [],\n  \"summary\": "
	    "{\"files\": 0, \"errors\": 0, \"warnings\": 0, \"notes\": 0, \"fixed\": 0, "
	    "\"fixable\": 0, \"fixable_unsafely\": 0}\n}\n");
}

Test(report, json_has_both_kinds_of_columns_and_escapes)
{
	const struct source *s = source("é \"x\"\n");
	struct diags d;
	struct diag *g;

	diags_init(&d, arena);
	g = diag_error(&d, "name", place(s, "\"x\""), "say \"x\"\n\xff");
	diag_place(&d, g, place(s, "é"), "here");
	cr_expect_str_eq(printed("json", &d),
	    "{\n  \"version\": 1,\n  \"findings\": [\n    {\n"
	    "      \"rule\": \"name\",\n      \"severity\": \"error\",\n"
	    "      \"path\": \"net.nn\",\n      \"line\": 1,\n      \"column\": 4,\n"
	    "      \"column_chars\": 3,\n      \"end_line\": 1,\n      \"end_column\": 7,\n"
	    "      \"end_column_chars\": 6,\n"
	    "      \"message\": \"say \\\"x\\\"\\n\\ufffd\",\n      \"remarks\": [\n"
	    "        {\"kind\": \"place\", \"text\": \"here\", \"path\": \"net.nn\", \"line\": 1, "
	    "\"column\": 1, \"column_chars\": 1, \"end_line\": 1, \"end_column\": 3, "
	    "\"end_column_chars\": 2}\n      ]\n    }\n  ],\n"
	    "  \"summary\": {\"files\": 1, \"errors\": 1, \"warnings\": 0, \"notes\": 0, \"fixed\": 0, "
	    "\"fixable\": 0, \"fixable_unsafely\": 0}\n}\n");
}

Test(report, formats_are_found_by_name)
{
	cr_expect_eq(format_find("text"), format_table[0]);
	cr_expect_null(format_find("txt"));
}
