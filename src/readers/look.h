/*
 * What the first bytes of a data file say of its samples, for those who look at a file before
 * anything is trained from it. A reader takes them apart as its other half does in programs
 * (kernels/read/NAME.c), but gives up where that one would stop with a message: then nothing is
 * known. It opens no file: bytes that it wants from further on are asked for.
 */
#ifndef STOWAGE_READERS_LOOK_H
#define STOWAGE_READERS_LOOK_H

#include "readers/reader.h"

struct look {
	struct arena *arena;
	const struct data_source *source;
	const unsigned char *bytes;	/* of the file, from its first; a NUL follows */
	size_t size;
	bool whole;			/* these are all */
	int64_t all;			/* bytes of the file; -1: not known */
	int64_t width;			/* numbers that a row must have; at least 1 */
	struct tensor *const *staged;	/* inputs and targets of the network, in its order */
	int nstaged;
	const struct tensor *input;	/* the one whose numbers are asked for, where the reader has them apart */
	const unsigned char *more;	/* a part from further on, MORE_AT, or NULL */
	size_t more_size;
	int64_t more_at;
	bool part;			/* numbers of a part of a row will do, where no row is there whole */

	double *value;			/* out: row by row, of all rows that are there whole */
	int64_t rows;
	double *part_value;		/* with PART, where no row is there whole: so many numbers of the first */
	int64_t numbers;
	int64_t all_rows;		/* of the file; -1: not known */
	int64_t wants;			/* where that failed: it might not with the part from here on; 0: it would */
	const char *refused, *cure;	/* what the program will stop at, where a reader says so, and what then; or NULL */
};

enum look_type { LOOK_U8, LOOK_I8, LOOK_I16, LOOK_I32, LOOK_I64, LOOK_U16, LOOK_U32, LOOK_F32,
	LOOK_F64 };

/* For readers: what the program will stop at, said of the file. False. */
bool	look_refuse(struct look *, const char *cure, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* For readers: takes numbers of one type from byte HEADER on, as many rows as DIM[0] says and there
 * are. False where the other extents do not come to the width. */
bool	look_numbers(struct look *, int64_t header, enum look_type, bool big_endian, int rank,
	    const int64_t *dim);

/* Takes rows of WIDTH numbers, of which there are so many, each STEP bytes behind the one before
 * it. */
bool	look_rows(struct look *, int64_t at, int64_t step, int64_t rows, enum look_type, bool big_endian);

#endif
