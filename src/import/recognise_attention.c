/*
 * Attention that an exporter took apart: queries times keys, scaled, what is added, softmax, times
 * values. It is found at the reshape that puts the heads into one row. Queries, keys and values are
 * traced back through reshapes, permutes and slices, as a place in memory would be by its strides,
 * to the tensor whose rows hold the heads side by side: often one product makes all three. What
 * lies in another way is laid so.
 */
#include "import/strided.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct core {
	struct importer *im;
	struct val *v[3];	/* queries [..., heads, T, d], keys, values */
	struct strided at[3];
	struct val *bias;	/* NULL: none */
	const struct numbers *seen;	/* which scores are, by no order alone; NULL: all */
	bool lowers;		/* those that are not, by 100 or more that is added to them */
	const struct tensor *scores;
	bool causal;
	int64_t window;		/* 0: none */
	double scale, dropout;
	bool grouped;		/* those that share keys are an axis of their own behind that of keys */
	bool elsewhere[3];	/* they are no longer as the product takes them */
	int rank;		/* without that axis */
	int64_t heads, kv_heads, queries, keys, d;
};

/* ---- the core ---- */

/* Is it an order of scores, beside the one that is known? */
static bool
is_order(const struct val *v, enum mask how, struct core *c)
{
	const struct order *o = mask_order(c->im, v, how);

	if (!o || (c->causal && o->causal) || (c->window && o->window))
		return false;
	c->causal |= o->causal;
	c->window = o->window ? o->window : c->window;
	return true;
}

/* Does it make [..., heads, T, S] of [..., keys' heads, those of one, T, S], or with BACK these of
 * that? */
static bool
merges_groups(const struct step *reshape, bool back)
{
	const struct tensor *a = reshape->in[0]->t, *b = reshape->out->t;
	int r;

	if (back) {
		const struct tensor *t = a;

		a = b;
		b = t;
	}
	r = b->rank;
	return a->rank == r + 1 && r >= 3 && memcmp(a->dim, b->dim, (size_t)(r - 3) * sizeof(*a->dim)) == 0 &&
	    a->dim[r - 1] == b->dim[r - 2] && a->dim[r] == b->dim[r - 1];
}

/* Is it a score of which a softmax makes 0? */
static bool
says_never(const struct step *s, const char *name)
{
	return step_attr(s, name)->given && step_attr(s, name)->r <= -1e4;
}

static const struct step	*scores_of(const struct val *, struct core *, bool may_add);

