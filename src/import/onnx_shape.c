/* Other shapes, other orders, parts and joins. Shapes of ONNX have the batch in front; ours do not
 * name it. */
#include "import/importer.h"

#include <string.h>

/* What a value was before it became others' axes: of several reshapes only the last matters. */
struct val *
before_reshapes(struct val *x)
{
	struct val *v = val_first(x);

	while (v->def && v->def->nin == 1 && (strcmp(v->def->op->name, "reshape") == 0 || strcmp(v->def->op->name, "flatten") == 0))
		v = val_first(v->def->in[0]);
	return v == val_first(x) ? x : v;
}

/* Of tensors of one number, that number. */
static bool
only_number(struct importer *im, const struct model_node *n, struct val *x, struct layout to)
{
	const int64_t first = 0, end = 1;
	struct call c;

	if (x->t->rank > 1) {
		call_begin(&c, im, "flatten");
		call_like(&c, x);
		if (!(x = call_value(&c)))
			return false;
	}
	call_begin(&c, im, "slice");
	call_in(&c, x);
	call_ints(&c, "axis", 1, &first);
	call_ints(&c, "start", 1, &first);
	call_ints(&c, "stop", 1, &end);
	call_ints(&c, "drop", 1, &first);
	c.source = to;
	return call_end(&c, n->out[0]);
}

bool
reshape_to(struct importer *im, const struct model_node *n, struct val *x, struct layout to, int rank,
    const int64_t *dim)
{
	struct call c;

	x = before_reshapes(x);
	if (rank == 0 && x->t->rank > 0)
		return only_number(im, n, x, to);
	if (rank == x->t->rank && memcmp(dim, x->t->dim, (size_t)rank * sizeof(*dim)) == 0) {
		val_view(im, n->out[0], x, to);
		return true;
	}
	if (rank == 1) {
		call_begin(&c, im, "flatten");
	} else {
		call_begin(&c, im, "reshape");
		call_ints(&c, "shape", rank, dim);
	}
	call_in(&c, x);
	c.source = to;
	c.expanded |= to.expanded;
	return call_end(&c, n->out[0]);
}

static bool
has_shape(const struct val *x, int rank, const int64_t *dim)
{
	return x->t->rank == rank && memcmp(dim, x->t->dim, (size_t)rank * sizeof(*dim)) == 0;
}

struct val *
reshape_value(struct importer *im, struct val *x, int rank, const int64_t *dim)
{
	struct val *first;
	struct call c;

	if (!x || has_shape(x, rank, dim))
		return x;
	first = before_reshapes(x);
	if (val_is_plain(x) && val_is_plain(first)) {
		if (has_shape(first, rank, dim))
			return first;
		x = first;
	}
	call_begin(&c, im, rank == 1 ? "flatten" : "reshape");
	call_like(&c, x);
	if (rank != 1)
		call_ints(&c, "shape", rank, dim);
	return call_value(&c);
}

struct val *
permute_value(struct importer *im, struct val *x, int rank, const int64_t *axes)
{
	struct call c;
	int i = 0;

	while (i < rank && axes[i] == i)
		i++;
	if (!x || i == rank)
		return x;
	call_begin(&c, im, "permute");
	call_in(&c, x);
	call_ints(&c, "axes", rank, axes);
	return call_value(&c);
}

struct val *
reshape_raised(struct importer *im, struct val *x, int rank)
{
	int64_t dim[MODEL_RANK];
	int i, more = rank - x->t->rank;

	for (i = 0; i < rank; i++)
		dim[i] = i < more ? 1 : x->t->dim[i - more];
	return reshape_value(im, x, rank, dim);
}

static bool
reshape(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const struct integers *k = x ? known_integers(im, node_in(im, n, 1), "shape") : NULL;
	int64_t dim[MODEL_RANK];
	struct layout to;
	int rank;

	return k && layout_reshape(im, x, k, attr_int(n, "allowzero", 0), &to, &rank, dim) &&
	    (recognise_attend(im, n, x, to, rank, dim) || recognise_groupnorm(im, n, x, to, rank, dim) || reshape_to(im, n, x, to, rank, dim));
}

static bool
flatten(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct integers k = { .n = 2 };
	int64_t dim[MODEL_RANK], own[MODEL_RANK], axis = attr_int(n, "axis", 1);
	struct layout to;
	int i, rank;

	if (!x)
		return false;
	if (axis < 0)
		axis += val_rank(x);
	val_extents(x, own);
	k.v[0] = k.v[1] = 1;
	for (i = 0; i < val_rank(x); i++) {
		k.v[i >= axis] *= own[i];
		k.batch[i >= axis] |= val_has_batch(x) && i == x->source.at;
	}
	return layout_reshape(im, x, &k, true, &to, &rank, dim) && reshape_to(im, n, x, to, rank, dim);
}

