/* Normalisation. */
#include "export/training.h"

#include <math.h>

#include "ops/shapes.h"

static void
batchnorm(struct exporter *x, const struct node *n)
{
	double momentum = op_real(n, "momentum");	/* the share of what is new; ONNX's is that of what was */
	struct model_attr attr[3] = { attr_is_real("epsilon", op_real(n, "eps")), { .name = NULL } };

	if (!n->in[0]->batched)
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
	if (fabs(momentum - 0.1) > 1e-6)
		attr[1] = attr_is_real("momentum", 1 - momentum);
	result(x, n->out[0], make(x, "BatchNormalization", IN(value_of(x, n->in[0]), value_of(x, n->in[1]),
	    value_of(x, n->in[2]), value_of(x, n->in[3]), value_of(x, n->in[4])), attr));
	x->body->nodes.v[x->body->nodes.n - 1]->frozen = op_bool(n, "frozen");
}

EXPORT_OP_ROW(batchnorm, .write = batchnorm, .train = batchnorm_train);

/* So many numbers, all alike. */
static const char *
alike(struct exporter *x, int rank, const int64_t *dim, double value)
{
	int64_t count = 1, i;
	double *v;

	for (i = 0; i < rank; i++)
		count *= dim[i];
	v = arena_array(x->arena, (size_t)count + 1, sizeof(*v));
	for (i = 0; i < count; i++)
		v[i] = value;
	return reals_constant(x, rank, dim, v);
}

static void
layernorm(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	int axes = (int)op_int(n, "axes");
	const int64_t *row = t->dim + t->rank - axes;

	result(x, n->out[0], make(x, "LayerNormalization", IN(value_of(x, t),
	    n->nin > 1 && n->in[1] ? value_of(x, n->in[1]) : alike(x, axes, row, 1),
	    n->nin > 2 && n->in[2] ? value_of(x, n->in[2]) : NULL),
	    AS(attr_is_int("axis", -axes), attr_is_real("epsilon", op_real(n, "eps")))));
}

EXPORT_OP_ROW(layernorm, .write = layernorm, .train = layernorm_train);

static void
rmsnorm(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	const char *v = value_of(x, t), *mean;
	int64_t axes[MAX_RANK];
	int count = (int)op_int(n, "axes"), i;

	for (i = 0; i < count; i++)
		axes[i] = i - count;
	mean = reduced(x, "ReduceMean", two(x, "Mul", v, v), count, axes, true);
	mean = one(x, "Sqrt", two(x, "Add", mean, real_constant(x, op_real(n, "eps"))));
	v = two(x, "Div", v, mean);
	if (n->nin > 1 && n->in[1])
		v = two(x, "Mul", v, value_of(x, n->in[1]));
	result(x, n->out[0], v);
}

EXPORT_OP_ROW(rmsnorm, .write = rmsnorm);

static void
groupnorm(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	bool affine = n->nin > 2 && n->in[1];

	if (!t->batched)
		export_cannot(x, "it does not depend on the batch, which ONNX wants here");
	result(x, n->out[0], make(x, "GroupNormalization", IN(value_of(x, t),
	    affine ? value_of(x, n->in[1]) : alike(x, 1, t->dim, 1), affine ? value_of(x, n->in[2]) : alike(x, 1, t->dim, 0)),
	    AS(attr_is_int("num_groups", op_int(n, "groups")), attr_is_real("epsilon", op_real(n, "eps")))));
}

EXPORT_OP_ROW(groupnorm, .write = groupnorm, .train = groupnorm_train);

static void
instancenorm(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	bool affine = n->nin > 2 && n->in[1];

	if (!t->batched || t->rank < 2)
		export_cannot(x, "it has no batch or no positions, which ONNX wants here");
	result(x, n->out[0], make(x, "InstanceNormalization", IN(value_of(x, t),
	    affine ? value_of(x, n->in[1]) : alike(x, 1, t->dim, 1), affine ? value_of(x, n->in[2]) : alike(x, 1, t->dim, 0)),
	    AS(attr_is_real("epsilon", op_real(n, "eps")))));
}

EXPORT_OP_ROW(instancenorm, .write = instancenorm, .train = instancenorm_train);

static void
l2norm(struct exporter *x, const struct node *n)
{
	const char *v = value_of(x, n->in[0]), *length;
	int64_t axis = onnx_axis(n->in[0], op_int(n, "axis"));

	length = reduced(x, "ReduceL2", v, 1, &axis, true);
	length = two(x, "Max", length, real_constant(x, op_real(n, "eps")));
	result(x, n->out[0], two(x, "Div", v, length));
}

EXPORT_OP_ROW(l2norm, .write = l2norm);

static void
softmax(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], make(x, "Softmax", IN(value_of(x, n->in[0])),
	    AS(attr_is_int("axis", onnx_axis(n->in[0], op_int(n, "axis"))))));
}

EXPORT_OP_ROW(softmax, .write = softmax);
