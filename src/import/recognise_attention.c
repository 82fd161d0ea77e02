/*
 * Attention that an exporter took apart: queries times keys, scaled, what is added, softmax, times values. It is found at the
 * reshape that puts the heads into one row. Queries, keys and values are traced back through reshapes, permutes and slices, as
 * a place in memory would be by its strides, to the tensor whose rows hold the heads side by side: often one product makes all
 * three. What lies in another way is laid so.
 */
#include "import/importer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEEPEST	32		/* steps back */

struct strided {		/* elements of a tensor */
	struct val *of;
	int rank;
	int64_t dim[MODEL_RANK], stride[MODEL_RANK], first;
	double scale;		/* times that */
};

struct core {
	struct val *v[3];	/* queries [..., heads, T, d], keys, values */
	struct strided at[3];
	struct val *bias;	/* NULL: none */
	bool causal;
	double scale, dropout;
	int rank;
	int64_t heads, queries, keys, d;
};

static void
contiguous(struct strided *s, struct val *v)
{
	int64_t stride = 1;
	int i;

	*s = (struct strided){ .of = val_first(v), .rank = v->t->rank, .scale = 1 };
	for (i = s->rank - 1; i >= 0; i--) {
		s->dim[i] = v->t->dim[i];
		s->stride[i] = stride;
		stride *= s->dim[i];
	}
}

/* Other axes of the same elements in the same order; false: they do not lie at even distances. */
static bool
strided_reshape(struct strided *s, int rank, const int64_t *dim)
{
	struct strided was = *s;
	int64_t have, want, stride;
	int i, k, m, n, beg;

	for (i = n = 0; i < s->rank; i++)	/* an axis of one place has no distance */
		if (s->dim[i] != 1) {
			was.dim[n] = s->dim[i];
			was.stride[n++] = s->stride[i];
		}
	s->rank = rank;
	memcpy(s->dim, dim, (size_t)rank * sizeof(*dim));
	for (i = k = 0; k < rank; ) {
		beg = k;
		want = dim[k++];
		s->stride[beg] = 0;
		if (want == 1)
			continue;
		if (i == n)
			return false;
		for (have = was.dim[i++]; have != want; )
			if (have > want && k < rank)
				want *= dim[k++];
			else if (have < want && i < n && was.stride[i - 1] == was.stride[i] * was.dim[i])
				have *= was.dim[i++];
			else
				return false;
		for (stride = was.stride[i - 1], m = k; m > beg; m--) {
			s->stride[m - 1] = stride;
			stride *= dim[m - 1];
		}
	}
	return i == n;
}

static void
strided_permute(struct strided *s, const struct attr *axes)
{
	struct strided was = *s;
	int i;

	for (i = 0; i < s->rank; i++) {
		s->dim[i] = was.dim[axes->v[i]];
		s->stride[i] = was.stride[axes->v[i]];
	}
}

/* False: it goes backwards. */
static bool
strided_slice(struct strided *s, const struct step *of)
{
	const struct attr *axis = step_attr(of, "axis"), *start = step_attr(of, "start"), *by = step_attr(of, "step"),
	    *drop = step_attr(of, "drop");
	const struct tensor *x = of->in[0]->t, *y = of->out->t;
	bool gone[MODEL_RANK] = { false };
	int i, k;

	for (i = 0; i < drop->n; i++)
		gone[drop->v[i] < 0 ? drop->v[i] + x->rank : drop->v[i]] = true;
	for (i = 0; i < axis->n; i++) {
		int at = (int)(axis->v[i] < 0 ? axis->v[i] + x->rank : axis->v[i]);
		int64_t from = i < start->n ? start->v[i] : 0, step = i < by->n ? by->v[i] : 1;

		if (step < 1)
			return false;
		s->first += (from < 0 ? from + x->dim[at] : from) * s->stride[at];
		s->stride[at] *= step;
	}
	for (i = k = 0; i < x->rank; i++)
		if (!gone[i]) {
			s->dim[k] = y->dim[k];
			s->stride[k++] = s->stride[i];
		}
	s->rank = k;
	return true;
}

