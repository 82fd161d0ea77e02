/* Elements by their indices: rows of tables, one place of an axis, and those of each sample out of
 * all. */
#include "import/arrays.h"

#include <string.h>

/* One row in the place of each index. */
static bool
repeated(struct importer *im, const struct model_node *n, struct val *x, const struct val *at, struct layout to, int rank,
    int64_t *dim)
{
	struct call c;
	int d, k = 0;

	call_begin(&c, im, "reshape");
	call_in(&c, x);
	call_ints(&c, "shape", rank, dim);
	if (!(x = call_value(&c)))
		return false;
	for (d = 0; d < at->data->rank; d++)
		if (!(at->source.expanded && d == at->source.at))
			dim[k++] = at->data->dim[d];
	call_begin(&c, im, "broadcast");
	call_in(&c, x);
	call_ints(&c, "shape", rank, dim);
	c.source = to;
	return call_end(&c, n->out[0]);
}

/* Are they all one index, by which each is 0 more than the one before it, or 1 more? */
static bool
are_run(const struct numbers *at, int64_t *by)
{
	int64_t i;

	*by = at->count > 1 ? numbers_integer(at, 1) - numbers_integer(at, 0) : 0;
	for (i = 1; !at->filled && i < at->count; i++)
		if (numbers_integer(at, i) - numbers_integer(at, i - 1) != *by)
			return false;
	return *by == 0 || *by == 1;
}

/* Rows of a trained table whose numbers are constant: the same one, or one after the other. */
static bool
rows(struct importer *im, const struct model_node *n, struct val *x, struct val *at, int64_t by)
{
	int64_t first = numbers_integer(at->data, 0), stop, axis = 0, dim[MODEL_RANK];
	int rank = at->data->rank, k = 0, d;
	struct layout to = { .at = at->source.at, .expanded = at->source.expanded };
	struct call c;

	if (rank + x->data->rank - 1 > MODEL_RANK)
		return cannot(im, "its constant indices are of too many axes");
	for (d = 0; d < rank; d++)
		if (!(at->source.expanded && d == at->source.at))
			dim[k++] = by ? at->data->dim[d] : 1;
	for (d = 1; d < x->data->rank; d++)
		dim[k++] = x->data->dim[d];
	if (!(x = val_laid(im, x, -1)))
		return false;
	stop = first + (by ? at->data->count : 1);
	if (first != 0 || stop != x->t->dim[0]) {
		call_begin(&c, im, "slice");
		call_in(&c, x);
		call_ints(&c, "axis", 1, &axis);
		call_ints(&c, "start", 1, &first);
		call_ints(&c, "stop", 1, &stop);
		if (!(x = call_value(&c)))
			return false;
	}
	if (by || at->data->count == 1)
		return reshape_to(im, n, x, to, k, dim);
	return repeated(im, n, x, at, to, k, dim);
}

/* The elements of each sample out of those of all, all of them and in their order. */
static bool
gather_of_samples(struct importer *im, const struct model_node *n, struct val *x, const struct numbers *index)
{
	int64_t all = tensor_elements_per_sample(x->t), i, own[MODEL_RANK], dim[MODEL_RANK] = { 0 };
	int more = val_rank(x) - 1, rank = index->rank - 1 + more;
	struct layout to = { 0 };
	bool flat = x->t->batched && x->source.at == 0 && x->source.merged && rank <= MODEL_RANK;

	val_extents(x, own);
	for (i = 1; i <= more; i++)
		flat &= own[i] == 1;
	if (!flat || index->rank < 2 || index->dim[0] != 1 || index->count != all)
		return cannot(im, "its indices are not the same in each sample");
	for (i = 0; i < all; i++)
		if (numbers_integer(index, i) != i || index->step[i] != all)
			return cannot(im, "its indices are not those of each sample in their order");
	for (i = 0; i < rank; i++)
		dim[i] = i < index->rank - 1 ? index->dim[i + 1] : 1;
	return reshape_to(im, n, x, to, rank, dim);
}

