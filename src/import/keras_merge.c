/*
 * Layers of several operands, and functions of TensorFlow and keras.ops that are written as
 * operators. An operand may be a number: one of the list of operands ("#1"), or by its name ("y").
 */
#include "import/keras.h"

#include <string.h>

struct operand {
	struct val *v;		/* NULL: a number */
	double number;
};

/* Operand K; false after cannot(). */
static bool
operand(struct importer *im, const struct model_node *n, int k, struct operand *to)
{
	const char *name = k < n->nin ? arena_printf(im->arena, "#%d", k) : k == 0 ? "x" : "y";

	*to = (struct operand){ NULL, 0 };
	if (k < n->nin && *n->in[k])
		return (to->v = keras_in(im, n, k)) != NULL;
	if (!keras_has(n, name))
		return cannot(im, "one of its operands is neither a layer's output nor a number");
	to->number = keras_real(n, name, 0);
	return true;
}

/* The same axes in the same order, as elements that meet must have them. */
static bool
aligned(struct importer *im, struct val **a, struct val **b)
{
	if ((*a)->flat || (*b)->flat)
		return cannot(im, "a map that is laid flat meets another value");
	if ((*a)->t->rank != (*b)->t->rank)
		return cannot(im, "its operands have unlike numbers of axes");
	if ((*a)->channels_first == (*b)->channels_first)
		return true;
	*a = val_as_map(im, *a);
	*b = val_as_map(im, *b);
	return *a && *b;
}

static struct val *
of_two(struct importer *im, const char *ours, struct val *a, struct val *b)
{
	struct call c;
	struct val *y;

	if (!aligned(im, &a, &b))
		return NULL;
	call_begin(&c, im, ours);
	call_in(&c, a);
	call_in(&c, b);
	if ((y = call_value(&c)))
		y->channels_first = a->channels_first;
	return y;
}

static struct val *
with_number(struct importer *im, const char *ours, struct val *x, double r, bool turned)
{
	switch (*ours) {
	case 'a':
		return keras_scaled(im, x, 1, r);
	case 's':
		return turned ? keras_scaled(im, x, -1, r) : keras_scaled(im, x, 1, -r);
	case 'm':
		return ours[1] == 'u' ? keras_scaled(im, x, r, 0) : keras_with_number(im, x, ours, "other", r);
	case 'd':
		if (r == 0) {
			cannot(im, "it divides by 0, or 0 by it");
			return NULL;
		}
		return turned ? keras_with_number(im, x, "reciprocal", "of", r) : keras_scaled(im, x, 1 / r, 0);
	default:
		if (!turned)
			return keras_with_number(im, x, "pow", "exponent", r);
		cannot(im, "it raises a number to a tensor; the closest is raise");
		return NULL;
	}
}

static bool
operation(struct importer *im, const struct model_node *n, const char *ours)
{
	struct operand a, b;

	if (!operand(im, n, 0, &a) || !operand(im, n, 1, &b))
		return false;
	if (!a.v && !b.v)
		return cannot(im, "it computes with numbers alone");
	if (a.v && b.v)
		return keras_alias(im, n, of_two(im, ours, a.v, b.v));
	return keras_alias(im, n, a.v ? with_number(im, ours, a.v, b.number, false) :
	    with_number(im, ours, b.v, a.number, true));
}

/* Of any number of operands, one after the other. */
static struct val *
folded(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_in(im, n, 0), *y;
	int k;

	for (k = 1; x && k < n->nin; k++) {
		y = keras_in(im, n, k);
		x = y ? of_two(im, ours, x, y) : NULL;
	}
	return x;
}

/* ---- what hidden steps are to layers of Keras 3 ---- */

/* X where it is seen, and the other elsewhere. */
static struct val *
where_seen(struct importer *im, struct val *seen, struct val *x, struct val *other)
{
	struct val *hidden = keras_scaled(im, seen, -1, 1);

	x = hidden ? call_two(im, "mul", x, seen) : NULL;
	other = x ? call_two(im, "mul", other, hidden) : NULL;
	return other ? call_two(im, "add", x, other) : NULL;
}

/* Hidden rows are ones in a product, and zeros of it where no operand has a row. */
static struct val *
next_factor(struct importer *im, struct val *so_far, struct val *x, struct val *seen)
{
	struct val *hidden;

	if (seen) {
		hidden = keras_scaled(im, seen, -1, 1);
		x = hidden ? call_two(im, "mul", x, seen) : NULL;
		x = x ? call_two(im, "add", x, hidden) : NULL;
	}
	return x && so_far ? call_two(im, "mul", so_far, x) : x;
}

/* The largest or smallest is the other operand's where one is hidden; SEEN is that of what there is
 * SO_FAR. */
static struct val *
next_choice(struct importer *im, const char *ours, struct val *so_far, struct val *so_far_seen, struct val *x, struct val *seen)
{
	if (!so_far)
		return x;
	if (seen && !(x = where_seen(im, seen, x, so_far)))
		return NULL;
	if (so_far_seen && !(so_far = where_seen(im, so_far_seen, so_far, x)))
		return NULL;
	return call_two(im, ours, so_far, x);
}

/* Multiply, Maximum and Minimum of rows, as Keras has them since 3.6 (layers/merging). */
static struct val *
masked(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *y = NULL, *x, *seen, *all = NULL;
	bool product = strcmp(ours, "mul") == 0;
	int k;

	for (k = 0; k < n->nin; k++) {
		if (!(x = keras_plain(im, n, k)) || !keras_mask_of_values(im, n, k, &seen))
			return NULL;
		if (x->flat || x->t->rank != 2) {
			cannot(im, "an operand is masked, and not all are [steps, features]");
			return NULL;
		}
		y = product ? next_factor(im, y, x, seen) : next_choice(im, ours, y, all, x, seen);
		if (!y)
			return NULL;
		if (k == 0 || (all && !seen))
			all = seen;
		else if (all && all != seen && !(all = call_two(im, "maximum", all, seen)))
			return NULL;
	}
	return product && all ? call_two(im, "mul", y, all) : y;
}

