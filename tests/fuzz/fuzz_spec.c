/*
 * A fuzzer of the whole way from a spec to its program; see fuzz.h.
 *
 * Takes the specs given, edits them at random and does with each result all that the commands do:
 * parse, expand, plan, lint, print the findings and the plan in every format, write the program
 * for every target; change settings in its text, and for some small networks find what would make
 * them fit. Most edits keep the text near to a spec, for what is far from one is thrown away by the
 * scanner, and favour what arithmetic trips over: 0, -1 and the neighbourhood of 2^63.
 *
 * After the parse it checks what later stages rely on (tree.h), and at the end that a module
 * without a plan was given a reason.
 */
#include <stdlib.h>

#include "base/text.h"
#include "emit/emit.h"
#include "amend/amend.h"
#include "fit/advice.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "show/show.h"
#include "findings/report.h"
#include "lint/config.h"
#include "lint/engine.h"
#include "lint/suppress.h"

#include "tree.h"

/* Where a spec is said to lie, so that it finds what it imports. */
static const char *
path_of_specs(void)
{
	const char *path = getenv("FUZZ_PATH");

	return path ? path : "f.nn";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define SLOW		12.0		/* seconds of processor time that one case may take */
#else
#define SLOW		2.0
#endif
#define MOST_INSTANTS	40		/* of networks that advice is sought for */
#define MOST_BUFFERS	4000		/* of plans that are printed: text, not logic */

static const char *const words[] = {
	"(", ")", "[", "]", "{", "}", ",", ":", "=", "==", "->", "+", "-", "*", "/", "%", "<",
	"\"", "'", "#", "\n", " ", ";", "//", "/*", "@", "in", "if ", " then ", " else ",
	" and ", " or ", " not ", "true", "use ", "param ", "block ", "network ", "train ",
	"validate ", "device ", "lint ", "input ", "target ", "loss ", "metric ", "batch 3",
	"epochs", "steps", "5 epochs", "8GiB", "8Gb", "0x", "1e", "1.2.3", "99999999999999999999",
	"x = ", "f(", "a.b", "*.bias", "layer3.*", "\"a\"", "\xe2\x86\x92", "\xc3\xa9", "\xff",
	"\xe2\x80\x9c", "# stowage: allow(oom) x\n", "# stowage: allow(", "\r\n", "\t", "\x01",
	"((((((((((((((((((((", "- - - - - - - -", "\naccumulate 2\n", "\nmemory 1MiB\n",
	"\nprecision f16\n", "\nfreeze *\n", "\nrecompute *\n", " -> relu", " -> 3 * relu",
	" -> conv(8, 3)", " -> dense(10)", " -> flatten", " -> batchnorm", " -> head: dense(2)",
	"\nuse \"blocks.nn\"\n", "index", "concat(", "\nclip 1\n", "\nschedule cosine(1 epochs)\n",
};

static const char *const numbers[] = {
	"0", "1", "2", "3", "7", "-1", "1/2", "0.5", "1e-300", "1e300", "1000", "65536", "100000",
	"2147483647", "2147483648", "4294967296", "1099511627776", "1099511627777",
	"2305843009213693952", "4611686018427387903", "4611686018427387904",
	"9223372036854775807", "9223372036854775808", "18446744073709551616", "8GiB", "5 epochs",
};

/* Present where leaks are looked for. */
void	__lsan_disable(void) __attribute__((weak));
void	__lsan_enable(void) __attribute__((weak));

/* ---- edits ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The word or number around AT, or the next one: its start, and its length in *LENGTH. */
static size_t
word_at(const struct sample *t, size_t at, size_t *length)
{
	size_t end;

	while (at > 0 && is_word(t->text[at - 1]))
		at--;
	while (at < t->n && !is_word(t->text[at]))
		at++;
	for (end = at; end < t->n && is_word(t->text[end]);)
		end++;
	*length = end - at;
	return at;
}

static size_t
number_at(const struct sample *t, size_t at, size_t *length)
{
	do {
		at = word_at(t, at, length);
		if (*length == 0 || is_digit(t->text[at]))
			return at;
		at += *length + 1;	/* past the end of that word */
	} while (at < t->n);
	*length = 0;
	return t->n;
}

/* The line around AT, its newline included. */
static size_t
line_at(const struct sample *t, size_t at, size_t *length)
{
	size_t end;

	while (at > 0 && t->text[at - 1] != '\n')
		at--;
	for (end = at; end < t->n && t->text[end] != '\n';)
		end++;
	*length = end + (end < t->n) - at;
	return at;
}

/* A line goes elsewhere, or also elsewhere. */
static void
move_line(struct sample *t, size_t at)
{
	char line[512];
	size_t n, none, beg = line_at(t, at, &n);

	if (n > sizeof(line))
		return;
	memcpy(line, t->text + beg, n);
	if (fuzz_below(3))
		fuzz_replace(t, beg, n, "", 0);
	fuzz_replace(t, line_at(t, fuzz_below(t->n + 1), &none), 0, line, n);
}

/* Puts a word of OTHER, or a piece of it, where one of T was. */
static void
borrow(struct sample *t, size_t at, const struct sample *other, bool whole_word)
{
	char piece[256];
	size_t n, had = 0, beg = fuzz_below(other->n + 1);

	if (whole_word) {
		beg = word_at(other, beg, &n);
		at = word_at(t, at, &had);
	} else
		n = least(fuzz_below(sizeof(piece)), other->n - beg);
	n = least(n, sizeof(piece));
	memcpy(piece, other->text + beg, n);
	fuzz_replace(t, at, had, piece, n);
}

static void
edit(struct sample *t, const struct sample *from, int nfrom)
{
	const struct sample *other = fuzz_below(3) ? t : &from[fuzz_below((uint64_t)nfrom)];
	size_t at = fuzz_below(t->n + 1), n = least(fuzz_below(24), t->n - at);
	const char *word = words[fuzz_below(COUNT_OF(words))];
	const char *number = numbers[fuzz_below(COUNT_OF(numbers))];
	char byte;

	switch (fuzz_below(16)) {
	case 0:
		fuzz_replace(t, at, n, "", 0);
		break;
	case 1:
		fuzz_replace(t, at, 0, word, strlen(word));
		break;
	case 2:
		fuzz_replace(t, at, n, word, strlen(word));
		break;
	case 3:		/* a character less */
		fuzz_replace(t, at, least(1, t->n - at), "", 0);
		break;
	case 4:
		borrow(t, at, other, false);
		break;
	case 5: case 6:
		borrow(t, at, other, true);
		break;
	case 7: case 8: case 9: case 10:
		at = number_at(t, at, &n);
		fuzz_replace(t, at, n, number, n ? strlen(number) : 0);
		break;
	case 11:	/* a word less */
		at = word_at(t, at, &n);
		fuzz_replace(t, at, n, "", 0);
		break;
	case 12: case 13:
		move_line(t, at);
		break;
	case 14:	/* a byte changed */
		byte = (char)fuzz_below(256);
		fuzz_replace(t, at, least(1, t->n - at), &byte, 1);
		break;
	case 15:	/* the end lost */
		if (fuzz_below(8) == 0)
			t->n = at;
		break;
	}
}

/* ---- one case ---- */

static void
print_findings(FILE *null, const char *path, const struct diags *d)
{
	struct report r;
	int i;

	for (i = 0; format_table[i]; i++) {
		report_begin(&r, format_table[i], null, i == 0);
		report_file(&r, path, d);
		report_end(&r);
	}
}

static void
print_plan(FILE *null, const struct module *m)
{
	const struct plan_style style = { .exact_bytes = true, .unicode = true };
	int i;

	for (i = 0; plan_format_table[i]; i++)
		plan_format_table[i]->print(null, m, &style);
}

/* A setting that is written into a text must be found there, and the text still be one. */
static void
amend(struct arena *a, const struct file *f)
{
	static const struct {
		const char *key, *value, *after;
	} set[] = {
		{ "accumulate", "4", "batch" }, { "batch", "7", NULL },
		{ "precision", "bf16", NULL }, { "recompute", "auto(3MiB)", "optimizer" },
		{ "optimizer", "sgd(lr=1/2)", NULL }, { "freeze", "a, b.c", "batch" },
		{ "clip", "1", "no such" },
	};
	const char *network = f->networks.v[fuzz_below((uint64_t)f->networks.n)]->name.text;
	size_t one, other = fuzz_below(COUNT_OF(set));
	struct diags d;
	struct amend m;
	struct text patch;

	for (one = 0; one < COUNT_OF(set); one++) {
		amend_init(&m, a, f, network, NULL);
		if (!amend_set(&m, SEC_TRAIN, set[one].key, set[one].value, set[one].after))
			fuzz_failed("a setting that could not be written");
		if (other != one)
			amend_set(&m, SEC_TRAIN, set[other].key, set[other].value, set[other].after);
		text_init(&patch, a);
		edits_diff(amend_done(&m), &patch);
		diags_init(&d, a);
		amend_init(&m, a, parse_file(a, &d, edits_apply(&m.edits)), network, NULL);
		if (d.errors)
			fuzz_failed(d.all.v[0]->message);
		if (!amend_find(&m, SEC_TRAIN, set[one].key))
			fuzz_failed("a setting that was written is not there");
	}
}

/* What would make a small network fit two thirds of what it takes? */
static void
advise_on(struct module *m, const struct file *f)
{
	struct advisor v = { .arena = m->arena, .module = m, .file = f };
	struct fit fit;
	int i;

	if (m->plan->instants > MOST_INSTANTS)
		return;
	fit_answer(m, m->plan->arena_bytes / 3 * 2 + 1, 0, &fit);
	v.fit = &fit;
	advise(&v);
	for (i = 0; i < v.all.n; i++)
		if (v.all.v[i].fits != (v.all.v[i].arena <= fit.limit) || v.all.v[i].saved <= 0)
			fuzz_failed("advice that is none");
}

/* Plans the module for one target, and writes its program; true when there is one. */
static bool
plan_and_emit(struct module *m, const struct target *target, struct diags *d, FILE *null)
{
	struct pass_options o = { .target = target, .threads = 4,
		.input_gradients = fuzz_below(4) == 0 };
	struct text source, makefile, header;
	bool written;

	if (m->broken)
		return false;
	if (!passes_run(m, &o)) {
		if (!d->errors)
			fuzz_failed("a module is broken, and nobody said why");
		return false;
	}
	if (m->plan->buffers.n > MOST_BUFFERS)
		return true;
	print_plan(null, m);
	if (d->errors)
		return false;
	text_init(&source, m->arena);
	text_init(&makefile, m->arena);
	text_init(&header, m->arena);
	if (__lsan_disable)	/* cuDNN, which is asked for engines, keeps what it never frees */
		__lsan_disable();
	written = emit_program(m, target, "/dev/null", &source, &makefile, &header, m->name);
	if (__lsan_enable)
		__lsan_enable();
	if (!written && !d->errors)
		fuzz_failed("a program was not written, and nobody said why");
	return true;
}

static bool
syntax_errors(const struct diags *d)
{
	int i;

	for (i = 0; i < d->all.n; i++)
		if (d->all.v[i]->severity == SEV_ERROR && strcmp(d->all.v[i]->rule, "syntax") == 0)
			return true;
	return false;
}

/* The text as a project file, and its lint section as a spec's; then what they say together. */
static void
configure(struct arena *a, const struct source *src, const struct file *f)
{
	struct project *p = project_read(a, src, "/some/where/.stowage");
	struct lint_config *c = config_read(a, p);
	struct level_layer own = { .words = { NULL, 0, 0 } };
	struct config_words as = { .all = { NULL, 0, 0 } };
	struct diags d;

	diags_init(&d, a);
	config_of_spec(a, &d, f, &own, &as);
	config_levels(a, c, "/some/where/else/a.nn", &own, NULL);
	config_excludes(a, c, "/some/where/else/a.nn");
}

/* Everything from the text to the program of one target; returns whether there is a program for
 * each of its networks. */
static bool
compile(const struct sample *t, const struct target *target, FILE *null)
{
	struct arena *a = arena_new();
	struct source *src = source_from_text(a, path_of_specs(), t->text, t->n);
	const struct file **file;
	struct suppress s;
	struct spec *spec;
	struct diags d;
	bool planned;
	int i;

	diags_init(&d, a);
	spec = spec_load(a, &d, src, NULL);
	tree_check(spec->file);
	if (target == target_table[0])
		configure(a, src, spec->file);
	if (!syntax_errors(&d) && spec->file->networks.n > 0)
		amend(a, spec->file);
	file = arena_array(a, (size_t)spec->imported.n + 1, sizeof(*file));
	file[0] = spec->file;
	for (i = 0; i < spec->imported.n; i++)
		tree_check(file[1 + i] = spec->imported.v[i]);
	planned = spec->modules.n > 0;
	for (i = 0; i < spec->modules.n; i++)
		planned &= plan_and_emit(spec->modules.v[i], target, &d, null);
	if (planned && target == target_table[0] && spec->modules.n == 1 && fuzz_below(8) == 0)
		advise_on(spec->modules.v[0], spec->file);
	s = (struct suppress){ .d = &d, .file = file, .nfiles = 1 + spec->imported.n,
		.ran = { !d.errors, !d.errors && planned, false }, .require_reason = fuzz_below(2) };
	lint_run(&d, file, NULL, s.nfiles, spec->modules.v, spec->modules.n, NULL);
	suppress_run(&s);
	diags_sort(&d);
	tree_check_diags(src, &d);
	print_findings(null, path_of_specs(), &d);
	arena_free(a);
	return planned;
}

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits = 1;

	if (fuzz_below(2))
		edits += (int)fuzz_below(fuzz_below(6) ? 4 : 40);
	for (; edits > 0; edits--)
		edit(t, from, nfrom);
}

/* The other targets only where the first had something to write. */
static long
try(const struct sample *t)
{
	FILE *null = fopen("/dev/null", "w");
	bool planned;
	int i;

	if (!null)
		fuzz_failed("/dev/null cannot be opened");
	planned = compile(t, target_table[0], null);
	for (i = 1; planned && target_table[i]; i++)
		compile(t, target_table[i], null);
	fclose(null);
	return planned;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_spec",
	.outcome = "of them became programs",
	.longest = 1 << 16,
	.slow = SLOW,
	.one_in = 100,
	.mutate = mutate,
	.try = try,
};
