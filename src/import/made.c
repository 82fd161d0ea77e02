/*
 * Constants that the language makes of nothing: triangles of ones, numbers that count along an
 * axis, and what formulas make of these. A model has their numbers, or the nodes that make them,
 * which arrays.c computed; where none of that is said, they are a parameter that no training
 * changes.
 */
#include "import/importer.h"

#include <math.h>
#include <string.h>

#define MOST_LOOKED_AT	((int64_t)1 << 22)	/* numbers */

static struct val *
triangle(struct importer *im, const char *ours, const int64_t *dim)
{
	struct call c;

	call_begin(&c, im, ours);
	call_ints(&c, "shape", dim[0] == dim[1] ? 1 : 2, dim);
	return call_value(&c);
}

static struct val *
as_triangle(struct importer *im, const struct numbers *n, int rank, const int64_t *dim)
{
	bool lower = true, upper = true, alone = true;	/* are the ones up to the diagonal, from it on, on it alone? */
	struct val *low, *up;
	struct call c;
	int64_t k;

	if (rank != 2 || dim[0] < 2 || dim[1] < 2 || n->count != dim[0] * dim[1] || n->count > MOST_LOOKED_AT)
		return NULL;
	for (k = 0; k < n->count && (lower || upper || alone); k++) {
		int64_t i = k / dim[1], j = k % dim[1];
		double v = numbers_real(n, k);

		lower &= v == (j <= i);
		upper &= v == (j >= i);
		alone &= v == (j == i);
	}
	if (lower || upper)
		return triangle(im, lower ? "tril" : "triu", dim);
	if (!alone || !(low = triangle(im, "tril", dim)) || !(up = triangle(im, "triu", dim)))
		return NULL;
	call_begin(&c, im, "mul");
	call_in(&c, low);
	call_in(&c, up);
	return call_value(&c);
}

/* The axis along which alone they differ; -1: all are alike, or they differ along several. */
static int
only_axis(const struct numbers *n, int rank, const int64_t *dim, int64_t *stride)
{
	int64_t k, each = 1;
	int axis;

	for (axis = rank - 1; axis >= 0; each *= dim[axis--]) {
		for (k = 0; k < n->count && numbers_real(n, k) == numbers_real(n, k / each % dim[axis] * each); k++)
			;
		if (dim[axis] > 1 && k == n->count) {
			*stride = each;
			return axis;
		}
	}
	return -1;
}

#define ROUNDED	0x1.8p-24	/* of a number, to one of f32 */

static struct val *
as_count(struct importer *im, const struct numbers *n, int rank, const int64_t *dim)
{
	int64_t stride = 1, k;
	int axis = only_axis(n, rank, dim, &stride);
	double first, last, by;
	struct call c;

	if (axis < 0 || dim[axis] < 3)
		return NULL;
	first = numbers_real(n, 0);
	last = numbers_real(n, (dim[axis] - 1) * stride);
	by = float_decimal((float)((last - first) / (double)(dim[axis] - 1)));
	first = float_decimal((float)first);
	if (by == 0)
		return NULL;
	for (k = 0; k < dim[axis]; k++) {
		double x = numbers_real(n, k * stride);

		if (!(fabs(x - (first + by * (double)k)) <= ROUNDED * fabs(x)))
			return NULL;
	}
	call_begin(&c, im, "iota");
	call_ints(&c, "shape", rank, dim);
	if (axis != rank - 1)
		call_int(&c, "axis", axis);
	if (first != 0)
		call_real(&c, "start", first);
	if (by != 1)
		call_real(&c, "step", by);
	return call_value(&c);
}

struct val *
made_of_nothing(struct importer *im, const struct numbers *n, int rank, const int64_t *dim)
{
	struct val *v;

	if (rank < 1 || rank > MAX_RANK || !n->data || n->count > MOST_LOOKED_AT || n->count < 1)
		return NULL;
	v = as_triangle(im, n, rank, dim);
	return v ? v : as_count(im, n, rank, dim);
}

