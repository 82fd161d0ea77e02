/*
 * What the fuzzers share: numbers that a seed repeats, edits of texts, the loop over cases, and what
 * becomes of a text that fails. A fuzzer is a struct fuzzer and what it points to:
 *
 *     fuzz_NAME SEED COUNT FILE...
 *
 * Each case begins with the text of one of the files, cut where it is too long. The same seed makes the
 * same cases. Crashes, leaks and overruns are for the sanitizers to find; those, whatever fails, and a
 * case that takes too long leave the text in fuzz_NAME.failed with the suffix.
 */
#ifndef STOWAGE_TESTS_FUZZ_H
#define STOWAGE_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

struct sample {
	const char *path;	/* where it came from */
	char *text;
	size_t n;
};

struct fuzzer {
	const char *name, *suffix;
	const char *outcome;	/* what the sum of what try() returns counts: "of them laid out" */
	size_t longest;		/* bytes of a text */
	double slow;		/* seconds of processor time that one case may take; 0: any */
	int stuck;		/* seconds after which it counts as a hang */
	int one_in;		/* the least share of cases with an outcome; 0: any */
	void (*mutate)(struct sample *, const struct sample *from, int nfrom);
	long (*try)(const struct sample *);
};

extern const struct fuzzer fuzzer;	/* of the program */

uint64_t	fuzz_below(uint64_t n);	/* 0 .. n-1; 0 below 0 */
_Noreturn void	fuzz_failed(const char *what);

/* Puts N bytes where CUT were, or as many as there are; nothing where the text would be too long. */
void	fuzz_replace(struct sample *, size_t at, size_t cut, const char *s, size_t n);
/* Puts up to MOST bytes of another text there. */
void	fuzz_borrow(struct sample *, size_t at, const struct sample *other, size_t most);
/* A word more, up to FEWER - 1 bytes less, or a byte changed, anywhere. */
void	fuzz_edit(struct sample *, const char *const *word, size_t nwords, size_t fewer);

#endif
