/*
 * A fuzzer of the scanner, the filter and the parser alone, thousands of texts for each that
 * fuzz_spec compiles; see fuzz.h. Of any text the tree must be sound (tree.h) and the same a second
 * time; where there is no syntax error its tokens must stand one behind the other with nothing but
 * blanks and comments between them, and be the same when all that is left out.
 */
#include "syntax/parse.h"

#include "tree.h"

static const char *const words[] = {
	" ", "\n", "\t", "\r\n", "\r", "#", "# stowage: allow(oom) why\n", "# stowage: allow-file(oom, x)\n",
	"# stowage: allow(", "# stowage:", "(", ")", "[", "]", "{", "}", ",", ":", "=", "==", "!=", "<=", "<",
	"->", "-", "+", "*", "/", "%", ".", "..", "\"", "\"a b\"", "'", "//", "/*", "*/", ";", "@", "!", "&&",
	"||", "and ", "or ", "not ", "if ", " then ", " else ", "true", "in", "index", "use \"a.nn\"\n",
	"param p = 1\n", "block b(x, y=1) { out = in -> relu }\n", "network n {\n", "train {\n", "validate { ",
	"device d { memory 8GiB }\n", "lint { ignore all }\n", "input x : f32[4]\n", "target t : class[2]\n",
	"loss mse(x, y)\n", "metric m: accuracy(y, t)\n", "batch 3", "epochs", " steps", "0x", "0x1f", "1e", "1e9",
	"1e-400", "1.5", "1.", ".5", "1_000", "8 GiB", "3kB", "99999999999999999999", "9223372036854775807", "a",
	"a.b", "*.bias", "layer3.*", "l: ", " -> relu", " -> conv(8, 3, pad=1)", "f(a, b=2)", "x[1]", "(a,)",
	"((((((((((((((((", "[[[[[[[[", "- - - - ", "\xe2\x86\x92", "\xc3\xa9", "\xff", "\xef\xbb\xbf", "\x01",
	"\xe2\x80\x9c", "\xe2\x80\xae",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(fuzz_below(4) ? 4 : 40); edits > 0; edits--)
		if (nfrom && fuzz_below(12) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 200);
		else
			fuzz_edit(t, words, COUNT_OF(words), 12);
}

/* Blanks and comments, and nothing else, between two tokens. */
static void
check_between(const struct source *s, int beg, int end)
{
	while (beg < end)
		if (s->text[beg] == '#')
			while (beg < end && s->text[beg] != '\n')
				beg++;
		else if (!strchr(" \t\r\n\f\v\xef\xbb\xbf", s->text[beg++]))
			fuzz_failed("bytes that no token has");
}

/* The text without what the tokens leave out, each on a line of its own where one began a line. */
static struct source *
retold(struct arena *a, const struct source *src, const struct tape *tape)
{
	struct text t;
	int i, at = 0;

	text_init(&t, a);
	for (i = 0; i < tape->all.n; i++) {
		const struct token *k = &tape->all.v[i];

		if (k->kind == 0)
			break;
		if (k->loc.beg < at)
			fuzz_failed("tokens that overlap");
		check_between(src, at, k->loc.beg);
		text_puts(&t, i == 0 ? "" : k->line_start ? "\n" : " ");
		text_add(&t, src->text + k->loc.beg, (size_t)(k->loc.end - k->loc.beg));
		at = k->loc.end;
	}
	check_between(src, at, src->size);
	return source_from_text(a, src->path, t.s ? t.s : "", t.n);
}

static void
same_tokens(const struct tape *x, const struct tape *y)
{
	int i;

	if (x->all.n != y->all.n)
		fuzz_failed("other tokens");
	for (i = 0; i < x->all.n; i++)
		if (x->all.v[i].kind != y->all.v[i].kind)
			fuzz_failed("another token");
}

static void
same_diags(const struct diags *x, const struct diags *y)
{
	int i;

	if (x->all.n != y->all.n)
		fuzz_failed("other mistakes the second time");
	for (i = 0; i < x->all.n; i++)
		if (strcmp(x->all.v[i]->message, y->all.v[i]->message) != 0)
			fuzz_failed("another message the second time");
}

static long
try(const struct sample *s)
{
	struct arena *a = fuzz_arena();
	struct source *src = source_from_text(a, "f.nn", s->text, s->n);
	struct tape tape = { .all = { NULL, 0, 0 } }, second = tape, third = tape;
	struct diags d, e;

	diags_init(&d, a);
	diags_init(&e, a);
	tree_check(parse_tape(a, &d, src, &tape));
	tree_check_diags(src, &d);
	parse_tape(a, &e, src, &second);
	same_tokens(&tape, &second);
	same_diags(&d, &e);
	if (d.errors)
		return false;
	parse_tape(a, &e, retold(a, src, &tape), &third);
	if (e.errors)
		fuzz_failed("without blanks it has mistakes");
	same_tokens(&tape, &third);
	return true;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_parse",
	.outcome = "of them without mistakes",
	.longest = 600,
	.slow = 2,
	.mutate = mutate,
	.try = try,
};
