/*
 * Constants whose elements another has in other places: turned, cut, joined, gathered, put in.
 */
#include "import/arrays.h"

#include <string.h>

#define MOST_STEP	((int64_t)1 << 40)

/* A copy by strides of a rank and shape. */
static bool
moved(struct importer *im, const struct model_node *n, const struct array *a, struct array *to, const int64_t *stride,
    int64_t first)
{
	int64_t k;
	int i;

	to->real = a->real;
	to->stepped = a->stepped;
	if (!array_room(im, to))
		return false;
	for (k = 0; k < to->count; k++) {
		int64_t from = first, rest = k;

		for (i = to->rank - 1; i >= 0; i--) {
			from += rest % to->dim[i] * stride[i];
			rest /= to->dim[i];
		}
		array_put(to, k, a, from);
	}
	return array_keep(im, n, to);
}

/* The matrix of one product is not written out anew: a product says which way round it is, and
 * weights stay in the file. */
static bool
for_product(struct importer *im, const struct model_node *n)
{
	const struct model_node *user = sole_user(im, n->out[0]);
	const struct numbers *w = node_in(im, n, 0)->data;
	const int64_t *v = NULL;
	struct val *turned;
	int count = 0;

	if (!w || !numbers_are_real(w) || w->rank != 2 || !user || user->nin < 2 || strcmp(user->in[1], n->out[0]) != 0 ||
	    (strcmp(user->op, "MatMul") != 0 && strcmp(user->op, "Gemm") != 0))
		return false;
	if (attr_ints(n, "perm", &count, &v) && (count != 2 || v[0] != 1 || v[1] != 0))
		return false;
	turned = val_new(im, n->out[0]);
	turned->transpose_of = w;
	val_alias(im, n->out[0], turned);
	return true;
}

static bool
fold_transpose(struct importer *im, const struct model_node *n)
{
	struct array a, to;
	int64_t own[MODEL_RANK], stride[MODEL_RANK];
	const int64_t *v = NULL;
	int i, count;

	if (!array_of(im, node_in(im, n, 0), &a))
		return false;
	if (for_product(im, n))
		return true;
	to = a;
	array_strides(&a, own);
	if (attr_ints(n, "perm", &count, &v) && count != a.rank)
		return false;
	for (i = 0; i < a.rank; i++) {
		int64_t from = v ? v[i] : a.rank - 1 - i;

		if (from < 0 || from >= a.rank)
			return false;
		to.dim[i] = a.dim[from];
		stride[i] = own[from];
		if (a.source.expanded && from == a.source.at)
			to.source.at = i;
	}
	return moved(im, n, &a, &to, stride, 0);
}

/* An axis that is the batch's is 1, and is noted. */
static bool
fold_expand(struct importer *im, const struct model_node *n)
{
	struct array a, to = { .rank = 0 };
	const struct integers *shape = val_integers(im, node_in(im, n, 1));
	int64_t own[MODEL_RANK], stride[MODEL_RANK];
	int i, more;

	if (!shape || !array_of(im, node_in(im, n, 0), &a) || shape->n > MODEL_RANK)
		return false;
	array_strides(&a, own);
	to.rank = shape->n > a.rank ? shape->n : a.rank;
	to.source = a.source;
	to.source.at += a.source.expanded ? to.rank - a.rank : 0;
	for (i = 0; i < to.rank; i++) {
		int64_t want = i < to.rank - shape->n ? 1 : shape->v[i - to.rank + shape->n];
		bool batch = i >= to.rank - shape->n && shape->batch[i - to.rank + shape->n];

		more = to.rank - a.rank;
		to.dim[i] = i < more ? 1 : a.dim[i - more];
		stride[i] = to.dim[i] == 1 ? 0 : own[i - more];
		if (batch && (to.dim[i] != 1 || want != 1))
			return false;
		if (batch)
			to.source = (struct layout){ .at = i, .expanded = true };
		else if (want != 1 && to.dim[i] == 1)
			to.dim[i] = want;
		else if (want != 1 && want != to.dim[i])
			return false;
	}
	return moved(im, n, &a, &to, stride, 0);
}

