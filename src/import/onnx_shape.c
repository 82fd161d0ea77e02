/* Other shapes, other orders, parts and joins. Shapes of ONNX have the batch in front; ours do not name it. */
#include "import/importer.h"

#include <string.h>

static bool
reshaped(struct importer *im, const struct model_node *n, struct val *x, int rank, const int64_t *dim)
{
	struct call c;

	if (rank == x->t->rank && memcmp(dim, x->t->dim, (size_t)rank * sizeof(*dim)) == 0) {
		val_alias(im, n->out[0], x);
		return true;
	}
	if (rank == 1) {
		call_begin(&c, im, "flatten");
	} else {
		call_begin(&c, im, "reshape");
		call_ints(&c, "shape", rank, dim);
	}
	call_in(&c, x);
	return call_end(&c, n->out[0]);
}

/* Is the first extent of a shape that is asked for the batch, as it stands? */
static bool
is_batch(const struct importer *im, const struct integers *k)
{
	return k->batch[0] ? k->v[0] == 1 : k->v[0] == 0 || k->v[0] == -1 || k->v[0] == im->batch;
}

static bool
reshape(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const struct integers *k = x ? known_integers(im, node_in(im, n, 1), "shape") : NULL;
	int64_t dim[MODEL_RANK], known = 1, all;
	int i, b, free_axis = -1;

	if (!k)
		return false;
	all = tensor_elements_per_sample(x->t);
	b = x->t->batched;
	if (k->n - b > MODEL_RANK || k->n < b || (b && !is_batch(im, k)))
		return cannot(im, "it makes other axes of the batch; a spec's shapes begin behind it");
	for (i = b; i < k->n; i++) {
		int64_t d = k->v[i];

		if (k->batch[i])
			return cannot(im, "it puts the batch behind another axis");
		if (d == 0 && !attr_int(n, "allowzero", 0) && i - b < x->t->rank)
			d = x->t->dim[i - b];
		dim[i - b] = d;
		if (d == -1 && free_axis < 0)
			free_axis = i - b;
		else if (d <= 0 || __builtin_mul_overflow(known, d, &known))
			return cannot(im, "the shape that it asks for is out of range");
	}
	if (free_axis >= 0)
		dim[free_axis] = all / known;
	if ((free_axis >= 0 ? dim[free_axis] * known : known) != all || (b && k->v[0] == -1 && free_axis >= 0))
		return cannot(im, "a sample has %lld elements, which is not what it asks for", (long long)all);
	return reshaped(im, n, x, k->n - b, dim);
}

static bool
flatten(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	int64_t all;

	if (!x)
		return false;
	if (!x->t->batched || attr_int(n, "axis", 1) != 1)
		return cannot(im, "it makes one axis of others than those of a sample; the closest is reshape");
	all = tensor_elements_per_sample(x->t);
	return reshaped(im, n, x, 1, &all);
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
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	int64_t dim[MODEL_RANK];
	bool fresh[MODEL_RANK] = { false };
	const int64_t *v;
	int i, k, count, rank;

	if (!x)
		return false;
	if (!axes_of(im, n, &count, &v) || x->t->rank + count > MODEL_RANK)
		return cannot(im, "its axes are computed");
	rank = val_rank(x) + count;
	for (i = 0; i < count; i++) {
		int64_t a = v[i] < 0 ? v[i] + rank : v[i];

		if (a < x->t->batched || a >= rank)
			return cannot(im, "it puts an axis before the batch");
		fresh[a - x->t->batched] = true;
	}
	for (i = k = 0; i < rank - x->t->batched; i++)
		dim[i] = fresh[i] ? 1 : x->t->dim[k++];
	return reshaped(im, n, x, rank - x->t->batched, dim);
}

static bool
squeeze(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	int64_t dim[MODEL_RANK];
	bool dropped[MODEL_RANK] = { false };
	const int64_t *v;
	int i, k, count, axis;

	if (!x)
		return false;
	if (axes_of(im, n, &count, &v)) {
		for (i = 0; i < count; i++) {
			if (!val_axis(im, x, v[i], &axis))
				return false;
			dropped[axis] = true;
		}
	} else {
		for (i = 0; i < x->t->rank; i++)
			dropped[i] = x->t->dim[i] == 1;
	}
	for (i = k = 0; i < x->t->rank; i++)
		if (!dropped[i])
			dim[k++] = x->t->dim[i];
		else if (x->t->dim[i] != 1)
			return cannot(im, "it drops an axis of %lld", (long long)x->t->dim[i]);
	return reshaped(im, n, x, k, dim);
}

