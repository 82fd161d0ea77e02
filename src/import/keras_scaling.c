/* Layers that scale by numbers of the configuration, or by statistics that they keep. */
#include "import/keras.h"

#include <math.h>

/* One number of a list for each channel, or one for all; NULL: another number of them. */
static const double *
numbers_of(struct importer *im, const struct model_node *n, const char *name, double otherwise, int *count)
{
	const struct model_attr *a = model_attr(n, name);
	double *one;

	*count = 1;
	if (!a || a->type == A_REAL || a->type == A_INT) {
		one = ARENA_NEW(im->arena, double);
		*one = keras_real(n, name, otherwise);
		return one;
	}
	if (a->type != A_INTS && a->type != A_REALS)
		return NULL;
	*count = a->n;
	return a->real;
}

static bool
all_same(int n, const double *v)
{
	while (n > 1 && v[n - 1] == v[0])
		n--;
	return n == 1;
}

/* x OP numbers, each for its channel. */
static struct val *
by_channel(struct importer *im, const char *op, struct val *x, int n, const double *v)
{
	struct val *y = keras_constants(im, x, n, v);
	struct call c;

	if (!y)
		return NULL;
	call_begin(&c, im, op);
	call_in(&c, x);
	call_in(&c, y);
	return keras_value(&c, x);
}

#define LEAST_DEVIATION	1e-7	/* as Keras: what divides is no less */
#define MOST_CHANNELS	16	/* that are said one by one */

static bool
are_for_channels(struct importer *im, const struct val *x, int n, const double *v)
{
	int64_t channels = x->t->rank == 0 ? 0 : x->t->dim[x->channels_first ? 0 : x->t->rank - 1];

	if (!v || n < 1 || (n != 1 && n != channels) || n > MOST_CHANNELS)
		return cannot(im, "its numbers are neither one nor one for each of up to %d channels", MOST_CHANNELS);
	return true;
}

static bool
rescaling(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	int nscale, noffset;
	const double *scale = numbers_of(im, n, "scale", 1, &nscale), *offset = numbers_of(im, n, "offset", 0, &noffset);

	if (!x)
		return false;
	if (!are_for_channels(im, x, nscale, scale) || !are_for_channels(im, x, noffset, offset))
		return false;
	if (all_same(nscale, scale) && all_same(noffset, offset))
		return keras_alias(im, n, keras_scaled(im, x, scale[0], offset[0]));
	x = all_same(nscale, scale) ? keras_scaled(im, x, scale[0], 0) : by_channel(im, "mul", x, nscale, scale);
	if (x && !all_same(noffset, offset))
		x = by_channel(im, "add", x, noffset, offset);
	else if (x)
		x = keras_scaled(im, x, 1, offset[0]);
	return keras_alias(im, n, x);
}

const struct keras_op keras_op_rescaling = { .name = "Rescaling", .translate = rescaling, .mask = MASK_GOES_ON_SINCE_3 };

/* InceptionResNetV2's sum of two, of which the second is scaled. */
static bool
custom_scale(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0), *y = x ? keras_in(im, n, 1) : NULL;
	struct call c;

	if (!y)
		return false;
	if (x->channels_first != y->channels_first) {
		x = val_as_map(im, x);
		y = val_as_map(im, y);
	}
	if (!x || !y || !(y = keras_scaled(im, y, keras_real(n, "scale", 1), 0)))
		return false;
	keras_pair(&c, im, "add", x, y);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_custom_scale = { .name = "CustomScaleLayer", .translate = custom_scale, .most = 2 };

/* Normalization with statistics that the file says, or that it keeps as weights, which no training
 * changes. */
static struct val *
kept(struct importer *im, const struct model_node *n, const struct val *x, int k, const char *word, double init)
{
	int64_t channels = x->t->dim[x->channels_first ? 0 : x->t->rank - 1], dim[MAX_RANK];
	const struct numbers *w = keras_weight(im, n, k, word, 1, &channels);
	struct call c;
	int i;

	for (i = 0; i < x->t->rank; i++)
		dim[i] = i == (x->channels_first ? 0 : x->t->rank - 1) ? channels : 1;
	call_begin(&c, im, "parameter");
	call_ints(&c, "shape", x->t->rank, dim);
	call_init(&c, "init", init);
	call_frozen(&c, w, NULL);
	c.path = w->name;
	return call_value(&c);
}

static bool
normalization_kept(struct importer *im, const struct model_node *n, struct val *x)
{
	struct val *mean = kept(im, n, x, 0, "mean", 0), *variance = mean ? kept(im, n, x, 1, "variance", 1) : NULL, *d;
	struct call c;

	if (!variance || !(d = keras_with_number(im, variance, "sqrt", NULL, 0)) ||
	    !(d = keras_with_number(im, d, "maximum", "other", LEAST_DEVIATION)))
		return false;
	keras_pair(&c, im, "sub", x, mean);
	if (!(mean = call_value(&c)))
		return false;
	keras_pair(&c, im, "div", mean, d);
	vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the layer '%s' keeps how many samples it has seen, one "
	    "number that nothing computes with: it is left out", n->name));
	return keras_end(&c, n, x);
}

static bool
normalization(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	double deviation[MOST_CHANNELS];
	int nmean, nvariance, i;
	const double *mean = numbers_of(im, n, "mean", 0, &nmean), *variance = numbers_of(im, n, "variance", 1, &nvariance);
	int64_t axis = keras_axis_said(n, -1);

	if (!x)
		return false;
	if (attr_int(n, "invert", 0) || (axis != -1 && axis != x->t->rank))
		return cannot(im, "only statistics of the last axis, and not inverted, are ours");
	if (x->t->rank < 1)
		return cannot(im, "its input has no axis");
	if (!keras_has(n, "mean") || !keras_has(n, "variance"))
		return normalization_kept(im, n, x);
	if (!are_for_channels(im, x, nmean, mean) || !are_for_channels(im, x, nvariance, variance))
		return false;
	for (i = 0; i < nvariance; i++)
		deviation[i] = fmax(sqrt(variance[i]), LEAST_DEVIATION);
	if (all_same(nmean, mean) && all_same(nvariance, variance))
		return keras_alias(im, n, keras_scaled(im, x, 1 / deviation[0], -mean[0] / deviation[0]));
	x = by_channel(im, "sub", x, nmean, mean);
	return x && keras_alias(im, n, by_channel(im, "div", x, nvariance, deviation));
}

const struct keras_op keras_op_normalization = { .name = "Normalization", .translate = normalization, .mask = MASK_GOES_ON_SINCE_3 };