static bool
fold_reshape(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *v;
	const struct integers *k = val_integers(im, node_in(im, n, 1));
	const struct numbers *had;
	struct numbers *made;
	int64_t known = 1;
	int i, open = -1;

	if (!x || !(had = numbers_of(im, x)) || !k || k->n > MODEL_RANK || (x->source.expanded && !x->stepped))
		return false;
	made = ARENA_NEW(im->arena, struct numbers);
	*made = *had;
	made->rank = k->n;
	for (i = 0; i < k->n; i++) {
		made->dim[i] = k->v[i] == 0 && i < had->rank && !attr_int(n, "allowzero", 0) ?
		    had->dim[i] : k->v[i];
		if (k->batch[i] || made->dim[i] < -1 || (made->dim[i] == -1 && open >= 0))
			return false;
		if (made->dim[i] == -1)
			open = i;
		else if (__builtin_mul_overflow(known, made->dim[i], &known))
			return false;
	}
	if (open >= 0)
		made->dim[open] = known ? made->count / known : 0;
	if ((open >= 0 ? known * made->dim[open] : known) != made->count)
		return false;
	v = val_new(im, n->out[0]);
	*(x->stepped ? &v->stepped : &v->data) = made;
	val_alias(im, n->out[0], v);
	return true;
}

/* Axes of extent 1, put in or taken out. */
static bool
fold_axes(struct importer *im, const struct model_node *n, bool more)
{
	struct val *x = node_in(im, n, 0), *v;
	const struct integers *given = val_integers(im, node_in(im, n, 1));
	const int64_t *axis = given ? given->v : NULL;
	int i, k, count = given ? given->n : 0, rank;
	bool is[MODEL_RANK] = { false };
	const struct numbers *had;
	struct numbers *made;

	if (!x || !(had = numbers_of(im, x)) || (!given && !attr_ints(n, "axes", &count, &axis) && more))
		return false;
	rank = had->rank + (more ? count : 0);
	if (rank > MODEL_RANK)
		return false;
	for (i = 0; i < count; i++) {
		int64_t a = axis[i] < 0 ? axis[i] + rank : axis[i];

		if (a < 0 || a >= rank || (!more && had->dim[a] != 1))
			return false;
		is[a] = true;
	}
	for (i = 0; !axis && i < rank; i++)
		is[i] = had->dim[i] == 1;
	made = ARENA_NEW(im->arena, struct numbers);
	*made = *had;
	v = val_new(im, n->out[0]);
	v->source = x->source;
	for (i = k = made->rank = 0; i < rank; i++) {
		if (x->source.expanded && !(more && is[i]) && k == x->source.at)
			v->source.at = made->rank;
		if (more ? is[i] : !is[i])
			made->dim[made->rank++] = more ? 1 : had->dim[k];
		else if (more)
			made->dim[made->rank++] = had->dim[k];
		k += !(more && is[i]);
	}
	*(x->stepped ? &v->stepped : &v->data) = made;
	val_alias(im, n->out[0], v);
	return true;
}

/* Rows of a weight that arithmetic reads, of positions that a text has: all of it is trained, and
 * that is a part of it. */
static bool
is_part_of_weight(struct importer *im, const struct model_node *n, const struct array *a, const struct array *to)
{
	static const char *const arithmetic[] = { "Add", "Sub", "Mul", "Div", NULL };
	const struct model_node *user = sole_user(im, n->out[0]);
	int i;

	if (!a->from || !numbers_is_weight(a->from) || sole_user(im, n->in[0]) != n || !user || to->dim[0] == a->dim[0])
		return false;
	for (i = 0; arithmetic[i]; i++)
		if (strcmp(user->op, arithmetic[i]) == 0)
			return true;
	return false;
}

