/*
 * A fuzzer of the whole way from a spec to its program: fuzz_spec SEED COUNT FILE...
 *
 * Takes the specs given, edits them at random and does with each result all that the commands do:
 * parse, expand, plan, lint, print the findings and the plan in every format, write the program
 * for every target; change settings in its text, and for some small networks find what would make
 * them fit. Most edits keep the text near to a spec, for what is far from one is thrown away by the
 * scanner, and favour what arithmetic trips over: 0, -1 and the neighbourhood of 2^63.
 *
 * After the parse it checks what later stages rely on (places within the text, trees no deeper
 * than promised), and at the end that a module without a plan was given a reason. Crashes, leaks
 * and overruns are for the sanitizers to find; a case that takes longer than it may is a failure.
 * The same seed makes the same edits. On a failure the text is left in fuzz_spec.failed.nn.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/emit.h"
#include "lang/amend.h"
#include "model/advice.h"
#include "passes/pass.h"
#include "plan/plan.h"
#include "report/report.h"
#include "rules/config.h"
#include "rules/lint.h"
#include "rules/suppress.h"

#define LONGEST		(1 << 16)	/* bytes of a text */
#define DEEPEST		257		/* of expression trees */
#ifdef __SANITIZE_ADDRESS__
#define SLOW		12.0		/* seconds of processor time that one case may take */
#else
#define SLOW		2.0
#endif
#define STUCK		30		/* seconds after which it counts as a hang */
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

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

struct sample {
	const char *path;
	char *text;
	size_t n;
};

static uint64_t state;
static struct sample now;		/* the text being tried: where a signal's handler finds it */

static uint64_t
below(uint64_t n)		/* xorshift64*: 0 .. n-1 */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return n ? (state * 0x2545f4914f6cdd1d >> 11) % n : 0;
}

/* ---- failures ---- */

/* What the sanitizers find ends in abort(), so that the text is kept. */
const char	*__asan_default_options(void);
const char	*__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *
__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Present where leaks are looked for. */
void	__lsan_disable(void) __attribute__((weak));
void	__lsan_enable(void) __attribute__((weak));

/* Only what a signal handler may call. */
static void
keep_text(void)
{
	int fd = open("fuzz_spec.failed.nn", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0) {
		if (write(fd, now.text, now.n) < 0)
			_exit(2);
		close(fd);
	}
}

static void
failed(const char *what)
{
	keep_text();
	fprintf(stderr, "fuzz_spec: %s, made of %s; the text is in fuzz_spec.failed.nn\n", what,
	    now.path);
	abort();
}

static void
fatal(int sig)
{
	static const char stuck[] = "fuzz_spec: a case does not end; see fuzz_spec.failed.nn\n";

	keep_text();
	if (sig == SIGALRM && write(STDERR_FILENO, stuck, sizeof(stuck) - 1) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig == SIGALRM ? SIGABRT : sig);
}

/* ---- edits ---- */

/* Replaces CUT bytes at AT by the N bytes of S. */
static void
replace(struct sample *t, size_t at, size_t cut, const char *s, size_t n)
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
	if (below(3))
		replace(t, beg, n, "", 0);
	replace(t, line_at(t, below(t->n + 1), &none), 0, line, n);
}

/* Puts a word of OTHER, or a piece of it, where one of T was. */
static void
borrow(struct sample *t, size_t at, const struct sample *other, bool whole_word)
{
	char piece[256];
	size_t n, had = 0, beg = below(other->n + 1);

	if (whole_word) {
		beg = word_at(other, beg, &n);
		at = word_at(t, at, &had);
	} else
		n = least(below(sizeof(piece)), other->n - beg);
	n = least(n, sizeof(piece));
	memcpy(piece, other->text + beg, n);
	replace(t, at, had, piece, n);
}

static void
edit(struct sample *t, const struct sample *from, int nfrom)
{
	const struct sample *other = below(3) ? t : &from[below((uint64_t)nfrom)];
	size_t at = below(t->n + 1), n = least(below(24), t->n - at);
	const char *word = words[below(COUNT_OF(words))];
	const char *number = numbers[below(COUNT_OF(numbers))];
	char byte;

	switch (below(16)) {
	case 0:
		replace(t, at, n, "", 0);
		break;
	case 1:
		replace(t, at, 0, word, strlen(word));
		break;
	case 2:
		replace(t, at, n, word, strlen(word));
		break;
	case 3:		/* a character less */
		replace(t, at, least(1, t->n - at), "", 0);
		break;
	case 4:
		borrow(t, at, other, false);
		break;
	case 5: case 6:
		borrow(t, at, other, true);
		break;
	case 7: case 8: case 9: case 10:
		at = number_at(t, at, &n);
		replace(t, at, n, number, n ? strlen(number) : 0);
		break;
	case 11:	/* a word less */
		at = word_at(t, at, &n);
		replace(t, at, n, "", 0);
		break;
	case 12: case 13:
		move_line(t, at);
		break;
	case 14:	/* a byte changed */
		byte = (char)below(256);
		replace(t, at, least(1, t->n - at), &byte, 1);
		break;
	case 15:	/* the end lost */
		if (below(8) == 0)
			t->n = at;
		break;
	}
}

