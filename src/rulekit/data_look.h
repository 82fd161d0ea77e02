/*
 * What data files hold, as far as their first bytes say. Only regular files below the project's
 * root are opened, where a program of this spec would look for them, and no more than a fixed part
 * is read, once for each input. What is not there, or is not what the reader expects, is not
 * known: the program will say so when it runs.
 */
#ifndef STOWAGE_RULEKIT_DATA_LOOK_H
#define STOWAGE_RULEKIT_DATA_LOOK_H

#include "lint/rule.h"

struct data_look {		/* the numbers of one input or target */
	const char *file;	/* as the spec names it */
	int64_t rows;		/* that were read and are used */
	int64_t width;		/* numbers of a sample */
	int64_t field;		/* in the file, of the first: from 0 */
	int64_t there;		/* numbers of the one row, of which no more were read; 0: the rows are whole */
	const double *first;	/* of row 0 ... */
	int64_t stride;		/* ... and from row to row; see data_value() */
	const int64_t *at;	/* where the rows that are used stand in the file */
	int64_t samples;	/* in the whole file, of those used; -1: not known */
	const char *refused, *cure;	/* what the program will stop at in it, and what then; or NULL */
};

/* False where nothing is known, or no row was read. */
bool	data_look(const struct lint *, const struct data_source *, const struct tensor *input,
	    struct data_look *);

/* The same where a row is longer than what is read of a file: then of its first numbers alone. */
bool	data_look_part(const struct lint *, const struct data_source *, const struct tensor *input,
	    struct data_look *);

static inline double
data_value(const struct data_look *d, int64_t row, int64_t i)
{
	return d->first[d->at[row] * d->stride + i];
}

/* How many numbers at the end of a row are its last one: what rows of unlike lengths are filled up
 * with, where there are several. */
int64_t	data_last_run(const struct data_look *, int64_t row);

/* How many samples there are, by the spec or the files; 0: not known. */
int64_t	data_samples(const struct lint *, const struct data_source *);

struct data_parts {		/* how many parts pictures have */
	int64_t pictures;
	const int64_t *parts;	/* of each */
};

/* The same of pictures with parts, whose files are read to the end: to 16 MiB in all, and 4096 of
 * them. False where there is more to read. */
bool	data_parts(const struct lint *, const struct data_source *, bool crowds, struct data_parts *);

#endif
