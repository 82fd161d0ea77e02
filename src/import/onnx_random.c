/* Numbers drawn at random for each sample, in the shape of another value. Ours are drawn by another
 * generator. */
#include "import/importer.h"

/* What X says is its shape alone: one whose samples are all alike need not be made for that. */
static bool
drawn(struct importer *im, const struct model_node *n, const char *ours, const char *const *name, const double *preset)
{
	struct val *x = node_in(im, n, 0);
	const struct numbers *like = x && x->source.expanded ? x->data : NULL;
	int64_t dim[MODEL_RANK];
	int i, rank = 0;
	struct call c;

	if (!onnx_is_real(attr_int(n, "dtype", 1)))
		return cannot(im, "it draws numbers that are not real");
	call_begin(&c, im, ours);
	if (like) {
		for (i = 0; i < like->rank; i++)
			if (i != x->source.at)
				dim[rank++] = like->dim[i];
		if (rank == 0)
			return cannot(im, "it draws one number for each sample; the closest is %s in a shape of 1", ours);
		call_ints(&c, "shape", rank, dim);
		c.source.at = x->source.at;
	} else {
		if (!(x = val_laid(im, x, -1)))
			return false;
		if (!x->t->batched)
			return cannot(im, "it draws the same for all samples, and ours draws for each");
		call_like(&c, x);
	}
	for (i = 0; i < 2; i++) {
		double number = attr_real(n, name[i], preset[i]);

		if (number != preset[i])
			call_real(&c, i == 1 && *ours == 'n' ? "std" : name[i], float_decimal((float)number));
	}
	return call_end(&c, n->out[0]);
}

static bool
normal(struct importer *im, const struct model_node *n)
{
	return drawn(im, n, "normal", (const char *const[]){ "mean", "scale" }, (const double[]){ 0, 1 });
}

static bool
uniform(struct importer *im, const struct model_node *n)
{
	return drawn(im, n, "uniform", (const char *const[]){ "low", "high" }, (const double[]){ 0, 1 });
}

const struct onnx_op onnx_op_random_normal_like = { .name = "RandomNormalLike", .translate = normal };
const struct onnx_op onnx_op_random_uniform_like = { .name = "RandomUniformLike", .translate = uniform };
