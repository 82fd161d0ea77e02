/* Matrix products. One with a trained matrix is a dense layer, whose weight ours has as [units,
 * in]. */
#include "import/importer.h"

#include <string.h>

bool
dense_call(struct importer *im, struct val *x, const struct numbers *w, bool transposed, const struct numbers *bias,
    const char *out)
{
	struct call c;

	if (x->source.at >= val_rank(x) - 1 && val_has_batch(x))
		return cannot(im, "it multiplies along the batch");
	call_begin(&c, im, "dense");
	call_like(&c, x);
	call_int(&c, "units", w->dim[transposed ? 1 : 0]);
	if (!bias)
		call_int(&c, "bias", false);
	call_weight(&c, w, transposed);
	if (bias)
		call_weight(&c, bias, false);
	return call_end(&c, out);
}

/* By a matrix that is computed, once for all samples: [units, in], or with TURNED the other way
 * round. */
static bool
computed_dense(struct importer *im, struct val *x, struct val *w, bool turned, const char *out)
{
	static const int64_t axes[] = { 1, 0 };
	const struct step *s = turned ? made_by(w, "permute") : NULL;
	struct call c;

	if (x->source.at >= val_rank(x) - 1 && val_has_batch(x))
		return cannot(im, "it multiplies along the batch");
	if (turned && !s) {
		call_begin(&c, im, "permute");
		call_in(&c, w);
		call_ints(&c, "axes", 2, axes);
		w = call_value(&c);
	} else if (turned)
		w = s->in[0];
	if (!w)
		return false;
	call_begin(&c, im, "dense");
	call_like(&c, x);
	call_int(&c, "units", w->t->dim[0]);
	call_int(&c, "bias", false);
	call_stands(&c, "weight", w);
	return call_end(&c, out);
}

static bool
is_computed_matrix(const struct val *v)
{
	return v && v->t && !v->t->batched && v->t->rank == 2 && !v->source.expanded && v->t->dtype == DT_F32;
}

/* The constant that a product reads as its second matrix, and whether the other way round; NULL: it
 * is none. */
static const struct numbers *
matrix_of(const struct val *v, bool *turned)
{
	*turned = v && v->transpose_of;
	if (*turned)
		return v->transpose_of;
	return v && v->data && v->data->rank == 2 ? v->data : NULL;
}

static bool
times(struct importer *im, const char *in, double factor, const char *out)
{
	struct val *x = val_of(im, in);
	struct call c;

	if (factor == 1 || !x->t) {	/* what is no tensor yet is a constant, which only 1 leaves as it is */
		if (factor != 1)
			return cannot(im, "beta of what it adds is not ours; the closest is dense");
		val_alias(im, out, x);
		return true;
	}
	call_begin(&c, im, "scale");
	call_like(&c, x);
	call_real(&c, "factor", factor);
	return call_end(&c, out);
}

/* alpha x w + beta c, where that is no dense layer: one after the other. */
static bool
gemm_apart(struct importer *im, const struct model_node *n, struct val *x, const struct numbers *w, bool transposed)
{
	const char *product = arena_join(im->arena, n->out[0], ".", "product"), *scaled = arena_join(im->arena, n->out[0], ".",
	    "scaled"), *added = arena_join(im->arena, n->out[0], ".", "added");
	struct val *c = node_in(im, n, 2), *pair[2];

	if (!dense_call(im, x, w, transposed, NULL, product) || !times(im, product, attr_real(n, "alpha", 1), c ? scaled : n->out[0]))
		return false;
	if (!c)
		return true;
	if (attr_real(n, "beta", 1) != 1 && !(c = val_tensor(im, c, 1)))
		return false;
	val_alias(im, added, c);
	if (!times(im, added, attr_real(n, "beta", 1), added))
		return false;
	pair[0] = val_of(im, scaled);
	pair[1] = val_of(im, added);
	return broadcast_call(im, n, "add", pair, 2);
}