static bool
has_masks_in_values(struct importer *im, const struct model_node *n, const char *ours)
{
	return !n->function && keras_is_masked(im, n) && !keras_older_than(im, 3, 6) &&
	    (strcmp(ours, "mul") == 0 || strcmp(ours, "maximum") == 0 || strcmp(ours, "minimum") == 0);
}

static bool
merged(struct importer *im, const struct model_node *n, const char *ours)
{
	if (n->nin < 2 || !*n->in[0] || !*n->in[1])
		return operation(im, n, ours);
	if (has_masks_in_values(im, n, ours))
		return keras_alias(im, n, masked(im, n, ours));
	return keras_alias(im, n, folded(im, n, ours));
}

#define MERGE(id, our)									\
	static bool									\
	id(struct importer *im, const struct model_node *n)				\
	{										\
		return merged(im, n, our);						\
	}

MERGE(add, "add")
MERGE(subtract, "sub")
MERGE(multiply, "mul")
MERGE(divide, "div")
MERGE(power, "pow")
MERGE(maximum, "maximum")
MERGE(minimum, "minimum")

const struct keras_op keras_op_add = { .name = "Add", .translate = add, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };
const struct keras_op keras_op_subtract = { .name = "Subtract", .translate = subtract, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };
const struct keras_op keras_op_multiply = { .name = "Multiply", .translate = multiply, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };
const struct keras_op keras_op_maximum = { .name = "Maximum", .translate = maximum, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };
const struct keras_op keras_op_minimum = { .name = "Minimum", .translate = minimum, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };
const struct keras_op keras_op_divide = { .name = "Divide", .translate = divide, .most = ANY_OPERANDS };
const struct keras_op keras_op_true_divide = { .name = "TrueDivide", .translate = divide, .most = ANY_OPERANDS };
const struct keras_op keras_op_power = { .name = "Power", .translate = power, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_add = { .name = "tf.__operators__.add", .translate = add, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_math_add = { .name = "tf.math.add", .translate = add, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_subtract = { .name = "tf.math.subtract", .translate = subtract, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_multiply = { .name = "tf.math.multiply", .translate = multiply, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_divide = { .name = "tf.math.truediv", .translate = divide, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_math_divide = { .name = "tf.math.divide", .translate = divide, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_power = { .name = "tf.math.pow", .translate = power, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_maximum = { .name = "tf.math.maximum", .translate = maximum, .most = ANY_OPERANDS };
const struct keras_op keras_op_tf_minimum = { .name = "tf.math.minimum", .translate = minimum, .most = ANY_OPERANDS };

static bool
average(struct importer *im, const struct model_node *n)
{
	struct val *x = folded(im, n, "add");

	return x && keras_alias(im, n, keras_scaled(im, x, 1.0 / n->nin, 0));
}

const struct keras_op keras_op_average = { .name = "Average", .translate = average, .most = ANY_OPERANDS, .mask = MASK_IS_JOINED };

static bool
joined(struct importer *im, const struct model_node *n, int64_t axis)
{
	struct val *x, *v;
	struct call c;
	int k, ours;
	bool map = false;

	for (k = 0; k < n->nin; k++) {	/* one map makes maps of all */
		if (!(x = keras_in(im, n, k)))
			return false;
		if (x->flat)
			return cannot(im, "a map that is laid flat is joined to others");
		map |= x->channels_first;
	}
	if (n->nin == 0 || !(x = map ? keras_map(im, n, 0) : keras_in(im, n, 0)) || !keras_axis(im, x, axis, &ours))
		return false;
	if (n->nin == 1)
		return keras_alias(im, n, x);
	call_begin(&c, im, "concat");
	for (k = 0; k < n->nin; k++) {
		v = map ? keras_map(im, n, k) : keras_in(im, n, k);
		if (!v)
			return false;
		call_in(&c, v);
	}
	if (ours != 0)
		call_int(&c, "axis", ours == x->t->rank - 1 ? -1 : ours);
	return keras_end(&c, n, x) && keras_mask_concat(im, n, axis < 0 ? (int)axis + x->t->rank : (int)axis - 1, x->t->rank);
}

static bool
concatenate(struct importer *im, const struct model_node *n)
{
	return joined(im, n, attr_int(n, "axis", -1));
}

const struct keras_op keras_op_concatenate = { .name = "Concatenate", .translate = concatenate, .most = ANY_OPERANDS, .mask = MASK_IS_SAID };
const struct keras_op keras_op_tf_concat = { .name = "tf.concat", .translate = concatenate, .most = ANY_OPERANDS };

/* Keras 1 has one layer for all of them. */
static bool
merge(struct importer *im, const struct model_node *n)
{
	const char *mode = attr_text(n, "mode", "sum");

	if (strcmp(mode, "concat") == 0)
		return joined(im, n, attr_int(n, "concat_axis", -1));
	if (strcmp(mode, "ave") == 0)
		return average(im, n);
	if (strcmp(mode, "sum") == 0 || strcmp(mode, "mul") == 0 || strcmp(mode, "max") == 0)
		return merged(im, n, *mode == 's' ? "add" : mode[1] == 'u' ? "mul" : "maximum");
	return cannot(im, "mode '%s' is not imported yet", mode);
}

const struct keras_op keras_op_merge = { .name = "Merge", .translate = merge, .most = ANY_OPERANDS, .mask = MASK_IS_UNKNOWN };