const struct onnx_op onnx_op_reshape = { .name = "Reshape", .translate = reshape };
const struct onnx_op onnx_op_flatten = { .name = "Flatten", .translate = flatten };

/* Axes that are dropped, or put in: an attribute before opset 13, an input since. */
static bool
axes_of(struct importer *im, const struct model_node *n, int *count, const int64_t **v)
{
	const struct integers *k;

	if (attr_ints(n, "axes", count, v))
		return true;
	k = val_integers(im, node_in(im, n, 1));
	if (!k)
		return false;
	*count = k->n;
	*v = k->v;
	return true;
}

static bool
unsqueeze(struct importer *im, const struct model_node *n)
{
	struct val *asked = node_in(im, n, 0), *x;
	int64_t dim[MODEL_RANK];
	bool fresh[MODEL_RANK] = { false };
	const int64_t *v;
	int i, k, count, rank, ours = 0;
	struct layout to;

	if (!(x = val_laid(im, asked, -1)))
		return false;
	rank = val_rank(x);
	if (!axes_of(im, n, &count, &v) || rank + count > MODEL_RANK)
		return cannot(im, "its axes are computed");
	rank += count;
	for (i = 0; i < count; i++) {
		int64_t a = v[i] < 0 ? v[i] + rank : v[i];

		if (a < 0 || a >= rank)
			return cannot(im, "axis %lld is none of its input", (long long)v[i]);
		fresh[a] = true;
	}
	to = x->source;
	for (i = k = 0; i < rank; i++) {
		if (fresh[i]) {
			dim[ours++] = 1;
			continue;
		}
		if (val_has_batch(x) && k == x->source.at)
			to.at = i;
		if (!val_has_batch(x) || k != x->source.at || x->source.merged)
			dim[ours++] = x->t->dim[layout_axis(x, k)];
		k++;
	}
	if (!reshape_to(im, n, x, to, ours, dim))
		return false;
	if (asked->asks) {	/* still; of which rows is looked at where they are chosen */
		val_view(im, n->out[0], val_of(im, n->out[0]), val_of(im, n->out[0])->source);
		val_of(im, n->out[0])->asks = asked->asks;
		val_of(im, n->out[0])->asked = asked->asked;
	}
	return true;
}

/* Without axes given, all of extent 1 are dropped. */
static bool
dropped_axes(struct importer *im, const struct model_node *n, const struct val *x, bool *dropped)
{
	const int64_t *v;
	int i, count, axis;

	if (!axes_of(im, n, &count, &v)) {
		for (i = 0; i < x->t->rank; i++)
			dropped[i] = x->t->dim[i] == 1;
		return true;
	}
	for (i = 0; i < count; i++) {
		if (!val_axis(im, x, v[i], &axis))
			return false;
		if (x->t->dim[axis] != 1)
			return cannot(im, "it drops an axis of %lld", (long long)x->t->dim[axis]);
		dropped[axis] = true;
	}
	return true;
}

static bool
squeeze(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	int64_t dim[MODEL_RANK];
	bool dropped[MODEL_RANK] = { false };
	struct layout to;
	int i, k;

	if (!x || !dropped_axes(im, n, x, dropped))
		return false;
	to = x->source;
	for (i = k = 0; i < x->t->rank; i++)
		if (!dropped[i])
			dim[k++] = x->t->dim[i];
		else if (i < x->source.at)
			to.at--;
	return reshape_to(im, n, x, to, k, dim);
}

const struct onnx_op onnx_op_unsqueeze = { .name = "Unsqueeze", .translate = unsqueeze };
const struct onnx_op onnx_op_squeeze = { .name = "Squeeze", .translate = squeeze };