static bool
fold_slices(struct importer *im, const struct model_node *n)
{
	const struct integers *beg = val_integers(im, node_in(im, n, 1)), *end = val_integers(im, node_in(im, n, 2)),
	    *axes = val_integers(im, node_in(im, n, 3)), *steps = val_integers(im, node_in(im, n, 4));
	struct array a, to;
	int64_t stride[MODEL_RANK], first = 0;
	int i;

	if (!beg || !end || beg->n != end->n || !array_of(im, node_in(im, n, 0), &a))
		return false;
	to = a;
	array_strides(&a, stride);
	for (i = 0; i < beg->n; i++) {
		int64_t axis = axes && i < axes->n ? axes->v[i] : i, step = steps && i < steps->n ? steps->v[i] : 1, from, stop;

		axis += axis < 0 ? a.rank : 0;
		if (axis < 0 || axis >= a.rank || step == 0 || step < -MOST_STEP || step > MOST_STEP || beg->batch[i] || (end->batch[i] && !(a.source.expanded &&
		    a.source.at == axis)))
			return false;
		from = beg->v[i] < 0 ? beg->v[i] + a.dim[axis] : beg->v[i];
		stop = end->v[i] < 0 && end->v[i] >= -a.dim[axis] ? end->v[i] + a.dim[axis] : end->v[i];
		from = from < 0 ? 0 : from > a.dim[axis] - (step < 0) ? a.dim[axis] - (step < 0) : from;
		stop = stop < -(step < 0) ? -(step < 0) : stop > a.dim[axis] ? a.dim[axis] : stop;
		to.dim[axis] = step > 0 ? (stop - from + step - 1) / step : (from - stop - step - 1) / -step;
		if (to.dim[axis] < 0)
			to.dim[axis] = 0;
		first += from * stride[axis];
		stride[axis] *= step;
	}
	return !is_part_of_weight(im, n, &a, &to) && moved(im, n, &a, &to, stride, first);
}

static bool
fold_tile(struct importer *im, const struct model_node *n)
{
	const struct integers *times = val_integers(im, node_in(im, n, 1));
	struct array a, to;
	int64_t own[MODEL_RANK], k;
	int i;

	if (!times || !array_of(im, node_in(im, n, 0), &a) || times->n != a.rank)
		return false;
	to = a;
	array_strides(&a, own);
	for (i = 0; i < a.rank; i++)
		if (times->batch[i] || times->v[i] < 0 || __builtin_mul_overflow(a.dim[i], times->v[i], &to.dim[i]) ||
		    (a.source.expanded && a.source.at == i && times->v[i] != 1))
			return false;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		int64_t from = 0, rest = k;

		for (i = to.rank - 1; i >= 0; i--) {
			from += rest % to.dim[i] % a.dim[i] * own[i];
			rest /= to.dim[i];
		}
		array_put(&to, k, &a, from);
	}
	return array_keep(im, n, &to);
}

static bool
fold_gathered(struct importer *im, const struct model_node *n)
{
	struct array a, index, to = { .rank = 0 };
	int64_t axis = attr_int(n, "axis", 0), before = 1, after = 1, k, extent;
	int i;

	if (!array_of(im, node_in(im, n, 0), &a) || !array_of(im, node_in(im, n, 1), &index) || index.real ||
	    index.stepped || a.source.expanded || (a.from && numbers_is_weight(a.from)))
		return false;
	axis += axis < 0 ? a.rank : 0;
	if (axis < 0 || axis >= a.rank || a.rank - 1 + index.rank > MODEL_RANK)
		return false;
	for (i = 0; i < a.rank; i++) {
		if (i == axis)
			for (k = 0; k < index.rank; k++)
				to.dim[to.rank++] = index.dim[k];
		else
			to.dim[to.rank++] = a.dim[i];
		before *= i < axis ? a.dim[i] : 1;
		after *= i > axis ? a.dim[i] : 1;
	}
	to.real = a.real;
	to.stepped = a.stepped;
	to.source = index.source;
	to.source.at += (int)axis;
	extent = a.dim[axis];
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		int64_t x = array_whole(&index, k / after % index.count), from;

		x += x < 0 ? extent : 0;
		if (x < 0 || x >= extent)
			return false;
		from = (k / after / index.count * extent + x) * after + k % after;
		array_put(&to, k, &a, from);
	}
	return array_keep(im, n, &to);
}

