/*
 * What the fuzzers share: numbers that a seed repeats, edits of texts, and what is asked of each
 * case. A fuzzer is a target of libFuzzer whose mutations know the language: a struct fuzzer, and
 * what it points to. What libFuzzer calls is in fuzz.c, and lets it change bytes of its own now and
 * then. run.sh builds and runs them, each from the texts of corpus/NAME and those of the tree:
 *
 *     sh tests/fuzz/run.sh RUNS [fuzz_NAME...]
 *
 * Where there is no clang, driver.c stands for libFuzzer. Crashes, leaks and overruns are for the
 * sanitizers to find; those, whatever fails, and a case that takes too long leave the text behind.
 */
#ifndef STOWAGE_TESTS_FUZZ_H
#define STOWAGE_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define COUNT_OF(array)	(sizeof(array) / sizeof(*(array)))

struct sample {
	char *text;
	size_t n;
};

struct fuzzer {
	const char *name;
	const char *outcome;	/* what the sum of what try() returns counts: "of them laid out" */
	size_t longest;		/* bytes of a text */
	double slow;		/* seconds of processor time that one case may take; 0: any */
	int one_in;		/* the least share of cases with an outcome; 0: any */
	void (*mutate)(struct sample *, const struct sample *from, int nfrom);
	long (*try)(const struct sample *);
};

extern const struct fuzzer fuzzer;	/* of the program */

/* What libFuzzer calls. */
int	LLVMFuzzerTestOneInput(const uint8_t *text, size_t n);
size_t	LLVMFuzzerCustomMutator(uint8_t *text, size_t n, size_t most, unsigned seed);

uint64_t	fuzz_below(uint64_t n);	/* 0 .. n-1; 0 below 0 */
_Noreturn void	fuzz_failed(const char *what);
/* The same arena for each case, as if it were new: a fresh one takes longer than a short text
 * does. */
struct arena	*fuzz_arena(void);

/* Puts N bytes where CUT were, or as many as there are; nothing where the text would be too
 * long. */
void	fuzz_replace(struct sample *, size_t at, size_t cut, const char *s, size_t n);
/* Puts up to MOST bytes of another text there. */
void	fuzz_borrow(struct sample *, size_t at, const struct sample *other, size_t most);
/* A word more, up to FEWER - 1 bytes less, or a byte changed, anywhere. */
void	fuzz_edit(struct sample *, const char *const *word, size_t nwords, size_t fewer);

#endif
