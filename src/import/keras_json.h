/* What the parts of the reader of Keras' JSON share: the text (keras_read.c), layers and references
 * (keras_layers.c), and what a layer says of itself (keras_config.c). JSON is jansson's, which
 * builds it in memory; what is kept of it is copied. */
#ifndef STOWAGE_IMPORT_KERAS_JSON_H
#define STOWAGE_IMPORT_KERAS_JSON_H

#include <jansson.h>

#include "import/keras.h"

#define MOST_OUTPUTS		5	/* of a layer: what it makes, and two states of both ways */

struct reading {
	struct arena *arena;
	struct model *m;
	const char *why;
	struct map values;	/* what a value is called outside of the model that names it so */
	int layers;
};

struct keras_reference {	/* what a layer reads */
	const char *layer;	/* and which result of which use of it */
	int use, tensor;
	const char *value;	/* or the value of that name */
	bool is_number;		/* or a number */
	double number;
	const char *word;	/* by which it is given: "mask"; NULL: by its place */
	struct model_value said;	/* its shape and type, where they are known */
};

struct keras_references {
	VEC(struct keras_reference) all;
	VEC(struct model_attr) said;	/* what goes with them, by name */
};

bool	 keras_refuse(struct reading *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char	*keras_text(struct reading *, json_t *, const char *key);	/* NULL: it is none */
bool	 keras_is_model(const char *class);
/* The layers of the whole model, and its outputs. */
bool	 keras_layers_read(struct reading *, json_t *config, bool row);
bool	 keras_is_mask(const struct keras_reference *);	/* by the name that it is given by */
/* All references in JSON, of any version's form. */
bool	 keras_references(struct reading *, json_t *, struct keras_references *);
bool	 keras_input(struct reading *, const char *name, json_t *config, struct model_value *);
bool	 keras_shape_read(struct reading *, json_t *shape, json_t *type, struct model_value *);
/* Where the first layer of a row has its input's shape, or the row. */
json_t	*keras_shape_of_row(json_t *row, json_t *first);
/* The class, or the function that a layer of its own was made for. */
const char	*keras_class(struct reading *, const char *class, json_t *config);
/* False: the value says nothing, or what no layer is asked for. */
bool	 keras_attr(struct reading *, const char *key, json_t *, struct model_attr *, int depth);
bool	 keras_attrs(struct reading *, struct model_node *, json_t *config, const struct keras_references *);

bool	 keras_attrs_nested(struct reading *, struct model_node *, json_t *config, const struct keras_references *,
	    int depth);

/* What the model was compiled with, NULL: nothing is said of it; and what its layers add to
 * that. */
void	 keras_compiled_read(struct reading *, json_t *compiled, json_t *layers);

/* conv2_d of Conv2D, as Keras makes names; and a dotted name, "conv2.block1.1_conv" of
 * conv2_block1_1_conv, or "" of one that Keras made of SNAKE. */
const char	*keras_snake(struct arena *, const char *class);
const char	*keras_own_name(json_t *model, const char *name);
const char	*keras_dotted(struct arena *, const char *name, const char *snake);

#endif