/* Parts of an axis, each under a name of its own. */
static bool
fold_split(struct importer *im, const struct model_node *n)
{
	struct array a, to;
	const struct integers *sizes = val_integers(im, node_in(im, n, 1));
	int64_t stride[MODEL_RANK], axis = attr_int(n, "axis", 0), from = 0, size;
	const int64_t *v = sizes ? sizes->v : NULL;
	int i, count = sizes ? sizes->n : n->nout;
	struct model_node part = *n;

	if (!array_of(im, node_in(im, n, 0), &a) || (n->nin > 1 && *n->in[1] && !sizes))
		return false;
	axis += axis < 0 ? a.rank : 0;
	if (axis < 0 || axis >= a.rank || (a.source.expanded && a.source.at == axis) || (!sizes && attr_ints(n, "split", &count, &v) &&
	    !v) || (v && count < n->nout))
		return false;
	array_strides(&a, stride);
	for (i = 0; i < n->nout; i++, from += size) {
		size = v ? v[i] : (a.dim[axis] + n->nout - 1) / n->nout;
		size = !v && from + size > a.dim[axis] ? a.dim[axis] - from : size;
		if (size < 0 || size > a.dim[axis] - from)
			return false;
		to = a;
		to.dim[axis] = size;
		part.out = &n->out[i];
		if (*n->out[i] && !moved(im, &part, &a, &to, stride, from * stride[axis]))
			return false;
	}
	return true;
}

static bool
fold_joined(struct importer *im, const struct model_node *n)
{
	struct array *a = arena_array(im->arena, (size_t)n->nin + 1, sizeof(*a)), to;
	int64_t axis = attr_int(n, "axis", 0), after = 1, k;
	int i, d;

	for (i = 0; i < n->nin; i++) {
		if (!array_of(im, node_in(im, n, i), &a[i]) || a[i].rank != a[0].rank || a[i].real != a[0].real)
			return false;
		if (i == 0) {
			to = a[0];
			axis += axis < 0 ? to.rank : 0;
			if (axis < 0 || axis >= to.rank)
				return false;
			to.dim[axis] = 0;
		}
		for (d = 0; d < to.rank; d++)
			if (d != axis && a[i].dim[d] != to.dim[d])
				return false;
		to.dim[axis] += a[i].dim[axis];
		to.stepped |= a[i].stepped;
		if (a[i].source.expanded)
			to.source = a[i].source;
	}
	if (n->nin == 0 || !array_room(im, &to))
		return false;
	for (d = (int)axis + 1; d < to.rank; d++)
		after *= to.dim[d];
	for (k = 0; k < to.count; k++) {
		int64_t x = k / after % to.dim[axis], from;

		for (i = 0; x >= a[i].dim[axis]; i++)
			x -= a[i].dim[axis];
		from = (k / after / to.dim[axis] * a[i].dim[axis] + x) * after + k % after;
		array_put(&to, k, &a[i], from);
	}
	return array_keep(im, n, &to);
}

/* Slices that are put in at indices. */
static bool
fold_scatter(struct importer *im, const struct model_node *n)
{
	struct array a, index, updates, to;
	int64_t stride[MODEL_RANK], tuples, each = 1, k, d;
	int last, i;

	if (strcmp(attr_text(n, "reduction", "none"), "none") != 0 || !array_of(im, node_in(im, n, 0), &a) ||
	    !array_of(im, node_in(im, n, 1), &index) || !array_of(im, node_in(im, n, 2), &updates) || index.real ||
	    index.rank == 0 || a.real != updates.real || a.source.expanded || a.stepped || index.stepped || updates.stepped)
		return false;
	last = (int)index.dim[index.rank - 1];
	if (last < 1 || last > a.rank)
		return false;
	array_strides(&a, stride);
	for (i = last; i < a.rank; i++)
		each *= a.dim[i];
	tuples = index.count / last;
	if (updates.count != tuples * each)
		return false;
	to = a;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++)
		array_put(&to, k, &a, k);
	for (k = 0; k < tuples; k++) {
		int64_t first = 0;

		for (i = 0; i < last; i++) {
			int64_t x = array_whole(&index, k * last + i);

			x += x < 0 ? a.dim[i] : 0;
			if (x < 0 || x >= a.dim[i])
				return false;
			first += x * stride[i];
		}
		for (d = 0; d < each; d++)
			array_put(&to, first + d, &updates, k * each + d);
	}
	return array_keep(im, n, &to);
}

