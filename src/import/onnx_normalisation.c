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

static bool
batchnorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	double eps = attr_real(n, "epsilon", 1e-5), momentum = 1 - attr_real(n, "momentum", 0.9);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "batchnorm");
	call_in(&c, x);
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	if (fabs(momentum - 0.1) > 1e-6)	/* ours is the share of what is new */
		call_real(&c, "momentum", momentum);
	return give_weights(im, &c, n, 1, 4) && call_end(&c, n->out[0]);
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

/* A row, as of what pooling leaves, is one without the axes in front of it, which a flatten behind it then need not drop. */
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

static bool
instancenorm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	double eps = attr_real(n, "epsilon", 1e-5);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "instancenorm");
	call_in(&c, x);
	call_int(&c, "affine", true);
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	return give_weights(im, &c, n, 1, 2) && call_end(&c, n->out[0]);
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

static bool
softmax(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	int64_t axis = attr_int(n, "axis", im->model->opset < 13 ? 1 : -1);
	struct call c;
	int ours;

	if (!x || !val_axis(im, x, axis, &ours))
		return false;
	/* before opset 13 the axes from this one on are one */
	if (im->model->opset < 13 && ours != x->t->rank - 1)
		return cannot(im, "before opset 13 a softmax takes several axes as one; ours takes one");
	call_begin(&c, im, "softmax");
	call_like(&c, x);
	if (ours != 0)
		call_int(&c, "axis", ours == x->t->rank - 1 ? -1 : ours);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_softmax = { .name = "Softmax", .translate = softmax };
