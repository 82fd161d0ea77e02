/*
 * Where the source has the batch. Ours is in front of all axes and named by no shape, but sources
 * move it about: a sequence of [positions, batch, width], heads that are so many more samples. A
 * value remembers it in place of being turned: its axes are ours in our order, with the batch put
 * in, or joined with one of them, as the slower or the faster of the two.
 */
#include "import/importer.h"

#include <string.h>

void
val_view(struct importer *im, const char *name, struct val *v, struct layout source)
{
	struct val *view = val_new(im, name);

	*view = *v;
	view->same_as = val_first(v);
	view->source = source;
	val_alias(im, name, view);
}

struct val *
val_first(const struct val *v)
{
	return v->same_as ? v->same_as : (struct val *)v;
}

const struct numbers *
val_numbers(const struct val *v)
{
	return v->data ? v->data : v->stepped;
}

bool
val_has_batch(const struct val *v)
{
	return v->source.expanded || (v->t && v->t->batched);
}

bool
val_is_plain(const struct val *v)
{
	return v->source.at == 0 && !v->source.merged;
}

int
val_rank(const struct val *v)
{
	if (v->t)
		return v->t->rank + val_has_batch(v) - !!v->source.merged;
	return val_numbers(v) ? val_numbers(v)->rank : v->integers ? !v->integers->scalar : 0;
}

int
layout_axis(const struct val *v, int axis)
{
	if (!v->t || !val_has_batch(v) || axis < v->source.at)
		return axis;
	return axis - 1 + !!v->source.merged;
}

bool
val_axis(struct importer *im, const struct val *v, int64_t axis, int *ours)
{
	int rank = val_rank(v);

	if (axis < 0)
		axis += rank;
	if (axis < 0 || axis >= rank)
		return cannot(im, "axis %lld is none of its input", (long long)axis);
	if (v->t && val_has_batch(v) && axis == v->source.at)
		return cannot(im, "it works along the batch, which no shape of a spec names");
	*ours = layout_axis(v, (int)axis);
	return true;
}

/* The shape as the source counts it: of the axis that is the batch's, how many places each sample
 * has. */
void
val_extents(const struct val *v, int64_t *dim)
{
	int i, rank = val_rank(v);
	bool batch = val_has_batch(v);

	for (i = 0; i < rank; i++) {
		if (!v->t)
			dim[i] = val_numbers(v) ? val_numbers(v)->dim[i] : v->integers->n;
		else if (batch && i == v->source.at)
			dim[i] = v->source.merged ? v->t->dim[i] : 1;
		else
			dim[i] = v->t->dim[layout_axis(v, i)];
	}
}

static int64_t
product(const int64_t *dim, int n)
{
	int64_t p = 1;

	while (n > 0)
		p *= dim[--n];
	return p;
}

/* A reshape's target: of each axis the extent a sample, and which of them is the batch's. */
struct target {
	int rank, at;		/* -1: none is */
	int64_t dim[MODEL_RANK];
	enum merged merged;
};

/* Can the batch be in axis AT, behind BEFORE elements of ALL? Of that axis DIM is the extent a
 * sample. */
static bool
batch_fits(struct target *t, int at, int open, int64_t dim, int64_t before, int64_t all)
{
	struct target try = *t;
	int64_t known = 1;
	int i;

	try.at = at;
	try.dim[at] = dim;
	for (i = 0; i < try.rank; i++)
		if (i != open && (try.dim[i] <= 0 || __builtin_mul_overflow(known, try.dim[i], &known)))
			return false;
	if (open >= 0)
		try.dim[open] = all / known;
	if (product(try.dim, try.rank) != all)
		return false;
	if (product(try.dim, at) == before)
		try.merged = try.dim[at] > 1 ? BATCH_SLOWER : NOT_MERGED;
	else if (product(try.dim, at + 1) == before)
		try.merged = BATCH_FASTER;
	else
		return false;
	*t = try;
	return true;
}

/* The batch may be said as itself, as the number that the file has for it, or be left to be found.
 * It is where as much stands before it as in the input. */
static bool
find_batch(struct importer *im, const struct integers *k, struct target *t, int64_t before, int64_t all)
{
	int i, open = -1, said = -1;

	t->at = -1;
	for (i = 0; i < t->rank; i++) {
		if (k->batch[i])
			said = i;
		if (t->dim[i] == -1)
			open = i;
	}
	for (i = 0; i < t->rank; i++) {
		if (said >= 0 && i != said)
			continue;
		if (i == open || i == said ? batch_fits(t, i, open, t->dim[i], before, all) : im->batch > 0 &&
		    t->dim[i] % im->batch == 0 && batch_fits(t, i, open, t->dim[i] / im->batch, before, all))
			return true;
	}
	return cannot(im, "of %lld elements a sample it makes others, or axes in which samples are torn apart", (long long)all);
}