/* The product whose scores get a constant that lowers some of them, behind what else is added. */
static const struct step *
lowered(const struct step *sum, struct core *c)
{
	const struct step *product;
	int i;

	for (i = 0; i < 2 && !c->seen && !c->bias; i++) {
		const struct numbers *n = mask_constant(sum->in[!i]);

		if (!n || n->rank < 4)
			continue;
		c->seen = n;
		c->lowers = true;
		if ((product = scores_of(sum->in[i], c, true)))
			return product;
		c->seen = NULL;
		c->lowers = false;
	}
	return NULL;
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
	if (may_add && (s = made_by(v, "where")) && s->nin == 2 && ((says_never(s, "yes") && is_order(s->in[0], HIDDEN, c)) ||
	    (says_never(s, "no") && (is_order(s->in[0], SEEN, c) || (!c->seen && (c->seen = mask_constant(s->in[0])))))))
		return scores_of(s->in[1], c, true);
	for (i = 0; may_add && (s = made_by(v, "add")) && s->nin == 2 && i < 2; i++) {
		product = scores_of(s->in[i], c, false);
		if (product && !is_order(s->in[!i], ADDED, c))
			c->bias = s->in[!i];
		if (product)
			return product;
	}
	if (may_add && s && s->nin == 2 && (product = lowered(s, c)))
		return product;
	if (c->grouped && (s = made_by(v, "reshape")))
		return merges_groups(s, false) ? scores_of(s->in[0], c, false) : NULL;
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

/* Are the axes of heads, two of them, exchanged with that of queries? */
static bool
exchanges_groups(const struct step *s)
{
	const struct attr *axes = step_attr(s, "axes");
	int i, r = s->in[0]->t->rank;

	for (i = 0; i < r; i++)
		if (axes->v[i] != (i == r - 4 ? r - 2 : i == r - 3 ? r - 4 : i == r - 2 ? r - 3 : i))
			return false;
	return r >= 4;
}

/* The product that X is, with the axis of heads behind that of queries; that of one head may be
 * anywhere. NULL: it is none. */
static const struct step *
weighted_sum(const struct val *x, bool *grouped)
{
	const struct step *turned = made_by(x, "permute"), *s;

	*grouped = turned && exchanges_groups(turned);
	if (turned)
		return *grouped || exchanges_heads(turned) ? made_by(turned->in[0], "matmul") : NULL;
	while ((s = made_by(x, "reshape")))
		x = s->in[0];
	s = made_by(x, "matmul");
	return s && s->out->t->rank >= 3 && s->out->t->dim[s->out->t->rank - 3] == 1 ? s : NULL;
}

/* The softmax of scores that V is, as a product takes it. */
static const struct step *
probabilities(const struct val *v, struct core *c)
{
	const struct step *s;

	if (c->grouped) {
		s = made_by(v, "reshape");
		if (!s || !merges_groups(s, true))
			return NULL;
		v = s->in[0];
	}
	if ((s = made_by(v, "dropout"))) {
		c->dropout = step_attr(s, "rate")->r;
		v = s->in[0];
	}
	return made_by(v, "softmax");
}

/* Two axes as one; false: they do not lie so. */
static bool
merge_axes(struct strided *s, int axis)
{
	int i;

	if (s->dim[axis] == 1)
		s->stride[axis] = s->stride[axis + 1];
	else if (s->dim[axis + 1] != 1 && s->stride[axis] != s->stride[axis + 1] * s->dim[axis + 1])
		return false;
	else if (s->dim[axis + 1] != 1)
		s->stride[axis] = s->stride[axis + 1];
	s->dim[axis] *= s->dim[axis + 1];
	for (i = axis + 1; i + 1 < s->rank; i++) {
		s->dim[i] = s->dim[i + 1];
		s->stride[i] = s->stride[i + 1];
	}
	s->rank--;
	return true;
}

/* Of heads of keys or values that are repeated for several of queries, those that there are: [...,
 * heads, S, d]. */
static struct val *
unrepeated(struct val *v)
{
	const struct step *s = made_by(v, "reshape"), *repeat = s ? made_by(s->in[0], "broadcast") : NULL;
	const struct tensor *x = repeat ? repeat->in[0]->t : NULL;
	int r = x ? x->rank : 0;

	if (!x || r < 4 || repeat->out->t->rank != r || x->dim[r - 3] != 1 || !merges_groups(s, false) ||
	    x->dim[r - 4] != repeat->out->t->dim[r - 4] || x->dim[r - 1] != repeat->out->t->dim[r - 1] ||
	    x->dim[r - 2] != repeat->out->t->dim[r - 2] || x->batched != repeat->out->t->batched ||
	    memcmp(x->dim, repeat->out->t->dim, (size_t)(r - 4) * sizeof(*x->dim)) != 0)
		return NULL;
	return repeat->in[0];
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

static bool
exchanges_last(const struct step *s)
{
	const struct attr *axes = step_attr(s, "axes");
	int i, r = s->in[0]->t->rank;

	for (i = 0; i < r; i++)
		if (axes->v[i] != (i < r - 2 ? i : 2 * r - 3 - i))
			return false;
	return r >= 2;
}

static struct val *
unscaled(struct val *v, double *factor)
{
	const struct step *s;

	while ((s = made_by(v, "scale")) && step_attr(s, "offset")->r == 0) {
		*factor *= step_attr(s, "factor")->r;
		v = s->in[0];
	}
	return v;
}

/* Where queries, keys and values come from, each as [..., heads, positions, d]. */
static bool
trace_parts(struct core *c, bool keys_turned)
{
	int64_t of_queries[2] = { 0 };	/* axes of heads, before they are one */
	int k, axis = c->rank - 3;

	for (k = 0; k < 3; k++) {
		double factor = 1;
		struct val *v = unscaled(c->v[k], &factor);
		const struct step *turned = k == 1 && keys_turned ? made_by(v, "permute") : NULL;
		struct val *one = k == 0 ? NULL : unrepeated(turned && exchanges_last(turned) ? turned->in[0] : v);
		bool turn = k == 1 && keys_turned && !(one && turned);

		if (c->v[k]->t->rank != c->rank + c->grouped)
			return false;
		strided_trace(one ? one : c->v[k], &c->at[k]);
		c->at[k].scale *= one ? factor : 1;
		c->elsewhere[k] = one || c->grouped;
		if (turn)
			turn_keys(&c->at[k]);
		if (!one && !c->grouped)
			continue;
		if (c->at[k].rank != c->rank + 1)
			return false;
		if (k == 0)
			memcpy(of_queries, &c->at[k].dim[axis], sizeof(of_queries));
		else if (c->at[k].dim[axis + 1] != 1 && memcmp(of_queries, &c->at[k].dim[axis], sizeof(of_queries)) != 0)
			return false;	/* it is not those beside each other that share one */
		if (!merge_axes(&c->at[k], axis))
			return false;
	}
	return true;
}

static bool
find_core(struct importer *im, const struct val *x, struct core *c)
{
	bool grouped;
	const struct step *product = weighted_sum(x, &grouped), *s;
	const struct attr *axis;
	int r;

	*c = (struct core){ .im = im, .scale = 1, .grouped = grouped };
	if (!product || product->nin != 2 || step_attr(product, "transpose_a")->i || step_attr(product, "transpose_b")->i ||
	    !(s = probabilities(product->in[0], c)))
		return false;
	axis = step_attr(s, "axis");
	r = c->rank = product->in[0]->t->rank - grouped;
	if (axis->i != -1 && axis->i != r - 1)
		return false;
	c->v[2] = product->in[1];
	c->scores = s->out->t;
	s = scores_of(s->in[0], c, true);
	if (!s || s->nin != 2 || step_attr(s, "transpose_a")->i)
		return false;
	c->v[0] = s->in[0];
	c->v[1] = s->in[1];
	if (!trace_parts(c, !step_attr(s, "transpose_b")->i))
		return false;
	c->heads = c->at[0].dim[r - 3];
	c->kv_heads = c->at[1].dim[r - 3];
	c->queries = c->at[0].dim[r - 2];
	c->keys = c->at[1].dim[r - 2];
	c->d = c->at[0].dim[r - 1];
	return c->at[2].dim[r - 1] == c->d && c->at[1].dim[r - 1] == c->d && c->at[2].dim[r - 2] == c->keys &&
	    c->at[2].dim[r - 3] == c->kv_heads && c->heads % c->kv_heads == 0 && c->at[2].scale == 1 &&
	    memcmp(c->at[0].dim, c->at[1].dim, (size_t)(r - 3) * sizeof(int64_t)) == 0 &&
	    memcmp(c->at[0].dim, c->at[2].dim, (size_t)(r - 3) * sizeof(int64_t)) == 0;
}

/* ---- as operands of ours ---- */

/* Are the heads' numbers side by side in the rows of what they come from? Then how long such a row
 * is; 0: they are not. */
static int64_t
row_of(const struct core *c, const struct strided *s)
{
	int64_t row = s->of->t->dim[s->of->t->rank - 1], stride = 1;
	int i, r = c->rank;

	if (s->stride[r - 1] != 1 || (s->dim[r - 3] > 1 && s->stride[r - 3] != c->d) || s->first + s->dim[r - 3] * c->d > row)
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

	memcpy(dim, s->dim, (size_t)(rank - 2) * sizeof(*dim));
	dim[rank - 2] = s->dim[c->rank - 2];
	dim[rank - 1] = width;
	return reshape_value(im, v, rank, dim);
}

static struct val *
heads_behind(struct importer *im, struct val *v, const struct core *c, bool keys)
{
	int64_t axes[MODEL_RANK];
	int i, r = c->rank;

	for (i = 0; i < r; i++)
		axes[i] = i;
	axes[r - 3] = keys ? r - 1 : r - 2;
	axes[r - 2] = r - 3;
	axes[r - 1] = keys ? r - 2 : r - 1;
	return permute_value(im, v, r, axes);
}

static struct val *
part(struct importer *im, struct core *c, int k)
{
	struct strided *s = &c->at[k];
	int64_t row = row_of(c, s), width = s->dim[c->rank - 3] * c->d, axis = -1, stop = s->first + width;
	bool turned = k == 1 && c->v[1]->t->dim[c->rank - 1] == c->keys && c->v[1]->t->dim[c->rank - 2] == c->d;
	struct val *v;
	struct call call;

	if (!row && c->elsewhere[k])
		return NULL;
	if (!row) {
		s->scale = 1;	/* which is in it */
		v = heads_behind(im, c->v[k], c, turned);
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
	int64_t first[] = { 0, c->heads * c->d, (c->heads + c->kv_heads) * c->d };
	int k;

	for (k = 0; k < 3; k++)
		if (c->at[k].of != c->at[0].of || c->at[k].first != first[k] || row_of(c, &c->at[k]) != first[2] + c->kv_heads * c->d)
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

/* A bias of a table may have what is not seen in it, once for all layers. */
static bool
find_table(struct core *c, struct attend_table *table)
{
	struct core with = *c;
	struct val *v = c->bias, *bias = NULL;
	const struct step *s;
	int k;

	if (!c->bias)
		return false;
	if (recognise_table(c->bias, c->heads, c->queries, c->keys, c->causal, table))
		return true;
	while ((s = made_by(v, "reshape")))
		v = s->in[0];
	if ((s = made_by(v, "where")) && s->nin == 2 && step_attr(s, "no")->given && step_attr(s, "no")->r <= -1e4 &&
	    is_order(s->in[0], SEEN, &with))
		bias = s->in[1];
	for (k = 0; (s = made_by(v, "add")) && s->nin == 2 && k < 2; k++)
		if (!bias && is_order(s->in[!k], ADDED, &with))
			bias = s->in[k];
	if (!bias || !recognise_table(bias, c->heads, c->queries, c->keys, with.causal, table))
		return false;
	*c = with;
	return true;
}

/* Windows that lie along one axis are then those of rows and of columns; false: they lie
 * otherwise. */
static bool
in_windows(struct core *c, const int64_t *windows)
{
	int k;

	if (c->rank == 4) {
		for (k = 0; k < 3; k++) {
			if (!strided_split(&c->at[k], windows))
				return false;
			c->elsewhere[k] = true;
		}
		c->rank = 5;
	}
	return c->rank == 5 && c->at[0].dim[0] == windows[0] && c->at[0].dim[1] == windows[1];
}

static struct val *
attend(struct importer *im, struct core *c)
{
	struct val *in[4] = { NULL };
	struct attend_table table = { .table = NULL };
	bool looked_up = find_table(c, &table);
	int64_t shift[2] = { 0 }, windows[2];
	double scale;
	int k, n = 0;
	struct call call;

	if (c->seen && (!recognise_shift(im, c->seen, c->lowers, c->scores, table.grid, windows, shift) || !in_windows(c, windows)))
		return NULL;
	if (is_packed(c))
		in[n++] = as_rows(im, c->at[0].of, c, &c->at[0], (c->heads + 2 * c->kv_heads) * c->d);
	else
		while (n < 3) {
			in[n] = part(im, c, n);
			n++;
		}
	if (c->bias)
		in[n++] = looked_up ? table.table : bias_of(im, c);
	scale = c->scale * c->at[0].scale * c->at[1].scale;
	call_begin(&call, im, "attend");
	for (k = 0; k < n; k++) {
		if (!in[k])
			return NULL;
		call_in(&call, in[k]);
	}
	call_int(&call, "heads", c->heads);
	if (c->kv_heads != c->heads)
		call_int(&call, "kv_heads", c->kv_heads);
	if (c->causal)
		call_int(&call, "causal", true);
	if (c->window)
		call_int(&call, "window", c->window);
	if (table.relative)
		call_int(&call, "relative", table.relative);
	if (table.relative && table.max_distance != 128)
		call_int(&call, "max_distance", table.max_distance);
	if (table.grid[0])
		call_ints(&call, "grid", 2, table.grid);
	if (shift[0] || shift[1])
		call_ints(&call, "shift", 2, shift);
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

	if (rank < 1 || dim[rank - 1] < 1 || !find_core(im, x, &c) || dim[rank - 1] != c.heads * c.d)
		return false;
	y = attend(im, &c);
	if (y && reshape_to(im, n, y, to, rank, dim)) {
		im->lowered += c.lowers;
		return true;
	}
	im->result->problems.n = problems;
	return false;
}
