/*
 * Sums, products and powers. A constant of one number is an argument; a larger one is a parameter,
 * of as many axes as the tensor that it meets, since operands have equally many here.
 */
#include "import/importer.h"

#include <math.h>
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
	call_like(&c, x);
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
	call_like(&c, x);
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

/* Ours repeats all operands but one; where none is as large as the result, one with the batch is
 * made so first. */
static bool
enlarge(struct importer *im, struct val **x, int count)
{
	int64_t full[MODEL_RANK] = { 0 };
	bool batch = false, whole = false;
	int i, k, large = 0, rank = x[0]->t->rank;
	struct call c;

	for (i = 0; i < count; i++) {
		if (x[i]->t->rank != rank)
			return true;	/* which the operator says */
		batch |= x[i]->t->batched;
		large = x[i]->t->batched && !x[large]->t->batched ? i : large;
		for (k = 0; k < rank; k++)
			full[k] = x[i]->t->dim[k] > full[k] ? x[i]->t->dim[k] : full[k];
	}
	for (i = 0; i < count; i++)
		whole |= x[i]->t->batched == batch && memcmp(x[i]->t->dim, full, (size_t)rank * sizeof(*full)) == 0;
	if (whole || rank == 0)
		return true;
	call_begin(&c, im, "broadcast");
	call_like(&c, x[large]);
	call_ints(&c, "shape", rank, full);
	return (x[large] = call_value(&c)) != NULL;
}

/* Where the order is of no account, what is repeated stands behind what it meets, as people write
 * it. */
static void
larger_first(const char *ours, struct val **x)
{
	static const char *const commute[] = { "add", "mul", "maximum", "minimum" };
	const struct tensor *t = x[0]->t, *u = x[1]->t;
	struct val *first = x[0];
	size_t i;

	for (i = 0; i < sizeof(commute) / sizeof(*commute); i++)
		if (strcmp(ours, commute[i]) == 0 && (t->batched != u->batched ? u->batched :
		    tensor_elements_per_sample(t) < tensor_elements_per_sample(u))) {
			x[0] = x[1];
			x[1] = first;
		}
}

/* A number of each sample, which a source writes with an axis for each of those that it meets. */
static struct val *
number_of_sample(struct val *x, const struct tensor *with)
{
	const struct step *s = x->t->batched && with->batched && tensor_elements_per_sample(x->t) == 1 ? made_by(x, "reshape") : NULL;

	return s && s->in[0]->t->rank == 0 && s->in[0]->t->batched && with->rank == x->t->rank ? s->in[0] : x;
}

/* Whole numbers, of whose quotient what is left over is dropped. */
static bool
divided(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) }, *q;
	struct joint j;
	int i;

	for (i = 0; i < 2; i++)
		if (v[i] && v[i]->t && v[i]->t->dtype == DT_I32 && !(v[i] = call_one(im, "cast", v[i], NULL, 0)))
			return false;
	if (!layout_join(im, v, 2, &j))
		return false;
	for (i = 0; i < 2; i++)
		if (!(v[i] = layout_operand(im, v[i], &j)))
			return false;
	if (!enlarge(im, v, 2) || !(q = whole_quotient(im, v[0], v[1])))
		return false;
	val_view(im, n->out[0], q, j.source);
	val_of(im, n->out[0])->whole = true;
	return true;
}

bool
broadcast_call(struct importer *im, const struct model_node *n, const char *ours, struct val **v, int count)
{
	struct val *x[2] = { NULL };
	struct joint j;
	struct call c;
	int i;

	if (count < 1 || count > 2 || !layout_join(im, v, count, &j))
		return false;
	for (i = 0; i < count; i++)
		if (!(x[i] = layout_operand(im, v[i], &j)))
			return false;
	if (!enlarge(im, x, count))
		return false;
	if (count == 2) {
		larger_first(ours, x);
		x[1] = number_of_sample(x[1], x[0]->t);
	}
	call_begin(&c, im, ours);
	for (i = 0; i < count; i++)
		call_in(&c, x[i]);
	c.source = j.source;
	return call_end(&c, n->out[0]);
}

/* Is it a constant that the model computes, of one number throughout, and the result no larger than
 * WITH? */
