/* Functions of elements: activations by name, and the layers that are one. */
#include "import/keras.h"

#include <math.h>
#include <string.h>

struct val *
keras_with_number(struct importer *im, struct val *x, const char *ours, const char *name, double v)
{
	struct call c;

	call_begin(&c, im, ours);
	call_in(&c, x);
	if (name)
		call_real(&c, name, v);
	return keras_value(&c, x);
}

struct val *
keras_scaled(struct importer *im, struct val *x, double factor, double offset)
{
	struct call c;

	if (factor == 1 && offset == 0)
		return x;
	call_begin(&c, im, "scale");
	call_in(&c, x);
	call_real(&c, "factor", factor);
	if (offset != 0)
		call_real(&c, "offset", offset);
	return keras_value(&c, x);
}

static struct val *
clamped(struct importer *im, struct val *x, double least, double most)
{
	struct call c;

	call_begin(&c, im, "clamp");
	call_in(&c, x);
	call_real(&c, "least", least);
	call_real(&c, "most", most);
	return keras_value(&c, x);
}

/* Along the last axis of the source. */
static struct val *
softmax(struct importer *im, struct val *x)
{
	struct call c;

	if (x->flat) {
		cannot(im, "a softmax of a map that is laid flat is not imported yet");
		return NULL;
	}
	call_begin(&c, im, "softmax");
	call_in(&c, x);
	if (!x->channels_first && x->t->rank > 1)
		call_int(&c, "axis", -1);
	return keras_value(&c, x);
}

/* hard_sigmoid has changed its slope: a fifth until Keras 2, a sixth since. */
static struct val *
hard_sigmoid(struct importer *im, struct val *x)
{
	if (!keras_older_than_3(im))
		return keras_with_number(im, x, "hardsigmoid", NULL, 0);
	x = keras_scaled(im, x, 0.2, 0.5);
	return x ? clamped(im, x, 0, 1) : NULL;
}

struct val *
keras_activated(struct importer *im, const struct model_node *n, struct val *x, const char *function)
{
	static const struct { const char *theirs, *ours; } same[] = {
		{ "relu", "relu" }, { "relu6", "relu6" }, { "sigmoid", "sigmoid" }, { "tanh", "tanh" }, { "elu", "elu" },
		{ "selu", "selu" }, { "softplus", "softplus" }, { "softsign", "softsign" }, { "swish", "silu" },
		{ "silu", "silu" }, { "mish", "mish" }, { "exponential", "exp" }, { "hard_silu", "hardswish" },
		{ "hard_swish", "hardswish" }, { "celu", "celu" },
	};
	size_t i;

	if (strcmp(function, "linear") == 0)
		return x;
	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (strcmp(function, same[i].theirs) == 0)
			return keras_with_number(im, x, same[i].ours, NULL, 0);
	if (strcmp(function, "gelu") == 0)
		return keras_with_number(im, x, "gelu", NULL, 0);
	if (strcmp(function, "leaky_relu") == 0)
		return keras_with_number(im, x, "leaky_relu", "slope", keras_real(n, "negative_slope", 0.2));
	if (strcmp(function, "hard_sigmoid") == 0)
		return hard_sigmoid(im, x);
	if (strcmp(function, "softmax") == 0)
		return softmax(im, x);
	cannot(im, "the activation '%s' is not ours, or the model's own", function);
	return NULL;
}

static bool
activation(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	const struct model_attr *a = model_attr(n, "activation");

	if (!x)
		return false;
	if (!a || a->type != A_TEXT)
		return cannot(im, "its function is none that Keras names");
	return keras_alias(im, n, keras_activated(im, n, x, a->s));
}

const struct keras_op keras_op_activation = { .name = "Activation", .translate = activation, .mask = MASK_GOES_ON };

static bool
softmax_layer(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	int64_t axis = keras_axis_said(n, -1);

	if (!x)
		return false;
	if (axis != -1 && axis != x->t->rank)
		return cannot(im, "a softmax along another axis than the last one is not imported yet");
	return keras_alias(im, n, softmax(im, x));
}

const struct keras_op keras_op_softmax = { .name = "Softmax", .translate = softmax_layer, .mask = MASK_IS_UNKNOWN };

/* min(x, max_value) above the threshold, a slope below. */
static bool
relu(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	double most = keras_real(n, "max_value", INFINITY), slope = keras_real(n, "negative_slope", 0);

	if (!x)
		return false;
	if (keras_real(n, "threshold", 0) != 0 || (slope != 0 && !isinf(most)))
		return cannot(im, "a relu with a threshold, or with both a slope and a maximum, is not ours; the closest is "
		    "maximum and minimum");
	if (slope != 0)
		return keras_alias(im, n, keras_with_number(im, x, "leaky_relu", "slope", slope));
	if (isinf(most))
		return keras_alias(im, n, keras_with_number(im, x, "relu", NULL, 0));
	return keras_alias(im, n, most == 6 ? keras_with_number(im, x, "relu6", NULL, 0) : clamped(im, x, 0, most));
}

