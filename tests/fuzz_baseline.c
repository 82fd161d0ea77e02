/*
 * A fuzzer for the reader of baselines: edits baselines at random. What is still read must be written
 * so that it reads the same, and so must what is left of it when findings are gone; and stale entries
 * must be mended by their edits into a baseline that has none.
 *
 *     fuzz_baseline SEED COUNT FILE...
 *
 * Files lend their bytes. What fails is left in fuzz_baseline.failed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/baseline.h"

#define LONGEST		8000
#define STUCK		20	/* seconds */

static char now[LONGEST + 64];
static size_t length;
static uint64_t state;

static uint64_t
below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static void
keep(void)
{
	FILE *f = fopen("fuzz_baseline.failed", "w");

	if (f) {
		fwrite(now, 1, length, f);
		fclose(f);
	}
}

static void
fatal(int signal)
{
	keep();
	_exit(128 + signal);
}

static void
failed(const char *what)
{
	keep();
	fprintf(stderr, "fuzz_baseline: %s\n", what);
	exit(1);
}

static void
edit(void)
{
	static const char *const word[] = {
		"stowage baseline 1\n", "stowage baseline 2", "\n", "\r\n", " ", "1", "0", "99999999999",
		"8c1f0a0b2d3e4f55 1 last-batch a.nn\n", "8c1f0a0b2d3e4f55 3 oom specs/a b.nn\n",
		"0000000000000000 2 dead-layer ../x.nn\n", "oom", "\\x0a", "\\x00", "\\", "/", "..",
		"\xff", "\xc3\xa9", "<<<<<<< HEAD\n", "-", "8c1f0a0b2d3e4f55",
	};
	const char *w = word[below(sizeof(word) / sizeof(*word))];
	size_t at = below(length + 1), n = strlen(w);

	switch (below(4)) {
	case 0:
	case 1:
		if (length + n > LONGEST)
			return;
		memmove(now + at + n, now + at, length - at);
		memcpy(now + at, w, n);
		length += n;
		break;
	case 2:
		n = below(20);
		n = n < length - at ? n : length - at;
		memmove(now + at, now + at + n, length - at - n);
		length -= n;
		break;
	default:
		if (at < length)
			now[at] = (char)below(256);
	}
}

static struct baseline *
read_text(struct arena *a, const char *s, size_t n)
{
	struct baseline *b = ARENA_NEW(a, struct baseline);
	const char *why = NULL;
	int line = 0;

	b->arena = a;
	b->path = "/nowhere/at/all/base";
	b->folder = "/nowhere/at/all";
	if (baseline_parse(b, source_from_text(a, "base", s, n), &line, &why))
		return b;
	if (!why || line < 1)
		failed("no reason is given");
	return NULL;
}

static void
write_and_read(struct arena *a, const struct baseline *b, int entries)
{
	struct baseline *again;
	struct text t, second;

	text_init(&t, a);
	baseline_text(b, &t);
	again = read_text(a, t.s, t.n);
	if (!again || again->old.all.n != entries)
		failed("what was written is read otherwise");
	text_init(&second, a);
	baseline_text(again, &second);
	if (t.n != second.n || memcmp(t.s, second.s, t.n) != 0)
		failed("what was read is written otherwise");
}

/* Some findings are gone: the edits of stale entries, all at once, leave the others. */
static void
lose(struct arena *a, struct baseline *b)
{
	struct edits *all = edits_new(a, b->src);
	const struct baseline *mended;
	const struct source *text;
	int i, k, stale = 0, left = 0;
	struct diags d;

	for (i = 0; i < b->old.all.n; i++) {
		struct baseline_entry *e = &b->old.all.v[i];

		e->found = (int)below((uint64_t)e->count + 1);
		e->judged = below(2) == 0;
		stale += e->judged && e->found < e->count;
		left += !e->judged || e->found > 0;
	}
	diags_init(&d, a);
	baseline_stale(b, &d);
	if (d.all.n != stale)
		failed("another number of stale entries");
	for (i = 0; i < d.all.n; i++)
		for (k = 0; k < d.all.v[i]->fix->edits->all.n; k++) {
			const struct edit *one = &d.all.v[i]->fix->edits->all.v[k];

			if (!edits_add(all, one->beg, one->end, one->text))
				failed("edits of stale entries meet");
		}
	text = edits_apply(all);
	mended = read_text(a, text->text, (size_t)text->size);
	/* of entries that stood twice, one was mended, and the other counts now */
	if (!mended || mended->old.all.n < left)
		failed("a mended baseline is none");
	write_and_read(a, b, left);
}

static bool
try(void)
{
	struct arena *a = arena_new();
	struct baseline *b = read_text(a, now, length);

	if (b) {
		write_and_read(a, b, b->old.all.n);
		lose(a, b);
	}
	arena_free(a);
	return b != NULL;
}

static void
take(const char *path)
{
	FILE *f = fopen(path, "r");

	length = f ? fread(now, 1, LONGEST / 2, f) : 0;
	if (f)
		fclose(f);
}

int
main(int argc, char **argv)
{
	long count, i, good = 0;
	int k;

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz_baseline SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10);
	count = strtol(argv[2], NULL, 10);
	signal(SIGALRM, fatal);
	signal(SIGSEGV, fatal);
	for (i = 0; i < count; i++) {
		take(argv[3 + below((uint64_t)argc - 3)]);
		for (k = (int)below(4); k > 0; k--)
			edit();
		alarm(STUCK);
		good += try();
		alarm(0);
	}
	printf("%ld of %ld were read\n", good, count);
	return good * 20 < count;
}
