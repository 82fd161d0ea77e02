/* Matrix products. One with a trained matrix is a dense layer, whose weight ours has as [units, in]. */
#include "import/importer.h"

#include <string.h>

static bool
dense(struct importer *im, struct val *x, const struct numbers *w, bool transposed, const struct numbers *bias,
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

static bool
gemm(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *w = node_in(im, n, 1), *bias = node_in(im, n, 2);

	if (!x)
		return false;
	if (!w || !w->data || w->data->rank != 2)
		return cannot(im, "its second matrix is computed; the closest is matmul");
	if (attr_real(n, "alpha", 1) != 1 || (bias && attr_real(n, "beta", 1) != 1) || attr_int(n, "transA", 0))
		return cannot(im, "alpha, beta and transA are not ours; the closest is dense");
	if (bias && (!bias->data || bias->data->count != w->data->dim[attr_int(n, "transB", 0) ? 0 : 1]))
		return cannot(im, "what it adds is no bias of one number a unit");
	return dense(im, x, w->data, !attr_int(n, "transB", 0), bias ? bias->data : NULL, n->out[0]);
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
	    other->data->rank == 1 ? other->data : NULL;
}

static bool
matmul(struct importer *im, const struct model_node *n)
{
	struct val *a = val_laid(im, node_in(im, n, 0), -1), *b = node_in(im, n, 1), *pair[2];
	const struct model_node *sum;
	const struct numbers *bias;
	struct joint j;
	struct call c;

	if (!a)
		return false;
	if (b && b->data && b->data->rank == 2) {
		if ((bias = bias_after(im, n, b->data->dim[1], &sum)))
			node_done(im, sum);
		return dense(im, a, b->data, true, bias, bias ? sum->out[0] : n->out[0]);
	}
	if (!(b = val_laid(im, b, -1)))
		return false;
	pair[0] = a;
	pair[1] = b;
	if (!layout_join(im, pair, 2, &j))
		return false;
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
