/*
 * A fuzzer of the formatter: fuzz_fmt SEED COUNT FILE...
 *
 * Takes the specs given and edits them at random, mostly where a layout trips: blanks, line ends,
 * comments, commas, brackets, arrows and long names between their words. What still has no syntax
 * error is laid out, and the layout must
 *
 *	- have no syntax error either, and the same tokens but for needless commas;
 *	- have the same comments in the same order;
 *	- be the same when it is laid out again;
 *	- differ from the text by edits that give it when they are applied.
 *
 * Crashes and overruns are for the sanitizers to find. The same seed makes the same edits. On a
 * failure the text is left in fuzz_fmt.failed.nn.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lang/layout.h"
#include "lang/parse.h"

#include "grammar/parser.h"

#define LONGEST		(1 << 16)	/* bytes of a text */
#define SLOW		2.0		/* seconds of processor time that one case may take */
#define STUCK		30		/* seconds after which it counts as a hang */

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

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

struct sample {
	char *text;
	size_t n;
};

static uint64_t state;
static struct sample now;

static uint64_t
below(uint64_t n)		/* xorshift64*: 0 .. n-1 */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 2685821657736338717ull >> 11) % n;
}

static _Noreturn void
failed(const char *what)
{
	FILE *f = fopen("fuzz_fmt.failed.nn", "wb");

	if (f) {
		fwrite(now.text, 1, now.n, f);
		fclose(f);
	}
	fprintf(stderr, "fuzz_fmt: %s; see fuzz_fmt.failed.nn\n", what);
	exit(1);
}

/* ---- edits ---- */

static void
splice(struct sample *s, size_t at, size_t drop, const char *text, size_t n)
{
	if (drop > s->n - at)
		drop = s->n - at;
	if (s->n - drop + n > LONGEST)
		return;
	memmove(s->text + at + n, s->text + at + drop, s->n - at - drop);
	memcpy(s->text + at, text, n);
	s->n += n - drop;
}

/* A place where a word or a mark begins. */
static size_t
place(const struct sample *s)
{
	size_t at = below(s->n + 1);

	while (at < s->n && s->text[at] != ' ' && s->text[at] != '(' && s->text[at] != ',' &&
	    s->text[at] != ')' && s->text[at] != '\n' && s->text[at] != '=')
		at++;
	return at;
}

static void
edit(struct sample *s, const struct sample *from, int n)
{
	const struct sample *other = &from[below((uint64_t)n)];
	const char *bit = bits[below(below(3) ? HARMLESS : COUNT_OF(bits))];
	size_t at = place(s), beg, len;

	switch (below(8)) {
	case 0:				/* lines are joined, or blanks lost */
		while (at < s->n && s->text[at] != '\n')
			at++;
		splice(s, at, 1 + below(3), " ", 1);
		break;
	case 1:				/* a part of another text */
		beg = below(other->n + 1);
		len = below(80);
		if (len > other->n - beg)
			len = other->n - beg;
		splice(s, at, 0, other->text + beg, len);
		break;
	case 2:
		splice(s, at, below(12), bit, strlen(bit));
		break;
	default:
		splice(s, at, 0, bit, strlen(bit));
	}
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
			failed("other tokens");
	}
	if (j != b->all.n)
		failed("more tokens");
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

	layout_edits(&edits, a, old, new);
	applied = edits_apply(&edits);
	if (applied->size != new->size || memcmp(applied->text, new->text, (size_t)new->size) != 0)
		failed("the edits give another text");
	text_init(&patch, a);
	edits_diff(&edits, &patch);
	if ((patch.n > 0) != (old->size != new->size ||
	    memcmp(old->text, new->text, (size_t)old->size) != 0))
		failed("a wrong diff");
}

static bool
try(void)
{
	struct arena *a = arena_new();
	struct source *src = source_from_text(a, "f.nn", now.text, now.n), *once, *twice;
	struct tape before = { .all = { NULL, 0, 0 } }, after = before;
	struct text said, says;
	struct diags d, e;

	diags_init(&d, a);
	diags_init(&e, a);
	if (!(once = layout_source(a, &d, src))) {
		if (!d.errors)
			failed("nothing came, and nobody said why");
		arena_free(a);
		return false;
	}
	parse_tape(a, &e, src, &before);
	parse_tape(a, &e, once, &after);
	if (e.errors)
		failed("the layout has errors");
	check_tokens(&before, &after);
	text_init(&said, a);
	text_init(&says, a);
	comments(&said, src, &before);
	comments(&says, once, &after);
	if (said.n != says.n || (said.n > 0 && memcmp(said.s, says.s, said.n) != 0))
		failed("other comments");
	twice = layout_source(a, &d, once);
	if (!twice || twice->size != once->size ||
	    memcmp(twice->text, once->text, (size_t)once->size) != 0)
		failed("laid out again it is another text");
	check_edits(a, src, once);
	arena_free(a);
	return true;
}

static bool
load(const char *path, struct sample *s)
{
	FILE *f = fopen(path, "rb");

	s->text = malloc(LONGEST);
	if (!f || !s->text) {
		perror(path);
		return false;
	}
	s->n = fread(s->text, 1, LONGEST, f);
	fclose(f);
	return true;
}

int
main(int argc, char **argv)
{
	struct sample *sample;
	long count, i, laid_out = 0;
	int k, edits, n = argc - 3;

	if (n < 1) {
		fprintf(stderr, "usage: fuzz_fmt SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	sample = calloc((size_t)n, sizeof(*sample));
	now.text = malloc(LONGEST);
	if (!sample || !now.text) {
		perror("fuzz_fmt");
		return 2;
	}
	for (k = 0; k < n; k++)
		if (!load(argv[3 + k], &sample[k]))
			return 2;
	for (i = 0; i < count; i++) {
		const struct sample *s = &sample[below((uint64_t)n)];
		clock_t start = clock();

		now.n = s->n;
		memcpy(now.text, s->text, s->n);
		for (edits = (int)below(below(4) ? 6 : 60); edits > 0; edits--)
			edit(&now, sample, n);
		alarm(STUCK);
		laid_out += try();
		alarm(0);
		if ((double)(clock() - start) / CLOCKS_PER_SEC > SLOW)
			failed("a case that takes too long");
	}
	printf("%ld texts tried, %ld of them laid out\n", count, laid_out);
	for (k = 0; k < n; k++)
		free(sample[k].text);
	free(sample);
	free(now.text);
	return 0;
}
