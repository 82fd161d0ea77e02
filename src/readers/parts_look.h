/*
 * How many parts pictures have, for those who look at data before anything is trained from them. A
 * reader asks for files and takes them apart as its other half does in programs
 * (kernels/read/NAME.c), but gives up where that one would stop with a message: then nothing is
 * known. It opens no file.
 */
#ifndef STOWAGE_READERS_PARTS_LOOK_H
#define STOWAGE_READERS_PARTS_LOOK_H

#include "readers/reader.h"

struct parts_look {
	struct arena *arena;
	const struct data_source *source;
	const char *place;	/* of its first file or folder */
	bool crowds;		/* are they parts, too? Those who ask for `truth` get them */

	/* The bytes of a file and a NUL behind them, *SIZE; NULL: not to be had. */
	const unsigned char *(*file)(void *of, const char *path, size_t *size);
	/* The names in a folder that end so, sorted by bytes; NULL: not to be had. */
	char *const *(*names)(void *of, const char *folder, const char *end, int *n);
	void *of;

	int64_t *parts;		/* out: of each picture that is used, in their order */
	int64_t pictures;
};

struct parts_seen {		/* a picture, as a file tells of it */
	int64_t id;
	int64_t place;		/* among them */
	double width, height;
	int64_t parts, crowds;
};

/* A part from X, Y on, so wide and high: it counts as far as it has an area in the picture. */
void	parts_see(struct parts_seen *, double x, double y, double width, double height, bool crowd);

/* For readers, behind the last: which pictures are used, and how many parts they have. */
bool	parts_looked(struct parts_look *, const struct parts_seen *, int64_t pictures);

#endif
