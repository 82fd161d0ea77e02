/*
 * The largest numbers, and boxes that are left of those that overlap larger ones. TopK of ONNX
 * takes the first of equals first, as we do, but says nothing of what is no number: that is made
 * -infinity, the least of all.
 */
#include "export/exporter.h"

#include <math.h>

#define LEAST		(-3e38)		/* of what is some, for a boxes' score */
#define MOST_PAIRS	(1 << 24)	/* of boxes and groups, for a sample */

static const char *
numbers_alone(struct exporter *x, const char *value)
{
	return make(x, "Where", IN(one(x, "IsNaN", value), real_constant(x, -INFINITY), value), AS_IS);
}

/* Numbers and their places. */
static void
largest(struct exporter *x, const char *value, int64_t k, const char **out)
{
	make_several(x, "TopK", IN(value, int_constant(x, k)), AS(attr_is_int("axis", -1)), 2, out);
	out[1] = cast_to(x, out[1], ELEMENT_I32);	/* as classes are */
}

static void
top_k(struct exporter *x, const struct node *n)
{
	const char *out[2];

	largest(x, numbers_alone(x, value_of(x, n->in[0])), op_int(n, "k"), out);
	result(x, n->out[0], out[1]);
}

EXPORT_OP_ROW(top_k, .write = top_k, .apart = true);

/* ---- nms ---- */

/* Scores [B, n] of boxes; of those without an area -infinity, which is below all others. */
static const char *
scores_of_some(struct exporter *x, const struct node *n, const char *boxes)
{
	const char *low = sliced(x, boxes, -1, 0, 2), *high = sliced(x, boxes, -1, 2, 4), *some;
	const char *scores = two(x, "Max", numbers_alone(x, value_of(x, n->in[1])), real_constant(x, LEAST));

	some = cast_to(x, two(x, "Greater", high, low), ELEMENT_F32);
	some = reduced(x, "ReduceMin", some, 1, &(const int64_t){ -1 }, false);
	return make(x, "Where", IN(two(x, "Greater", some, real_constant(x, 0)), scores, real_constant(x, -INFINITY)), AS_IS);
}

/* [B, groups, n]: of each group its own boxes' scores, and of the others' that of none. */
static const char *
by_group(struct exporter *x, const struct node *n, const char *scores)
{
	const struct tensor *group = n->nin > 2 ? n->in[2] : NULL;
	const char *all = two(x, "Unsqueeze", scores, int_constant(x, 1)), *own;

	if (!group)
		return all;
	if (group->classes > MOST_PAIRS / group->dim[0]) {
		export_cannot(x, "%d groups of %lld boxes are more pairs than %d, and ONNX has scores for each", group->classes,
		    (long long)group->dim[0], MOST_PAIRS);
		return all;
	}
	own = two(x, "Unsqueeze", value_of(x, group), int_constant(x, 1));
	own = two(x, "Equal", own, counted(x, 2, (int64_t[]){ group->classes, 1 }));
	return make(x, "Where", IN(own, all, real_constant(x, -INFINITY)), AS_IS);
}

/*
 * NonMaxSuppression lists picture, group and box of those that are kept. Their scores are put in a
 * row of -infinity, of which the k largest are what is wanted: where there are fewer, what is left
 * is none.
 */
static void
nms(struct exporter *x, const struct node *n)
{
	const char *boxes = value_of(x, n->in[0]), *scores = scores_of_some(x, n, boxes), *kept, *row, *top[2];
	const struct tensor *t = n->in[1];
	int64_t k = op_int(n, "k"), columns[] = { 0, 2 };
	const int32_t none = -1;

	kept = make(x, "NonMaxSuppression", IN(boxes, by_group(x, n, scores), int_constant(x, k),
	    reals_constant(x, 1, (int64_t[]){ 1 }, (const double[]){ op_real(n, "most") }),
	    reals_constant(x, 1, (int64_t[]){ 1 }, (const double[]){ 1.1 * LEAST })), AS_IS);
	kept = make(x, "Gather", IN(kept, ints_constant(x, 2, columns)), AS(attr_is_int("axis", 1)));
	row = for_each_sample(x, real_constant(x, -INFINITY), t->rank, t->dim);
	row = make(x, "ScatterND", IN(row, kept, two(x, "GatherND", scores, kept)), AS_IS);
	largest(x, row, k, top);
	result(x, n->out[0], make(x, "Where", IN(two(x, "Greater", top[0], real_constant(x, 1.1 * LEAST)), top[1],
	    places_constant(x, 0, NULL, &none)), AS_IS));
}

EXPORT_OP_ROW(nms, .write = nms, .apart = true);
