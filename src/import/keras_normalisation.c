/*
 * Normalisation. Channels are the source's last axis. Where a batch normalisation has no scale or
 * no centre, ours has a weight of ones, or a bias of zeros, that no training changes.
 */
#include "import/keras.h"

#include <math.h>
#include <string.h>

static void
give_eps(struct call *c, const struct model_node *n)
{
	double eps = keras_real(n, "epsilon", 1e-3);

	if (fabs(eps - 1e-5) > 1e-9)
		call_real(c, "eps", eps);
}

/* The next of the layer's weights, or one that it does not have. */
static void
give(struct call *c, const struct model_node *n, bool has, int *k, const char *word, int64_t channels, double value)
{
	if (has)
		call_view(c, keras_weight(c->im, n, (*k)++, word, 1, &channels), NULL);
	else
		call_frozen(c, keras_filled(c->im, n, word, channels, value), NULL);
}

static bool
batchnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	double momentum = 1 - keras_real(n, "momentum", 0.99);
	int64_t axis = keras_axis_said(n, -1);
	int k = 0;
	struct call c;

	if (!x)
		return false;
	if (x->t->rank > 1 && axis == 1)
		x = val_as_source(im, x);
	else if (x->t->rank == 1 || axis == -1 || axis == x->t->rank)
		x = val_as_map(im, x);
	else
		return cannot(im, "it normalises neither the last axis nor the first");
	if (!x)
		return false;
	if (x->flat)
		return cannot(im, "it normalises a map that is laid flat");
	if (keras_has(n, "mode") && attr_int(n, "mode", 0) != 0)
		return cannot(im, "only mode 0 of Keras 1 is ours");
	if (keras_is_masked(im, n) && !keras_older_than_3(im))
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "layer '%s' (%s): in training Keras 3 takes the mean and "
		    "the variance of the steps that its mask shows, and batchnorm those of all", n->name, n->op));
	call_begin(&c, im, "batchnorm");
	call_in(&c, x);
	give_eps(&c, n);
	if (fabs(momentum - 0.1) > 1e-6)
		call_real(&c, "momentum", round(momentum * 1e9) / 1e9);
	give(&c, n, attr_int(n, "scale", 1), &k, "gamma", x->t->dim[0], 1);
	give(&c, n, attr_int(n, "center", 1), &k, "beta", x->t->dim[0], 0);
	give(&c, n, true, &k, "moving_mean", x->t->dim[0], 0);
	give(&c, n, true, &k, "moving_variance", x->t->dim[0], 1);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_batchnorm = { .name = "BatchNormalization", .translate = batchnorm, .mask = MASK_GOES_ON };

static bool
layernorm(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);
	const struct model_attr *a = model_attr(n, "axis");
	int64_t dim[MAX_RANK];
	int axes = a && a->type == A_INTS ? a->n : 1, i, k = 0;
	bool scale = attr_int(n, "scale", 1), center = attr_int(n, "center", 1);
	struct call c;

	if (!x)
		return false;
	if (attr_int(n, "rms_scaling", 0))
		return cannot(im, "it scales by the root mean square (rms_scaling); the closest is rmsnorm");
	if (axes < 1 || axes > x->t->rank)
		return cannot(im, "its axes are none of its input");
	for (i = 0; i < axes; i++) {
		int64_t axis = !a ? -1 : a->type == A_INTS ? a->v[i] : a->type == A_INT ? a->i : 0;

		if (axis != i - axes && axis != x->t->rank + 1 + i - axes)
			return cannot(im, "it normalises other axes than the last ones; the closest is layernorm of a permute");
		dim[i] = x->t->dim[x->t->rank - axes + i];
	}
	if (center && !scale)
		return cannot(im, "it has a bias and no weight; the closest is layernorm(affine=false) and a parameter");
	call_begin(&c, im, "layernorm");
	call_in(&c, x);
	if (axes != 1)
		call_int(&c, "axes", axes);
	if (!scale)
		call_int(&c, "affine", false);
	else if (!center)
		call_int(&c, "bias", false);
	give_eps(&c, n);
	if (scale)
		call_view(&c, keras_weight(im, n, k++, "gamma", axes, dim), NULL);
	if (center)
		call_view(&c, keras_weight(im, n, k, "beta", axes, dim), NULL);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_layernorm = { .name = "LayerNormalization", .translate = layernorm, .mask = MASK_GOES_ON };

static bool
groupnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_map(im, n, 0);
	int64_t axis = keras_axis_said(n, -1), groups = attr_int(n, "groups", 32);
	int k = 0;
	struct call c;

	if (!x)
		return false;
	if ((axis != -1 && axis != x->t->rank) || !attr_int(n, "scale", 1) || !attr_int(n, "center", 1))
		return cannot(im, "only groups of the last axis, with scale and center, are ours");
	call_begin(&c, im, "groupnorm");
	call_in(&c, x);
	call_int(&c, "groups", groups == -1 ? x->t->dim[0] : groups);
	give_eps(&c, n);
	give(&c, n, true, &k, "gamma", x->t->dim[0], 1);
	give(&c, n, true, &k, "beta", x->t->dim[0], 0);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_groupnorm = { .name = "GroupNormalization", .translate = groupnorm, .mask = MASK_GOES_ON };
