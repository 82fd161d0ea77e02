/* What the fuzzers share; see fuzz.h. Each is linked with this file. */
#include "fuzz.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MOST_POOL	256
#define OTHERS		4	/* one in so many mutations is libFuzzer's own, which follows coverage */
#define ENOUGH		500	/* texts, to say how many of them come to something */

static uint64_t state;
static struct sample pool[MOST_POOL];	/* texts that were tried, for others to borrow from */
static int pooled;
static long tried, outcomes;
static struct arena *arena;

/* libFuzzer has it. */
size_t	LLVMFuzzerMutate(uint8_t *text, size_t n, size_t most) __attribute__((weak));

uint64_t
fuzz_below(uint64_t n)		/* xorshift64* */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return n ? (state * 2685821657736338717ull >> 11) % n : 0;
}

void
fuzz_failed(const char *what)
{
	fprintf(stderr, "%s: %s\n", fuzzer.name, what);
	abort();
}

struct arena *
fuzz_arena(void)
{
	if (!arena && !(arena = arena_new()))
		fuzz_failed("out of memory");
	arena_reset(arena);
	return arena;
}

/* ---- edits ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void
fuzz_replace(struct sample *t, size_t at, size_t cut, const char *s, size_t n)
{
	cut = least(cut, t->n - at);
	if (t->n - cut + n > fuzzer.longest)
		return;
	memmove(t->text + at + n, t->text + at + cut, t->n - at - cut);
	memcpy(t->text + at, s, n);
	t->n = t->n - cut + n;
}

void
fuzz_borrow(struct sample *t, size_t at, const struct sample *other, size_t most)
{
	size_t beg = fuzz_below(other->n + 1);

	fuzz_replace(t, at, 0, other->text + beg, least(fuzz_below(most), other->n - beg));
}

void
fuzz_edit(struct sample *t, const char *const *word, size_t nwords, size_t fewer)
{
	const char *w = word[fuzz_below(nwords)];
	size_t at = fuzz_below(t->n + 1);
	char byte;

	switch (fuzz_below(4)) {
	case 0: case 1:
		fuzz_replace(t, at, 0, w, strlen(w));
		break;
	case 2:
		fuzz_replace(t, at, fuzz_below(fewer), "", 0);
		break;
	default:
		byte = (char)fuzz_below(256);
		if (at < t->n)
			fuzz_replace(t, at, 1, &byte, 1);
	}
}

/* ---- a case ---- */

/* At the end: how much was tried, and whether enough of it came to something. */
static void
report(void)
{
	int k;

	fprintf(stderr, "%ld texts tried, %ld %s\n", tried, outcomes, fuzzer.outcome);
	for (k = 0; k < pooled; k++)
		free(pool[k].text);
	arena_free(arena);
	/* libFuzzer goes where something new is, which is seldom where something comes of it */
	if (!LLVMFuzzerMutate && fuzzer.one_in && tried >= ENOUGH && outcomes * fuzzer.one_in < tried) {
		fprintf(stderr, "%s: too few\n", fuzzer.name);
		_exit(1);
	}
}

/* The first texts are those that a run was given. */
static void
keep_in_pool(const struct sample *t)
{
	struct sample *s = &pool[pooled];

	if (pooled == MOST_POOL || t->n == 0 || !(s->text = malloc(t->n)))
		return;
	memcpy(s->text, t->text, t->n);
	s->n = t->n;
	pooled++;
}

int
LLVMFuzzerTestOneInput(const uint8_t *text, size_t n)
{
	clock_t start = clock();
	struct sample t = { .n = least(n, fuzzer.longest) };
	size_t i;

	if (tried++ == 0)
		atexit(report);
	for (state = 14695981039346656037u, i = 0; i < n; i++)	/* a text is always tried alike */
		state = (state ^ text[i]) * 1099511628211u;
	state |= 1;
	if (!(t.text = malloc(t.n + 1)))
		abort();
	memcpy(t.text, text, t.n);
	keep_in_pool(&t);
	outcomes += fuzzer.try(&t);
	free(t.text);
	if (fuzzer.slow > 0 && (double)(clock() - start) / CLOCKS_PER_SEC > fuzzer.slow)
		fuzz_failed("a case that takes too long");
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *text, size_t n, size_t most, unsigned seed)
{
	struct sample t = { .n = least(n, fuzzer.longest) };

	state = seed * 2654435761ull * 2 + 1;
	if (!(t.text = malloc(fuzzer.longest + 1)))
		abort();
	memcpy(t.text, text, t.n);
	keep_in_pool(&t);
	if (LLVMFuzzerMutate && fuzz_below(OTHERS) == 0)
		t.n = LLVMFuzzerMutate((uint8_t *)t.text, t.n, fuzzer.longest);
	else
		fuzzer.mutate(&t, pool, pooled);
	n = least(t.n, most);
	memcpy(text, t.text, n);
	free(t.text);
	return n;
}
