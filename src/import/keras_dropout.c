/* What acts in training alone. */
#include "import/keras.h"

#include <string.h>

/* Elements that share a draw: a tensor of ones for each sample, of which some become 0, is a
 * factor. */
static bool
shared_dropout(struct importer *im, const struct model_node *n, struct val *x, int64_t *dim, double rate)
{
	struct val *ones;
	struct call c;

	call_begin(&c, im, "constant");
	call_real(&c, "value", 1);
	call_ints(&c, "shape", x->t->rank, dim);
	if (!(ones = call_value(&c)))
		return false;
	call_begin(&c, im, "broadcast");
	call_in(&c, ones);
	call_ints(&c, "shape", x->t->rank, dim);
	call_int(&c, "samples", true);
	if (!(ones = call_value(&c)) || !(ones = keras_with_number(im, ones, "dropout", "rate", rate)))
		return false;
	keras_pair(&c, im, "mul", x, ones);
	return keras_end(&c, n, x);
}

static bool
dropout(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	const struct model_attr *shape = model_attr(n, "noise_shape");
	double rate = keras_real(n, keras_has(n, "p") ? "p" : keras_has(n, "drop_path_rate") ? "drop_path_rate" : "rate", 0.5);
	int64_t dim[MAX_RANK];
	int i, ours;

	if (!x)
		return false;
	if (rate == 0)
		return keras_alias(im, n, x);
	if (strcmp(n->op, "StochasticDepth") == 0) {
		for (i = 0; i < x->t->rank; i++)
			dim[i] = 1;
		return shared_dropout(im, n, x, dim, rate);
	}
	if (!shape)
		return keras_alias(im, n, keras_with_number(im, x, "dropout", "rate", rate));
	if (shape->type != A_INTS || shape->n != x->t->rank + 1 || (shape->v[0] != -1 && shape->v[0] != 1) ||
	    shape->v[0] == 1)
		return cannot(im, "its noise_shape is not one of a sample's axes");
	for (i = 1; i < shape->n; i++) {
		if (!keras_axis(im, x, i, &ours))
			return false;
		dim[ours] = shape->v[i] == -1 ? x->t->dim[ours] : shape->v[i];
		if (dim[ours] != 1 && dim[ours] != x->t->dim[ours])
			return cannot(im, "its noise_shape is not one of its input");
	}
	return shared_dropout(im, n, x, dim, rate);
}

/* Whole channels. */
static bool
spatial_dropout(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	double rate = keras_real(n, keras_has(n, "p") ? "p" : "rate", 0.5);
	int64_t dim[MAX_RANK];
	int i;

	if (!x || rate == 0)
		return x && keras_alias(im, n, x);
	if (keras_is_first(n))
		x = val_as_source(im, x);
	for (i = 0; x && i < x->t->rank; i++)
		dim[i] = i == (x->channels_first || keras_is_first(n) ? 0 : x->t->rank - 1) ? x->t->dim[i] : 1;
	return x && shared_dropout(im, n, x, dim, rate);
}

/* What does nothing, or what only training sees. */
static bool
nothing(struct importer *im, const struct model_node *n)
{
	return keras_alias(im, n, keras_in(im, n, 0));
}

const struct keras_op keras_op_dropout = { .name = "Dropout", .translate = dropout, .mask = MASK_GOES_ON };
const struct keras_op keras_op_stochastic_depth = { .name = "StochasticDepth", .translate = dropout };
const struct keras_op keras_op_spatial_dropout1d = { .name = "SpatialDropout1D", .translate = spatial_dropout, .mask = MASK_GOES_ON };
const struct keras_op keras_op_spatial_dropout2d = { .name = "SpatialDropout2D", .translate = spatial_dropout };
const struct keras_op keras_op_spatial_dropout3d = { .name = "SpatialDropout3D", .translate = spatial_dropout };
const struct keras_op keras_op_identity = { .name = "Identity", .translate = nothing, .mask = MASK_GOES_ON_SINCE_3 };
