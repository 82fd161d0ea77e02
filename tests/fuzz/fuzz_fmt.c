/*
 * A fuzzer of the formatter; see fuzz.h.
 *
 * Takes the specs given and edits them at random, mostly where a layout trips: blanks, line ends,
 * comments, commas, brackets, arrows and long names between their words. What still has no syntax
 * error is laid out, and the layout must
 *
 *	- have no syntax error either, and the same tokens but for needless commas;
 *	- have the same comments in the same order;
 *	- be the same when it is laid out again;
 *	- differ from the text by edits that give it when they are applied.
 */
#include "fmt/format.h"
#include "syntax/parse.h"

#include "grammar/parser.h"

#include "fuzz.h"

/* The first ones fit between any two words. */
static const char *const bits[] = {
	" ", "  ", "\n", "\n\n\n", "\t", "\r\n", "   ", " # a comment\n", "\n# alone\n",
	"\n    # further in\n", "#\n", "\n\n# apart\n\n", "        # far\n        # on\n", "\f",
	" # stowage: allow(oom) why\n", "\n\n", "\n        ", " # \xc3\xa9\xe4\xb8\xad\n",
	" # a comment that is so long that with the code before it, it is longer than a line\n",
	",", ",)", ", ", "(", ")", "((", "))", "[", "]", "->", " -> relu", " -> f(a, b) -> g",
	" -> (x -> y)", " + 1", " - 1", " and x", " or not y", "-", "- -", "/2", "1/2", "*", "%",
	"if a then b else c", " then ", " else ", "=", ":", "l: ", "a=", "f(", "f(a, b=2)", "(a,)",
	"a, b", "x = y\n", "input a, b\n", "loss l: x\n", "metric m(x)\n", "batch 3", " batch 3 ",
	"8  GiB", "f(3   epochs)", "\"a b\"", "\"tab\there\"", "layer3.*", "param p = 1\n",
	"use \"a.nn\"\n", "device { memory 1GiB }\n", "train { batch 1 }\n", "network n {\n}\n",
	"device {\n\n}\n",
	"block b(x, y=1) { out = in -> relu }\n", "{", "}", "in", "x[1]", "not ", "==", "<=",
	"a_rather_long_name_that_takes_much_of_the_room_there_is_on_a_line",
	" -> conv(a_long_name_once_more, and_another_argument=12345, bias=false)",
};
#define HARMLESS	19

/* ---- edits ---- */

/* A place where a word or a mark begins. */
static size_t
place(const struct sample *s)
{
	size_t at = fuzz_below(s->n + 1);

	while (at < s->n && s->text[at] != ' ' && s->text[at] != '(' && s->text[at] != ',' &&
	    s->text[at] != ')' && s->text[at] != '\n' && s->text[at] != '=')
		at++;
	return at;
}

static void
edit(struct sample *s, const struct sample *from, int n)
{
	const struct sample *other = &from[fuzz_below((uint64_t)n)];
	const char *bit = bits[fuzz_below(fuzz_below(3) ? HARMLESS : COUNT_OF(bits))];
	size_t at = place(s);

	switch (fuzz_below(8)) {
	case 0:				/* lines are joined, or blanks lost */
		while (at < s->n && s->text[at] != '\n')
			at++;
		fuzz_replace(s, at, 1 + fuzz_below(3), " ", 1);
		break;
	case 1:				/* a part of another text */
		fuzz_borrow(s, at, other, 80);
		break;
	case 2:
		fuzz_replace(s, at, fuzz_below(12), bit, strlen(bit));
		break;
	default:
		fuzz_replace(s, at, 0, bit, strlen(bit));
	}
}

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = (int)fuzz_below(fuzz_below(4) ? 6 : 60); edits > 0; edits--)
		edit(t, from, nfrom);
}

/* ---- checks ---- */

