/*
 * What the first bytes of a data file say of its samples, for those who look at a file before
 * anything is trained from it. A reader takes them apart as its other half does in programs
 * (kernels/read/NAME.c), but gives up where that one would stop with a message: then nothing is
 * known. It opens no file.
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
	int64_t width;			/* numbers that a row must have; at least 1 */

	double *value;			/* out: row by row, of all rows that are there whole */
	int64_t rows;
	int64_t all_rows;		/* of the file; -1: not known */
};

enum look_type { LOOK_U8, LOOK_I8, LOOK_I16, LOOK_I32, LOOK_I64, LOOK_U16, LOOK_U32, LOOK_F32,
	LOOK_F64 };

/* For readers: takes numbers of one type from byte HEADER on, as many rows as DIM[0] says and there
 * are. False where the other extents do not come to the width. */
bool	look_numbers(struct look *, size_t header, enum look_type, bool big_endian, int rank,
	    const int64_t *dim);

#endif