/* What constant indices pick along an axis, whose own axes take its place: those of AT but the LEFT
 * last ones. */
static bool
picked(struct importer *im, const struct model_node *n, struct val *x, int axis, const struct numbers *at, int left, int64_t count,
    const int64_t *index)
{
	int64_t dim[MODEL_RANK];
	int k, more = at->rank - left, rank = x->t->rank - 1 + more;
	struct layout to = x->source;

	if (rank > MODEL_RANK)
		return cannot(im, "its constant indices are of too many axes");
	if (!(x = along_pick(im, x, axis, count, index)))
		return false;
	for (k = 0; k < rank; k++)
		dim[k] = k < axis ? x->t->dim[k] : k < axis + more ? at->dim[k - axis] : x->t->dim[k - more + 1];
	to.at += axis < to.at ? more - 1 : 0;
	return reshape_to(im, n, x, to, rank, dim);
}

/* Constant indices are of the first axes in turn, COUNT places of them; NULL after cannot(). An
 * index below 0 counts from the end. */
static int64_t *
places(struct importer *im, const struct numbers *at, int64_t count, int axes, const int64_t *dim)
{
	int64_t *place, i, k;
	int d;

	if (count == 0 || count > LARGEST_EXTENT) {
		cannot(im, "its constant indices are none, or too many");
		return NULL;
	}
	if (numbers_are_real(at)) {
		cannot(im, "its indices are no integers");
		return NULL;
	}
	place = arena_array(im->arena, (size_t)count + 1, sizeof(*place));
	for (i = 0; i < count; i++)
		for (d = 0, place[i] = 0; d < axes; d++) {
			k = numbers_integer(at, i * axes + d);
			if (k < -dim[d] || k >= dim[d]) {
				cannot(im, "its constant indices are out of range");
				return NULL;
			}
			place[i] = place[i] * dim[d] + (k < 0 ? k + dim[d] : k);
		}
	return place;
}

/* Slices by constant indices of the first AXES, which the batch is behind. */
static bool
gather_in_front(struct importer *im, const struct model_node *n, struct val *x, const struct numbers *at, int axes)
{
	int64_t dim[MODEL_RANK], all = 1, count = at->count / axes, *place = places(im, at, count, axes, x->t->dim);
	int k, rank = x->t->rank - axes + 1;
	struct call c;

	if (!place)
		return false;
	for (k = 0; k < axes; k++)
		all *= x->t->dim[k];
	for (dim[0] = all, k = 1; k < rank; k++)
		dim[k] = x->t->dim[k + axes - 1];
	call_begin(&c, im, "reshape");
	call_like(&c, x);
	call_ints(&c, "shape", rank, dim);
	c.source.at -= val_has_batch(x) ? axes - 1 : 0;
	return (x = call_value(&c)) && picked(im, n, x, 0, at, 1, count, place);
}

/* The same, where an index says the sample and the element of it. */
static bool
gather_nd(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *at = node_in(im, n, 1);
	const struct numbers *index = at ? at->stepped : NULL, *constant = numbers_of(im, at);
	struct layout to = { 0 };
	int64_t all, i, axes = constant && constant->rank > 0 ? constant->dim[constant->rank - 1] : 0;

	if (!x)
		return false;
	if (axes > 0 && constant->data && !at->source.expanded && !attr_int(n, "batch_dims", 0) && axes <= (val_has_batch(x) ? x->source.at : x->t->rank))
		return gather_in_front(im, n, x, constant, (int)axes);
	if (!(x = val_tensor(im, x, -1)))
		return false;
	if (!at)
		return cannot(im, "it has no indices");
	if (at->data && attr_int(n, "batch_dims", 0))
		return cannot(im, "its constant indices are others for each place of the first axes (batch_dims)");
	if (at->data && !at->source.expanded && x->t->batched)
		return cannot(im, "its constant indices say which samples of the batch it takes, or are others for each of them; the "
		    "closest is take");
	all = tensor_elements_per_sample(x->t);
	if (!index || x->t->rank != 1 || !x->t->batched || attr_int(n, "batch_dims", 0) || index->rank < 3 || index->dim[0] != 1 ||
	    index->dim[index->rank - 1] != 2 || index->count != 2 * all)
		return cannot(im, "its indices are not a constant's, nor those of each sample in their order; the closest is take");
	for (i = 0; i < all; i++)
		if (numbers_integer(index, 2 * i) != 0 || index->step[2 * i] != 1 || numbers_integer(index, 2 * i + 1) != i ||
		    index->step[2 * i + 1] != 0)
			return cannot(im, "its indices are not those of each sample in their order; the closest is take");
	return reshape_to(im, n, x, to, index->rank - 2, index->dim + 1);
}

