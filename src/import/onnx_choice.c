/* Comparisons, choices, and repetitions along axes of extent 1. */
#include "import/importer.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A comparison with a number, or of two tensors. TURNED is what it is from the other side. */
static bool
compared(struct importer *im, const struct model_node *n, const char *ours, const char *turned)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };
	double r;
	int k;
	struct call c;

	if (!v[0] || !v[1])
		return cannot(im, "an operand is missing");
	for (k = 0; k < 2; k++)
		if (v[k]->t && v[k]->t->dtype == DT_I32 && !(v[k] = call_one(im, "cast", v[k], NULL, 0)))
			return false;
	for (k = 0; k < 2; k++)
		if (v[k]->t && val_number(v[!k], &r)) {
			call_begin(&c, im, k ? turned : ours);
			call_like(&c, v[k]);
			call_real(&c, "than", r);
			return call_end(&c, n->out[0]);
		}
	return broadcast_call(im, n, ours, v, 2);
}

static bool
less(struct importer *im, const struct model_node *n)
{
	return compared(im, n, "less", "greater");
}

static bool
less_equal(struct importer *im, const struct model_node *n)
{
	return compared(im, n, "less_equal", "greater_equal");
}

static bool
greater(struct importer *im, const struct model_node *n)
{
	return compared(im, n, "greater", "less");
}

static bool
greater_equal(struct importer *im, const struct model_node *n)
{
	return compared(im, n, "greater_equal", "less_equal");
}

/* Of what looks rows up, whether it is a number: which an embedding's padding says, too. */
static bool
asks_token(struct importer *im, const struct model_node *n)
{
	const struct val *v = node_in(im, n, 0);
	struct val *out;
	double r;

	if (!v || !v->t || !v->t->tokens || !val_number(node_in(im, n, 1), &r) ||
	    !(fabs(r) <= INT32_MAX && r == floor(r)) || !compared(im, n, "equal", "equal"))
		return false;
	out = val_of(im, n->out[0]);
	out->asks = val_first(v);
	out->asked = (int64_t)r;
	return true;
}

/* Does the answer stand for whole rows, each at the place of its token? */
static bool
asks_rows(const struct val *ask, const struct val *rows)
{
	int64_t asked[MODEL_RANK], of[MODEL_RANK];
	int rank = val_rank(rows), last = rank - 1;

	if (val_rank(ask) != rank || rank < 2 || !val_has_batch(ask) || !val_has_batch(rows) || ask->source.at != rows->source.at ||
	    ask->source.merged != rows->source.merged || rows->source.at == last)
		return false;
	val_extents(ask, asked);
	val_extents(rows, of);
	return asked[last] == 1 && memcmp(asked, of, (size_t)last * sizeof(*of)) == 0;
}

/* Zeros in the place of the rows of one token: padding, or none where no row is of that number. */
static bool
padded(struct importer *im, const struct model_node *n, const struct val *ask, struct val *rows)
{
	const struct step *s = made_by(rows, "embedding");
	struct call c;

	if (!s || val_first(s->in[0]) != ask->asks || !asks_rows(ask, rows))
		return false;
	if (ask->asked < 0 || ask->asked >= step_attr(s, "vocab")->i) {
		val_alias(im, n->out[0], rows);
		return true;
	}
	call_begin(&c, im, "embedding");
	call_like(&c, s->in[0]);
	call_int(&c, "vocab", step_attr(s, "vocab")->i);
	call_int(&c, "width", step_attr(s, "width")->i);
	call_int(&c, "padding", ask->asked);
	call_weight(&c, s->weight[0].numbers, false);
	return call_end(&c, n->out[0]);
}

static bool
equal(struct importer *im, const struct model_node *n)
{
	return asks_token(im, n) || recognise_one_hot(im, n) || compared(im, n, "equal", "equal");
}

const struct onnx_op onnx_op_less = { .name = "Less", .translate = less };
const struct onnx_op onnx_op_less_equal = { .name = "LessOrEqual", .translate = less_equal };
const struct onnx_op onnx_op_greater = { .name = "Greater", .translate = greater };
const struct onnx_op onnx_op_greater_equal = { .name = "GreaterOrEqual", .translate = greater_equal };
const struct onnx_op onnx_op_equal = { .name = "Equal", .translate = equal };