/* ---- formulas ---- */

#define DEEPEST	16	/* formulas in formulas */

/* Nodes of which ours say the same of a tensor. */
static bool
says_formula(const struct model_node *n)
{
	static const char *const ops[] = { "Abs", "Add", "Cast", "Cos", "Div", "Exp", "Expand", "Log", "Mul", "Neg", "Pow", "Reshape",
		"Sin", "Sqrt", "Sub", "Transpose", "Unsqueeze", NULL };
	int i;

	for (i = 0; ops[i]; i++)
		if (strcmp(n->op, ops[i]) == 0)
			return n->nout == 1;
	return false;
}

static struct val *formula(struct importer *, struct val *, int depth);

/* What the node makes, with the inputs that are no single numbers as tensors. */
static struct val *
formula_of_node(struct importer *im, const struct model_node *n, struct val *v, int depth)
{
	const struct model_node *at = im->node;
	struct val *was[2] = { NULL }, *made;
	bool ok = n->nin == 1 || n->nin == 2;
	double r;
	int k;

	for (k = 0; ok && k < n->nin; k++) {
		struct val *in = node_in(im, n, k), *as = in;

		if (in && !val_number(in, &r) && !(k == 1 && in->integers))
			ok = (as = formula(im, in, depth + 1)) != NULL;
		if (ok && as != in) {
			was[k] = in;
			val_alias(im, n->in[k], as);
		}
	}
	ok &= was[0] || was[1];
	im->node = n;
	ok = ok && onnx_step(im, n);
	im->node = at;
	made = val_of(im, n->out[0]);
	val_alias(im, n->out[0], v);
	for (k = 0; k < 2; k++)
		if (was[k])
			val_alias(im, n->in[k], was[k]);
	return ok && made->t && !made->t->batched ? made : NULL;
}

/* NULL: no count is in it, or what it is made by is no such formula. */
static struct val *
formula(struct importer *im, struct val *v, int depth)
{
	const struct numbers *n = v->data;
	int problems = im->result->problems.n;

	if (v->formula || v->no_formula || !n || !n->computed || !n->data || n->rank < 1 || depth > DEEPEST)
		return v->formula;
	if (v->folded && strcmp(v->folded->op, "Expand") == 0 && n->rank <= MAX_RANK && n->count <= MOST_LOOKED_AT)
		v->formula = as_count(im, n, n->rank, n->dim);	/* of which a broadcast count is one, too */
	if (!v->formula && v->folded && numbers_are_real(n) && says_formula(v->folded))
		v->formula = formula_of_node(im, v->folded, v, depth);
	if (!v->formula && n->rank <= MAX_RANK && n->count > 0 && n->count <= MOST_LOOKED_AT)
		v->formula = as_count(im, n, n->rank, n->dim);
	if (v->formula && (v->formula->t->rank != n->rank || memcmp(v->formula->t->dim, n->dim, sizeof(*n->dim) * (size_t)n->rank) != 0))
		v->formula = NULL;
	im->result->problems.n = problems;
	v->no_formula = !v->formula;
	return v->formula;
}

struct val *
made_of_formula(struct importer *im, struct val *v, int rank, const int64_t *dim)
{
	struct numbers *known;
	struct val *made = v->folded && !v->source.expanded ? formula(im, v, 0) : NULL;
	struct call c;

	if (!made)
		return NULL;
	if (made->t->rank != rank || memcmp(made->t->dim, dim, sizeof(*dim) * (size_t)rank) != 0) {
		call_begin(&c, im, "reshape");
		call_in(&c, made);
		call_ints(&c, "shape", rank, dim);
		if (!(made = call_value(&c)))
			return NULL;
	}
	known = ARENA_NEW(im->arena, struct numbers);
	*known = *v->data;
	known->rank = rank;
	memcpy(known->dim, dim, sizeof(*dim) * (size_t)rank);
	made->known = known;
	return made;
}