static bool
gemm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *bias = node_in(im, n, 2);
	bool turned, units_first = attr_int(n, "transB", 0);
	const struct numbers *w = matrix_of(node_in(im, n, 1), &turned);

	if (!x)
		return false;
	if (attr_int(n, "transA", 0))
		return cannot(im, "its first matrix is the other way round: it multiplies along the batch");
	if (!w && !bias && attr_real(n, "alpha", 1) == 1 && is_computed_matrix(node_in(im, n, 1)))
		return computed_dense(im, x, node_in(im, n, 1), !units_first, n->out[0]);
	if (!w)
		return cannot(im, "its second matrix is computed; the closest is matmul");
	units_first ^= turned;
	if (attr_real(n, "alpha", 1) != 1 || (bias && (attr_real(n, "beta", 1) != 1 || !bias->data || bias->data->rank != 1 ||
	    bias->data->count != w->dim[units_first ? 0 : 1] || !numbers_are_finite(bias->data))))
		return gemm_apart(im, n, x, w, !units_first);
	return dense_call(im, x, w, !units_first, bias ? bias->data : NULL, n->out[0]);
}

const struct onnx_op onnx_op_gemm = { .name = "Gemm", .translate = gemm };

/* The bias that the only reader of a product adds to it. */
static const struct numbers *
bias_after(struct importer *im, const struct model_node *n, int64_t units, const struct model_node **sum)
{
	const struct model_node *user = sole_user(im, n->out[0]);
	struct val *other;

	*sum = user;
	if (!user || strcmp(user->op, "Add") != 0 || user->nin != 2)
		return NULL;
	other = node_in(im, user, strcmp(user->in[0], n->out[0]) == 0);
	return other && other->data && numbers_are_real(other->data) && other->data->count == units &&
	    other->data->rank == 1 && numbers_are_finite(other->data) ? other->data : NULL;
}

/* By a trained vector: one number in the place of the last axis, which is dropped. */
static bool
by_vector(struct importer *im, const struct model_node *n, struct val *x, const struct numbers *v)
{
	struct numbers *row = ARENA_NEW(im->arena, struct numbers);
	const char *kept = arena_join(im->arena, n->out[0], ".", "kept");

	*row = *v;
	row->rank = 2;
	row->dim[1] = row->dim[0];
	row->dim[0] = 1;
	if (!dense_call(im, x, row, false, NULL, kept))
		return false;
	x = val_of(im, kept);
	return reshape_to(im, n, x, x->source, x->t->rank - 1, x->t->dim);
}

static bool
matmul(struct importer *im, const struct model_node *n)
{
	struct val *a = val_laid(im, node_in(im, n, 0), -1), *b = node_in(im, n, 1), *pair[2];
	const struct model_node *sum;
	const struct numbers *bias, *w;
	struct joint j;
	struct call c;
	bool turned;

	if (!a)
		return false;
	if ((w = matrix_of(b, &turned))) {
		if ((bias = bias_after(im, n, w->dim[!turned], &sum)))
			node_done(im, sum);
		return dense_call(im, a, w, !turned, bias, bias ? sum->out[0] : n->out[0]);
	}
	if (b && b->data && b->data->rank == 1)
		return by_vector(im, n, a, b->data);
	if (!(b = val_laid(im, b, -1)))
		return false;
	pair[0] = a;
	pair[1] = b;
	if (!layout_join(im, pair, 2, &j))
		return false;
	if (j.batch && j.source.at == j.axes - 2 && a->t->batched && is_computed_matrix(b))
		return computed_dense(im, a, b, true, n->out[0]);
	if (j.batch && j.source.at >= j.axes - 2)
		return cannot(im, "it multiplies along the batch");
	if (!(a = layout_operand(im, a, &j)) || !(b = layout_operand(im, b, &j)))
		return false;
	call_begin(&c, im, "matmul");
	call_in(&c, a);
	call_in(&c, b);
	c.source = j.source;
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_matmul = { .name = "MatMul", .translate = matmul };