static bool
same_word(const struct token *a, const struct token *b)
{
	int i = a->loc.beg, j = b->loc.beg;

	while (i < a->loc.end && j < b->loc.end) {
		char c = a->loc.src->text[i], d = b->loc.src->text[j];

		if (c == d) {
			i++;
			j++;
		} else if (a->kind != TOK_STR && c && strchr(" \t\r\f\v", c)) {
			i++;
		} else {
			return false;
		}
	}
	return i == a->loc.end && j == b->loc.end;
}

static void
check_tokens(const struct tape *a, const struct tape *b)
{
	int i, j = 0;

	for (i = 0; i < a->all.n; i++) {
		const struct token *t = &a->all.v[i], *u;

		u = j < b->all.n ? &b->all.v[j] : NULL;
		if (u && u->kind == t->kind && same_word(t, u))
			j++;
		else if (t->kind != ',' || i + 1 == a->all.n ||
		    !strchr(")]}", a->all.v[i + 1].kind))
			fuzz_failed("other tokens");
	}
	if (j != b->all.n)
		fuzz_failed("more tokens");
}

/* The next comment from a place on, which a token's end or a comment's is; -1: none before END. */
static int
next_comment(const struct source *s, int at, int end, int *stop)
{
	for (; at < end; at++)
		if (s->text[at] == '#')
			break;
	if (at >= end)
		return -1;
	for (*stop = at; *stop < s->size && s->text[*stop] != '\n';)
		++*stop;
	return at;
}

/* All comments of a text, one a line, without blanks at their ends. */
static void
comments(struct text *t, const struct source *s, const struct tape *tape)
{
	int i, at = 0, beg, end = 0, stop = 0;

	for (i = 0; i < tape->all.n; i++) {
		while ((beg = next_comment(s, at, tape->all.v[i].loc.beg, &stop)) >= 0) {
			for (end = stop; strchr(" \t\r\f\v", s->text[end - 1]);)
				end--;
			text_add(t, s->text + beg, (size_t)(end - beg));
			text_puts(t, "\n");
			at = stop;
		}
		at = tape->all.v[i].loc.end;
	}
}

static void
check_edits(struct arena *a, const struct source *old, const struct source *new)
{
	struct source *applied;
	struct edits edits;
	struct text patch;

	fmt_edits(&edits, a, old, new);
	applied = edits_apply(&edits);
	if (applied->size != new->size || memcmp(applied->text, new->text, (size_t)new->size) != 0)
		fuzz_failed("the edits give another text");
	text_init(&patch, a);
	edits_diff(&edits, &patch);
	if ((patch.n > 0) != (old->size != new->size ||
	    memcmp(old->text, new->text, (size_t)old->size) != 0))
		fuzz_failed("a wrong diff");
}

static long
try(const struct sample *t)
{
	struct arena *a = arena_new();
	struct source *src = source_from_text(a, "f.nn", t->text, t->n), *once, *twice;
	struct tape before = { .all = { NULL, 0, 0 } }, after = before;
	struct text said, says;
	struct diags d, e;

	diags_init(&d, a);
	diags_init(&e, a);
	if (!(once = fmt_source(a, &d, src))) {
		if (!d.errors)
			fuzz_failed("nothing came, and nobody said why");
		arena_free(a);
		return false;
	}
	parse_tape(a, &e, src, &before);
	parse_tape(a, &e, once, &after);
	if (e.errors)
		fuzz_failed("the layout has errors");
	check_tokens(&before, &after);
	text_init(&said, a);
	text_init(&says, a);
	comments(&said, src, &before);
	comments(&says, once, &after);
	if (said.n != says.n || (said.n > 0 && memcmp(said.s, says.s, said.n) != 0))
		fuzz_failed("other comments");
	twice = fmt_source(a, &d, once);
	if (!twice || twice->size != once->size ||
	    memcmp(twice->text, once->text, (size_t)once->size) != 0)
		fuzz_failed("laid out again it is another text");
	check_edits(a, src, once);
	arena_free(a);
	return true;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_fmt",
	.outcome = "of them laid out",
	.longest = 1 << 16,
	.slow = 2,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
