/*
 * `stowage import`: a network of another tool as a spec. The text passes fmt, and has been compiled: it has the
 * parameters of the source, in number and in shape.
 */
#ifndef STOWAGE_IMPORT_IMPORT_H
#define STOWAGE_IMPORT_IMPORT_H

#include <stdint.h>
#include <stdio.h>

#include "base/source.h"
#include "base/vec.h"

struct numbers;

struct import_options {
	const char *const *define;	/* seq=128 */
	int ndefines;
	const char *loss;	/* an operator, or "none"; NULL: as the output suggests */
};

struct step;

struct import_problem {
	const char *node, *op, *why;
};

struct import_weight {		/* a tensor for the file of weights */
	const char *path;	/* as the spec calls it */
	int rank;
	int64_t dim[8];
	bool transposed;	/* the source has its two axes the other way round */
	const struct numbers *numbers;
};

struct imported {
	const char *name;	/* of the network */
	struct source *spec;	/* NULL: there is none */
	VEC(struct import_problem) problems;	/* nodes that cannot be expressed */
	VEC(const char *) notes;	/* what was decided, a line each */
	VEC(struct import_weight) weights;
	int64_t parameters, statistics;	/* numbers in them */
	int nodes;
	VEC(struct step *) order;	/* in which the spec makes layers */
};

/* Never returns NULL: where there is no spec, *WHY says why, or problems do. The file stays mapped while it is in
 * use. */
struct imported	*import_onnx(struct arena *, const char *path, const unsigned char *file, size_t size,
		    const struct import_options *, const char **why);

/* Writes the weights as safetensors; false when the stream has an error. */
bool	import_weights(struct arena *, FILE *, const struct imported *);

#endif