/* Elements, or slices, by tuples of indices. That of the batch is the sample's own number. */
static bool
fold_gathered_nd(struct importer *im, const struct model_node *n)
{
	struct array a, index, to = { .rank = 0 };
	int64_t stride[MODEL_RANK], each = 1, k, d;
	int last, i;

	if (attr_int(n, "batch_dims", 0) != 0 || !array_of(im, node_in(im, n, 0), &a) ||
	    !array_of(im, node_in(im, n, 1), &index) || index.real || index.rank == 0)
		return false;
	last = (int)index.dim[index.rank - 1];
	if (last < 1 || last > a.rank || index.rank - 1 + a.rank - last > MODEL_RANK)
		return false;
	array_strides(&a, stride);
	for (i = 0; i < index.rank - 1; i++)
		to.dim[to.rank++] = index.dim[i];
	for (i = last; i < a.rank; i++)
		each *= to.dim[to.rank++] = a.dim[i];
	to.real = a.real;
	to.stepped = a.stepped;
	to.source = index.source;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < index.count / last; k++) {
		int64_t first = 0;

		for (i = 0; i < last; i++) {
			int64_t x = array_whole(&index, k * last + i), step = array_step(&index, k * last + i);
			bool sample = a.source.expanded && i == a.source.at;

			x += x < 0 ? a.dim[i] : 0;
			if (x < 0 || x >= a.dim[i] || (step != 0 && !(sample && step == 1)))
				return false;
			first += x * stride[i];
		}
		for (d = 0; d < each; d++)
			array_put(&to, k * each + d, &a, first + d);
	}
	return array_keep(im, n, &to);
}

/* Elements, each by an index of its own along an axis. */
static bool
fold_gathered_elements(struct importer *im, const struct model_node *n)
{
	struct array a, index, to;
	int64_t stride[MODEL_RANK], own[MODEL_RANK], axis = attr_int(n, "axis", 0), k;
	int i;

	if (!array_of(im, node_in(im, n, 0), &a) || !array_of(im, node_in(im, n, 1), &index) || index.real ||
	    index.stepped || index.rank != a.rank)
		return false;
	axis += axis < 0 ? a.rank : 0;
	if (axis < 0 || axis >= a.rank || (a.source.expanded && a.source.at == axis))
		return false;
	array_strides(&a, stride);
	to = index;
	to.real = a.real;
	to.stepped = a.stepped;
	to.source = a.source.expanded ? a.source : index.source;
	array_strides(&to, own);
	for (i = 0; i < a.rank; i++)
		if (i != axis && index.dim[i] > a.dim[i])
			return false;
	if (!array_room(im, &to))
		return false;
	for (k = 0; k < to.count; k++) {
		int64_t from = 0, x = array_whole(&index, k);

		x += x < 0 ? a.dim[axis] : 0;
		if (x < 0 || x >= a.dim[axis])
			return false;
		for (i = 0; i < a.rank; i++)
			from += (i == axis ? x : k / own[i] % to.dim[i]) * stride[i];
		array_put(&to, k, &a, from);
	}
	return array_keep(im, n, &to);
}

static bool
fold_unsqueezed(struct importer *im, const struct model_node *n)
{
	return fold_axes(im, n, true);
}

static bool
fold_squeezed(struct importer *im, const struct model_node *n)
{
	return fold_axes(im, n, false);
}

const struct array_fold places_folds[] = {
	{ "Transpose", fold_transpose }, { "Expand", fold_expand }, { "Tile", fold_tile }, { "Reshape", fold_reshape },
	{ "Unsqueeze", fold_unsqueezed }, { "Squeeze", fold_squeezed }, { "Slice", fold_slices }, { "Gather", fold_gathered },
	{ "Split", fold_split }, { "Concat", fold_joined }, { "ScatterND", fold_scatter }, { "GatherND", fold_gathered_nd },
	{ "GatherElements", fold_gathered_elements }, { NULL, NULL }
};