static bool
is_uniform(const struct val *v, const struct val *with, double *r)
{
	int64_t own[MODEL_RANK], other[MODEL_RANK];
	int k, more = val_rank(with) - val_rank(v);

	if (!v->data || !v->data->computed || more < 0 || with->source.merged)
		return false;
	val_extents(v, own);
	val_extents(with, other);
	for (k = 0; k < val_rank(v); k++)
		if (own[k] != 1 && own[k] != other[k + more])
			return false;
	return numbers_are_one(v->data, r) && isfinite(*r);
}

/* Classes and tokens as numbers, which is what is computed with. */
static bool
is_class(const struct val *v)
{
	return v && v->t && v->t->dtype == DT_I32;
}

static bool
two_operands(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };
	double r;
	int k;

	if (!v[0] || !v[1])
		return cannot(im, "an operand is missing");
	for (k = 0; k < 2; k++)
		if (is_class(v[k]) && !(v[k] = call_one(im, "cast", v[k], NULL, 0)))
			return false;
	if (v[0]->t && (val_number(v[1], &r) || is_uniform(v[1], v[0], &r)))
		return with_number(im, n, v[0], r, false);
	if (v[1]->t && (val_number(v[0], &r) || is_uniform(v[0], v[1], &r)))
		return with_number(im, n, v[1], r, true);
	return broadcast_call(im, n, ours, v, 2);
}

int
made_at(const struct val *v)
{
	const struct val *first = val_first(v);

	return first->def ? first->def->number : -1;
}

/*
 * A sum that a skip connection makes is said as what comes in, and what is added to it: x + f(x).
 * Where a relu follows, as in ResNet, the order is the source's. Numbers are the same either way;
 * that equal networks are said alike makes their forecasts so, too, in which the order of gradients
 * matters.
 */
static bool
add(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 1), node_in(im, n, 0) };
	const struct model_node *user = sole_user(im, n->out[0]);
	bool ok;

	if (recognise_local_bias(im, n))
		return true;
	if (v[0] && v[1] && v[0]->t && v[1]->t && made_at(v[0]) < made_at(v[1]) && v[0]->t->batched && v[1]->t->batched &&
	    !is_class(v[0]) && !is_class(v[1]) &&
	    (!user || strcmp(user->op, "Relu") != 0))
		ok = broadcast_call(im, n, "add", v, 2);
	else
		ok = two_operands(im, n, "add");
	if (ok)
		recognise_turn(im, n->out[0]);
	return ok;
}

/* Of as many operands as there are, one after the other. */
static bool
add_all(struct importer *im, const struct model_node *n)
{
	struct model_node part = *n;
	const char *pair[2] = { n->nin > 0 ? n->in[0] : "" }, *sum;
	int i;

	part.nin = 2;
	part.in = pair;
	part.out = &sum;
	for (i = 1; i < n->nin; i++) {
		pair[1] = n->in[i];
		sum = i < n->nin - 1 ? arena_printf(im->arena, "%s.%d", n->out[0], i) : n->out[0];
		if (!add(im, &part))
			return false;
		pair[0] = sum;
	}
	if (n->nin == 1)
		val_alias(im, n->out[0], val_of(im, n->in[0]));
	return n->nin > 0 || cannot(im, "an operand is missing");
}

static bool
average(struct importer *im, const struct model_node *n)
{
	return add_all(im, n) && scaled(im, n, val_of(im, n->out[0]), 1 / (double)n->nin, 0);
}

static bool
sub(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "sub");
}

static bool
mul(struct importer *im, const struct model_node *n)
{
	return recognise_activation(im, n) || recognise_rmsnorm(im, n) || two_operands(im, n, "mul");
}

static bool
quotient(struct importer *im, const struct model_node *n)
{
	if (both_whole(node_in(im, n, 0), node_in(im, n, 1)))
		return divided(im, n);
	return recognise_layernorm(im, n) || recognise_l2norm(im, n) || two_operands(im, n, "div");
}

static bool
power(struct importer *im, const struct model_node *n)
{
	return two_operands(im, n, "pow");
}

const struct onnx_op onnx_op_add = { .name = "Add", .translate = add };
const struct onnx_op onnx_op_sum = { .name = "Sum", .translate = add_all };
const struct onnx_op onnx_op_mean = { .name = "Mean", .translate = average };
const struct onnx_op onnx_op_sub = { .name = "Sub", .translate = sub };
const struct onnx_op onnx_op_mul = { .name = "Mul", .translate = mul };
const struct onnx_op onnx_op_div = { .name = "Div", .translate = quotient };
const struct onnx_op onnx_op_pow = { .name = "Pow", .translate = power };