const struct onnx_op onnx_op_gather_nd = { .name = "GatherND", .translate = gather_nd };

static bool
along_axis(struct importer *im, const struct model_node *n, struct val *x, int axis, const struct numbers *at)
{
	const int64_t *place = places(im, at, at->count, 1, x->t->dim + axis);

	return place && picked(im, n, x, axis, at, 0, at->count, place);
}

/* Rows of a trained table in any order. */
static bool
of_table(struct importer *im, const struct model_node *n, struct val *x, const struct numbers *at)
{
	int64_t dim[MODEL_RANK];
	struct val *rows = table_rows(im, x, at);

	memcpy(dim, at->dim, sizeof(*dim) * (size_t)at->rank);
	dim[at->rank] = x->data->dim[1];
	return rows && reshape_to(im, n, rows, (struct layout){ .at = 0 }, at->rank + 1, dim);
}

/* Elements by constant indices, or rows of a trained table. */
static bool
gather(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *at = node_in(im, n, 1);
	const struct integers *k = val_integers(im, at);
	int64_t axis = attr_int(n, "axis", 0), ours64, stop, by = 0;
	const struct numbers *index;
	int ours;
	struct call c;

	if (x && x->data && at && at->t && at->t->dtype == DT_I32 && axis == 0 && x->data->rank == 2) {
		struct val *from = val_first(at);

		from->range = from->range && from->range < x->data->dim[0] ? from->range : (int)x->data->dim[0];
		from->t->classes = from->range;
		call_begin(&c, im, "embedding");
		call_like(&c, at);
		call_int(&c, "vocab", x->data->dim[0]);
		call_int(&c, "width", x->data->dim[1]);
		call_weight(&c, x->data, false);
		return call_end(&c, n->out[0]);
	}
	if (x && x->data && axis == 0 && at && at->data && numbers_is_weight(x->data) && at->data->count > 0 &&
	    !numbers_are_real(at->data)) {
		if (are_run(at->data, &by))
			return rows(im, n, x, at, by);
		if (at->source.expanded)
			return cannot(im, "its constant indices are not one after the other; the closest is take");
		if (x->data->rank == 2 && at->data->rank + 1 <= MODEL_RANK)
			return of_table(im, n, x, at->data);
	}
	if (x && at && at->stepped && x->t)
		return gather_of_samples(im, n, x, at->stepped);
	if (!(x = val_laid(im, x, -1)))
		return false;
	if (!val_axis(im, x, axis, &ours))
		return false;
	index = numbers_of(im, at);
	if (!k || k->n != 1)
		return index && index->data && !numbers_are_real(index) && !(at->source.expanded && val_has_batch(x)) ?
		    along_axis(im, n, x, ours, index) :
		    cannot(im, "its indices are neither constant, nor an input's that stand for rows of a table; the closest is "
		    "take");
	ours64 = ours;
	stop = k->v[0] == -1 ? x->t->dim[ours] : k->v[0] + 1;
	call_begin(&c, im, "slice");
	call_like(&c, x);
	call_ints(&c, "axis", 1, &ours64);
	call_ints(&c, "start", 1, k->v);
	call_ints(&c, "stop", 1, &stop);
	if (k->scalar) {
		call_ints(&c, "drop", 1, &ours64);
		c.source.at -= ours < x->source.at;
	}
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_gather = { .name = "Gather", .translate = gather };
