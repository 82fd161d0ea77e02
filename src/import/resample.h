/*
 * Where each place of a resized axis lies in the axis before, and what it is made of: the rules of
 * ONNX's Resize, as a row of weights for each place (resample.c).
 */
#ifndef STOWAGE_IMPORT_RESAMPLE_H
#define STOWAGE_IMPORT_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_TAPS	4096	/* neighbours of which a place is made */

struct resample {
	int64_t in, out;
	double scale;		/* not quite out / in, where that is no whole number */
	double from, to;	/* the part that is taken, of 1 */
	enum { TO_NEAREST, BY_LINES, BY_CUBICS } mode;
	const char *where, *nearest;	/* coordinate_transformation_mode, nearest_mode */
	double a;		/* of the cubic */
	bool antialias, exclude_outside;
};

/* The place where J lies; false: outside, where nothing is taken. */
bool	resample_place(const struct resample *, int64_t j, double *at);
/* The element that is nearest to there. */
int64_t	resample_nearest(const struct resample *, double at);
/* Adds the weights of what lies around there to a row of IN; false: there are too many
 * neighbours. */
bool	resample_weights(const struct resample *, double at, double *row);

#endif
