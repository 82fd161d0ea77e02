/*
 * A fuzzer of fixes; see fuzz.h.
 *
 * Takes the specs given and edits them at random, so that rules have something to say: layers and
 * statements that they mind, words misspelt, comments and line ends wherever a fix may trip. Then
 * what `lint --fix` does is done, with unsafe fixes and without, and what comes of it must
 *
 *	- be what its edits make of the text;
 *	- have no error that the text had not, when it is compiled afresh;
 *	- have as many comments, but for suppressions;
 *	- have nothing left to be fixed.
 */
#include <ctype.h>

#include "target/target.h"
#include "passes/passes.h"
#include "lint/fixer.h"
#include "lint/catalog.h"
#include "lint/engine.h"
#include "lint/suppress.h"

#include "fuzz.h"

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

/* ---- edits ---- */

/* A place between two words. */
static size_t
place(const struct sample *s)
{
	size_t at = fuzz_below(s->n + 1);

	while (at < s->n && !strchr(" (),\n=", s->text[at]))
		at++;
	return at;
}

/* Two letters of a word change places, or one is lost. */
static void
misspell(struct sample *s)
{
	size_t at = fuzz_below(s->n + 1);
	char c;

	while (at + 1 < s->n && !(isalpha((unsigned char)s->text[at]) &&
	    isalpha((unsigned char)s->text[at + 1])))
		at++;
	if (at + 1 >= s->n)
		return;
	if (fuzz_below(2)) {
		fuzz_replace(s, at, 1, "", 0);
		return;
	}
	c = s->text[at];
	s->text[at] = s->text[at + 1];
	s->text[at + 1] = c;
}

static void
edit(struct sample *s, const struct sample *from, int n)
{
	const struct sample *other = &from[fuzz_below((uint64_t)n)];
	const char *bit = bits[fuzz_below(COUNT_OF(bits))];
	size_t at = place(s);

	switch (fuzz_below(10)) {
	case 0:				/* lines are joined, or blanks lost */
		fuzz_replace(s, at, 1 + fuzz_below(3), " ", 1);
		break;
	case 1:				/* a part of another text */
		fuzz_borrow(s, at, other, 200);
		break;
	case 2:
		fuzz_replace(s, at, fuzz_below(12), bit, strlen(bit));
		break;
	case 3: case 4:
		misspell(s);
		break;
	default:
		fuzz_replace(s, at, 0, bit, strlen(bit));
	}
}

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(fuzz_below(4) ? 4 : 30); edits > 0; edits--)
		edit(t, from, nfrom);
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
	    .ran = { !c->diags.errors, !c->diags.errors, false } });
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
			fuzz_failed("a fix has brought an error");
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

static long
try(const struct sample *t)
{
	struct arena *a = arena_new();
	struct fixer fixer = { .arena = a, .unsafe = fuzz_below(2), .check = check };
	struct source *applied;
	struct checked *first, *last;
	struct fixed f, again;

	first = check(a, source_from_text(a, "f.nn", t->text, t->n), NULL);
	f = lint_fix(&fixer, first);
	if ((f.edits != NULL) != (f.n > 0))
		fuzz_failed("it does not know what it did");
	if (f.edits) {
		applied = edits_apply(f.edits);
		if (applied->size != f.last->source->size ||
		    memcmp(applied->text, f.last->source->text, (size_t)applied->size) != 0)
			fuzz_failed("the edits give another text");
		if (comments(first->source) != comments(f.last->source))
			fuzz_failed("a comment was lost");
		last = check(a, source_from_text(a, "f.nn", applied->text, (size_t)applied->size),
		    NULL);
		first = check(a, source_from_text(a, "f.nn", t->text, t->n), NULL);
		check_errors(&first->diags, &last->diags);
		again = lint_fix(&fixer, last);
		if (again.n > 0 && !f.stopped)
			fuzz_failed("the next time it goes on");
	}
	arena_free(a);
	return f.n;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_fix",
	.outcome = "findings fixed",
	.longest = 1 << 15,
	.slow = 20,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