/* The larger, or the smaller, of all operands, two at a time. */
static bool
extreme(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *pair[2] = { node_in(im, n, 0), NULL };
	struct model_node part = *n;
	double r;
	int k;
	struct call c;

	if (n->nin == 1)
		return pair[0] ? (val_alias(im, n->out[0], pair[0]), true) : cannot(im, "its operand is missing");
	for (k = 1; k < n->nin; k++) {
		const char *out = k == n->nin - 1 ? n->out[0] : arena_printf(im->arena, "%s.%d", n->out[0], k);

		pair[1] = node_in(im, n, k);
		if (!pair[0] || !pair[1])
			return cannot(im, "an operand is missing");
		part.out = &out;
		if (pair[0]->t && val_number(pair[1], &r)) {
			call_begin(&c, im, ours);
			call_like(&c, pair[0]);
			call_real(&c, "other", r);
			if (!call_end(&c, out))
				return false;
		} else if (!broadcast_call(im, &part, ours, pair, 2))
			return false;
		pair[0] = val_of(im, out);
	}
	return true;
}

static bool
largest(struct importer *im, const struct model_node *n)
{
	return extreme(im, n, "maximum");
}

static bool
least(struct importer *im, const struct model_node *n)
{
	return extreme(im, n, "minimum");
}

const struct onnx_op onnx_op_largest = { .name = "Max", .translate = largest };
const struct onnx_op onnx_op_least = { .name = "Min", .translate = least };

/* Is it 0 where X is not a number, else X? Softmax makes no such thing of what a trained network
 * has. */
static bool
is_guard(struct importer *im, const struct model_node *n)
{
	const struct val *c = node_in(im, n, 0), *zero = node_in(im, n, 1), *x = node_in(im, n, 2);
	double r;

	return c && zero && x && x->t && c->guards == val_first(x) && numbers_are_one(zero->data, &r) && r == 0;
}

static bool
where(struct importer *im, const struct model_node *n)
{
	struct val *v[3] = { node_in(im, n, 0), node_in(im, n, 1), node_in(im, n, 2) }, *given[3];
	const char *name[2] = { "yes", "no" };
	double r[2];
	bool number[2];
	struct joint j;
	struct call c;
	int i, k = 0;

	if (!v[0] || !v[1] || !v[2])
		return cannot(im, "an operand is missing");
	if (is_guard(im, n)) {
		val_alias(im, n->out[0], v[2]);
		return true;
	}
	if (v[0]->asks && val_number(v[1], &r[0]) && r[0] == 0 && padded(im, n, v[0], v[2]))
		return true;
	if (recognise_expm1(im, n))
		return true;
	given[k++] = v[0];
	for (i = 0; i < 2; i++) {
		number[i] = val_number(v[i + 1], &r[i]) && !isnan(r[i]);
		if (number[i] && isinf(r[i]))	/* what masks write in front of a softmax: no spec says it, and the largest does it */
			r[i] = r[i] < 0 ? -FLT_MAX : FLT_MAX;
		if (!number[i])
			given[k++] = v[i + 1];
	}
	if (!layout_join(im, given, k, &j))
		return false;
	call_begin(&c, im, "where");
	for (i = 0; i < k; i++) {
		if (!(given[i] = layout_operand(im, given[i], &j)))
			return false;
		call_in(&c, given[i]);
	}
	for (i = 0; i < 2; i++)
		if (number[i])
			call_real(&c, name[i], r[i]);
	c.source = j.source;
	return call_end(&c, n->out[0]);
}

/* What is not a number differs from itself. Of a softmax it asks for nothing that a trained network
 * makes. */
static bool
is_nan(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *v;
	struct call c;

	if (x && x->t && x->def && strcmp(x->def->op->name, "softmax") == 0) {
		v = val_new(im, n->out[0]);
		v->guards = val_first(x);
		val_alias(im, n->out[0], v);
		return true;
	}
	if (!(x = val_laid(im, x, -1)))
		return false;
	call_begin(&c, im, "not_equal");
	call_like(&c, x);
	call_in(&c, x);
	return call_end(&c, n->out[0]);
}