/* Does the step only say where elements are? Then where they are in what it takes them from. */
static bool
goes_on(struct strided *s, const struct step *of)
{
	const char *op = of->op->name;
	const struct tensor *y = of->out->t;

	if (strcmp(op, "permute") == 0)
		strided_permute(s, step_attr(of, "axes"));
	else if (strcmp(op, "scale") == 0 && step_attr(of, "offset")->r == 0)
		s->scale *= step_attr(of, "factor")->r;
	else if (strcmp(op, "slice") == 0)
		return strided_slice(s, of);
	else
		return (strcmp(op, "reshape") == 0 || strcmp(op, "flatten") == 0) && strided_reshape(s, y->rank, y->dim);
	return true;
}

/* Where the elements of V come from. */
static void
trace(struct val *v, struct strided *s)
{
	const struct step *of[DEEPEST];
	int n = 0;

	for (v = val_first(v); n < DEEPEST && v->def && v->def->nin == 1; v = val_first(v->def->in[0]))
		of[n++] = v->def;
	for (contiguous(s, v); n > 0; n--)
		if (!goes_on(s, of[n - 1]))
			contiguous(s, of[n - 1]->out);
}

/* ---- the core ---- */

/* The constant that it is, of which no number is trained; NULL. */
static const struct numbers *
constant_of(const struct val *v)
{
	const struct step *s = made_by(v, "parameter");

	if (v->known)
		return v->known;
	return s && s->weight[0].frozen && !s->weight[0].view && s->weight[0].numbers->data ? s->weight[0].numbers : NULL;
}

/* Of scores [..., T, T]: is a key seen, where it is not behind the query, and no other? A number is added to a score, or says
 * whether it is seen. */
static bool
is_causal(const struct val *v, bool added)
{
	const struct numbers *n = constant_of(v);
	int64_t t = n && n->rank >= 2 ? n->dim[n->rank - 1] : 0, i;

	if (!n || n->count != t * t || n->dim[n->rank - 2] != t)
		return false;
	for (i = 0; i < t * t; i++) {
		double x = numbers_real(n, i);
		bool seen = i % t <= i / t;

		if (added ? seen ? x != 0 : x > -1e4 : (x != 0) != seen)
			return false;
	}
	return t > 1;
}

/* The product whose scores V are, as what was done to them allows. */
static const struct step *
scores_of(const struct val *v, struct core *c, bool may_add)
{
	const struct step *s = made_by(v, "scale"), *product;
	int i;

	if (s && step_attr(s, "offset")->r == 0) {
		if ((product = scores_of(s->in[0], c, false)))
			c->scale *= step_attr(s, "factor")->r;
		return product;
	}
	if (may_add && (s = made_by(v, "where")) && s->nin == 2 && step_attr(s, "no")->given && step_attr(s, "no")->r <= -1e4 &&
	    is_causal(s->in[0], false)) {
		c->causal = true;
		return scores_of(s->in[1], c, true);
	}
	for (i = 0; may_add && (s = made_by(v, "add")) && s->nin == 2 && i < 2; i++) {
		product = scores_of(s->in[i], c, false);
		if (product && is_causal(s->in[!i], true))
			c->causal = true;
		else if (product)
			c->bias = s->in[!i];
		if (product)
			return product;
	}
	return made_by(v, "matmul");
}

/* Is the axis of heads exchanged with that of queries? */
bool
exchanges_heads(const struct step *s)
{
	const struct attr *axes = step_attr(s, "axes");
	int i, rank = s->in[0]->t->rank;

	for (i = 0; i < rank; i++)
		if (axes->v[i] != (i == rank - 3 ? rank - 2 : i == rank - 2 ? rank - 3 : i))
			return false;
	return rank >= 3;
}

/* Keys as [..., S, d]: those of the second matrix have these axes exchanged. */
static void
turn_keys(struct strided *s)
{
	int64_t dim = s->dim[s->rank - 1], stride = s->stride[s->rank - 1];

	s->dim[s->rank - 1] = s->dim[s->rank - 2];
	s->stride[s->rank - 1] = s->stride[s->rank - 2];
	s->dim[s->rank - 2] = dim;
	s->stride[s->rank - 2] = stride;
}

/* The product that X is, with the axis of heads behind that of queries; that of one head may be anywhere. NULL: it is none. */
static const struct step *
weighted_sum(const struct val *x)
{
	const struct step *turned = made_by(x, "permute"), *s;

	if (turned)
		return exchanges_heads(turned) ? made_by(turned->in[0], "matmul") : NULL;
	while ((s = made_by(x, "reshape")))
		x = s->in[0];
	s = made_by(x, "matmul");
	return s && s->out->t->rank >= 3 && s->out->t->dim[s->out->t->rank - 3] == 1 ? s : NULL;
}

