/*
 * A fuzzer for packing instances: edits a text at random, reads it, and where it was good places the
 * buffers, checks the offsets, writes the answer and reads that back.
 *
 *     fuzz_buffers SEED COUNT FILE...
 *
 * Files that are no instances (specs) only lend their bytes. What fails is left in
 * fuzz_buffers.failed.csv.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/packing_csv.h"

#define LONGEST		2000
#define MOST_VISITS	200000
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
	FILE *f = fopen("fuzz_buffers.failed.csv", "w");

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
	fprintf(stderr, "fuzz_buffers: %s\n", what);
	exit(1);
}

/* A good instance, or the start of a file. */
static void
start_text(const char *from, size_t n)
{
	static const struct header {
		const char *names;
		int columns, id, upper;
	} header[] = {
		{ "id,lower,upper,size", 4, 0, 2 },
		{ "size,id,alignment,upper,lower", 5, 1, 3 },
		{ "id,lower,upper,size,offset,note", 6, 0, 2 },
	};
	const struct header *h = &header[below(3)];
	int rows = (int)below(30), i, k;

	if (below(3) == 0) {
		length = n < LONGEST ? n : LONGEST;
		memcpy(now, from, length);
		return;
	}
	length = (size_t)snprintf(now, sizeof(now), "%s\n", h->names);
	for (i = 0; i < rows; i++)
		for (k = 0; k < h->columns; k++)
			length += (size_t)snprintf(now + length, 32, "%d%c", k == h->id ? i :
			    1 + (int)below(20) + (k == h->upper) * 20,
			    k + 1 < h->columns ? ',' : '\n');
}

static void
edit(void)
{
	static const char *const word[] = { ",", "\n", "\"", "-", "9223372036854775807", "0", "\r\n",
		"\xef\xbb\xbf", "id", "size", "alignment", "gaps", "offset", "\xff", " ", "1" };
	const char *w = word[below(sizeof(word) / sizeof(*word))];
	size_t at = below(length + 1), n = strlen(w);

	switch (below(3)) {
	case 0:		/* a word more */
		if (length + n > LONGEST)
			return;
		memmove(now + at + n, now + at, length - at);
		memcpy(now + at, w, n);
		length += n;
		break;
	case 1:		/* some bytes less */
		n = below(6);
		n = n < length - at ? n : length - at;
		memmove(now + at, now + at + n, length - at - n);
		length -= n;
		break;
	default:
		if (at < length)
			now[at] = (char)below(256);
	}
}

/* Whether it was an instance. */
static bool
try(void)
{
	struct arena *a = arena_new();
	struct packing_options o = { .visits = MOST_VISITS, .capacity = (int64_t)below(2) * 300 };
	struct source *src = source_from_text(a, "now", now, length);
	struct packing_csv csv, again;
	struct packing_result r;
	struct diags d;
	struct text t;
	int first, second;
	bool good;

	alarm(STUCK);
	diags_init(&d, a);
	good = packing_csv_read(a, &d, src, &csv);
	if (good != (d.errors == 0))
		failed("a file is refused, and nobody said why");
	if (good) {
		r = packing_solve(a, &csv.packing, &o);
		if (packing_check(a, &csv.packing, r.height, &first, &second) != PACKING_RIGHT)
			failed("the offsets are wrong");
		if (r.bound < r.max_live || r.height < r.max_live)
			failed("the bound is wrong");
		text_init(&t, a);
		packing_csv_write(&t, &csv);
		src = source_from_text(a, "answer", t.s, t.n);
		if (!packing_csv_read(a, &d, src, &again) ||
		    again.packing.n != csv.packing.n || again.offset_column < 0)
			failed("the answer cannot be read");
	}
	alarm(0);
	arena_free(a);
	return good;
}

int
main(int argc, char **argv)
{
	static char text[LONGEST];
	long count, i, read = 0;
	size_t n;
	FILE *f;

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz_buffers SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	signal(SIGALRM, fatal);
	signal(SIGABRT, fatal);
	for (i = 0; i < count; i++) {
		int edits = (int)below(below(3) ? 2 : 20);

		f = fopen(argv[3 + below((uint64_t)argc - 3)], "rb");
		n = f ? fread(text, 1, LONGEST, f) : 0;
		if (f)
			fclose(f);
		start_text(text, n);
		while (edits-- > 0)
			edit();
		read += try();
	}
	printf("%ld texts tried, %ld of them were instances\n", count, read);
	return 0;
}
