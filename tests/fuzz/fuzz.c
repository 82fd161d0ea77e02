/* What the fuzzers share; see fuzz.h. Each is linked with this file. */
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;
static struct sample now;	/* the text being tried: where a signal's handler finds it */
static char kept[64];		/* the file it is left in */

uint64_t
fuzz_below(uint64_t n)		/* xorshift64* */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return n ? (state * 2685821657736338717ull >> 11) % n : 0;
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

/* Only what a signal handler may call. */
static void
fatal(int sig)
{
	static const char stuck[] = "a case does not end\n";
	int fd = open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0) {
		if (write(fd, now.text, now.n) < 0)
			_exit(2);
		close(fd);
	}
	if (sig == SIGALRM && write(STDERR_FILENO, stuck, sizeof(stuck) - 1) < 0)
		_exit(2);
	signal(SIGABRT, SIG_DFL);
	signal(sig, SIG_DFL);
	raise(sig == SIGALRM ? SIGABRT : sig);
	_exit(1);
}

void
fuzz_failed(const char *what)
{
	fprintf(stderr, "%s: %s, made of %s; the text is in %s\n", fuzzer.name, what, now.path, kept);
	abort();
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

/* ---- the loop ---- */

static bool
load(const char *path, struct sample *s)
{
	FILE *f = fopen(path, "rb");

	s->path = path;
	s->text = malloc(fuzzer.longest);
	if (!f || !s->text) {
		perror(path);
		return false;
	}
	s->n = fread(s->text, 1, fuzzer.longest, f);
	fclose(f);
	return true;
}

static long
one_case(const struct sample *from, int nfrom)
{
	const struct sample *s = &from[fuzz_below((uint64_t)nfrom)];
	clock_t start = clock();
	long outcome;

	now.path = s->path;
	now.n = s->n;
	memcpy(now.text, s->text, s->n);
	fuzzer.mutate(&now, from, nfrom);
	alarm((unsigned)fuzzer.stuck);
	outcome = fuzzer.try(&now);
	alarm(0);
	if (fuzzer.slow > 0 && (double)(clock() - start) / CLOCKS_PER_SEC > fuzzer.slow)
		fuzz_failed("a case that takes too long");
	return outcome;
}

static bool
load_all(struct sample *sample, int n, char **path)
{
	int k;

	now.text = malloc(fuzzer.longest);
	for (k = 0; k < n; k++)
		if (!load(path[k], &sample[k]))
			return false;
	return now.text != NULL;
}

int
main(int argc, char **argv)
{
	int n = argc - 3, k;
	struct sample *sample = calloc((size_t)argc, sizeof(*sample));
	long count, i, outcome = 0;

	if (n < 1) {
		fprintf(stderr, "usage: %s SEED COUNT FILE...\n", fuzzer.name);
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	snprintf(kept, sizeof(kept), "%s.failed%s", fuzzer.name, fuzzer.suffix);
	if (!sample || !load_all(sample, n, argv + 3))
		return 2;
	signal(SIGALRM, fatal);
	signal(SIGABRT, fatal);
	for (i = 0; i < count; i++)
		outcome += one_case(sample, n);
	printf("%ld texts tried, %ld %s\n", count, outcome, fuzzer.outcome);
	signal(SIGABRT, SIG_DFL);	/* leaks are reported at exit, when there is no text to keep */
	for (k = 0; k < n; k++)
		free(sample[k].text);
	free(sample);
	free(now.text);
	return fuzzer.one_in && outcome * fuzzer.one_in < count;
}
