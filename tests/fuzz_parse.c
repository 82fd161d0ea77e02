/*
 * A mutation fuzzer for the parser: fuzz_parse SEED COUNT FILE...
 *
 * Takes the specs given, edits them at random (most edits keep the text near to a spec, since what
 * is far from one is thrown away by the scanner) and parses each result. It checks what every
 * later stage relies on: all places lie within the text, trees are no deeper than promised, names
 * are there where the tree says so. Crashes and overruns are for the sanitizers to find. The same
 * seed makes the same edits; on a failure the text is left in fuzz_parse.failed.nn.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ast.h"

#define LONGEST		(1 << 16)
#define DEEPEST		257

static const char *const words[] = {
	"(", ")", "[", "]", "{", "}", ",", ":", "=", "==", "->", "+", "-", "*", "/", "%", "<",
	"\"", "'", "#", "\n", " ", ";", "//", "/*", "@", "in", "if ", " then ", " else ",
	" and ", " or ", " not ", "true", "use ", "param ", "block ", "network ", "train ",
	"validate ", "device ", "lint ", "input ", "target ", "loss ", "metric ", "batch 3",
	"epochs", "steps", "5 epochs", "8GiB", "8Gb", "0x", "1e", "1.2.3", "99999999999999999999",
	"x = ", "f(", "a.b", "*.bias", "layer3.*", "\"a\"", "\xe2\x86\x92", "\xc3\xa9", "\xff",
	"\xe2\x80\x9c", "# stowage: allow(oom) x\n", "# stowage: allow(", "\r\n", "\t", "\x01",
	"((((((((((((((((((((", "- - - - - - - -", "4611686018427387904",
};

struct spec {
	char *text;
	size_t n;
};

static uint64_t state;

static uint64_t
below(uint64_t n)		/* xorshift64*: 0 .. n-1 */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return n ? (state * 0x2545f4914f6cdd1d >> 11) % n : 0;
}

/* Replaces CUT bytes at AT by the N bytes of S. */
static void
splice(struct spec *t, size_t at, size_t cut, const char *s, size_t n)
{
	if (t->n - cut + n > LONGEST)
		return;
	memmove(t->text + at + n, t->text + at + cut, t->n - at - cut);
	memcpy(t->text + at, s, n);
	t->n = t->n - cut + n;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void
edit(struct spec *t, const struct spec *from, int nfrom)
{
	const struct spec *other = &from[below((uint64_t)nfrom)];
	size_t at = below(t->n + 1), n = least(below(24), t->n - at), beg;
	const char *word = words[below(sizeof(words) / sizeof(words[0]))];
	char piece[256];

	switch (below(8)) {
	case 0:
		splice(t, at, n, "", 0);
		break;
	case 1: case 2:
		splice(t, at, 0, word, strlen(word));
		break;
	case 3:
		splice(t, at, n, word, strlen(word));
		break;
	case 4:		/* a character less */
		splice(t, at, least(1, t->n - at), "", 0);
		break;
	case 5:		/* a piece of some spec */
		beg = below(other->n + 1);
		n = least(below(sizeof(piece)), other->n - beg);
		memcpy(piece, other->text + beg, n);
		splice(t, at, 0, piece, n);
		break;
	case 6:		/* a byte changed */
		piece[0] = (char)below(256);
		splice(t, at, least(1, t->n - at), piece, 1);
		break;
	case 7:		/* the end lost */
		if (below(8) == 0)
			t->n = at;
		break;
	}
}

static void
failed(const struct spec *t, const char *what)
{
	FILE *f = fopen("fuzz_parse.failed.nn", "wb");

	if (f) {
		fwrite(t->text, 1, t->n, f);
		fclose(f);
	}
	fprintf(stderr, "fuzz_parse: %s; the text is in fuzz_parse.failed.nn\n", what);
	abort();
}

static void
check_loc(const struct spec *t, struct loc loc)
{
	if (loc.beg < 0 || loc.end < loc.beg || (size_t)loc.end > t->n)
		failed(t, "a place outside the text");
}

static void
check_expr(const struct spec *t, const struct expr *e, int depth)
{
	int i;

	if (!e)
		return;
	if (depth > DEEPEST)
		failed(t, "a tree deeper than promised");
	check_loc(t, e->loc);
	check_loc(t, e->head);
	if ((e->kind == E_NAME || e->kind == E_PATH || e->kind == E_CALL || e->kind == E_STR ||
	    e->kind == E_LABEL || e->kind == E_DURATION) && !e->name)
		failed(t, "an expression without its name");
	if ((e->kind == E_BINARY || e->kind == E_PIPE || e->kind == E_INDEX) && (!e->a || !e->b))
		failed(t, "an expression without its parts");
	for (i = 0; i < e->nargs; i++)
		check_expr(t, e->arg[i].value, depth + 1);
	check_expr(t, e->a, depth + 1);
	check_expr(t, e->b, depth + 1);
	check_expr(t, e->c, depth + 1);
}

static void
check_stmts(const struct spec *t, const struct stmt *s, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		check_loc(t, s[i].loc);
		check_expr(t, s[i].expr, 1);
		if ((s[i].kind == S_DEF || s[i].kind == S_LOSS) && !s[i].expr)
			failed(t, "a statement without its value");
		for (j = 0; j < s[i].nnames; j++)
			check_loc(t, s[i].name[j].loc);
		if (s[i].kind == S_DEF && !s[i].name[0].text)
			failed(t, "a definition without its name");
		if (s[i].type)
			for (j = 0; j < s[i].type->nargs; j++)
				check_expr(t, s[i].type->arg[j].value, 1);
	}
}