static bool
negation(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "equal");
	call_like(&c, x);
	call_real(&c, "than", 0);
	return call_end(&c, n->out[0]);
}

static bool
conjunction(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };

	return v[0] && v[1] ? broadcast_call(im, n, "mul", v, 2) : cannot(im, "an operand is missing");
}

static bool
disjunction(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };

	return v[0] && v[1] ? broadcast_call(im, n, "maximum", v, 2) : cannot(im, "an operand is missing");
}

static bool
either(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };

	return v[0] && v[1] ? broadcast_call(im, n, "not_equal", v, 2) : cannot(im, "an operand is missing");
}

const struct onnx_op onnx_op_xor = { .name = "Xor", .translate = either };
const struct onnx_op onnx_op_where = { .name = "Where", .translate = where };
const struct onnx_op onnx_op_is_nan = { .name = "IsNaN", .translate = is_nan };
const struct onnx_op onnx_op_not = { .name = "Not", .translate = negation };
const struct onnx_op onnx_op_and = { .name = "And", .translate = conjunction };
const struct onnx_op onnx_op_or = { .name = "Or", .translate = disjunction };

/* Of what does not depend on the batch, a batch that is put in front is a note, and no numbers. */
static bool
expand(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const struct integers *k = x ? known_integers(im, node_in(im, n, 1), "shape") : NULL;
	int64_t own[MODEL_RANK], dim[MODEL_RANK];
	int i, ours = 0, rank, more;
	bool grows = false;
	struct layout to;
	struct call c;

	if (!k)
		return false;
	rank = k->n > val_rank(x) ? k->n : val_rank(x);
	if (rank > MODEL_RANK)
		return cannot(im, "it makes more than %d axes", MODEL_RANK);
	val_extents(x, own);
	more = rank - val_rank(x);
	to = x->source;
	to.at += val_has_batch(x) ? more : 0;
	for (i = 0; i < rank; i++) {
		int at = i - (rank - k->n);
		int64_t d = i < more ? 1 : own[i - more], want = at < 0 ? 1 : k->v[at];
		bool batch = at >= 0 && (k->batch[at] || (im->batch > 0 && want == im->batch && d == 1 && i == 0));

		if (val_has_batch(x) && i == to.at && !to.merged)
			continue;
		if (batch && !val_has_batch(x) && d == 1) {
			to = (struct layout){ .at = i, .expanded = true };
			continue;
		}
		grows |= d == 1 && want > 1 && !batch;
		dim[ours++] = d == 1 && want > 1 && !batch ? want : d;
	}
	if (!grows)
		return reshape_to(im, n, x, to, ours, dim);
	if (ours != x->t->rank && !(x = reshape_raised(im, x, ours)))
		return false;
	call_begin(&c, im, "broadcast");
	call_in(&c, x);
	call_ints(&c, "shape", ours, dim);
	c.source = to;
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_expand = { .name = "Expand", .translate = expand };

/* A slope for negative numbers that is trained: the larger of 0 and x, and slope times the
 * smaller. */
static bool
prelu(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *slope = node_in(im, n, 1), *v[2], *zero[2];
	struct model_node part = *n;
	const char *scaled = arena_printf(im->arena, "%s.below", n->out[0]);
	double r;
	struct call c;

	if (!x || !slope)
		return x ? cannot(im, "its slope is missing") : false;
	if (val_number(slope, &r) && slope->data->computed) {
		call_begin(&c, im, "leaky_relu");
		call_like(&c, x);
		call_real(&c, "slope", r);
		return call_end(&c, n->out[0]);
	}
	call_begin(&c, im, "minimum");
	call_like(&c, x);
	call_real(&c, "other", 0);
	if (!(zero[1] = call_value(&c)))
		return false;
	call_begin(&c, im, "relu");
	call_like(&c, x);
	if (!(zero[0] = call_value(&c)))
		return false;
	v[0] = zero[1];
	v[1] = slope;
	part.out = &scaled;
	if (!broadcast_call(im, &part, "mul", v, 2))
		return false;
	v[0] = zero[0];
	v[1] = val_of(im, scaled);
	return broadcast_call(im, n, "add", v, 2);
}

const struct onnx_op onnx_op_prelu = { .name = "PRelu", .translate = prelu };
