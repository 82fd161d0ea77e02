/*
 * Whole numbers of the source. Those that look rows of a table up, or say how many steps there are,
 * are tokens and classes here. All others, such as masks, are computed with as real numbers, which
 * hold them exactly up to 2^24.
 */
#include "import/importer.h"

#include <string.h>

#include "base/text.h"

/* Does it make true and false, which are whole numbers to a cast? */
static bool
is_truth(const struct model_node *n)
{
	static const char *const asks[] = { "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Not", NULL };

	return text_is_one_of(n->op, asks);
}

/* Do they no longer matter as they are? */
static bool
ends(const struct model_node *n)
{
	static const char *const asks[] = { "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Shape", "Not", "And", "Or",
		NULL };
	int64_t to = attr_int(n, "to", 1);

	return text_is_one_of(n->op, asks) || (strcmp(n->op, "Cast") == 0 && (onnx_is_real(to) || to == ONNX_BOOL));
}

#define MOST_CLASSES	((int64_t)1 << 16)	/* that are compared one by one */

/* Are they asked for each class whether they are it? CONSTANTS are those that nodes write, by their
 * names. */
static bool
asks_all(struct importer *im, const struct map *constants, const struct model_node *n, int k)
{
	const struct numbers *classes;
	const struct val *v;

	if (k > 1 || n->nin != 2 || strcmp(n->op, "Equal") != 0)
		return false;
	v = map_get(&im->vals, n->in[!k]);
	classes = v ? v->data : map_get(constants, n->in[!k]);
	return classes && classes->count <= MOST_CLASSES && numbers_count(classes);
}

/* Does it make zeros and ones along a last axis, as our operator does? */
static bool
is_plain_one_hot(struct importer *im, const struct map *constants, const struct model_node *n)
{
	const struct val *v = n->nin > 2 ? map_get(&im->vals, n->in[2]) : NULL;
	const struct numbers *pair = v ? v->data : n->nin > 2 ? map_get(constants, n->in[2]) : NULL;

	return strcmp(n->op, "OneHot") == 0 && attr_int(n, "axis", -1) == -1 && pair && pair->data && pair->count == 2 &&
	    numbers_real(pair, 0) == 0 && numbers_real(pair, 1) == 1;
}

static bool
looks_up(struct importer *im, const struct map *constants, const struct model_node *n, int k)
{
	static const char *const lookups[] = { "Gather", "GatherElements", "GatherND", "Embedding", NULL };
	static const char *const recurrences[] = { "LSTM", "GRU", "RNN", NULL };

	return (k == 1 && text_is_one_of(n->op, lookups)) || (k == 4 && text_is_one_of(n->op, recurrences)) ||
	    (k == 0 && is_plain_one_hot(im, constants, n)) || asks_all(im, constants, n, k);
}

/* Nodes stand in the order in which they run, so one pass finds all that comes of it. */
bool
input_looks_up(struct importer *im, const char *name)
{
	struct map comes = { 0 }, constants = { 0 };
	int i, k, o;

	map_put(im->arena, &comes, name, im);
	for (i = 0; i < im->model->nodes.n; i++) {
		const struct model_node *n = im->model->nodes.v[i];
		const struct model_attr *a = n->nin == 0 && n->nout == 1 ? model_attr(n, "value") : NULL;

		if (a && a->type == A_NUMBERS && strcmp(n->op, "Constant") == 0 && !map_get(&constants, n->out[0]))
			map_put(im->arena, &constants, n->out[0], (void *)a->numbers);
		for (k = 0; k < n->nin; k++) {
			if (!map_get(&comes, n->in[k]))
				continue;
			if (looks_up(im, &constants, n, k))
				return true;
			for (o = 0; o < n->nout && !ends(n); o++)
				if (*n->out[o] && !map_get(&comes, n->out[o]))
					map_put(im->arena, &comes, n->out[o], im);
		}
	}
	return false;
}

bool
input_is_bytes(struct importer *im, const char *name)
{
	bool any = false;
	int i, k;

	for (i = 0; i < im->model->nodes.n; i++) {
		const struct model_node *n = im->model->nodes.v[i];

		for (k = 0; k < n->nin; k++) {
			if (strcmp(n->in[k], name) != 0 || strcmp(n->op, "Shape") == 0)
				continue;
			if (strcmp(n->op, "Cast") != 0 || !onnx_is_real(attr_int(n, "to", 1)))
				return false;
			any = true;
		}
	}
	return any;
}

static bool
is_whole(const struct val *v)
{
	return v && (v->whole || (v->t && v->t->dtype == DT_I32) || (v->data && !numbers_are_real(v->data)) || v->integers);
}

bool
both_whole(const struct val *x, const struct val *y)
{
	return is_whole(x) && is_whole(y);
}

/* What the node makes is whole, where all that it takes numbers from is. */
void
whole_follow(struct importer *im, const struct model_node *n)
{
	bool choice = strcmp(n->op, "Where") == 0, first = strcmp(n->op, "Gather") == 0, any = false;
	int k;

	if (is_truth(n) && n->nout == 1) {
		struct val *v = map_get(&im->vals, n->out[0]);

		if (v && v->t && v->def && v->t->dtype == DT_F32)
			v->whole = true;
	}
	if (ends(n))
		return;
	for (k = choice; k < n->nin && !(first && k > 0); k++) {
		const struct val *v = map_get(&im->vals, n->in[k]);

		if (!v || !v->t)
			continue;
		if (!v->whole && v->t->dtype != DT_I32)
			return;
		any = true;
	}
	for (k = 0; any && k < n->nout; k++) {
		struct val *v = map_get(&im->vals, n->out[k]);

		if (v && v->t && v->t->dtype != DT_I32)
			v->whole = true;
	}
}

/* ---- what is left over is dropped ---- */

/* Of the size, as the sign says. */
static struct val *
with_sign(struct importer *im, struct val *size, struct val *x)
{
	return call_two(im, "mul", call_one(im, "floor", size, NULL, 0), call_one(im, "sign", x, NULL, 0));
}

struct val *
whole_part(struct importer *im, struct val *x)
{
	return with_sign(im, call_one(im, "abs", x, NULL, 0), x);
}

/* X / Y as it is rounded is no whole number that the quotient does not reach: for X + 1 = m Y up to
 * 2^24, X / Y is 1 / Y less than m, and floats below m lie less than 2 / Y apart. */
struct val *
whole_quotient(struct importer *im, struct val *x, struct val *y)
{
	struct val *size = call_one(im, "abs", x, NULL, 0), *of = call_one(im, "abs", y, NULL, 0);

	size = with_sign(im, call_two(im, "div", size, of), x);
	return call_two(im, "mul", size, call_one(im, "sign", y, NULL, 0));
}
