/*
 * Matrix products with trained matrices. Keras has them as [in, units], ours are [units, in]; the
 * columns of one behind a map that was laid flat are put in the order that the map has here.
 */
#include "import/keras.h"

#include <string.h>

/* [units, in] of [in, units], where IN may be the axes of a map, whose first is the source's
 * last. */
static const struct view *
matrix_view(struct importer *im, const struct val *x, int64_t in, int64_t units)
{
	struct view *v = ARENA_NEW(im->arena, struct view);
	int i, rank = x->flat ? x->flat->t->rank : 1;
	int64_t stride = units;

	v->rank = rank + 1;
	v->dim[0] = units;
	v->stride[0] = 1;
	v->dim[1] = x->flat ? x->flat->t->dim[0] : in;
	v->stride[1] = stride;
	stride *= v->dim[1];
	for (i = rank - 1; i > 0; i--) {
		v->dim[i + 1] = x->flat->t->dim[i];
		v->stride[i + 1] = stride;
		stride *= v->dim[i + 1];
	}
	return v;
}

static bool
dense_of(struct importer *im, const struct model_node *n, struct val *x)
{
	int64_t units = attr_int(n, keras_name(n, "units", "output_dim"), 0), in;
	bool bias = attr_int(n, keras_name(n, "use_bias", "bias"), 1) != 0;
	struct call c;

	if (x->t->rank < 1 || units < 1 || units > LARGEST_EXTENT)
		return cannot(im, "it has no units, or its input no features");
	in = x->t->dim[x->t->rank - 1];
	if (__builtin_mul_overflow(in, units, &(int64_t){ 0 }))
		return cannot(im, "its weights are out of range");
	call_begin(&c, im, "dense");
	call_in(&c, x);
	call_int(&c, "units", units);
	if (!bias)
		call_int(&c, "bias", false);
	call_view(&c, keras_weight(im, n, 0, "kernel", 2, (int64_t[]){ in, units }), matrix_view(im, x, in, units));
	if (bias)
		call_view(&c, keras_weight(im, n, 1, "bias", 1, &units), NULL);
	return keras_end_activated(&c, n, "activation", NULL);
}

static bool
dense(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);

	return x && dense_of(im, n, x);
}

const struct keras_op keras_op_dense = { .name = "Dense", .translate = dense, .mask = MASK_GOES_ON };

/* The layer inside, at each step: what works on the last axis does so by itself. */
static bool
time_distributed(struct importer *im, const struct model_node *n)
{
	const struct model_attr *a = model_attr(n, "layer");
	struct model_node inner;
	struct val *x = keras_plain(im, n, 0);

	if (!x)
		return false;
	if (!a || a->type != A_NODE || strcmp(a->node->op, "Dense") != 0)
		return cannot(im, "a layer at each step is ours where it is dense; the closest of others is a block");
	inner = *a->node;
	inner.out = n->out;
	inner.nout = n->nout;
	inner.name = n->name;
	inner.layer = n->layer;
	return dense_of(im, &inner, x);
}

const struct keras_op keras_op_time_distributed = { .name = "TimeDistributed", .translate = time_distributed, .mask = MASK_GOES_ON };

static bool
embedding(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	int64_t dim[2] = { attr_int(n, "input_dim", 0), attr_int(n, "output_dim", 0) };
	struct call c;

	if (!x)
		return false;
	if (dim[0] < 1 || dim[1] < 1 || dim[0] > INT32_MAX || dim[1] > INT32_MAX)
		return cannot(im, "its table is out of range");
	if (x->t->dtype != DT_I32)
		return cannot(im, "its input is no input of the network, which alone has tokens");
	x->range = x->range && x->range < dim[0] ? x->range : (int)dim[0];
	x->t->classes = x->range;
	call_begin(&c, im, "embedding");
	call_in(&c, x);
	call_int(&c, "vocab", dim[0]);
	call_int(&c, "width", dim[1]);
	call_view(&c, keras_weight(im, n, 0, "embeddings", 2, dim), NULL);
	return keras_end(&c, n, NULL) && (!attr_int(n, "mask_zero", 0) || keras_mask_zeros(im, n, x));
}

const struct keras_op keras_op_embedding = { .name = "Embedding", .translate = embedding, .mask = MASK_IS_SAID };

/* ConvNeXt's: a trained factor for each channel, which is the last axis of the source. */
static bool
layer_scale(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0), *gamma;
	int64_t width = attr_int(n, "projection_dim", 0), dim[MAX_RANK];
	const struct numbers *w;
	int i, at;
	struct call c;

	if (!x)
		return false;
	at = x->channels_first ? 0 : x->t->rank - 1;
	if (x->t->rank < 1 || x->t->dim[at] != width || x->flat)
		return cannot(im, "its projection_dim is not the last axis of its input");
	for (i = 0; i < x->t->rank; i++)
		dim[i] = i == at ? width : 1;
	w = keras_weight(im, n, 0, "gamma", 1, &width);
	call_begin(&c, im, "parameter");
	call_ints(&c, "shape", x->t->rank, dim);
	call_init(&c, "init", keras_real(n, "init_values", 1e-6));
	call_view(&c, w, NULL);
	c.path = w->name;
	if (!(gamma = call_value(&c)))
		return false;
	keras_pair(&c, im, "mul", x, gamma);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_layer_scale = { .name = "LayerScale", .translate = layer_scale };