/* ---- what every later stage relies on ---- */

static void
check_loc(const struct source *src, struct loc loc)
{
	if (loc.src == src && (loc.beg < 0 || loc.end < loc.beg || loc.end > src->size))
		failed("a place outside the text");
}

static void
check_expr(const struct source *src, const struct expr *e, int depth)
{
	int i;

	if (!e)
		return;
	if (depth > DEEPEST)
		failed("a tree deeper than promised");
	check_loc(src, e->loc);
	check_loc(src, e->head);
	if ((e->kind == E_NAME || e->kind == E_PATH || e->kind == E_CALL || e->kind == E_STR ||
	    e->kind == E_LABEL || e->kind == E_DURATION) && !e->name)
		failed("an expression without its name");
	if ((e->kind == E_BINARY || e->kind == E_PIPE || e->kind == E_INDEX) && (!e->a || !e->b))
		failed("an expression without its parts");
	for (i = 0; i < e->nargs; i++)
		check_expr(src, e->arg[i].value, depth + 1);
	check_expr(src, e->a, depth + 1);
	check_expr(src, e->b, depth + 1);
	check_expr(src, e->c, depth + 1);
}

static void
check_stmts(const struct source *src, const struct stmt *s, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		check_loc(src, s[i].loc);
		check_expr(src, s[i].expr, 1);
		if ((s[i].kind == S_DEF || s[i].kind == S_LOSS) && !s[i].expr)
			failed("a statement without its value");
		for (j = 0; j < s[i].nnames; j++)
			check_loc(src, s[i].name[j].loc);
		if (s[i].kind == S_DEF && !s[i].name[0].text)
			failed("a definition without its name");
		for (j = 0; s[i].type && j < s[i].type->nargs; j++)
			check_expr(src, s[i].type->arg[j].value, 1);
	}
}

static void
check_section(const struct source *src, const struct section *sec)
{
	int i, j;

	for (i = 0; i < sec->nsettings; i++) {
		const struct setting *s = &sec->setting[i];

		if (!s->key.text || s->nvalues < 1)
			failed("a setting without key or value");
		for (j = 0; j < s->nvalues; j++)
			check_expr(src, s->value[j], 1);
	}
}

static void
check_file(const struct file *f)
{
	const struct source *src = f->src;
	int i, j;

	for (i = 0; i < f->globals.n; i++)
		check_expr(src, f->globals.v[i].value, 1);
	for (i = 0; i < f->blocks.n; i++) {
		for (j = 0; j < f->blocks.v[i]->nformals; j++)
			check_expr(src, f->blocks.v[i]->formal[j].value, 1);
		check_stmts(src, f->blocks.v[i]->stmt, f->blocks.v[i]->nstmts);
	}
	for (i = 0; i < f->networks.n; i++)
		check_stmts(src, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
	for (i = 0; i < f->sections.n; i++)
		check_section(src, f->sections.v[i]);
	for (i = 0; i < f->suppressions.n; i++)
		if (f->suppressions.v[i].from_line > f->suppressions.v[i].to_line)
			failed("a suppression of no lines");
}

static void
check_diags(const struct source *src, const struct diags *d)
{
	int i, j;

	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];

		if (strcmp(g->rule, "internal") == 0)
			failed(g->message);
		check_loc(src, g->loc);
		for (j = 0; j < g->remarks.n; j++)
			check_loc(src, g->remarks.v[j].loc);
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
	plan_report(null, m, &(struct plan_style){ .exact_bytes = true, .unicode = true });
	plan_report_svg(null, m);
	plan_report_html(null, m);
	plan_report_json(null, m);
	plan_report_csv(null, m);
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
	size_t one = below(COUNT_OF(set)), other = below(COUNT_OF(set));
	const char *network = f->networks.v[below((uint64_t)f->networks.n)]->name.text;
	struct diags d;
	struct amend m;
	struct text patch;

	amend_init(&m, a, f, network, NULL);
	if (!amend_set(&m, SEC_TRAIN, set[one].key, set[one].value, set[one].after))
		failed("a setting that could not be written");
	if (other != one)
		amend_set(&m, SEC_TRAIN, set[other].key, set[other].value, set[other].after);
	text_init(&patch, a);
	edits_diff(amend_done(&m), &patch);
	diags_init(&d, a);
	amend_init(&m, a, parse_file(a, &d, edits_apply(&m.edits)), network, NULL);
	if (d.errors)
		failed("a text with a setting written into it is none any more");
	if (!amend_find(&m, SEC_TRAIN, set[one].key))
		failed("a setting that was written is not there");
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
			failed("advice that is none");
}

