/* Normalisation and softmax. */
#include "import/importer.h"

#include <math.h>
#include <string.h>

static bool
give_weights(struct importer *im, struct call *c, const struct model_node *n, int first, int count)
{
	int i;

	for (i = first; i < first + count; i++) {
		struct val *v = node_in(im, n, i);

		if (!v || !v->data)
			return cannot(im, "its weights are computed: only trained ones are ours");
		call_weight(c, v->data, false);
	}
	return true;
}

/* The axis in front of the others, or back to where it was. */
static struct val *
to_front(struct importer *im, struct val *x, int axis, bool back)
{
	int64_t axes[MODEL_RANK];
	int i;
	struct call c;

	for (i = 0; i < x->t->rank; i++)
		axes[i] = back ? i < axis ? i + 1 : i == axis ? 0 : i : i == 0 ? axis : i <= axis ? i - 1 : i;
	call_begin(&c, im, "permute");
	call_like(&c, x);
	call_ints(&c, "axes", x->t->rank, axes);
	return call_value(&c);
}

static bool
batchnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	double eps = attr_real(n, "epsilon", 1e-5), momentum = 1 - attr_real(n, "momentum", 0.9);
	int axis = 0;
	struct call c;

	if (x && !val_is_plain(x) && !val_axis(im, x, 1, &axis))
		return false;
	if (x && axis > 0)	/* its rows are more than one of a sample: [batch * N, C] */
		x = to_front(im, x, axis, false);
	if (!x)
		return false;
	call_begin(&c, im, "batchnorm");
	call_like(&c, x);
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	if (fabs(momentum - 0.1) > 1e-6)	/* ours is the share of what is new */
		call_real(&c, "momentum", momentum);
	if (n->frozen)
		call_int(&c, "frozen", 1);
	if (!give_weights(im, &c, n, 1, 4))
		return false;
	if (axis == 0)
		return call_end(&c, n->out[0]);
	if (!(x = call_value(&c)))
		return false;
	return (x = to_front(im, x, axis, true)) && (val_view(im, n->out[0], x, x->source), true);
}

const struct onnx_op onnx_op_batchnorm = { .name = "BatchNormalization", .translate = batchnorm };

/* Does X have one row alone, so that nothing but its last axis matters? */
static bool
is_row(const struct val *x, int axis)
{
	int i;

	for (i = 0; i < axis; i++)
		if (x->t->dim[i] != 1)
			return false;
	return axis > 0 && axis == x->t->rank - 1 && val_is_plain(x);
}

static bool
normalised(struct importer *im, const struct model_node *n, struct val *x, int axes, const char *out)
{
	double eps = attr_real(n, "epsilon", 1e-5);
	bool bias = node_in(im, n, 2) != NULL;
	struct call c;

	call_begin(&c, im, "layernorm");
	call_like(&c, x);
	if (axes != 1)
		call_int(&c, "axes", axes);
	if (!bias)
		call_int(&c, "bias", false);
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	return give_weights(im, &c, n, 1, 1 + bias) && call_end(&c, out);
}

/* A row, as of what pooling leaves, is one without the axes in front of it, which a flatten behind
 * it then need not drop. */
static bool
layernorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct model_node part = *n;
	const char *name;
	int axis;

	if (!x || !val_axis(im, x, attr_int(n, "axis", -1), &axis))
		return false;
	if ((n->nout > 1 && read_by_node(im, n->out[1])) || (n->nout > 2 && read_by_node(im, n->out[2])))
		return cannot(im, "its mean is read too");
	if (axis < x->source.at)
		return cannot(im, "it normalises across the batch");
	if (!is_row(x, axis))
		return normalised(im, n, x, x->t->rank - axis, n->out[0]);
	part.out = &name;
	name = arena_join(im->arena, n->out[0], ".", "row");
	if (!reshape_to(im, &part, x, (struct layout){ 0 }, 1, &x->t->dim[axis]) || !normalised(im, n, val_of(im, name), 1, name))
		return false;
	return reshape_to(im, n, val_of(im, name), x->source, x->t->rank, x->t->dim);
}

