/*
 * keras.ops and TensorFlow's functions of what is true and what is not, of which models of Keras 3
 * make masks as they are written down: 1 and 0 here. They work on tensors as the source has their
 * axes.
 */
#include "import/keras.h"

#include <string.h>

static bool
not_equal(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);

	if (!x)
		return false;
	if (n->nin > 1 && *n->in[1])
		return cannot(im, "it compares two tensors; a tensor with a number is ours from Keras");
	if (x->t->dtype == DT_I32 && !(x = call_one(im, "cast", x, NULL, 0)))
		return false;
	return keras_alias(im, n, call_one(im, "not_equal", x, "than", keras_real(n, keras_has(n, "#1") ? "#1" : "y", 0)));
}

/* In the extents of WITH where it has one place: ours repeats one operand of two by itself, along
 * axes or for all samples. */
static struct val *
stretched(struct importer *im, struct val *x, const struct val *with)
{
	int64_t dim[MAX_RANK];
	int i, n = 0;
	struct call c;

	for (i = 0; i < x->t->rank; i++) {
		dim[i] = x->t->dim[i] == 1 ? with->t->dim[i] : x->t->dim[i];
		n += dim[i] != x->t->dim[i];
	}
	if (n == 0 || !x->t->batched)
		return x;
	call_begin(&c, im, "broadcast");
	call_in(&c, x);
	call_ints(&c, "shape", x->t->rank, dim);
	return call_value(&c);
}

static bool
of_both(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_plain(im, n, 0), *y = x ? keras_plain(im, n, 1) : NULL;
	struct call c;

	if (!y)
		return false;
	if (x == y)
		return keras_alias(im, n, x);
	if (x->t->rank != y->t->rank)
		return cannot(im, "its operands have unlike numbers of axes");
	if (!(x = stretched(im, x, y)) || !(y = stretched(im, y, x)))
		return false;
	keras_pair(&c, im, ours, x, y);
	return keras_end(&c, n, NULL);
}

static bool
either(struct importer *im, const struct model_node *n)
{
	return of_both(im, n, "maximum");
}

static bool
both(struct importer *im, const struct model_node *n)
{
	return of_both(im, n, "mul");
}

/* Along the last axis. */
static bool
reduced(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_plain(im, n, 0), *y;
	int64_t axis = keras_axis_said(n, INT32_MIN);

	if (!x)
		return false;
	if (x->t->rank < 2 || (axis != -1 && axis != x->t->rank))
		return cannot(im, "along another axis than the last one it is not imported yet");
	if (!(y = reduced_along(im, ours, x, x->t->rank - 1)) || attr_int(n, "keepdims", 0))
		return keras_alias(im, n, y);
	return keras_alias(im, n, reshape_value(im, y, x->t->rank - 1, x->t->dim));
}

static bool
any(struct importer *im, const struct model_node *n)
{
	return reduced(im, n, "max");
}

static bool
all(struct importer *im, const struct model_node *n)
{
	return reduced(im, n, "min");
}

/* A new axis of extent 1, behind the batch. */
static bool
expanded(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);
	int64_t axis = attr_int(n, "axis", keras_has(n, "#1") ? (int64_t)keras_real(n, "#1", 0) : -1);
	int64_t dim[MAX_RANK + 1];
	int rank = x ? x->t->rank : 0;

	if (!x)
		return false;
	if (axis < 0)
		axis += rank + 2;
	if (axis < 1 || axis > rank + 1 || rank == MAX_RANK)
		return cannot(im, "an axis in front of the batch, or too many of them, cannot be added");
	memcpy(dim, x->t->dim, (size_t)axis * sizeof(*dim) - sizeof(*dim));
	dim[axis - 1] = 1;
	memcpy(dim + axis, x->t->dim + axis - 1, (size_t)(rank + 1 - axis) * sizeof(*dim));
	return keras_alias(im, n, reshape_value(im, x, rank + 1, dim));
}

static bool
filled(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = keras_plain(im, n, 0);
	struct call c;

	if (!x)
		return false;
	if (x->t->rank == 0)
		return cannot(im, "its operand is one number a sample");
	call_begin(&c, im, ours);
	call_ints(&c, "shape", x->t->rank, x->t->dim);
	return keras_end(&c, n, NULL);
}

static bool
zeros(struct importer *im, const struct model_node *n)
{
	return filled(im, n, "zeros");
}

static bool
ones(struct importer *im, const struct model_node *n)
{
	return filled(im, n, "ones");
}

const struct keras_op keras_op_not_equal = { .name = "NotEqual", .translate = not_equal, .most = 2 };
const struct keras_op keras_op_logical_or = { .name = "LogicalOr", .translate = either, .most = 2 };
const struct keras_op keras_op_logical_and = { .name = "LogicalAnd", .translate = both, .most = 2 };
const struct keras_op keras_op_any = { .name = "Any", .translate = any };
const struct keras_op keras_op_all = { .name = "All", .translate = all };
const struct keras_op keras_op_expand_dims = { .name = "ExpandDims", .translate = expanded };
const struct keras_op keras_op_zeros_like = { .name = "ZerosLike", .translate = zeros };
const struct keras_op keras_op_ones_like = { .name = "OnesLike", .translate = ones };
const struct keras_op keras_op_tf_not_equal = { .name = "tf.math.not_equal", .translate = not_equal, .most = 2 };
const struct keras_op keras_op_tf_or = { .name = "tf.math.logical_or", .translate = either, .most = 2 };
const struct keras_op keras_op_tf_and = { .name = "tf.math.logical_and", .translate = both, .most = 2 };
const struct keras_op keras_op_tf_expand_dims = { .name = "tf.expand_dims", .translate = expanded };
