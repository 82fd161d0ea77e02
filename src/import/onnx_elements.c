/* Functions of elements: a row where both have the same, and those with arguments. */
#include "import/importer.h"

#include <math.h>
#include <string.h>

ONNX_OP_ROW(abs, "Abs", "abs");
ONNX_OP_ROW(atan, "Atan", "atan");
ONNX_OP_ROW(ceil, "Ceil", "ceil");
ONNX_OP_ROW(cos, "Cos", "cos");
ONNX_OP_ROW(erf, "Erf", "erf");
ONNX_OP_ROW(exp, "Exp", "exp");
ONNX_OP_ROW(floor, "Floor", "floor");
ONNX_OP_ROW(hardswish, "HardSwish", "hardswish");
ONNX_OP_ROW(log, "Log", "log");
ONNX_OP_ROW(mish, "Mish", "mish");
ONNX_OP_ROW(reciprocal, "Reciprocal", "reciprocal");
ONNX_OP_ROW(relu, "Relu", "relu");
ONNX_OP_ROW(sigmoid, "Sigmoid", "sigmoid");
ONNX_OP_ROW(sign, "Sign", "sign");
ONNX_OP_ROW(sin, "Sin", "sin");
ONNX_OP_ROW(softplus, "Softplus", "softplus");
ONNX_OP_ROW(softsign, "Softsign", "softsign");
ONNX_OP_ROW(sqrt, "Sqrt", "sqrt");
ONNX_OP_ROW(tanh, "Tanh", "tanh");

/* One operand, and one number under that name unless it is what we have by default. */
static bool
with_number(struct importer *im, const struct model_node *n, const char *ours, const char *name, double number,
    double otherwise)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, ours);
	call_like(&c, x);
	if (number != otherwise)
		call_real(&c, name, number);
	return call_end(&c, n->out[0]);
}

static bool
leaky_relu(struct importer *im, const struct model_node *n)
{
	return with_number(im, n, "leaky_relu", "slope", attr_real(n, "alpha", 0.01), 0.01);
}

static bool
elu(struct importer *im, const struct model_node *n)
{
	return with_number(im, n, "elu", "alpha", attr_real(n, "alpha", 1), 1);
}

static bool
celu(struct importer *im, const struct model_node *n)
{
	return with_number(im, n, "celu", "alpha", attr_real(n, "alpha", 1), 1);
}

/* Ours has its own two numbers; with others it is elu, scaled. */
static bool
selu(struct importer *im, const struct model_node *n)
{
	double alpha = attr_real(n, "alpha", 1.6732632), gamma = attr_real(n, "gamma", 1.0507010);
	struct val *x;
	struct call c;

	if (fabs(alpha - 1.6732632) <= 1e-5 && fabs(gamma - 1.0507010) <= 1e-5)
		return with_number(im, n, "selu", "", 0, 0);
	if (!(x = val_laid(im, node_in(im, n, 0), -1)))
		return false;
	call_begin(&c, im, "elu");
	call_like(&c, x);
	call_real(&c, "alpha", alpha);
	if (!(x = call_value(&c)))
		return false;
	call_begin(&c, im, "scale");
	call_like(&c, x);
	call_real(&c, "factor", gamma);
	return call_end(&c, n->out[0]);
}

static bool
thresholded(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "threshold");
	call_like(&c, x);
	call_real(&c, "bound", attr_real(n, "alpha", 1));
	call_real(&c, "value", 0);
	return call_end(&c, n->out[0]);
}

static bool
swish(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	double alpha = attr_real(n, "alpha", 1);

	if (alpha == 1)
		return node_makes(im, n, call_one(im, "silu", x, NULL, 0));
	return node_makes(im, n, call_two(im, "mul", x, call_one(im, "sigmoid", call_one(im, "scale", x, "factor", alpha), NULL, 0)));
}

const struct onnx_op onnx_op_thresholded = { .name = "ThresholdedRelu", .translate = thresholded };
const struct onnx_op onnx_op_swish = { .name = "Swish", .translate = swish };
const struct onnx_op onnx_op_leaky_relu = { .name = "LeakyRelu", .translate = leaky_relu };
const struct onnx_op onnx_op_elu = { .name = "Elu", .translate = elu };
const struct onnx_op onnx_op_celu = { .name = "Celu", .translate = celu };
const struct onnx_op onnx_op_selu = { .name = "Selu", .translate = selu };

static bool
gelu(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "gelu");
	call_like(&c, x);
	if (strcmp(attr_text(n, "approximate", "none"), "tanh") == 0)
		call_int(&c, "tanh", true);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_gelu = { .name = "Gelu", .translate = gelu };

/* Ours has a slope of 1/6 through 1/2; any other is a line that is clamped. */
static bool
hardsigmoid(struct importer *im, const struct model_node *n)
{
	double slope = attr_real(n, "alpha", 0.2), offset = attr_real(n, "beta", 0.5);
	struct val *x;
	struct call c;

	if (fabs(slope - 1.0 / 6) <= 1e-6 && fabs(offset - 0.5) <= 1e-6)
		return with_number(im, n, "hardsigmoid", "", 0, 0);
	if (!(x = val_laid(im, node_in(im, n, 0), -1)))
		return false;
	call_begin(&c, im, "scale");
	call_like(&c, x);
	call_real(&c, "factor", slope);
	call_real(&c, "offset", offset);
	if (!(x = call_value(&c)))
		return false;
	call_begin(&c, im, "clamp");
	call_like(&c, x);
	call_real(&c, "least", 0);
	call_real(&c, "most", 1);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_hardsigmoid = { .name = "HardSigmoid", .translate = hardsigmoid };

/* Bounds are inputs since opset 11, attributes before. */
static bool
bound(struct importer *im, const struct model_node *n, int k, const char *name, double otherwise, double *to)
{
	struct val *v = node_in(im, n, k);

	*to = attr_real(n, name, otherwise);
	return !v || val_number(v, to) || cannot(im, "its bounds are computed");
}

static bool
clip(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	double least, most;
	struct call c;

	if (!x || !bound(im, n, 1, "min", -INFINITY, &least) || !bound(im, n, 2, "max", INFINITY, &most))
		return false;
	if (least > most)	/* then ONNX says most, for all */
		least = most;
	if (least == 0 && (most == 6 || isinf(most)))
		return with_number(im, n, isinf(most) ? "relu" : "relu6", "", 0, 0);
	if (isinf(most) || isinf(least)) {
		if (isinf(most) && isinf(least)) {
			val_alias(im, n->out[0], x);
			return true;
		}
		return with_number(im, n, isinf(most) ? "maximum" : "minimum", "other", isinf(most) ? least : most, NAN);
	}
	call_begin(&c, im, "clamp");
	call_like(&c, x);
	call_real(&c, "least", least);
	call_real(&c, "most", most);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_clip = { .name = "Clip", .translate = clip };

static bool
negated(struct importer *im, const struct model_node *n)
{
	return with_number(im, n, "scale", "factor", -1, NAN);
}

const struct onnx_op onnx_op_neg = { .name = "Neg", .translate = negated };