static void
check_file(const struct spec *t, const struct file *f, const struct diags *d)
{
	int i, j, k;

	for (i = 0; i < d->all.n; i++)
		check_loc(t, d->all.v[i]->loc);
	for (i = 0; i < f->globals.n; i++)
		check_expr(t, f->globals.v[i].value, 1);
	for (i = 0; i < f->blocks.n; i++) {
		for (j = 0; j < f->blocks.v[i]->nformals; j++)
			check_expr(t, f->blocks.v[i]->formal[j].value, 1);
		check_stmts(t, f->blocks.v[i]->stmt, f->blocks.v[i]->nstmts);
	}
	for (i = 0; i < f->networks.n; i++)
		check_stmts(t, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
	for (i = 0; i < f->sections.n; i++)
		for (j = 0; j < f->sections.v[i]->nsettings; j++) {
			const struct setting *s = &f->sections.v[i]->setting[j];

			if (!s->key.text || s->nvalues < 1)
				failed(t, "a setting without key or value");
			for (k = 0; k < s->nvalues; k++)
				check_expr(t, s->value[k], 1);
		}
	for (i = 0; i < f->suppressions.n; i++)
		if (f->suppressions.v[i].from_line > f->suppressions.v[i].to_line)
			failed(t, "a suppression of no lines");
}

/* One text through the parser; tells whether it was free of mistakes. */
static bool
try(const struct spec *t)
{
	struct arena *a = arena_new();
	struct diags d;
	struct file *f;
	bool clean;

	diags_init(&d, a);
	f = parse_file(a, &d, source_from_text(a, "fuzz.nn", t->text, t->n));
	diags_sort(&d);
	check_file(t, f, &d);
	clean = d.errors == 0;
	arena_free(a);
	return clean;
}

static bool
load(const char *path, struct spec *s)
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
	struct spec *spec, t = { malloc(LONGEST), 0 };
	long count, i, clean = 0;
	int k, edits, n = argc - 3;

	if (n < 1) {
		fprintf(stderr, "usage: fuzz_parse SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	spec = calloc((size_t)n, sizeof(*spec));
	for (k = 0; k < n; k++)
		if (!load(argv[3 + k], &spec[k]))
			return 2;
	for (i = 0; i < count; i++) {
		k = (int)below((uint64_t)n);
		t.n = spec[k].n;
		memcpy(t.text, spec[k].text, t.n);
		for (edits = 1 + (int)below(below(4) ? 3 : 40); edits > 0; edits--)
			edit(&t, spec, n);
		clean += try(&t);
	}
	printf("%ld texts parsed, %ld of them without mistakes\n", count, clean);
	for (k = 0; k < n; k++)
		free(spec[k].text);
	free(spec);
	free(t.text);
	return 0;
}
