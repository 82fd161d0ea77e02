/*
 * `stowage import`: a network of another tool as a spec. The text passes fmt, and has been
 * compiled: it has the parameters of the source, in number and in shape.
 */
#ifndef STOWAGE_IMPORT_IMPORT_H
#define STOWAGE_IMPORT_IMPORT_H

#include <stdint.h>
#include <stdio.h>

#include "base/source.h"
#include "base/vec.h"

struct model;
struct numbers;
struct view;

struct import_options {
	const char *const *define;	/* seq=128 */
	int ndefines;
	const char *loss;	/* an operator, or "none"; NULL: as the output suggests */
	bool mapped;		/* the file is, so that its pages can be given back */
	bool partial;		/* what cannot be expressed is cut away */
};

struct step;

struct import_problem {
	const char *node, *op, *why;
};

struct import_weight {		/* a tensor for the file of weights */
	const char *path;	/* as the spec calls it */
	int rank;
	int64_t dim[8];
	const struct numbers *numbers;
	const struct view *view;	/* NULL: they lie in the spec's order */
	bool whole;		/* they are whole numbers, and stay them */
};

struct imported {
	const char *name;	/* of the network */
	struct source *spec;	/* NULL: there is none */
	VEC(struct import_problem) problems;	/* nodes that cannot be expressed */
	VEC(const char *) notes;	/* what was decided, a line each */
	VEC(struct import_weight) weights;
	int64_t parameters, frozen, statistics;	/* numbers in them, trained, kept, and of normalisation */
	int nodes, cut;		/* of the file; and where the graph was cut */
	VEC(struct step *) order;	/* in which the spec makes layers */
	struct model *model;
	struct keras_store *store;	/* weights that are still in a file of Keras; NULL: none */
};

/* Never returns NULL: where there is no spec, *WHY says why, or problems do. The file stays mapped
 * while it is in use. */
struct imported	*import_onnx(struct arena *, const char *path, const unsigned char *file, size_t size,
		    const struct import_options *, const char **why);

/* The same of Keras: the JSON of a model, a .keras or an .h5 file. */
struct imported	*import_keras(struct arena *, const char *path, const unsigned char *file, size_t size,
		    const struct import_options *, const char **why);

/* Either, as the first bytes of the file say. */
struct imported	*import_any(struct arena *, const char *path, const unsigned char *file, size_t size,
		    const struct import_options *, const char **why);
void		 import_end(struct imported *);	/* no weights are fetched any more */

/* Writes the weights as safetensors; false when the stream has an error, or with *WHY where they
 * cannot be had. */
bool	import_weights(struct arena *, FILE *, const struct imported *, const char **why);

#endif
