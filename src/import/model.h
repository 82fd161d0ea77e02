/*
 * A model as its file has it, whoever's format that is: nodes in the order in which they run, and
 * tensors whose numbers lie in the file. Everything but these lies in the arena; names are the
 * file's.
 */
#ifndef STOWAGE_IMPORT_MODEL_H
#define STOWAGE_IMPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "import/external.h"

#define MODEL_RANK	9	/* as many axes as ours may have, and the batch */

enum element { ELEMENT_NONE, ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16, ELEMENT_I64, ELEMENT_I32, ELEMENT_U8, ELEMENT_I8, ELEMENT_BOOL, ELEMENT_OTHER };

struct numbers {		/* a constant */
	const char *name;
	enum element type;
	int rank;
	int64_t dim[MODEL_RANK];
	int64_t count;		/* product of dim */
	const unsigned char *data;	/* little-endian, count elements */
	const void *place;	/* data is NULL: where the numbers are to be fetched from (struct imported, fetch) */
	const struct numbers *picks;	/* a one in each row, in the place that this says; DATA is made where it is written */
	const int64_t *step;	/* how much more each is with each sample; NULL: no more */
	bool computed;		/* it is no weight: other constants make it, or the source says that it is none */
	bool filled;		/* data is one element, as which all are */
};

/* A tensor of ours in the order of a constant's numbers: element (i, j, ...) is number i *
 * stride[0] + ... + first. */
struct view {
	int rank;
	int64_t dim[MODEL_RANK], stride[MODEL_RANK], first;
	const signed char *order;	/* parts of the first axis in another order; NULL: as they are */
};

/* [columns, rows] of [rows, columns]. */
const struct view	*view_transposed(struct arena *, int64_t rows, int64_t columns);

struct model_attr {
	const char *name;
	enum { A_INT, A_REAL, A_TEXT, A_INTS, A_REALS, A_NUMBERS, A_GRAPH, A_NODE, A_TEXTS, A_OTHER } type;
	int64_t i;
	double r;
	const char *s;
	int n;
	const int64_t *v;
	const double *real;
	const char *const *text;
	const struct numbers *numbers;
	const struct model_node *node;	/* a layer in a layer */
	struct model *graph;	/* only of what is written: a body */
};

struct model_node {
	const char *op;		/* "Conv" */
	const char *name;
	const char *scope;	/* dotted, as "layer1.0"; NULL: nobody says */
	const char *made_by;	/* what the source calls the module around it, as "BasicBlock"; NULL */
	bool frozen;		/* a layer that stowage exported, whose numbers no training changes */
	int nin, nout, nattrs;
	const char **in, **out;	/* "": left out */
	struct model_attr *attr;
	struct keras_layer *layer;	/* NULL: nobody's but ONNX's */
	const char **word;	/* of Keras: by which name each input is given, NULL: by its place; NULL: of no other source */
	const char *mask;	/* of Keras: a value that says which steps are seen; NULL: none is given by name */
	bool has_norm;		/* an exporter made batch normalisation behind it part of its weights */
	bool function;		/* of keras.ops or TensorFlow, written as an operator: no layer */
};

struct model_value {		/* an input or output */
	const char *name;
	enum element type;
	bool known;		/* its rank is */
	int rank;
	int64_t dim[MODEL_RANK];	/* -1: symbol names it */
	const char *symbol[MODEL_RANK];	/* "": it has no name */
	bool is_map;		/* its last axis is that of channels, which ours have first */
	bool predicted;		/* of an output of ours: the spec names it to be predicted, and no loss reads it */
};

/* A layer of ours that ONNX has no operator for, in those that it has. */
#define OUR_DOMAIN	"stowage"

struct model_function {
	const char *name;	/* "nms"; others of that operator are "nms_2", "nms_3" ... */
	int nattrs;
	const char **attr;	/* names of what its nodes say */
	struct model *body;	/* of which inputs and outputs have names alone */
};

struct compiled {		/* what it was to be trained with, in our words */
	const char *loss;	/* NULL: not known */
	bool of_logits;		/* a softmax is part of it */
	const char *optimizer;	/* "sgd(lr=0.1)"; NULL: not known */
	VEC(const char *) notes;	/* what is not read */
};

struct model {
	struct arena *arena;
	const char *path;
	const unsigned char *file;
	size_t size;
	bool mapped;		/* the file is, and nothing else is on its pages */
	struct externals external;	/* files beside it */
	const char *producer;	/* "pytorch 2.1"; "" */
	struct compiled compiled;	/* of Keras alone */
	int64_t opset;
	VEC(struct model_node *) nodes;
	VEC(struct numbers *) numbers;	/* initializers */
	VEC(struct model_value) inputs, outputs;
	VEC(struct model_value) values;	/* what the file says of others */
	VEC(struct model_function *) functions;	/* only of what is written */
	struct map foreign;	/* functions of our domain that stowage export is not seen to have written: why, a clause */
};

/* Reads an ONNX file that is in memory (or mapped); NULL, with *WHY, where it is none that can be
 * read. */
struct model	*onnx_read(struct arena *, const char *path, const unsigned char *file, size_t size,
		    const char **why);

const struct model_attr	*model_attr(const struct model_node *, const char *name);	/* NULL: not there */
size_t		 element_bytes(enum element);
double		 float_decimal(float);	/* the number of fewest digits that is stored so: 1e-6, not 9.99999997e-7 */
double		 numbers_real(const struct numbers *, int64_t i);
int64_t		 numbers_integer(const struct numbers *, int64_t i);	/* of what is not real */
bool		 numbers_are_real(const struct numbers *);	/* of a type that weights have */
bool		 numbers_are_finite(const struct numbers *);	/* in f32; true where they are not read yet */
bool		 numbers_are_one(const struct numbers *, double *);	/* one at least, and all of them that; NULL: false */
bool		 numbers_is_weight(const struct numbers *);	/* the model has it by a name that says of which layer */

/* Bytes of a constant that are to be read in order, and that are no longer needed: where they lie
 * in a mapped file, its pages are read ahead, and need not stay in memory. */
void		 model_take_up(const struct model *, const unsigned char *data, size_t bytes);
void		 model_let_go(const struct model *, const unsigned char *data, size_t bytes);

#endif