static bool
find_core(const struct val *x, struct core *c)
{
	const struct step *product = weighted_sum(x), *s = product && product->nin == 2 ? made_by(product->in[0], "dropout") : NULL;
	const struct attr *axis;
	int k;

	*c = (struct core){ .scale = 1, .dropout = s ? step_attr(s, "rate")->r : 0 };
	if (!product || step_attr(product, "transpose_a")->i || step_attr(product, "transpose_b")->i)
		return false;
	s = made_by(s ? s->in[0] : product->in[0], "softmax");
	axis = s ? step_attr(s, "axis") : NULL;
	c->rank = product->in[0]->t->rank;
	if (!s || (axis->i != -1 && axis->i != c->rank - 1))
		return false;
	c->v[2] = product->in[1];
	s = scores_of(s->in[0], c, true);
	if (!s || s->nin != 2 || step_attr(s, "transpose_a")->i)
		return false;
	c->v[0] = s->in[0];
	c->v[1] = s->in[1];
	for (k = 0; k < 3; k++) {
		if (c->v[k]->t->rank != c->rank)
			return false;
		trace(c->v[k], &c->at[k]);
	}
	if (!step_attr(s, "transpose_b")->i)
		turn_keys(&c->at[1]);
	c->heads = c->at[0].dim[c->rank - 3];
	c->queries = c->at[0].dim[c->rank - 2];
	c->keys = c->at[1].dim[c->rank - 2];
	c->d = c->at[0].dim[c->rank - 1];
	return c->at[2].dim[c->rank - 1] == c->d && c->at[1].dim[c->rank - 3] == c->heads && c->at[2].dim[c->rank - 3] == c->heads &&
	    c->at[2].scale == 1 && memcmp(c->at[0].dim, c->at[1].dim, (size_t)(c->rank - 3) * sizeof(int64_t)) == 0;
}

/* ---- as operands of ours ---- */

/* Are the heads' numbers side by side in the rows of what they come from? Then how long such a row is; 0: they are not. */
static int64_t
row_of(const struct core *c, const struct strided *s)
{
	int64_t row = s->of->t->dim[s->of->t->rank - 1], stride = 1;
	int i, r = c->rank;

	if (s->stride[r - 1] != 1 || (c->heads > 1 && s->stride[r - 3] != c->d) || s->first + c->heads * c->d > row)
		return 0;
	stride = row;
	if (s->dim[r - 2] > 1 && s->stride[r - 2] != stride)
		return 0;
	stride *= s->dim[r - 2];
	for (i = r - 4; i >= 0; stride *= s->dim[i--])
		if (s->dim[i] > 1 && s->stride[i] != stride)
			return 0;
	return stride == tensor_elements_per_sample(s->of->t) ? row : 0;
}

/* [..., positions, width] of what has those elements in that order. */
static struct val *
as_rows(struct importer *im, struct val *v, const struct core *c, const struct strided *s, int64_t width)
{
	int64_t dim[MODEL_RANK];
	int rank = c->rank - 1;
	struct call call;

	memcpy(dim, s->dim, (size_t)(rank - 2) * sizeof(*dim));
	dim[rank - 2] = s->dim[c->rank - 2];
	dim[rank - 1] = width;
	if (v->t->rank == rank && memcmp(v->t->dim, dim, (size_t)rank * sizeof(*dim)) == 0)
		return v;
	call_begin(&call, im, "reshape");
	call_in(&call, v);
	call_ints(&call, "shape", rank, dim);
	return call_value(&call);
}

static struct val *
permuted(struct importer *im, struct val *v, const struct core *c, bool keys)
{
	int64_t axes[MODEL_RANK];
	int i, r = c->rank;
	struct call call;

	for (i = 0; i < r; i++)
		axes[i] = i;
	axes[r - 3] = keys ? r - 1 : r - 2;
	axes[r - 2] = r - 3;
	axes[r - 1] = keys ? r - 2 : r - 1;
	call_begin(&call, im, "permute");
	call_in(&call, v);
	call_ints(&call, "axes", r, axes);
	return call_value(&call);
}