static bool
leaky_relu(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);

	return x && keras_alias(im, n, keras_with_number(im, x, "leaky_relu", "slope", keras_real(n, keras_has(n, "alpha") ?
	    "alpha" : "negative_slope", 0.3)));
}

static bool
elu(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	double alpha = keras_real(n, "alpha", 1);

	return x && keras_alias(im, n, keras_with_number(im, x, "elu", alpha == 1 ? NULL : "alpha", alpha));
}

const struct keras_op keras_op_relu = { .name = "ReLU", .translate = relu, .mask = MASK_GOES_ON };
const struct keras_op keras_op_leaky_relu = { .name = "LeakyReLU", .translate = leaky_relu, .mask = MASK_GOES_ON };
const struct keras_op keras_op_elu = { .name = "ELU", .translate = elu, .mask = MASK_GOES_ON };

/* Is an axis of the source, the batch's being 0, among those along which all have one slope? */
static bool
is_shared(const struct model_attr *a, int axis)
{
	int i;

	for (i = 0; a && a->type == A_INTS && i < a->n; i++)
		if (a->v[i] == axis)
			return true;
	return a && a->type == A_INT && a->i == axis;
}

/* The slopes, which the source has as x is there; ours, as it is here. */
static struct val *
slopes(struct importer *im, const struct model_node *n, const struct val *x)
{
	struct view *view = ARENA_NEW(im->arena, struct view);
	int rank = x->t->rank, axis, ours;
	int64_t dim[MODEL_RANK], stride = 1;
	const struct numbers *w;
	struct call c;

	view->rank = rank;
	for (axis = rank; axis > 0; axis--) {
		ours = !x->channels_first ? axis - 1 : axis == rank ? 0 : axis;
		dim[axis - 1] = is_shared(model_attr(n, "shared_axes"), axis) ? 1 : x->t->dim[ours];
		view->dim[ours] = dim[axis - 1];
		view->stride[ours] = stride;
		stride *= dim[axis - 1];
	}
	w = keras_weight(im, n, 0, "alpha", rank, dim);
	call_begin(&c, im, "parameter");
	call_ints(&c, "shape", rank, view->dim);
	call_init(&c, "init", 0);
	call_view(&c, w, view);
	c.path = w->name;
	return call_value(&c);
}

/* A slope for negative numbers that is trained: relu(x) and slope times the smaller of 0 and x. */
static bool
prelu(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0), *above, *below, *slope;
	struct call c;

	if (!x)
		return false;
	if (x->flat || x->t->rank < 1)
		return cannot(im, "the slopes of a map that is laid flat are not imported yet; put PReLU before Flatten");
	above = keras_with_number(im, x, "relu", NULL, 0);
	below = above ? keras_with_number(im, x, "minimum", "other", 0) : NULL;
	slope = below ? slopes(im, n, x) : NULL;
	if (!slope)
		return false;
	keras_pair(&c, im, "mul", below, slope);
	if (!(below = call_value(&c)))
		return false;
	keras_pair(&c, im, "add", above, below);
	return keras_end(&c, n, x);
}

const struct keras_op keras_op_prelu = { .name = "PReLU", .translate = prelu, .mask = MASK_GOES_ON };

/* keras.ops and TensorFlow's functions of one tensor */
KERAS_OP_ROW(tf_abs, "tf.math.abs", "abs");
KERAS_OP_ROW(tf_exp, "tf.math.exp", "exp");
KERAS_OP_ROW(tf_log, "tf.math.log", "log");
KERAS_OP_ROW(tf_relu, "tf.nn.relu", "relu");
KERAS_OP_ROW(tf_relu6, "tf.nn.relu6", "relu6");
KERAS_OP_ROW(tf_sigmoid, "tf.math.sigmoid", "sigmoid");
KERAS_OP_ROW(tf_sqrt, "tf.math.sqrt", "sqrt");
KERAS_OP_ROW(tf_tanh, "tf.math.tanh", "tanh");
KERAS_OP_ROW(ops_abs, "Absolute", "abs");
KERAS_OP_ROW(ops_exp, "Exp", "exp");
KERAS_OP_ROW(ops_log, "Log", "log");
KERAS_OP_ROW(ops_relu, "Relu", "relu");
KERAS_OP_ROW(ops_relu6, "Relu6", "relu6");
KERAS_OP_ROW(ops_sigmoid, "Sigmoid", "sigmoid");
KERAS_OP_ROW(ops_silu, "Silu", "silu");
KERAS_OP_ROW(ops_sqrt, "Sqrt", "sqrt");
KERAS_OP_ROW(ops_tanh, "Tanh", "tanh");
