/*
 * Classes as zeros and a one: an operator, or a comparison with 0, 1, 2 ... along an axis of their
 * own. An input of which that is said with 0 and 1 along a last axis is one of classes; other
 * values are compared with each class.
 */
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

/* Which of its classes a value is, by comparing it with each of them along a new axis; one that
 * counts from behind is that, too. */
static struct val *
compared_ones(struct importer *im, struct val *x, int64_t classes, int ours)
{
	int64_t dim[MODEL_RANK], line[MODEL_RANK];
	struct val *all[2], *raised;
	int k, i, rank = x->t->rank + 1;
	struct call c;

	for (i = 0; i < rank; i++) {
		dim[i] = i == ours ? 1 : x->t->dim[i - (i > ours)];
		line[i] = i == ours ? classes : 1;
	}
	raised = reshape_value(im, x, rank, dim);
	dim[ours] = classes;
	call_begin(&c, im, "broadcast");
	if (!raised)
		return NULL;
	call_like(&c, raised);
	call_ints(&c, "shape", rank, dim);
	raised = call_value(&c);
	for (k = 0; k < 2; k++) {
		call_begin(&c, im, "iota");
		call_ints(&c, "shape", rank, line);
		if (ours != rank - 1)
			call_int(&c, "axis", ours);
		if (k == 1)
			call_real(&c, "start", -(double)classes);
		all[k] = call_two(im, "equal", raised, call_value(&c));
	}
	return call_two(im, "add", all[0], all[1]);
}

/* Real numbers in place of zeros and ones. */
static bool
valued(struct importer *im, const struct model_node *n, struct val *ones, double off, double on, struct layout to)
{
	if (on - off != 1 || off != 0) {
		struct call c;

		call_begin(&c, im, "scale");
		call_in(&c, ones);
		call_real(&c, "factor", on - off);
		call_real(&c, "offset", off);
		if (!(ones = call_value(&c)))
			return false;
	}
	val_view(im, n->out[0], ones, to);
	return true;
}

static bool
translate(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *ids = x && x->t ? val_first(x) : NULL, *depth = node_in(im, n, 1);
	const struct numbers *pair = numbers_of(im, node_in(im, n, 2));
	int64_t axis = attr_int(n, "axis", -1), rank;
	struct layout to;
	double classes, off, on;

	if (!depth || !val_number(depth, &classes) || !(classes >= 1 && classes <= LARGEST_EXTENT) || !pair || !pair->data || pair->count != 2)
		return cannot(im, "its depth is no constant number, or its values are not two");
	if (!ids)
		return cannot(im, "its indices are a constant");
	off = numbers_real(pair, 0);
	on = numbers_real(pair, 1);
	rank = val_rank(x);
	axis += axis < 0 ? rank + 1 : 0;
	if (axis == rank && !ids->def && ids->t->dtype == DT_I32 && off == 0 && on == 1)
		return one_hot(im, ids, (int64_t)classes, x->source, n->out[0]);
	if (!(x = val_laid(im, x, -1)))
		return false;
	if (axis < 0 || axis > rank || x->t->rank == MAX_RANK || x->source.merged)
		return cannot(im, "its ones are along an axis that it does not have, or that ours cannot");
	to = x->source;
	to.at += axis <= to.at;
	if (x->t->dtype == DT_I32 && !(x = call_one(im, "cast", x, NULL, 0)))
		return false;
	x = compared_ones(im, x, (int64_t)classes, (int)(axis - (x->t->batched && axis > to.at)));
	return x && valued(im, n, x, off, on, to);
}

const struct onnx_op onnx_op_one_hot = { .name = "OneHot", .translate = translate };
