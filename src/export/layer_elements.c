/*
 * Functions of elements for which ONNX has an operator of its own, so that what reads the model
 * need not recognise it. All others are written as their formula says.
 */
#include "export/training.h"

EXPORT_OP_ROW(abs, .same = "Abs");
EXPORT_OP_ROW(atan, .same = "Atan");
EXPORT_OP_ROW(ceil, .same = "Ceil");
EXPORT_OP_ROW(cos, .same = "Cos");
EXPORT_OP_ROW(erf, .same = "Erf");
EXPORT_OP_ROW(exp, .same = "Exp");
EXPORT_OP_ROW(floor, .same = "Floor");
EXPORT_OP_ROW(hardswish, .same = "HardSwish");
EXPORT_OP_ROW(log, .same = "Log");
EXPORT_OP_ROW(mish, .same = "Mish");
EXPORT_OP_ROW(relu, .same = "Relu");
EXPORT_OP_ROW(sigmoid, .same = "Sigmoid");
EXPORT_OP_ROW(sign, .same = "Sign");
EXPORT_OP_ROW(sin, .same = "Sin");
EXPORT_OP_ROW(softsign, .same = "Softsign");
EXPORT_OP_ROW(sqrt, .same = "Sqrt");
EXPORT_OP_ROW(tanh, .same = "Tanh");

static void
alpha(struct exporter *x, const struct node *n, const char *op, const char *ours)
{
	result(x, n->out[0], make(x, op, IN(value_of(x, n->in[0])), AS(attr_is_real("alpha", op_real(n, ours)))));
}

static void
leaky_relu(struct exporter *x, const struct node *n)
{
	alpha(x, n, "LeakyRelu", "slope");
}

EXPORT_OP_ROW(leaky_relu, .write = leaky_relu);

static void
elu(struct exporter *x, const struct node *n)
{
	alpha(x, n, "Elu", "alpha");
}

EXPORT_OP_ROW(elu, .write = elu);

static void
celu(struct exporter *x, const struct node *n)
{
	alpha(x, n, "Celu", "alpha");
}

EXPORT_OP_ROW(celu, .write = celu);

static void
selu(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], make(x, "Selu", IN(value_of(x, n->in[0])),
	    AS(attr_is_real("alpha", 1.6732632423543772848), attr_is_real("gamma", 1.0507009873554804934))));
}

EXPORT_OP_ROW(selu, .write = selu);

static void
hardsigmoid(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], make(x, "HardSigmoid", IN(value_of(x, n->in[0])),
	    AS(attr_is_real("alpha", 1.0 / 6), attr_is_real("beta", 0.5))));
}

EXPORT_OP_ROW(hardsigmoid, .write = hardsigmoid);

static void
softplus(struct exporter *x, const struct node *n)
{
	if (op_real(n, "beta") != 1)
		formula_write(x, n);
	else
		result(x, n->out[0], one(x, "Softplus", value_of(x, n->in[0])));
}

EXPORT_OP_ROW(softplus, .write = softplus);

static void
gelu(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], make(x, "Gelu", IN(value_of(x, n->in[0])),
	    AS(attr_is_text("approximate", op_bool(n, "tanh") ? "tanh" : "none"))));
}

EXPORT_OP_ROW(gelu, .write = gelu);

static void
clip(struct exporter *x, const struct node *n, double least, double most)
{
	result(x, n->out[0], make(x, "Clip", IN(value_of(x, n->in[0]), real_constant(x, least), real_constant(x, most)),
	    AS_IS));
}

static void
relu6(struct exporter *x, const struct node *n)
{
	clip(x, n, 0, 6);
}

EXPORT_OP_ROW(relu6, .write = relu6);

static void
clamp(struct exporter *x, const struct node *n)
{
	clip(x, n, op_real(n, "least"), op_real(n, "most"));
}

EXPORT_OP_ROW(clamp, .write = clamp);
EXPORT_OP_ROW(hardtanh, .write = clamp);

static void
scale(struct exporter *x, const struct node *n)
{
	const char *y = value_of(x, n->in[0]);
	double factor = op_real(n, "factor"), offset = op_real(n, "offset");

	if (factor != 1 || offset == 0)
		y = two(x, "Mul", y, real_constant(x, factor));
	if (offset != 0)
		y = two(x, "Add", y, real_constant(x, offset));
	result(x, n->out[0], y);
}

EXPORT_OP_ROW(scale, .write = scale);

/* Numbers that no weight is made of become those that the network computes in. */
static void
cast(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], cast_to(x, value_of(x, n->in[0]), ELEMENT_F32));
}

EXPORT_OP_ROW(cast, .write = cast);

/* In inference the result of these is what they read. */
static void
same(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], value_of(x, n->in[0]));
}

EXPORT_OP_ROW(dropout, .write = same, .train = dropout_train);
EXPORT_OP_ROW(stop_gradient, .write = same, .train = stop_gradient_train);
EXPORT_OP_ROW(parameter, .write = same);

/* What is not drawn from the same generator is drawn from the same distribution. */
static void
normal(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	const char *like = for_each_sample(x, real_constant(x, 0), y->rank, y->dim);

	result(x, y, make(x, "RandomNormalLike", IN(like),
	    AS(attr_is_real("mean", op_real(n, "mean")), attr_is_real("scale", op_real(n, "std")))));
}

EXPORT_OP_ROW(normal, .write = normal);

static void
uniform(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	const char *like = for_each_sample(x, real_constant(x, 0), y->rank, y->dim);

	result(x, y, make(x, "RandomUniformLike", IN(like),
	    AS(attr_is_real("low", op_real(n, "low")), attr_is_real("high", op_real(n, "high")))));
}

EXPORT_OP_ROW(uniform, .write = uniform);
