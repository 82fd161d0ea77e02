/*
 * Sums, products and powers. A constant of one number is an argument; a larger one is a parameter, of as many axes
 * as the tensor that it meets, since operands have equally many here.
 */
#include "import/importer.h"

#include <string.h>

static bool
scaled(struct importer *im, const struct model_node *n, struct val *x, double factor, double offset)
{
	struct call c;

	if (factor == 1 && offset == 0) {
		val_alias(im, n->out[0], x);
		return true;
	}
	call_begin(&c, im, "scale");
	call_in(&c, x);
	call_real(&c, "factor", factor);
	if (offset != 0)
		call_real(&c, "offset", offset);
	return call_end(&c, n->out[0]);
}

static bool
of_number(struct importer *im, const struct model_node *n, const char *ours, const char *name, struct val *x,
    double number)
{
	struct call c;

	call_begin(&c, im, ours);
	call_in(&c, x);
	call_real(&c, name, number);
	return call_end(&c, n->out[0]);
}

/* x OP number, or with TURNED number OP x. */
static bool
with_number(struct importer *im, const struct model_node *n, struct val *x, double r, bool turned)
{
	switch (*n->op) {
	case 'A':
		return scaled(im, n, x, 1, r);
	case 'S':
		return turned ? scaled(im, n, x, -1, r) : scaled(im, n, x, 1, -r);
	case 'M':
		return scaled(im, n, x, r, 0);
	case 'D':
		if (turned)
			return of_number(im, n, "reciprocal", "of", x, r);
		return r == 0 ? cannot(im, "it divides by 0") : scaled(im, n, x, 1 / r, 0);
	default:
		if (turned)
			return r > 0 ? of_number(im, n, "raise", "base", x, r) :
			    cannot(im, "it raises a number that is not above 0");
		return of_number(im, n, "pow", "exponent", x, r);
	}
}

/* A tensor without a batch, or of fewer axes, gets axes of extent 1 in front, as broadcasting has it. */
static struct val *
raised(struct importer *im, struct val *v, int rank)
{
	int64_t dim[MODEL_RANK];
	int i, more = rank - v->t->rank;
	struct call c;

	if (more <= 0 || v->t->rank == 0 || rank > MODEL_RANK)
		return v;
	if (v->t->batched) {
		cannot(im, "its operands have unlike numbers of axes, so that the batch of one meets another axis");
		return NULL;
	}
	for (i = 0; i < rank; i++)
		dim[i] = i < more ? 1 : v->t->dim[i - more];
	call_begin(&c, im, "reshape");
	call_in(&c, v);
	call_ints(&c, "shape", rank, dim);
	return call_value(&c);
}

static int
rank_without_batch(const struct val *v)
{
	return v->t ? v->t->rank : -1;
}

static bool
two_operands(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *a = node_in(im, n, 0), *b = node_in(im, n, 1);
	double r;
	int rank;
	struct call c;

	if (!a || !b)
		return cannot(im, "an operand is missing");
	if (a->t && val_number(b, &r))
		return with_number(im, n, a, r, false);
	if (b->t && val_number(a, &r))
		return with_number(im, n, b, r, true);
	rank = rank_without_batch(a) > rank_without_batch(b) ? rank_without_batch(a) : rank_without_batch(b);
	if (!(a = val_tensor(im, a, rank)) || !(b = val_tensor(im, b, rank)) || !(a = raised(im, a, rank)) ||
	    !(b = raised(im, b, rank)))
		return false;
	call_begin(&c, im, ours);
	call_in(&c, a);
	call_in(&c, b);
	return call_end(&c, n->out[0]);
}

static bool
add(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "add");
}

static bool
sub(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "sub");
}

static bool
mul(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "mul");
}

static bool
quotient(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "div");
}

static bool
power(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "pow");
}

const struct onnx_op onnx_op_add = { .name = "Add", .translate = add };
const struct onnx_op onnx_op_sub = { .name = "Sub", .translate = sub };
const struct onnx_op onnx_op_mul = { .name = "Mul", .translate = mul };
const struct onnx_op onnx_op_div = { .name = "Div", .translate = quotient };
const struct onnx_op onnx_op_pow = { .name = "Pow", .translate = power };
