/*
 * Gradients of a model's nodes, as nodes of ONNX's operators: from the loss back, each node hands
 * what it got for its results on to its operands. Of these only what a trained weight is part of
 * counts.
 */
#ifndef STOWAGE_EXPORT_GRADIENT_H
#define STOWAGE_EXPORT_GRADIENT_H

#include "export/exporter.h"

#define EXTENT_BATCH	(-1)
#define EXTENT_UNKNOWN	(-2)

struct known_shape {		/* of a value, as ONNX counts its axes */
	int rank;
	int64_t dim[MODEL_RANK + 4];	/* one of the above where it is no number */
};

struct gradients {
	struct exporter *x;
	struct map trained;	/* values that a trained weight is part of */
	struct map shapes;	/* struct known_shape * */
	struct map found;	/* by value, the name of its gradient so far */
	struct map constants;	/* struct numbers * */
	struct map joined;	/* nodes Concat, by what they make */
	const struct model_node *node;	/* the one at hand */
};

/* How the gradients of a node's operands follow from those of its results, DY, "" where there is
 * none. */
struct gradient_row {
	const char *op;
	void (*flow)(struct gradients *, const struct model_node *, const char *const *dy);
};

/* They end with op NULL. */
extern const struct gradient_row gradients_of_elements[], gradients_of_lookups[], gradients_of_products[],
    gradients_of_resizing[], gradients_of_scans[], gradients_of_shapes[];

/* From what a node's results got, if any did, to its operands (gradient.c). */
void	 node_back(struct gradients *, const struct model_node *);
/* Marks what a node makes, where a trained weight is part of it. */
void	 node_trained(struct gradients *, const struct model_node *);
/* The trained values around a node's body that are read there, or in bodies within it, each
 * once. */
struct names_around {
	const char **v;
	int n, cap;
};
void	 trained_around(const struct gradients *, const struct model_node *, struct names_around *);
bool	 wants(const struct gradients *, const struct model_node *, int operand);
/* Adds to the gradient of a value. */
void	 flow_to(struct gradients *, const char *value, const char *gradient);
/* The same of an operand that was broadcast to a shape, FROM, that of the gradient; NULL: it is not
 * known. What an element stood for is summed. */
void	 flow_summed(struct gradients *, const char *value, const char *gradient, const struct known_shape *from);
/* In the shape that a value has. */
const char	*shaped_as(struct gradients *, const char *gradient, const char *value);
void	 find_shapes(struct gradients *);	/* of what there is before gradients (known_shapes.c), and the constants */
void	 shape_of_node(struct gradients *, const struct model_node *);	/* of one more */
void	 shape_put(struct gradients *, const char *value, const struct known_shape *);
const struct known_shape	*shape_known(const struct gradients *, const char *value);	/* NULL: it is not */
bool	 extents_known(const struct known_shape *);	/* of all axes but the first, which may be the batch; NULL: no */
const char	*shape_value(struct gradients *, const char *value);	/* as a vector of int64 */
const char	*zeros_as(struct gradients *, const char *value);
const struct model_attr	*node_attr(const struct model_node *, const char *name);
int64_t		 node_int(const struct model_node *, const char *name, int64_t otherwise);
/* Numbers of an operand that is a constant; NULL: it is none. */
const struct numbers	*constant_of(const struct gradients *, const char *value);
const char	*last_exchanged(struct gradients *, const char *value, int rank);	/* the last two axes */

struct windows {		/* what a node's attributes say of those that move */
	int axes;
	int64_t group;
	const int64_t *kernel, *stride, *dilation;
	const int64_t *pads;	/* before each axis, then after */
};

/* The gradient of a Pad whose frame is made of elements, as MODE says (gradient_resize.c). */
void	 framed(struct gradients *, const struct model_node *, const char *dy, const char *mode, const struct numbers *pads);

struct windows	windows_of(const struct model_node *);

/* Says that the gradient of the node at hand cannot be expressed. */
void	 no_gradient(struct gradients *, const char *why);

/* Appends to the model the gradient of LOSS by each of the module's parameters that are trained,
 * and makes outputs of them (gradient.c). */
void	export_gradients(struct exporter *, const char *loss);

#endif
