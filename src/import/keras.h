/*
 * Models of Keras. Its layers are nodes of a model (model.h) whose operator is the layer's class
 * and whose attributes are its configuration; a record for each class makes steps of them.
 *
 * Keras has channels last, and we have them first. So a value of a map, [H, W, C] there, is a
 * tensor [C, H, W] here, and says so (struct val, channels_first). What counts the axes itself (a
 * reshape, a dense layer of a map) asks for the source's order, and gets it by a permute; what
 * needs a map asks for that.
 */
#ifndef STOWAGE_IMPORT_KERAS_H
#define STOWAGE_IMPORT_KERAS_H

#include "import/importer.h"

#define MOST_KERAS_WEIGHTS	12

struct keras_layer {		/* a layer of the file, whose weights all its uses share */
	const char *name, *class;
	const char *outermost;	/* the layer of the model that it lies in, or itself */
	const char *place;	/* where a .keras file has its weights: "layers/conv2d_3" */
	const char *dotted;	/* what the spec makes of its name: "conv2.block1.conv"; "": Keras chose the name */
	bool nested;
	VEC(struct keras_layer *) inside;	/* of a model: its layers, the same at each of its uses */
	struct numbers *weight[MOST_KERAS_WEIGHTS];
};

/* What becomes of a mask behind a layer; some that make one, or read it, say it themselves. */
enum keras_mask { MASK_ENDS, MASK_IS_SAID, MASK_GOES_ON, MASK_GOES_ON_SINCE_3, MASK_GOES_ON_ANEW, MASK_IS_JOINED, MASK_IS_UNKNOWN };

/* The record of a class of layers. */
struct keras_op {
	const char *name;	/* "Conv2D" */
	const char *ours;	/* the same function of elements; NULL: translate() says it */
	bool (*translate)(struct importer *, const struct model_node *);
	int most;		/* operands that it reads; 0: one. More, such as masks and states, are refused */
	enum keras_mask mask;
};

#define ANY_OPERANDS	(-1)

#define KERAS_OP_ROW(id, theirs, our)							\
	const struct keras_op keras_op_##id = { .name = theirs, .ours = our }

extern const struct keras_op *const keras_op_table[];	/* made by src/tables.sh; ends with NULL */
extern const int keras_op_count;

struct keras_source;

/* Reads the JSON text of a model; NULL, with *WHY, where it is none that can be read. */
struct model	*keras_read(struct arena *, const char *path, const struct keras_source *, const char **why);
/* What keras_version is in JSON; NULL: it is not there. */
const char	*keras_version(struct arena *, const char *text, size_t size);

/* Fills the type of each input, and whether it is a map, from the layers that read it. */
void	keras_inputs_know(struct model *);

bool	keras_translate(struct importer *, const struct model_node *);

/* Which steps of operand K are seen (keras_mask.c): [steps, 1] of 1 and 0; NULL: all. False after
 * cannot(). */
bool	 keras_mask(struct importer *, const struct model_node *, int k, struct val **);
bool	 keras_mask_of_heads(struct importer *, const struct model_node *, int k, struct val **);	/* the same, for attention */
/* The same for a layer whose values depend on it. */
bool	 keras_mask_of_values(struct importer *, const struct model_node *, int k, struct val **);
bool	 keras_is_masked(struct importer *, const struct model_node *);	/* an operand, or by what the file gives it */
/* The layer is not translated, so nobody knows what it hides; OP: NULL, its class is not known.
 * Returns false. */
bool	 keras_mask_lost(struct importer *, const struct keras_op *, const struct model_node *);
void	 keras_mask_say(struct importer *);	/* where the first output has one, that its loss counts hidden steps */
bool	 keras_mask_set(struct importer *, const struct model_node *, struct val *);	/* of what the layer makes; true */
bool	 keras_mask_zeros(struct importer *, const struct model_node *, struct val *tokens);	/* all but tokens 0 */
bool	 keras_mask_concat(struct importer *, const struct model_node *, int axis, int rank);	/* of a sample's in the source */
bool	 keras_mask_follow(struct importer *, const struct keras_op *, const struct model_node *);

/* Operand K, a tensor; NULL after cannot(). */
struct val	*keras_in(struct importer *, const struct model_node *, int k);
/* The same with channels first, or in the source's order. */
struct val	*keras_map(struct importer *, const struct model_node *, int k);
struct val	*keras_plain(struct importer *, const struct model_node *, int k);
struct val	*val_as_map(struct importer *, struct val *);
struct val	*val_as_source(struct importer *, struct val *);
/* Our axis of one of the source's, where it is none of the batch; false after cannot(). */
bool	 keras_axis(struct importer *, const struct val *, int64_t axis, int *ours);
/* Makes the step; AS says in which order its axes lie, NULL: in the source's. */
bool	 keras_end(struct call *, const struct model_node *, const struct val *as);
bool	 keras_alias(struct importer *, const struct model_node *, struct val *);
/* Begins the call of an operation of two operands. */
void	 keras_pair(struct call *, struct importer *, const char *ours, struct val *, struct val *);
/* Makes a step that only the importer knows, in the order of AS where it has as many axes; NULL
 * after cannot(). */
struct val	*keras_value(struct call *, const struct val *as);
/* Applies the activation that attribute NAME says to what the call makes, which ends the layer. */
bool	 keras_end_activated(struct call *, const struct model_node *, const char *name, const struct val *as);
/* The activation of that name; NULL after cannot(). */
struct val	*keras_activated(struct importer *, const struct model_node *, struct val *, const char *function);

/* OURS of x, with one argument (NULL: none); factor x + offset. They keep its order; NULL after
 * cannot(). */
struct val	*keras_with_number(struct importer *, struct val *x, const char *ours, const char *name, double);
struct val	*keras_scaled(struct importer *, struct val *x, double factor, double offset);

/* Weight K of the layer, of that shape in the source. */
const struct numbers	*keras_weight(struct importer *, const struct model_node *, int k, const char *word, int rank,
			    const int64_t *dim);
/* N numbers that no file has, all of them VALUE; NULL after cannot(). */
const struct numbers	*keras_filled(struct importer *, const struct model_node *, const char *word, int64_t n,
			    double value);

double	 keras_real(const struct model_node *, const char *name, double otherwise);	/* whole or not */
bool	 keras_has(const struct model_node *, const char *name);
/* The name that the layer says it under: Keras 1 had OLDER. */
const char	*keras_name(const struct model_node *, const char *name, const char *older);
int64_t	 keras_axis_said(const struct model_node *, int64_t otherwise);	/* INT32_MIN: none, or several */
/* N extents under a name, one for all or each its own; false after cannot(). */
bool	 keras_extents(struct importer *, const struct model_node *, const char *name, int n, int64_t otherwise,
	    int64_t *to);
/* The layer has its channels first by itself. */
bool	 keras_is_first(const struct model_node *);
bool	 keras_older_than(const struct importer *, int major, int minor);	/* false where the file does not say */
bool	 keras_older_than_3(const struct importer *);
/* A constant of [C, 1, 1...], or of [1, 1..., C] where the tensor is in the source's order, each
 * number its own. */
struct val	*keras_constants(struct importer *, const struct val *like, int n, const double *);

#endif