static bool
without_batch(struct importer *im, struct target *t, int64_t all)
{
	int i, open = -1;
	int64_t known = 1;

	t->at = -1;
	for (i = 0; i < t->rank; i++)
		if (t->dim[i] == -1 && open < 0)
			open = i;
		else if (t->dim[i] <= 0 || __builtin_mul_overflow(known, t->dim[i], &known))
			return cannot(im, "the shape that it asks for is out of range");
	if (open >= 0)
		t->dim[open] = all / known;
	return (open >= 0 ? t->dim[open] * known : known) == all || cannot(im, "there are %lld elements, which is not what "
	    "it asks for", (long long)all);
}

bool
layout_reshape(struct importer *im, const struct val *x, const struct integers *k, bool zero_is_zero, struct layout *to,
    int *rank, int64_t *dim)
{
	struct target t = { .rank = k->n };
	struct integers known = *k;
	int64_t was[MODEL_RANK], all = tensor_elements_per_sample(x->t);
	int i, n = 0;

	if (k->n > MODEL_RANK)
		return cannot(im, "it makes more than %d axes", MODEL_RANK);
	val_extents(x, was);
	for (i = 0; i < k->n; i++) {
		t.dim[i] = k->v[i];
		if (t.dim[i] == 0 && !zero_is_zero && i < val_rank(x)) {
			t.dim[i] = was[i];
			known.batch[i] = val_has_batch(x) && i == x->source.at;
		}
	}
	if (val_has_batch(x) ? !find_batch(im, &known, &t, product(was, x->source.at + (x->source.merged == BATCH_FASTER)),
	    all) : !without_batch(im, &t, all))
		return false;
	*to = (struct layout){ .at = t.at < 0 ? 0 : t.at, .merged = t.merged, .expanded = x->source.expanded };
	for (i = 0; i < t.rank; i++)
		if (i != t.at || to->merged)
			dim[n++] = t.dim[i];
	*rank = n;
	return true;
}

bool
layout_join(struct importer *im, struct val *const *v, int n, struct joint *j)
{
	int i, at;

	*j = (struct joint){ .axes = 0 };
	for (i = 0; i < n; i++)
		j->axes = val_rank(v[i]) > j->axes ? val_rank(v[i]) : j->axes;
	for (i = 0; i < n; i++) {
		if (!v[i]->t || !v[i]->t->batched)
			continue;
		at = j->axes - val_rank(v[i]) + v[i]->source.at;
		if (j->batch && (at != j->source.at || v[i]->source.merged != j->source.merged))
			return cannot(im, "its operands have unlike numbers of axes, so that the batch of one meets another axis");
		j->batch = true;
		j->source = (struct layout){ .at = at, .merged = v[i]->source.merged };
	}
	j->rank = j->axes - (j->batch && !j->source.merged);
	return j->axes <= MODEL_RANK || cannot(im, "there are more than %d axes", MODEL_RANK);
}

/* What an operand has along our axes of the joint. */
static bool
operand_shape(struct importer *im, const struct val *v, const struct joint *j, int64_t *dim)
{
	int64_t own[MODEL_RANK];
	int i, n = 0, r = val_rank(v), more = j->axes - r;

	val_extents(v, own);
	for (i = 0; i < j->axes; i++) {
		int64_t d = i < more ? 1 : own[i - more];

		if (j->batch && i == j->source.at && !(v->t && v->t->batched)) {
			bool repeated = v->source.expanded && v->source.merged && v->source.merged == j->source.merged &&
			    v->source.at == i - more;

			if (d != 1 && !repeated)
				return cannot(im, "an operand differs from sample to sample");
			if (!j->source.merged)
				continue;
		} else if (j->batch && i == j->source.at && !j->source.merged)
			continue;
		dim[n++] = d;
	}
	return true;
}

struct val *
layout_operand(struct importer *im, struct val *v, const struct joint *j)
{
	int64_t dim[MODEL_RANK];
	struct numbers *same;
	struct val *made;
	struct call c;

	if (!v->t && !v->data)
		return val_laid(im, v, -1);
	if (!operand_shape(im, v, j, dim))
		return NULL;
	if (v->data && !v->t && (made = made_of_formula(im, v, j->rank, dim)))
		return made;
	if (v->data && !v->t) {
		made = val_new(im, v->name);
		made->data = same = ARENA_NEW(im->arena, struct numbers);
		*same = *v->data;
		same->rank = j->rank;
		memcpy(same->dim, dim, sizeof(same->dim));
		return val_laid(im, made, j->rank);
	}
	if (v->t->rank == 0 || (v->t->rank == j->rank && memcmp(dim, v->t->dim, (size_t)j->rank * sizeof(*dim)) == 0))
		return v;
	if (!v->t->batched)
		return reshape_value(im, v, j->rank, dim);
	call_begin(&c, im, "reshape");
	call_in(&c, v);
	call_ints(&c, "shape", j->rank, dim);
	c.source = (struct layout){ .at = j->source.at, .merged = j->source.merged };
	return call_value(&c);
}
