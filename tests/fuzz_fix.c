/*
 * A fuzzer of fixes: fuzz_fix SEED COUNT FILE...
 *
 * Takes the specs given and edits them at random, so that rules have something to say: layers and
 * statements that they mind, words misspelt, comments and line ends wherever a fix may trip. Then
 * what `lint --fix` does is done, with unsafe fixes and without, and what comes of it must
 *
 *	- be what its edits make of the text;
 *	- have no error that the text had not, when it is compiled afresh;
 *	- have as many comments, but for suppressions;
 *	- have nothing left to be fixed.
 *
 * Crashes and overruns are for the sanitizers to find. The same seed makes the same edits. On a
 * failure the text is left in fuzz_fix.failed.nn.
 */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emit/emit.h"
#include "passes/pass.h"
#include "rules/fixer.h"
#include "rules/lint.h"
#include "rules/suppress.h"

#define LONGEST		(1 << 15)	/* bytes of a text */
#define SLOW		20.0		/* seconds of processor time that one case may take */
#define STUCK		120		/* seconds after which it counts as a hang */
#define MOST_NODES	2000		/* of a network that is planned */

static const char *const bits[] = {
	" -> softmax", "\n  -> softmax  # why\n", " -> p: softmax", " -> sigmoid", " -> dropout(0.5)",
	"\n    -> dropout(0.1)\n", " -> batchnorm", " -> batchnorm -> relu", " -> dense(10)",
	" -> conv(8, 3, pad=1) -> batchnorm", " -> dense(64) -> dense(32)", " -> 2 * dense(7)",
	" -> (dense(5) -> softmax)", " -> (if true then softmax else relu)", ", bias=true", "(x)",
	"param spare = 1\n", "param spare = 1 # of no use\n", "block old(a, b=2) { out = in -> relu }\n",
	"block two(a) {\n  # why\n  out = in -> old(a)\n}\n", " -> old(1, 2)", " -> old(b=3, a=2)",
	" -> two(a=1)", "param a = 3\n", "\n  dead = in -> relu\n", "\n  more = x -> dense(3)\n",
	" # stowage: allow(dropuot-last) why\n", "\n# stowage: allow(oom, softmax-before-cross) x\n",
	" # a comment\n", "\n# alone\n", "\r\n", "\n", "\n\n", "\t", " ", "loss cross_entropy(y, t)\n",
	"loss cross_entropy(softmax(y), t)\n", "loss mse(x, y)\n", "metric accuracy(y, t)\n",
	"precision bf16  ", "precision f64 ", "accumulate 2 ", "batch 7 ", " freeze y ",
	" schedule step(every=30 epochs, gamma=1) ", " data synthetic(1025) ", "chunk_loss none ",
	"device { memory 1MiB }\n", "train { batch 4 data synthetic(9) }\n", ",", "(", ")", "{", "}",
	"->", "=", ":", "\"#\"", "\xc3\xa9", "a, ", "old", "two(", "index",
};

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

struct sample {
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
	return (state * 2685821657736338717ull >> 11) % n;
}

/* ---- failures ---- */

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

/* Only what a signal handler may call. */
static void
fatal(int sig)
{
	int fd = open("fuzz_fix.failed.nn", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0) {
		if (write(fd, now.text, now.n) < 0)
			_exit(2);
		close(fd);
	}
	_exit(sig == SIGALRM ? 3 : 1);
}

static void
failed(const char *what)
{
	fprintf(stderr, "fuzz_fix: %s; see fuzz_fix.failed.nn\n", what);
	abort();
}

/* ---- edits ---- */

static void
put(struct sample *s, size_t at, size_t drop, const char *text, size_t n)
{
	if (drop > s->n - at)
		drop = s->n - at;
	if (s->n - drop + n > LONGEST)
		return;
	memmove(s->text + at + n, s->text + at + drop, s->n - at - drop);
	memcpy(s->text + at, text, n);
	s->n += n - drop;
}

/* A place between two words. */
static size_t
place(const struct sample *s)
{
	size_t at = below(s->n + 1);

	while (at < s->n && !strchr(" (),\n=", s->text[at]))
		at++;
	return at;
}

/* Two letters of a word change places, or one is lost. */
static void
misspell(struct sample *s)
{
	size_t at = below(s->n + 1);
	char c;

	while (at + 1 < s->n && !(isalpha((unsigned char)s->text[at]) &&
	    isalpha((unsigned char)s->text[at + 1])))
		at++;
	if (at + 1 >= s->n)
		return;
	if (below(2)) {
		put(s, at, 1, "", 0);
		return;
	}
	c = s->text[at];
	s->text[at] = s->text[at + 1];
	s->text[at + 1] = c;
}

static void
edit(struct sample *s, const struct sample *from, int n)
{
	const struct sample *other = &from[below((uint64_t)n)];
	const char *bit = bits[below(COUNT_OF(bits))];
	size_t at = place(s), beg, len;

	switch (below(10)) {
	case 0:				/* lines are joined, or blanks lost */
		put(s, at, 1 + below(3), " ", 1);
		break;
	case 1:				/* a part of another text */
		beg = below(other->n + 1);
		len = below(200);
		put(s, at, 0, other->text + beg, len > other->n - beg ? other->n - beg : len);
		break;
	case 2:
		put(s, at, below(12), bit, strlen(bit));
		break;
	case 3: case 4:
		misspell(s);
		break;
	default:
		put(s, at, 0, bit, strlen(bit));
	}
}

/* ---- checks ---- */