/* Plans the module for one target, and writes its program; true when there is one. */
static bool
plan_and_emit(struct module *m, const struct target *target, struct diags *d, FILE *null)
{
	struct pass_options o = { .target = target, .threads = 4,
		.input_gradients = below(4) == 0 };
	struct text source, makefile;
	bool written;

	if (m->broken)
		return false;
	if (!passes_run(m, &o)) {
		if (!d->errors)
			failed("a module is broken, and nobody said why");
		return false;
	}
	if (m->plan->buffers.n > MOST_BUFFERS)
		return true;
	print_plan(null, m);
	if (d->errors)
		return false;
	text_init(&source, m->arena);
	text_init(&makefile, m->arena);
	if (__lsan_disable)	/* cuDNN, which is asked for engines, keeps what it never frees */
		__lsan_disable();
	written = emit_program(m, target, &source, &makefile, m->name);
	if (__lsan_enable)
		__lsan_enable();
	if (!written && !d->errors)
		failed("a program was not written, and nobody said why");
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
	struct source *src = source_from_text(a, t->path, t->text, t->n);
	const struct file **file;
	struct suppress s;
	struct spec *spec;
	struct diags d;
	bool planned;
	int i;

	diags_init(&d, a);
	spec = spec_load(a, &d, src, NULL);
	check_file(spec->file);
	if (target == target_table[0])
		configure(a, src, spec->file);
	if (!syntax_errors(&d) && spec->file->networks.n > 0)
		amend(a, spec->file);
	file = arena_array(a, (size_t)spec->imported.n + 1, sizeof(*file));
	file[0] = spec->file;
	for (i = 0; i < spec->imported.n; i++)
		check_file(file[1 + i] = spec->imported.v[i]);
	planned = spec->modules.n > 0;
	for (i = 0; i < spec->modules.n; i++)
		planned &= plan_and_emit(spec->modules.v[i], target, &d, null);
	if (planned && target == target_table[0] && spec->modules.n == 1 && below(8) == 0)
		advise_on(spec->modules.v[0], spec->file);
	s = (struct suppress){ .d = &d, .file = file, .nfiles = 1 + spec->imported.n,
		.asked = { !d.errors, !d.errors && planned, false }, .require_reason = below(2) };
	lint_run(&d, file, NULL, s.nfiles, spec->modules.v, spec->modules.n, NULL);
	suppress_run(&s);
	diags_sort(&d);
	check_diags(src, &d);
	print_findings(null, t->path, &d);
	arena_free(a);
	return planned;
}

/* The other targets only where the first had something to write. */
static bool
try(FILE *null)
{
	clock_t start = clock();
	bool planned;
	int i;

	alarm(STUCK);
	planned = compile(&now, target_table[0], null);
	for (i = 1; planned && target_table[i]; i++)
		compile(&now, target_table[i], null);
	alarm(0);
	if ((double)(clock() - start) / CLOCKS_PER_SEC > SLOW)
		failed("a case that takes too long");
	return planned;
}

static bool
load(const char *path, struct sample *s)
{
	FILE *f = fopen(path, "rb");

	s->path = path;
	s->text = malloc(LONGEST);
	if (!f || !s->text) {
		perror(path);
		return false;
	}
	s->n = fread(s->text, 1, LONGEST, f);
	fclose(f);
	return true;
}

static void
mutate(const struct sample *from, int n)
{
	const struct sample *s = &from[below((uint64_t)n)];
	int edits;

	now.path = s->path;
	now.n = s->n;
	memcpy(now.text, s->text, s->n);
	for (edits = below(2) ? 1 : 1 + (int)below(below(6) ? 4 : 40); edits > 0; edits--)
		edit(&now, from, n);
}

int
main(int argc, char **argv)
{
	FILE *null = fopen("/dev/null", "w");
	struct sample *sample;
	long count, i, planned = 0;
	int k, n = argc - 3;

	if (n < 1) {
		fprintf(stderr, "usage: fuzz_spec SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	sample = calloc((size_t)n, sizeof(*sample));
	now.text = malloc(LONGEST);
	if (!null || !sample || !now.text) {
		perror("fuzz_spec");
		return 2;
	}
	for (k = 0; k < n; k++)
		if (!load(argv[3 + k], &sample[k]))
			return 2;
	signal(SIGALRM, fatal);
	signal(SIGABRT, fatal);
	for (i = 0; i < count; i++) {
		mutate(sample, n);
		planned += try(null);
	}
	printf("%ld texts tried, %ld of them became programs\n", count, planned);
	signal(SIGABRT, SIG_DFL);	/* leaks are reported at exit, when there is no text to keep */
	for (k = 0; k < n; k++)
		free(sample[k].text);
	free(sample);
	free(now.text);
	fclose(null);
	return 0;
}