const struct onnx_op onnx_op_unsqueeze = { .name = "Unsqueeze", .translate = unsqueeze };
const struct onnx_op onnx_op_squeeze = { .name = "Squeeze", .translate = squeeze };

static bool
transpose(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	int64_t axes[MODEL_RANK];
	const int64_t *v = NULL;
	int i, count, b;
	bool moves = false;
	struct call c;

	if (!x)
		return false;
	b = x->t->batched;
	if (!attr_ints(n, "perm", &count, &v))
		count = val_rank(x);
	if (count != val_rank(x) || (b && (v ? v[0] != 0 : true)))
		return cannot(im, "it puts the batch elsewhere");
	for (i = b; i < count; i++) {
		axes[i - b] = v ? v[i] - b : count - 1 - i;
		moves |= axes[i - b] != i - b;
	}
	if (!moves) {
		val_alias(im, n->out[0], x);
		return true;
	}
	call_begin(&c, im, "permute");
	call_in(&c, x);
	call_ints(&c, "axes", count - b, axes);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_transpose = { .name = "Transpose", .translate = transpose };

static bool
joined(struct importer *im, const struct model_node *n)
{
	struct val *x = NULL, *v;
	int i, axis;
	struct call c;

	for (i = 0; i < n->nin; i++)	/* the first that is no constant says how many axes there are */
		if ((v = node_in(im, n, i)) && v->t && !x)
			x = v;
	if (!x)
		return cannot(im, "it joins constants");
	if (!val_axis(im, x, attr_int(n, "axis", 0), &axis))
		return false;
	if (n->nin == 1) {
		val_alias(im, n->out[0], x);
		return true;
	}
	call_begin(&c, im, "concat");
	for (i = 0; i < n->nin; i++) {
		if (!(v = val_tensor(im, node_in(im, n, i), x->t->rank)))
			return false;
		call_in(&c, v);
	}
	if (axis != 0)
		call_int(&c, "axis", axis);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_concat = { .name = "Concat", .translate = joined };

static bool
slice(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const struct integers *beg = x ? known_integers(im, node_in(im, n, 1), "beginning") : NULL,
	    *end = beg ? known_integers(im, node_in(im, n, 2), "end") : NULL,
	    *axes = val_integers(im, node_in(im, n, 3)), *steps = val_integers(im, node_in(im, n, 4));
	int64_t axis[MODEL_RANK], from[MODEL_RANK], to[MODEL_RANK];
	int i, k = 0, ours;
	struct call c;

	if (!beg || !end)
		return false;
	for (i = 0; i < beg->n && i < end->n && k < MODEL_RANK; i++) {
		if (steps && i < steps->n && steps->v[i] != 1)
			return cannot(im, "it takes every so manieth index; the closest is x[::n]");
		if (!val_axis(im, x, axes && i < axes->n ? axes->v[i] : i, &ours))
			return false;
		axis[k] = ours;
		from[k] = beg->v[i] < -x->t->dim[ours] ? 0 : beg->v[i];
		to[k] = end->v[i] > x->t->dim[ours] ? x->t->dim[ours] : end->v[i];
		if (from[k] == 0 && to[k] == x->t->dim[ours])
			continue;
		k++;
	}
	if (k == 0) {
		val_alias(im, n->out[0], x);
		return true;
	}
	call_begin(&c, im, "slice");
	call_in(&c, x);
	call_ints(&c, "axis", k, axis);
	call_ints(&c, "start", k, from);
	call_ints(&c, "stop", k, to);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_slice = { .name = "Slice", .translate = slice };

static bool
split(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const struct integers *sizes = val_integers(im, node_in(im, n, 1));
	const int64_t *v = sizes ? sizes->v : NULL;
	int64_t from = 0, axis64, size;
	int i, axis, count = sizes ? sizes->n : n->nout;
	struct call c;

	if (!x || !val_axis(im, x, attr_int(n, "axis", 0), &axis))
		return false;
	if (!sizes)
		attr_ints(n, "split", &count, &v);
	axis64 = axis;
	for (i = 0; i < n->nout; i++, from += size) {
		int64_t stop;

		size = v && i < count ? v[i] : (x->t->dim[axis] + n->nout - 1) / n->nout;
		stop = from + size > x->t->dim[axis] ? x->t->dim[axis] : from + size;
		if (!map_get(&im->users, n->out[i]))
			continue;
		call_begin(&c, im, "slice");
		call_in(&c, x);
		call_ints(&c, "axis", 1, &axis64);
		call_ints(&c, "start", 1, &from);
		call_ints(&c, "stop", 1, &stop);
		if (!call_end(&c, n->out[i]))
			return false;
	}
	return true;
}

const struct onnx_op onnx_op_split = { .name = "Split", .translate = split };

/* One index of an axis, or rows of a trained table. */
static bool
gather(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *at = node_in(im, n, 1);
	const struct integers *k = val_integers(im, at);
	int64_t axis = attr_int(n, "axis", 0), ours64, stop;
	int ours;
	struct call c;

	if (x && x->data && at && at->t && at->t->dtype == DT_I32 && axis == 0 && x->data->rank == 2) {
		at->range = at->range && at->range < x->data->dim[0] ? at->range : (int)x->data->dim[0];
		at->t->classes = at->range;
		call_begin(&c, im, "embedding");
		call_in(&c, at);
		call_int(&c, "vocab", x->data->dim[0]);
		call_int(&c, "width", x->data->dim[1]);
		call_weight(&c, x->data, false);
		return call_end(&c, n->out[0]);
	}
	if (!(x = val_tensor(im, x, -1)))
		return false;
	if (!k || k->n != 1)
		return cannot(im, "its indices are neither one constant, nor an input's that stand for rows of a table; "
		    "the closest is take");
	if (!val_axis(im, x, axis, &ours))
		return false;
	ours64 = ours;
	stop = k->v[0] == -1 ? x->t->dim[ours] : k->v[0] + 1;
	call_begin(&c, im, "slice");
	call_in(&c, x);
	call_ints(&c, "axis", 1, &ours64);
	call_ints(&c, "start", 1, k->v);
	call_ints(&c, "stop", 1, &stop);
	if (k->scalar)
		call_ints(&c, "drop", 1, &ours64);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_gather = { .name = "Gather", .translate = gather };

static bool
same(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0);

	if (!x || !(x->t || x->data))
		return cannot(im, "its input is made by nothing before it");
	val_alias(im, n->out[0], x);
	return true;
}

/* Rounds to a type: what is computed in the network's own stays as it is. */
static bool
cast(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0);
	int64_t to = attr_int(n, "to", 1);

	if (x && x->t && x->t->dtype == DT_F32 && to != 1 && to != 10 && to != 11 && to != 16)
		return cannot(im, "it makes whole numbers of real ones");
	return same(im, n);
}

const struct onnx_op onnx_op_identity = { .name = "Identity", .translate = same };
const struct onnx_op onnx_op_cast = { .name = "Cast", .translate = cast };

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

/* Frames around height and width. */
static bool
pad(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const struct integers *k = x ? known_integers(im, node_in(im, n, 1), "frame") : NULL;
	const char *mode = attr_text(n, "mode", "constant");
	int64_t sides[4];
	double value = 0;
	int i, rank;
	struct call c;

	if (!k)
		return false;
	rank = val_rank(x);
	if (k->n != 2 * rank || x->t->rank < 2 || node_in(im, n, 3))
		return cannot(im, "its frame is not said axis by axis; ours is one of height and width");
	for (i = 0; i < 2 * rank; i++)
		if (i % rank < rank - 2 && k->v[i] != 0)
			return cannot(im, "it pads another axis than height and width");
	sides[0] = k->v[rank - 2];
	sides[1] = k->v[2 * rank - 2];
	sides[2] = k->v[rank - 1];
	sides[3] = k->v[2 * rank - 1];
	for (i = 0; i < 4; i++)
		if (sides[i] < 0)
			return cannot(im, "it takes away what a negative frame says; the closest is crop");
	if (node_in(im, n, 2) && !val_number(node_in(im, n, 2), &value))
		return cannot(im, "what its frame holds is computed");
	call_begin(&c, im, "pad");
	call_in(&c, x);
	call_ints(&c, "sides", 4, sides);
	if (value != 0)
		call_real(&c, "value", value);
	if (strcmp(mode, "constant") != 0)
		call_word(&c, "mode", strcmp(mode, "edge") == 0 ? "replicate" : strcmp(mode, "wrap") == 0 ?
		    "circular" : "reflect");
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_pad = { .name = "Pad", .translate = pad };
