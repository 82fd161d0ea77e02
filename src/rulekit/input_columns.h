/*
 * What of the data files a layer reads, as far as their first part says: a column for each number
 * of vectors, and one for all that is read of a map.
 */
#ifndef STOWAGE_RULEKIT_INPUT_COLUMNS_H
#define STOWAGE_RULEKIT_INPUT_COLUMNS_H

#include "rulekit/data_look.h"
#include "rulekit/input_numbers.h"

struct input_column {
	const struct tensor *of;
	const struct data_look *look;
	int64_t at;			/* of a sample; ALL_OF_IT: of a map */
	double least, most, mean, spread;	/* in the file */
	double factor, offset;		/* of what is read, by scale= and by the network */
	double n;			/* numbers that were looked at */
};

struct input_looks {		/* of the data of training, each file once */
	const struct lint *l;
	struct data_look *look;		/* by the input's place among the graph's */
	signed char *known;		/* 0: not asked yet, -1: no */
	struct input_column **sums;	/* of its numbers, one by one and all together: what add() has of them */
	int64_t left;			/* numbers that layers may be asked for yet: beyond that nothing is known */
};

void	input_looks(struct input_looks *, const struct lint *);

/* What the files say of an input; NULL: nothing, or too little. */
const struct data_look	*input_look(struct input_looks *, const struct tensor *);

/* The columns among these numbers that something is known of: so many of *OUT; 0, too, where a map
 * is read in very many forms. */
int	input_columns(struct input_looks *, const struct input_numbers *, struct input_column **out);
/* Those of a whole input, as the network gets it. */
int	input_columns_of(struct input_looks *, const struct tensor *, struct input_column **out);

/* As it is read: the ends of its range, and the root of its mean square. */
double	column_least(const struct input_column *);
double	column_most(const struct input_column *);
double	column_size(const struct input_column *);
double	column_spread(const struct input_column *);

/* How many of those that were looked at are 0 as they are read; of maps no more than whether any
 * is, by its ends. */
int64_t	column_zeros(const struct input_column *);

/* Of a mean in the file, so that it is known to a hundredth of the deviation, and to four at
 * least; the deviation is not 0. */
int	column_digits(const struct input_column *);
/* Is a number so far off that the deviation says little of the others? */
bool	column_has_stray(const struct input_column *);

/* Have they much the same range, so that one factor serves them all, and none is left near one
 * number? Of sequences this is asked of each of their rows, and columns, too. */
bool	columns_are_even(const struct input_column *, int n);

#endif
