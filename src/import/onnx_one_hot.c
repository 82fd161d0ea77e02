/* Classes as zeros and a one: an operator, or a comparison with 0, 1, 2 ... along an axis of their own. */
#include "import/arrays.h"

#include <string.h>

bool
numbers_count(const struct numbers *n)
{
	int64_t i;

	if (!n || !n->data || numbers_are_real(n) || n->type == ELEMENT_BOOL || n->count < 2 || n->rank < 1 ||
	    n->dim[n->rank - 1] != n->count)
		return false;
	for (i = 0; i < n->count && numbers_integer(n, i) == i; i++)
		;
	return i == n->count;
}

/* IDS is an input that looks rows up, of which SOURCE says where the batch is in what is made. */
static bool
one_hot(struct importer *im, struct val *ids, int64_t classes, struct layout source, const char *out)
{
	struct call c;

	if (classes > INT32_MAX || (ids->range && ids->range > classes))
		return cannot(im, "its input '%s' has more classes than rows of %lld numbers hold", ids->name, (long long)classes);
	call_begin(&c, im, "one_hot");
	call_in(&c, ids);
	c.source = source;
	if (ids->range && ids->range < classes)
		call_int(&c, "classes", classes);
	ids->range = ids->range ? ids->range : (int)classes;
	ids->t->classes = ids->range;
	return call_end(&c, out);
}

/* The input whose numbers X has with one more axis of one place behind them; NULL. */
static struct val *
raised(const struct val *x)
{
	const struct step *s = made_by(x, x->t->rank == 1 ? "flatten" : "reshape");
	struct val *ids = s ? val_first(s->in[0]) : NULL;

	return ids && !ids->def && ids->t->dtype == DT_I32 && s->out->t->rank == ids->t->rank + 1 &&
	    s->out->t->dim[ids->t->rank] == 1 && memcmp(s->out->t->dim, ids->t->dim, sizeof(int64_t) * (size_t)ids->t->rank) == 0 ?
	    ids : NULL;
}

bool
recognise_one_hot(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) }, *ids;
	int k;

	for (k = 0; k < 2; k++) {
		const struct numbers *classes = v[k] && v[!k] && v[!k]->t ? numbers_of(im, v[k]) : NULL;

		if (numbers_count(classes) && classes->rank <= val_rank(v[!k]) && (ids = raised(v[!k])) &&
		    v[!k]->source.at < val_rank(v[!k]) - 1 && !v[!k]->source.merged)
			return one_hot(im, ids, classes->count, v[!k]->source, n->out[0]);
	}
	return false;
}

static bool
translate(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *ids = x && x->t ? val_first(x) : NULL;
	const struct integers *depth = known_integers(im, node_in(im, n, 1), "depth");
	struct val *values = node_in(im, n, 2);
	const struct numbers *pair = numbers_of(im, values);
	int64_t axis = attr_int(n, "axis", -1);
	const char *ones = arena_join(im->arena, n->out[0], ".", "ones");
	double off, on;
	struct call c;

	if (!depth)
		return false;
	if (!ids || ids->def || ids->t->dtype != DT_I32)
		return cannot(im, "its indices are not an input's");
	if (axis != -1 && axis != val_rank(x))
		return cannot(im, "its ones are along an axis that is not the last");
	if (depth->n != 1 || depth->batch[0] || depth->v[0] < 1 || !pair || !pair->data || pair->count != 2)
		return cannot(im, "its depth is no number, or its values are not two");
	off = numbers_real(pair, 0);
	on = numbers_real(pair, 1);
	if (off == 0 && on == 1)
		return one_hot(im, ids, depth->v[0], x->source, n->out[0]);
	if (!one_hot(im, ids, depth->v[0], x->source, ones))
		return false;
	call_begin(&c, im, "scale");
	call_like(&c, val_of(im, ones));
	call_real(&c, "factor", on - off);
	call_real(&c, "offset", off);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_one_hot = { .name = "OneHot", .translate = translate };
