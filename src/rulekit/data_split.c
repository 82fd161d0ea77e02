/* Shares of files, by from= and to=, skip_every and keep_every. */
#include "rulekit/data_split.h"

#include <math.h>
#include <string.h>

#include "readers/reader.h"

#define MOST_ROWS	100000	/* of a period of the two choices that are looked at */

bool
data_same_files(const struct data_source *a, const struct data_source *b)
{
	int i;

	if (a->reader != b->reader || a->nfiles != b->nfiles || a->nfiles == 0)
		return false;
	for (i = 0; i < a->nfiles; i++)
		if (!a->file[i] || !b->file[i] || strcmp(a->file[i], b->file[i]) != 0)
			return false;
	return true;
}

/* The share of what validation reads, as a part of one file, that training reads too. */
static double
overlap(const struct data_source *train, const struct data_source *validate)
{
	double from = reader_real(validate, "from", 0), to = reader_real(validate, "to", 1);
	double first = fmax(from, reader_real(train, "from", 0));

	return fmax(0, fmin(to, reader_real(train, "to", 1)) - first) / (to - from);
}

/* Rows of different parts are not the same rows, so that their choice says nothing. */
double
data_shared(const struct data_source *train, const struct data_source *validate)
{
	bool one_part = reader_real(train, "from", 0) == reader_real(validate, "from", 0) &&
	    reader_real(train, "to", 1) == reader_real(validate, "to", 1);
	int64_t row, both = 0, all = 0;

	if (!one_part)
		return overlap(train, validate);

	for (row = 0; row < MOST_ROWS; row++)
		if (reader_takes(validate, row)) {
			all++;
			both += reader_takes(train, row);
		}
	return all ? (double)both / (double)all : 0;
}

double
data_part(const struct data_source *d)
{
	return (reader_real(d, "to", 1) - reader_real(d, "from", 0)) * (double)reader_samples(d, MOST_ROWS) / MOST_ROWS;
}