/* Ours has no axis for the batch, so that it moves takes nothing. */
static bool
transpose(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	int64_t axes[MODEL_RANK];
	const int64_t *v = NULL;
	int i, count, ours = 0, last = -1;
	int64_t dim[MODEL_RANK];
	bool moves = false, turns = false;
	struct layout to;
	struct call c;

	if (!x)
		return false;
	if (!attr_ints(n, "perm", &count, &v))
		count = val_rank(x);
	if (count != val_rank(x))
		return cannot(im, "it turns %d axes of %d", count, val_rank(x));
	to = x->source;
	for (i = 0; i < count; i++) {
		int from = v ? (int)v[i] : count - 1 - i;

		if (from < 0 || from >= count)
			return cannot(im, "axis %d is none of its input", from);
		if (val_has_batch(x) && from == x->source.at) {
			to.at = i;
			if (!x->source.merged)
				continue;
		}
		axes[ours] = layout_axis(x, from);
		moves |= axes[ours] != ours;
		dim[ours] = x->t->dim[axes[ours]];
		if (dim[ours] != 1) {		/* where one place stands in the order does not matter */
			turns |= axes[ours] < last;
			last = (int)axes[ours];
		}
		ours++;
	}
	if (!moves) {
		val_view(im, n->out[0], x, to);
		return true;
	}
	if (!turns)
		return reshape_to(im, n, x, to, ours, dim);
	call_begin(&c, im, "permute");
	call_in(&c, x);
	call_ints(&c, "axes", ours, axes);
	c.source = to;
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_transpose = { .name = "Transpose", .translate = transpose };

#define MOST_JOINED	256	/* whose joins are looked for */

/* The first of them that are joined already are that, and count as one: a network that reads all
 * maps before each layer is a chain so, in which each copies what the one before it has. KEY is for
 * what all make. */
static struct val **
join_known(struct importer *im, struct val **v, int *n, int axis, const char **key)
{
	struct text t;
	int i, known = 0, count = *n;

	text_init(&t, im->arena);
	text_printf(&t, "%d", axis);
	for (i = 0; i < count && count <= MOST_JOINED; i++) {
		struct val *whole;

		text_printf(&t, " %p", (const void *)v[i]);
		if (i > 0 && i < count - 1 && (whole = map_get(&im->joins, t.s))) {
			v[i] = whole;
			known = i;
		}
	}
	*key = count <= MOST_JOINED ? t.s : NULL;
	*n -= known;
	return v + known;
}

static bool
joined(struct importer *im, const struct model_node *n)
{
	struct val **v = arena_array(im->arena, (size_t)n->nin + 1, sizeof(struct val *)), *x = NULL;
	int i, axis, count = n->nin;
	int64_t at = attr_int(n, "axis", 0);
	const char *key;
	struct joint j;
	struct call c;

	for (i = 0; i < n->nin; i++) {
		v[i] = node_in(im, n, i);
		if (!v[i])
			return cannot(im, "an input is left out that it needs");
		if (v[i]->t && (!x || v[i]->t->batched))
			x = v[i];
	}
	if (!x || !val_axis(im, x, at, &axis))
		return x ? false : cannot(im, "it joins constants");
	if (n->nin == 1) {
		val_alias(im, n->out[0], x);
		return true;
	}
	if (!layout_join(im, v, n->nin, &j))
		return false;
	for (i = 0; i < n->nin; i++)
		if (!(v[i] = layout_operand(im, v[i], &j)))
			return false;
	count = along_whole(v, count, axis);
	if ((x = count == 1 ? v[0] : count == 2 ? along_rolled(im, v, axis) : NULL)) {
		val_view(im, n->out[0], x, j.source);
		return true;
	}
	v = join_known(im, v, &count, axis, &key);
	call_begin(&c, im, "concat");
	for (i = 0; i < count; i++)
		call_in(&c, v[i]);
	c.source = j.source;
	if (axis != 0)
		call_int(&c, "axis", axis);
	if (!call_end(&c, n->out[0]))
		return false;
	if (key && !map_get(&im->joins, key))
		map_put(im->arena, &im->joins, key, val_of(im, n->out[0]));
	recognise_turn(im, n->out[0]);
	return true;
}

const struct onnx_op onnx_op_concat = { .name = "Concat", .translate = joined };

/* Of an axis the indices from FROM down to, and not with, TO. */
static struct val *
backwards(struct importer *im, struct val *x, int axis, int64_t from, int64_t to, int64_t by)
{
	int64_t extent = x->t->dim[axis];

	from = from < -extent ? -1 : from < 0 ? from + extent : from >= extent ? extent - 1 : from;
	to = to < -extent ? -1 : to < 0 ? to + extent : to;
	if (by == 0 || by < -extent || from <= to) {
		if (by >= 0 || from <= to)
			return cannot(im, "it takes nothing of an axis"), NULL;
		by = -extent;
	}
	return along_run(im, x, axis, from, by, (from - to - by - 1) / -by);
}

/* What of each axis is taken. */
struct cut {
	int n;
	int64_t axis[MODEL_RANK], from[MODEL_RANK], to[MODEL_RANK], by[MODEL_RANK];
};

static int64_t
number_at(const struct attr *a, int i, int64_t otherwise)
{
	return i < a->n ? a->v[i] : otherwise;
}

/* Of a slice along other axes, both are one of what that one is of. */
static struct val *
of_both(struct val *x, struct cut *all)
{
	const struct step *s = made_by(x, "slice");
	const struct attr *axis = s ? step_attr(s, "axis") : NULL, *from, *to, *by;
	struct cut c = { .n = 0 };
	int i, k;

	if (!s || step_attr(s, "drop")->n > 0 || axis->n + all->n > x->t->rank)
		return x;
	from = step_attr(s, "start");
	to = step_attr(s, "stop");
	by = step_attr(s, "step");
	for (i = 0; i < axis->n; i++) {
		for (k = 0; k < all->n; k++)
			if (axis->v[i] < 0 || all->axis[k] == axis->v[i])
				return x;
	}
	for (i = k = 0; i < axis->n || k < all->n; c.n++) {
		bool here = k == all->n || (i < axis->n && axis->v[i] < all->axis[k]);

		c.axis[c.n] = here ? axis->v[i] : all->axis[k];
		c.from[c.n] = here ? number_at(from, i, 0) : all->from[k];
		c.to[c.n] = here ? number_at(to, i, s->in[0]->t->dim[axis->v[i]]) : all->to[k];
		c.by[c.n] = here ? number_at(by, i, 1) : all->by[k];
		here ? i++ : k++;
	}
	*all = c;
	return s->in[0];
}

static bool
slice(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const struct integers *beg = x ? known_integers(im, node_in(im, n, 1), "beginning") : NULL,
	    *end = beg ? known_integers(im, node_in(im, n, 2), "end") : NULL,
	    *axes = val_integers(im, node_in(im, n, 3)), *steps = val_integers(im, node_in(im, n, 4));
	struct cut all = { .n = 0 };
	int64_t by;
	int i, k, ours;
	bool strided = false;
	struct layout source;
	struct call c;

	if (!beg || !end)
		return false;
	for (i = 0; i < beg->n && i < end->n && all.n < MODEL_RANK; i++) {
		k = all.n;
		by = steps && i < steps->n ? steps->v[i] : 1;
		if (!val_axis(im, x, axes && i < axes->n ? axes->v[i] : i, &ours))
			return false;
		if (by < 1) {
			if (!(x = backwards(im, x, ours, beg->v[i], end->v[i], by)))
				return false;
			continue;
		}
		all.by[k] = by;
		all.axis[k] = ours;
		all.from[k] = beg->v[i] < -x->t->dim[ours] ? 0 : beg->v[i];
		all.to[k] = end->v[i] > x->t->dim[ours] ? x->t->dim[ours] : end->v[i];
		all.n += all.from[k] != 0 || all.to[k] != x->t->dim[ours] || by != 1;
	}
	if (all.n == 0) {
		val_alias(im, n->out[0], x);
		return true;
	}
	source = x->source;
	call_begin(&c, im, "slice");
	call_in(&c, of_both(x, &all));
	c.source = source;
	for (k = 0; k < all.n; k++)
		strided |= all.by[k] != 1;
	call_ints(&c, "axis", all.n, all.axis);
	call_ints(&c, "start", all.n, all.from);
	call_ints(&c, "stop", all.n, all.to);
	if (strided)
		call_ints(&c, "step", all.n, all.by);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_slice = { .name = "Slice", .translate = slice };

static bool
split(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const struct integers *sizes = val_integers(im, node_in(im, n, 1));
	const int64_t *v = sizes ? sizes->v : NULL;
	int64_t from = 0, axis64, all, size;
	int i, axis, count = sizes ? sizes->n : n->nout;
	struct call c;

	if (!x || !val_axis(im, x, attr_int(n, "axis", 0), &axis))
		return false;
	if (!sizes)
		attr_ints(n, "split", &count, &v);
	if (count != n->nout)
		return cannot(im, "it says %d sizes of %d parts", count, n->nout);
	axis64 = axis;
	all = x->t->dim[axis];
	for (i = 0; i < n->nout; i++, from += size) {
		int64_t stop;

		size = v ? v[i] : (all + n->nout - 1) / n->nout;
		if (size < 0 || (v && size > all - from))
			return cannot(im, "part %d has %lld of %lld that are left", i, (long long)size, (long long)(all - from));
		stop = size > all - from ? all : from + size;
		if (!map_get(&im->users, n->out[i]))
			continue;
		call_begin(&c, im, "slice");
		call_like(&c, x);
		call_ints(&c, "axis", 1, &axis64);
		call_ints(&c, "start", 1, &from);
		call_ints(&c, "stop", 1, &stop);
		if (!call_end(&c, n->out[i]))
			return false;
	}
	return true;
}

const struct onnx_op onnx_op_split = { .name = "Split", .translate = split };

static bool
same(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0);

	if (!x || !(x->t || x->data))
		return cannot(im, "its input is made by nothing before it");
	val_alias(im, n->out[0], x);
	return true;
}

const struct onnx_op onnx_op_identity = { .name = "Identity", .translate = same };

static bool
dropout(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	double rate = attr_real(n, "ratio", 0.5);
	struct call c;

	if (!x)
		return false;
	val_number(node_in(im, n, 1), &rate);
	call_begin(&c, im, "dropout");
	call_in(&c, x);
	call_real(&c, "rate", rate);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_dropout = { .name = "Dropout", .translate = dropout };