static struct checked *
check(struct arena *a, struct source *source, const void *context)
{
	struct pass_options o = { .target = target_table[0], .threads = 2 };
	struct checked *c = ARENA_NEW(a, struct checked);
	const struct file **file;
	int i;

	(void)context;
	c->source = source;
	diags_init(&c->diags, a);
	c->spec = spec_load(a, &c->diags, source, NULL);
	file = arena_array(a, (size_t)c->spec->imported.n + 1, sizeof(*file));
	file[0] = c->spec->file;
	for (i = 0; i < c->spec->imported.n; i++)
		file[1 + i] = c->spec->imported.v[i];
	for (i = 0; i < c->spec->modules.n; i++) {
		struct module *m = c->spec->modules.v[i];

		if (m->broken)
			continue;
		if (m->forward->nodes.n > MOST_NODES)
			m->broken = true;
		else
			passes_run(m, &o);
	}
	lint_run(&c->diags, file, NULL, 1 + c->spec->imported.n, c->spec->modules.v,
	    c->spec->modules.n, c->spec->options);
	suppress_run(&(struct suppress){ .d = &c->diags, .file = file,
	    .nfiles = 1 + c->spec->imported.n,
	    .asked = { !c->diags.errors, !c->diags.errors, false } });
	diags_sort(&c->diags);
	return c;
}

/* Are they the same, whatever numbers they name? */
static bool
same_message(const char *s, const char *t)
{
	while (*s || *t) {
		if (isdigit((unsigned char)*s) && isdigit((unsigned char)*t)) {
			while (isdigit((unsigned char)*s))
				s++;
			while (isdigit((unsigned char)*t))
				t++;
		} else if (*s++ != *t++) {
			return false;
		}
	}
	return true;
}

static void
check_errors(const struct diags *was, const struct diags *is)
{
	int i, j;

	for (i = 0; i < is->all.n; i++) {
		const struct diag *g = is->all.v[i];

		for (j = 0; j < was->all.n; j++) {
			const struct diag *h = was->all.v[j];

			if (h->severity == SEV_ERROR && strcmp(g->rule, h->rule) == 0 &&
			    (rule_find(g->rule) || same_message(g->message, h->message)))
				break;
		}
		if (g->severity == SEV_ERROR && j == was->all.n)
			failed("a fix has brought an error");
	}
}

/* Does a suppression begin there? One that allows nothing any more may go, and its text with it. */
static bool
suppresses(const struct source *s, int at)
{
	static const char word[] = "stowage:";

	while (++at < s->size && (s->text[at] == ' ' || s->text[at] == '\t'))
		;
	return s->size - at >= (int)strlen(word) && memcmp(s->text + at, word, strlen(word)) == 0;
}

static int
comments(const struct source *s)
{
	bool string = false, comment = false;
	int i, n = 0;

	for (i = 0; i < s->size; i++) {
		char c = s->text[i];

		if (c == '\n')
			string = comment = false;
		else if (!comment && c == '"')
			string = !string;
		else if (!comment && !string && c == '#')
			n += (comment = true) && !suppresses(s, i);
	}
	return n;
}

static int
try(bool unsafe)
{
	struct arena *a = arena_new();
	struct fixer fixer = { .arena = a, .unsafe = unsafe, .check = check };
	struct source *applied;
	struct checked *first, *last;
	struct fixed f, again;

	first = check(a, source_from_text(a, "f.nn", now.text, now.n), NULL);
	f = lint_fix(&fixer, first);
	if ((f.edits != NULL) != (f.n > 0))
		failed("it does not know what it did");
	if (f.edits) {
		applied = edits_apply(f.edits);
		if (applied->size != f.last->source->size ||
		    memcmp(applied->text, f.last->source->text, (size_t)applied->size) != 0)
			failed("the edits give another text");
		if (comments(first->source) != comments(f.last->source))
			failed("a comment was lost");
		last = check(a, source_from_text(a, "f.nn", applied->text, (size_t)applied->size),
		    NULL);
		first = check(a, source_from_text(a, "f.nn", now.text, now.n), NULL);
		check_errors(&first->diags, &last->diags);
		again = lint_fix(&fixer, last);
		if (again.n > 0)
			failed("the next time it goes on");
	}
	arena_free(a);
	return f.n;
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
	long count, i, fixed = 0;
	int k, edits, n = argc - 3;

	if (n < 1) {
		fprintf(stderr, "usage: fuzz_fix SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	sample = calloc((size_t)n, sizeof(*sample));
	now.text = malloc(LONGEST);
	if (!sample || !now.text) {
		perror("fuzz_fix");
		return 2;
	}
	for (k = 0; k < n; k++)
		if (!load(argv[3 + k], &sample[k]))
			return 2;
	signal(SIGALRM, fatal);
	signal(SIGABRT, fatal);
	for (i = 0; i < count; i++) {
		const struct sample *s = &sample[below((uint64_t)n)];
		clock_t start = clock();

		now.n = s->n;
		memcpy(now.text, s->text, s->n);
		for (edits = 1 + (int)below(below(4) ? 4 : 30); edits > 0; edits--)
			edit(&now, sample, n);
		alarm(STUCK);
		fixed += try(below(2));
		alarm(0);
		if ((double)(clock() - start) / CLOCKS_PER_SEC > SLOW)
			failed("a case that takes too long");
	}
	printf("%ld texts tried, %ld findings fixed\n", count, fixed);
	signal(SIGABRT, SIG_DFL);	/* leaks are reported at exit, when there is no text to keep */
	for (k = 0; k < n; k++)
		free(sample[k].text);
	free(sample);
	free(now.text);
	return 0;
}
