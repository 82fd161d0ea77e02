/* Gradients of functions of elements, as src/formula has them: at 0 a rectifier has none, and of
 * equals each has half. */
#include "export/gradient.h"

static const char *
where(struct exporter *x, const char *is, const char *then, const char *otherwise)
{
	return make(x, "Where", IN(is, then, otherwise), AS_IS);
}

static void
to_first(struct gradients *g, const struct model_node *n, const char *by, const char *dy)
{
	flow_to(g, n->in[0], two(g->x, "Mul", dy, by));
}

static void
identity(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], dy[0]);
}

static void
negative(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], one(g->x, "Neg", dy[0]));
}

static void
absolute(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, one(g->x, "Sign", n->in[0]), dy[0]);
}

static void
root(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], two(g->x, "Div", dy[0], two(g->x, "Add", n->out[0], n->out[0])));
}

static void
exponential(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, n->out[0], dy[0]);
}

static void
logarithm(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], two(g->x, "Div", dy[0], n->in[0]));
}

static void
reciprocal(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, one(g->x, "Neg", two(g->x, "Mul", n->out[0], n->out[0])), dy[0]);
}

static void
tangent(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, two(g->x, "Sub", real_constant(g->x, 1), two(g->x, "Mul", n->out[0], n->out[0])), dy[0]);
}

static void
logistic(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, two(g->x, "Mul", n->out[0], two(g->x, "Sub", real_constant(g->x, 1), n->out[0])), dy[0]);
}

static void
rectifier(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *zero = real_constant(g->x, 0);

	flow_to(g, n->in[0], where(g->x, two(g->x, "Greater", n->out[0], zero), dy[0], zero));
}

static void
error_function(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *e = one(g->x, "Exp", one(g->x, "Neg", two(g->x, "Mul", n->in[0], n->in[0])));

	to_first(g, n, two(g->x, "Mul", e, real_constant(g->x, 1.1283791670955126)), dy[0]);
}

static void
sine(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, one(g->x, "Cos", n->in[0]), dy[0]);
}

static void
cosine(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, one(g->x, "Neg", one(g->x, "Sin", n->in[0])), dy[0]);
}

static void
arcus(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	flow_to(g, n->in[0], two(g->x, "Div", dy[0],
	    two(g->x, "Add", two(g->x, "Mul", n->in[0], n->in[0]), real_constant(g->x, 1))));
}

static void
softplus(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	to_first(g, n, one(g->x, "Sigmoid", n->in[0]), dy[0]);
}

/* ---- of two ---- */

static void
sum(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	int k;

	for (k = 0; k < 2; k++)
		if (wants(g, n, k))
			flow_summed(g, n->in[k], dy[0], shape_known(g, n->out[0]));
}

static void
difference(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	if (wants(g, n, 0))
		flow_summed(g, n->in[0], dy[0], shape_known(g, n->out[0]));
	if (wants(g, n, 1))
		flow_summed(g, n->in[1], one(g->x, "Neg", dy[0]), shape_known(g, n->out[0]));
}

static void
product(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	int k;

	for (k = 0; k < 2; k++)
		if (wants(g, n, k))
			flow_summed(g, n->in[k], two(g->x, "Mul", dy[0], n->in[!k]), shape_known(g, n->out[0]));
}

static void
quotient(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *by = two(g->x, "Div", dy[0], n->in[1]);

	if (wants(g, n, 0))
		flow_summed(g, n->in[0], by, shape_known(g, n->out[0]));
	if (wants(g, n, 1))
		flow_summed(g, n->in[1], one(g->x, "Neg", two(g->x, "Mul", by, n->out[0])), shape_known(g, n->out[0]));
}

static void
power(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	const char *a = n->in[0], *b = n->in[1], *zero = real_constant(x, 0), *by;

	if (wants(g, n, 0)) {
		by = two(x, "Mul", b, two(x, "Pow", a, two(x, "Sub", b, real_constant(x, 1))));
		flow_summed(g, a, two(x, "Mul", dy[0], where(x, two(x, "Equal", b, zero), zero, by)), shape_known(g, n->out[0]));
	}
	if (wants(g, n, 1)) {
		by = where(x, two(x, "And", two(x, "Equal", a, zero), two(x, "GreaterOrEqual", b, zero)), zero,
		    two(x, "Mul", n->out[0], one(x, "Log", a)));
		flow_summed(g, b, two(x, "Mul", dy[0], by), shape_known(g, n->out[0]));
	}
}

/* A share: all where it is what was taken, half where both are. */
static void
choice(struct gradients *g, const struct model_node *n, const char *const *dy, const char *is)
{
	struct exporter *x = g->x;
	int k;

	for (k = 0; k < 2; k++)
		if (wants(g, n, k)) {
			const char *same = where(x, two(x, "Equal", n->in[k], n->in[!k]), real_constant(x, 0.5), real_constant(x, 0));

			flow_summed(g, n->in[k], two(x, "Mul", dy[0],
			    where(x, two(x, is, n->in[k], n->in[!k]), real_constant(x, 1), same)), shape_known(g, n->out[0]));
		}
}

static void
larger(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	choice(g, n, dy, "Greater");
}

static void
smaller(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	choice(g, n, dy, "Less");
}

static void
selection(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *zero = real_constant(g->x, 0);

	if (wants(g, n, 1))
		flow_summed(g, n->in[1], where(g->x, n->in[0], dy[0], zero), shape_known(g, n->out[0]));
	if (wants(g, n, 2))
		flow_summed(g, n->in[2], where(g->x, n->in[0], zero, dy[0]), shape_known(g, n->out[0]));
}

/* The mask is a second result. */
static void
dropout(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const char *kept = cast_to(g->x, n->out[1], ELEMENT_F32);

	kept = two(g->x, "Div", kept, two(g->x, "Sub", real_constant(g->x, 1), n->in[1]));
	to_first(g, n, kept, dy[0]);
}

const struct gradient_row gradients_of_elements[] = {
	{ "Abs", absolute }, { "Add", sum }, { "Atan", arcus }, { "Cast", identity }, { "Cos", cosine }, { "Div", quotient },
	{ "Dropout", dropout }, { "Erf", error_function }, { "Exp", exponential }, { "Identity", identity }, { "Log", logarithm },
	{ "Max", larger }, { "Min", smaller }, { "Mul", product }, { "Neg", negative }, { "Pow", power }, { "Reciprocal", reciprocal },
	{ "Relu", rectifier }, { "Sigmoid", logistic }, { "Sin", sine }, { "Softplus", softplus }, { "Sqrt", root }, { "Sub", difference },
	{ "Tanh", tangent }, { "Where", selection }, { NULL, NULL }
};