static struct val *
part(struct importer *im, struct core *c, int k)
{
	struct strided *s = &c->at[k];
	int64_t row = row_of(c, s), width = c->heads * c->d, axis = -1, stop = s->first + width;
	bool turned = k == 1 && c->v[1]->t->dim[c->rank - 1] == c->keys && c->v[1]->t->dim[c->rank - 2] == c->d;
	struct val *v;
	struct call call;

	if (!row) {
		s->scale = 1;	/* which is in it */
		v = permuted(im, c->v[k], c, turned);
		return v ? as_rows(im, v, c, s, width) : NULL;
	}
	v = as_rows(im, s->of, c, s, row);
	if (!v || row == width)
		return v;
	call_begin(&call, im, "slice");
	call_in(&call, v);
	call_ints(&call, "axis", 1, &axis);
	call_ints(&call, "start", 1, &s->first);
	call_ints(&call, "stop", 1, &stop);
	return call_value(&call);
}

/* Do the rows of one tensor hold queries, keys and values, in that order? */
static bool
is_packed(const struct core *c)
{
	int64_t width = c->heads * c->d;
	int k;

	for (k = 0; k < 3; k++)
		if (c->at[k].of != c->at[0].of || c->at[k].first != k * width || row_of(c, &c->at[k]) != 3 * width)
			return false;
	return c->queries == c->keys;
}

/* What is added to scores, as [T, S], or with the axes in front of it. */
static struct val *
bias_of(struct importer *im, const struct core *c)
{
	int64_t dim[MODEL_RANK];
	struct val *v = c->bias;
	int i, n = 0, r = v->t->rank;
	struct call call;

	if (r == c->rank - 1 || r < 2 || r > c->rank)
		return NULL;
	for (i = 0; i < r - 2; i++)
		if (n > 0 || v->t->dim[i] != 1)
			dim[n++] = v->t->dim[i];
	dim[n++] = c->queries;
	dim[n++] = c->keys;
	if (v->t->dim[r - 2] != c->queries || v->t->dim[r - 1] != c->keys) {
		int64_t full[MODEL_RANK];

		memcpy(full, v->t->dim, sizeof(*full) * (size_t)r);
		full[r - 2] = c->queries;
		full[r - 1] = c->keys;
		call_begin(&call, im, "broadcast");
		call_in(&call, v);
		call_ints(&call, "shape", r, full);
		if (!(v = call_value(&call)))
			return NULL;
	}
	if (n == r)
		return v;
	call_begin(&call, im, "reshape");
	call_in(&call, v);
	call_ints(&call, "shape", n, dim);
	return call_value(&call);
}

static struct val *
attend(struct importer *im, struct core *c)
{
	struct val *in[4] = { NULL };
	double scale;
	int k, n = 0;
	struct call call;

	if (is_packed(c))
		in[n++] = as_rows(im, c->at[0].of, c, &c->at[0], 3 * c->heads * c->d);
	else
		while (n < 3) {
			in[n] = part(im, c, n);
			n++;
		}
	if (c->bias)
		in[n++] = bias_of(im, c);
	scale = c->scale * c->at[0].scale * c->at[1].scale;
	call_begin(&call, im, "attend");
	for (k = 0; k < n; k++) {
		if (!in[k])
			return NULL;
		call_in(&call, in[k]);
	}
	call_int(&call, "heads", c->heads);
	if (c->causal)
		call_int(&call, "causal", true);
	if (!nearly(scale * sqrt((double)c->d), 1))
		call_real(&call, "scale", scale);
	if (c->dropout > 0)
		call_real(&call, "dropout", c->dropout);
	return scale > 0 ? call_value(&call) : NULL;
}

/* What attend does not take is left as it is: steps that nothing reads are dropped. */
bool
recognise_attend(struct importer *im, const struct model_node *n, struct val *x, struct layout to, int rank, const int64_t *dim)
{
	int problems = im->result->problems.n;
	struct core c;
	struct val *y;

	if (rank < 1 || dim[rank - 1] < 1 || !find_core(x, &c) || dim[rank - 1] != c.heads * c.d)
		return false;
	y = attend(im, &c);
	if (y && reshape_to(im, n, y, to, rank, dim))
		return true;
	im->result->problems.n = problems;
	return false;
}
