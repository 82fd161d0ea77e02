/*
 * Which numbers of which inputs a tensor holds, as they are or times a factor and with an offset:
 * past layers that put them elsewhere, take some of them, or put several side by side. So a rule
 * can ask of the columns that a layer reads, and not of those that somebody scales beside it.
 */
#ifndef STOWAGE_RULEKIT_INPUT_NUMBERS_H
#define STOWAGE_RULEKIT_INPUT_NUMBERS_H

#include "lint/rule.h"

#define ALL_OF_IT	(-1)	/* in place of a number of the sample: any of them */

struct input_number {
	const struct tensor *of;	/* the input; NULL: it is something else */
	int64_t at;			/* of a sample, or ALL_OF_IT */
	double factor, offset;		/* what was made of it since */
};

struct input_numbers {		/* of a tensor */
	int64_t n;		/* 0: it holds none, or nobody knows */
	const struct input_number *v;
	bool placed;		/* as many as its elements, each in its place; else in any order, and some more than once */
	bool parted;		/* of those of a map some, and nobody knows which */
};

/* By tensor->id, for all of the forward graph. */
const struct input_numbers	*input_numbers(const struct lint *);

/* The same, of targets, too. */
const struct input_numbers	*data_numbers(const struct lint *);

/* Are these the numbers of this input, all of them? */
bool	input_numbers_are_all(const struct input_numbers *, const struct tensor *input);

#endif
