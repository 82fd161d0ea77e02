/*
 * Rows as sums of others' numbers: each number of a value that lines alone have made (sums,
 * products with tables, cuts, joins) is followed back to the numbers of one tensor that it is a sum
 * of, each with its factor or its column of a table.
 *
 *     [lead..., positions | what lies behind them, as one row]      the tables have positions and places of the row alone
 */
#ifndef STOWAGE_IMPORT_ROWS_H
#define STOWAGE_IMPORT_ROWS_H

#include "import/importer.h"

#define MOST_VALUES	48	/* on the ways back */

struct column {			/* of a table, going along positions */
	const struct numbers *table;	/* NULL: a factor alone */
	int64_t first, step;
};

struct part {
	int64_t from;		/* in the row of what it comes from */
	double factor;
	struct column by;
};

struct sum {
	int n;
	struct part part[2];
};

struct row {
	int64_t n;
	struct sum *sum;
};

struct row_search {
	struct importer *im;
	const struct val *base;
	int lead;		/* axes in front of a row, of which the last is of positions */
	const int64_t *dim;	/* of the result */
	int n;
	const struct val *seen[MOST_VALUES];
	bool tried[MOST_VALUES];
	struct row row[MOST_VALUES];	/* of those seen, once they are known */
	struct arena *scratch;
	bool large;
	const struct tensor *table;	/* one that a number is multiplied by */
};

/* Counts numbers that are looked at to recognise something; false: they were too many in all. */
bool	rows_follow(struct importer *, int64_t numbers);

/* All values on the ways back from V, up to tables, and one of these. Too many: SEARCH->large. */
void	rows_look(struct row_search *, const struct val *v, int depth);

/* What V's row is of the base's numbers. False: no sum of at most two of them each. */
bool	row_of(struct row_search *, const struct val *v, struct row *, int depth);

#endif