const struct onnx_op onnx_op_layernorm = { .name = "LayerNormalization", .translate = layernorm };

/* Weights that change nothing, which PyTorch writes where its layer has none; those of a layer have
 * its name, and what begins with a slash is a node's. */
static bool
changes_nothing(struct importer *im, const struct model_node *n)
{
	const struct val *scale = node_in(im, n, 1), *bias = node_in(im, n, 2);
	double one, zero;

	return scale && bias && numbers_are_one(scale->data, &one) && one == 1 && numbers_are_one(bias->data, &zero) && zero == 0 &&
	    (!numbers_is_weight(scale->data) || *scale->data->name == '/') && strncmp(im->model->producer, "pytorch", 7) == 0;
}

static bool
instancenorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	double eps = attr_real(n, "epsilon", 1e-5);
	bool affine = !changes_nothing(im, n);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "instancenorm");
	call_in(&c, x);
	if (affine)
		call_int(&c, "affine", true);
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	return (!affine || give_weights(im, &c, n, 1, 2)) && call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_instancenorm = { .name = "InstanceNormalization", .translate = instancenorm };

static bool
groupnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *w = node_in(im, n, 1);
	double eps = attr_real(n, "epsilon", 1e-5);
	struct call c;

	if (!x)
		return false;
	if (w && w->data && x->t->rank > 0 && w->data->count != x->t->dim[0])
		return cannot(im, "it has one weight for each group, as before opset 21; ours has one for each channel");
	call_begin(&c, im, "groupnorm");
	call_in(&c, x);
	call_int(&c, "groups", attr_int(n, "num_groups", 1));
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	return give_weights(im, &c, n, 1, 2) && call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_groupnorm = { .name = "GroupNormalization", .translate = groupnorm };

/* log_softmax is what it is made of, which no exponential makes 0: d - log(sum of e^d), d below the
 * largest. */
static bool
softmax_along(struct importer *im, const struct model_node *n, struct val *x, int axis, const char *out)
{
	struct val *d, *y;
	struct call c;

	if (strcmp(n->op, "Softmax") == 0) {
		call_begin(&c, im, "softmax");
		call_like(&c, x);
		if (axis != 0)
			call_int(&c, "axis", axis == x->t->rank - 1 ? -1 : axis);
		return call_end(&c, out);
	}
	d = call_two(im, "sub", x, reduced_along(im, "max", x, axis));
	y = d ? reduced_along(im, "sum", call_one(im, "exp", d, NULL, 0), axis) : NULL;
	y = call_two(im, "sub", d, call_one(im, "log", y, NULL, 0));
	if (!y)
		return false;
	y->logits = x;
	y->along = axis;
	val_alias(im, out, y);
	return true;
}

/* Before opset 13 the axes from this one on are one. */
static bool
softmax_from(struct importer *im, const struct model_node *n, struct val *x, int axis)
{
	int64_t dim[MODEL_RANK], behind = 1;
	const char *rows = arena_join(im->arena, n->out[0], ".", "rows");
	struct model_node part = *n;
	int i;

	if (axis < x->source.at)
		return cannot(im, "before opset 13 a softmax takes all axes behind one as one, and the batch is among them");
	for (i = axis + 1; i < x->t->rank; i++)
		behind *= x->t->dim[i];
	if (behind == 1)
		return softmax_along(im, n, x, axis, n->out[0]);
	part.out = &rows;
	memcpy(dim, x->t->dim, sizeof(*dim) * (size_t)axis);
	dim[axis] = x->t->dim[axis] * behind;
	return reshape_to(im, &part, x, x->source, axis + 1, dim) && softmax_along(im, n, val_of(im, rows), axis, rows) &&
	    reshape_to(im, n, val_of(im, rows), x->source, x->t->rank, x->t->dim);
}

static bool
softmax(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	bool old = im->model->opset < 13;
	int axis;

	if (!x || !val_axis(im, x, attr_int(n, "axis", old ? 1 : -1), &axis))
		return false;
	return old ? softmax_from(im, n, x, axis) : softmax_along(im, n, x, axis, n->out[0]);
}

const struct onnx_op onnx_op_softmax = { .name = "Softmax", .translate = softmax };
const struct onnx_op onnx_op_log_softmax = { .name = "LogSoftmax", .translate = softmax };

static bool
rmsnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	double eps = attr_real(n, "epsilon", 1e-5);
	struct call c;
	int axis;

	if (!x || !val_axis(im, x, attr_int(n, "axis", -1), &axis))
		return false;
	if (axis < x->source.at)
		return cannot(im, "it normalises across the batch");
	call_begin(&c, im, "rmsnorm");
	call_like(&c, x);
	if (axis != x->t->rank - 1)
		call_int(&c, "axes", x->t->rank - axis);
	if (fabs(eps - 1e-6) > 1e-10)
		call_real(&c, "eps", eps);
	return give_weights(im, &c, n, 1, 1) && call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_rmsnorm = { .name = "RMSNormalization", .translate = rmsnorm };

static bool
lengths(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;
	int64_t p = attr_int(n, "p", 2);
	int axis;

	if (!x || !val_axis(im, x, attr_int(n, "axis", -1), &axis))
		return false;
	if (p != 1 && p != 2)
		return cannot(im, "it is by a length of another power than 1 and 2");
	if (p == 1)
		return node_makes(im, n, call_two(im, "div", x, reduced_along(im, "sum", call_one(im, "abs", x, NULL, 0), axis)));
	call_begin(&c, im, "l2norm");
	call_like(&c, x);
	if (axis != 0)
		call_int(&c, "axis", axis == x->t->rank - 1 ? -1 : axis);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_lengths = { .name = "LpNormalization", .translate = lengths };

/* The mean of SIZE rows of a picture, zeros beyond the first and the last. NULL after cannot(). */
static struct val *
mean_of_rows(struct importer *im, struct val *x, int64_t size)
{
	int64_t window[2] = { size, 1 }, frame[4] = { (size - 1) / 2, size / 2 }, one = 1;
	struct call c;

	if (!x)
		return NULL;
	call_begin(&c, im, "avgpool");
	call_like(&c, x);
	call_ints(&c, "kernel", 2, window);
	call_ints(&c, "stride", 1, &one);
	call_frame(&c, "pad", 2, frame);
	return call_value(&c);
}

/* x / (bias + alpha * m)^beta, where m is the mean square of a channel and those beside it: each is
 * a row. */
static bool
local_response(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1), *m;
	int64_t size = attr_int(n, "size", 0), plane[3] = { 1 };
	struct call c;

	if (!x)
		return false;
	if (size < 1 || size > LARGEST_EXTENT || x->t->rank < 1)
		return cannot(im, "it has no size, or its input no channels");
	plane[1] = x->t->dim[0];
	plane[2] = tensor_elements_per_sample(x->t) / plane[1];
	m = mean_of_rows(im, reshape_value(im, call_one(im, "pow", x, "exponent", 2), 3, plane), size);
	if (!(m = reshape_value(im, m, x->t->rank, x->t->dim)))
		return false;
	call_begin(&c, im, "scale");
	call_like(&c, m);
	call_real(&c, "factor", attr_real(n, "alpha", 1e-4));
	call_real(&c, "offset", attr_real(n, "bias", 1));
	m = call_one(im, "pow", call_value(&c), "exponent", -attr_real(n, "beta", 0.75));
	return node_makes(im, n, call_two(im, "mul", x, m));
}

const struct onnx_op onnx_op_local_response = { .name = "LRN", .translate = local_response };
