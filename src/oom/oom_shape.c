/*
 * The comparison is by table: each order is a rule that says which extent of the tensor must stand
 * where, and the first rule that holds is the match. A network has some thousand tensors, so all of
 * them are compared.
 */
#include "oom/oom_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "ir/op.h"

#define MOST_MATCHES	256
#define MOST_OCTAVES	600	/* batches beyond 64 times the spec's, or below, are not likely */

const char *
shape_order_name(enum shape_order o)
{
	static const char *const name[] = {
		[SHAPE_AS_IS] = "channels first", [SHAPE_CHANNELS_LAST] = "channels last",
		[SHAPE_TRANSPOSED] = "a weight as TensorFlow keeps it",
		[SHAPE_TIME_MAJOR] = "time first", [SHAPE_OTHER] = "axes in another order",
		[SHAPE_FLAT] = "flattened", [SHAPE_ROWS] = "the batch and positions in one",
		[SHAPE_PADDED] = "padded at its edges, for a convolution",
	};

	return name[o];
}

int64_t
shape_bytes(const struct oom_shape *s, int element)
{
	int64_t n = element;
	int i;

	for (i = 0; i < s->rank; i++)
		if (__builtin_mul_overflow(n, s->dim[i], &n))
			return INT64_MAX;
	return n;
}

const char *
shape_axis_name(const struct tensor *t, int axis)
{
	static const char *const plain[5][4] = {
		{ NULL, NULL, NULL, NULL },
		{ "features", NULL, NULL, NULL },
		{ "time steps", "features", NULL, NULL },
		{ "channels", "height", "width", NULL },
		{ "channels", "depth", "height", "width" },
	};
	static const char *const weight[5][4] = {
		{ NULL, NULL, NULL, NULL },
		{ "outputs", NULL, NULL, NULL },
		{ "outputs", "inputs", NULL, NULL },
		{ NULL, NULL, NULL, NULL },
		{ "filters", "input channels", "kernel height", "kernel width" },
	};
	const char *name = NULL;

	if (axis == SHAPE_BATCH)
		return "batch";
	if (axis == SHAPE_MERGED)
		return "axes in one";
	if (t->rank <= 4 && axis < 4)
		name = tensor_kind_persistent(t->kind) && !t->batched ? weight[t->rank][axis] :
		    plain[t->rank][axis];
	return name ? name : "extent";
}

/* ---- one tensor against one shape ---- */

/* Do D's extents from AT on stand in that order? Fills axis. */
static bool
in_order(const struct tensor *t, const int64_t *d, const int *order, int *axis)
{
	int i;

	for (i = 0; i < t->rank; i++) {
		if (d[i] != t->dim[order[i]])
			return false;
		axis[i] = order[i];
	}
	return true;
}

/* The same extents in any order. */
static bool
any_order(const struct tensor *t, const int64_t *d, int *axis)
{
	bool used[MAX_RANK] = { false };
	int i, k;

	for (i = 0; i < t->rank; i++) {
		for (k = 0; k < t->rank && (used[k] || t->dim[k] != d[i]); k++)
			;
		if (k == t->rank)
			return false;
		used[k] = true;
		axis[i] = k;
	}
	return true;
}

/* The orders in which frameworks put the axes of one sample or of a weight. */
static bool
permuted(const struct tensor *t, const int64_t *d, int *axis, enum shape_order *o)
{
	int as_is[MAX_RANK], last[MAX_RANK], turned[MAX_RANK], n = t->rank, i;
	bool weight = tensor_kind_persistent(t->kind);

	for (i = 0; i < n; i++) {
		as_is[i] = i;
		last[i] = (i + 1) % n;
		turned[i] = n == 4 ? (i + 2) % 4 : n - 1 - i;
	}
	if (n == 4) {		/* [F, C, kh, kw] becomes [kh, kw, C, F] */
		turned[2] = 1;
		turned[3] = 0;
	}
	*o = SHAPE_AS_IS;
	if (in_order(t, d, as_is, axis))
		return true;
	*o = SHAPE_TRANSPOSED;
	if (weight && in_order(t, d, turned, axis))
		return true;
	*o = SHAPE_CHANNELS_LAST;
	if (!weight && n >= 3 && in_order(t, d, last, axis))
		return true;
	*o = SHAPE_OTHER;
	return any_order(t, d, axis);
}

static bool
batched_shape(const struct tensor *t, const struct oom_shape *s, struct shape_match *m)
{
	if (s->rank == t->rank + 1 && permuted(t, s->dim + 1, m->axis + 1, &m->order)) {
		m->axis[0] = SHAPE_BATCH;
		m->batch = s->dim[0];
		return true;
	}
	if (t->rank == 2 && s->rank == 3 && s->dim[0] == t->dim[0] && s->dim[2] == t->dim[1]) {
		m->order = SHAPE_TIME_MAJOR;
		m->axis[0] = 0;
		m->axis[1] = SHAPE_BATCH;
		m->axis[2] = 1;
		m->batch = s->dim[1];
		return true;
	}
	if (t->rank >= 2 && s->rank == 2 && s->dim[1] == tensor_elements_per_sample(t)) {
		m->order = SHAPE_FLAT;
		m->axis[0] = SHAPE_BATCH;
		m->axis[1] = SHAPE_MERGED;
		m->batch = s->dim[0];
		return true;
	}
	return false;
}

/* [B * T, D], and [B * H * W, C] of a map. */
static bool
rows_shape(const struct tensor *t, const struct oom_shape *s, struct shape_match *m)
{
	bool map = t->rank == 3;
	int64_t rows = map ? t->dim[1] * t->dim[2] : t->dim[0];
	int last = map ? 0 : 1;

	if ((t->rank != 2 && !map) || s->rank != 2 || t->dim[last] != s->dim[1] || rows < 2 ||
	    s->dim[0] <= rows || s->dim[0] % rows != 0)
		return false;
	m->order = SHAPE_ROWS;
	m->axis[0] = SHAPE_MERGED;
	m->axis[1] = last;
	m->batch = s->dim[0] / rows;
	return true;
}

struct shape_search {
	const struct module *module;
	const struct oom_shape *shape;
	const char *node;
	int64_t lo, hi, batch;
	struct shape_matches *to;
	int64_t (*windows)[2];	/* by tensor: rows and columns of those that go over it, the largest; NULL: not looked for yet */
};

/* The cells of an operator's windows along a side of a map, 0 the height, from the first to the
 * last; 1: it has none. */
static int64_t
window_side(const struct node *n, int side)
{
	int kernel = op_attr_at(n->op, "kernel"), apart = op_attr_at(n->op, "dilation");

	if (kernel < 0 || n->attr[kernel].n != 2)
		return 1;
	return 1 + (n->attr[kernel].v[side] - 1) * (apart < 0 || n->attr[apart].n != 2 ? 1 : n->attr[apart].v[side]);
}

static void
find_windows(struct shape_search *s)
{
	const struct graph *g = s->module->forward;
	int i, k, side;

	s->windows = arena_array(s->module->arena, (size_t)s->module->next_tensor + 1, sizeof(*s->windows));
	memset(s->windows, 0, ((size_t)s->module->next_tensor + 1) * sizeof(*s->windows));
	for (i = 0; i < g->nodes.n; i++)
		for (side = 0; side < 2; side++) {
			const struct node *n = g->nodes.v[i];
			int64_t cells = window_side(n, side);

			for (k = 0; k < n->nin; k++)
				if (n->in[k] && cells > s->windows[n->in[k]->id][side])
					s->windows[n->in[k]->id][side] = cells;
		}
}

/* Could a copy of T with so many rows and columns more be what the windows of a layer go over? */
static bool
is_framed(struct shape_search *s, const struct tensor *t, const int64_t more[2])
{
	if (!s->windows)
		find_windows(s);
	return more[0] < s->windows[t->id][0] && more[1] < s->windows[t->id][1];
}

/* A map with a few rows and columns more, channels first or last. */
static bool
padded_shape(struct shape_search *search, const struct tensor *t, struct shape_match *m)
{
	const struct oom_shape *s = search->shape;
	int64_t more[2];
	int last, i;

	if (t->rank != 3 || s->rank != 4)
		return false;
	for (last = 0; last < 2; last++) {
		const int64_t *map = s->dim + (last ? 1 : 2);

		for (i = 0; i < 2; i++)
			more[i] = map[i] - t->dim[i + 1];
		if (s->dim[last ? 3 : 1] != t->dim[0] || more[0] < 0 || more[1] < 0 || !is_framed(search, t, more))
			continue;
		m->order = SHAPE_PADDED;
		m->axis[0] = SHAPE_BATCH;
		m->axis[last ? 3 : 1] = 0;
		m->axis[last ? 1 : 2] = 1;
		m->axis[last ? 2 : 3] = 2;
		m->batch = s->dim[0];
		return true;
	}
	return false;
}

static bool
compare(struct shape_search *search, const struct tensor *t, struct shape_match *m)
{
	const struct oom_shape *s = search->shape;
	int64_t batch = search->batch;
	static const int unlikely[] = { [SHAPE_AS_IS] = 0, [SHAPE_CHANNELS_LAST] = 0,
	    [SHAPE_TRANSPOSED] = 0, [SHAPE_TIME_MAJOR] = 3, [SHAPE_OTHER] = 6, [SHAPE_FLAT] = 3,
	    [SHAPE_ROWS] = 3, [SHAPE_PADDED] = 7 };

	*m = (struct shape_match){ .tensor = t };
	if (t->batched && (batched_shape(t, s, m) || rows_shape(t, s, m) ||
	    padded_shape(search, t, m)))
		m->score = unlikely[m->order] + 2 * (m->batch != batch);
	else if (s->rank == t->rank && s->rank > 0 && permuted(t, s->dim, m->axis, &m->order))
		m->score = unlikely[m->order] + (t->batched ? 5 : 0);
	else
		return false;
	return true;
}

/* ---- all of them ---- */

/* The tensors that a step has in any framework: parameters, inputs and what layers make. */
static void
each(const struct module *m, void (*visit)(void *, const struct tensor *), void *context)
{
	const struct graph *g = m->forward;
	int i, k;

	for (i = 0; g && i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nout; k++)
			if (g->nodes.v[i]->out[k])
				visit(context, g->nodes.v[i]->out[k]);
	for (i = 0; g && i < g->inputs.n; i++)
		visit(context, g->inputs.v[i]);
	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_PARAM || m->persistent.v[i]->kind == T_STATISTIC)
			visit(context, m->persistent.v[i]);
}

static void
add(struct shape_search *s, const struct shape_match *m)
{
	if (s->to->all.n < MOST_MATCHES)
		vec_push(s->module->arena, &s->to->all, *m);
}

static int
by_score(const void *a, const void *b)
{
	const struct shape_match *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->tensor->id > y->tensor->id) - (x->tensor->id < y->tensor->id);
}

static void
sort(struct shape_matches *s)
{
	if (s->all.n > 1)
		qsort(s->all.v, (size_t)s->all.n, sizeof(*s->all.v), by_score);
}

/* Is the last part of the path in the framework's name of an operation, whatever the case? */
static bool
named(const char *node, const char *path)
{
	const char *part = strrchr(path, '.');
	size_t n, i;

	part = part ? part + 1 : path;
	n = strlen(part);
	for (; n >= 3 && *node; node++) {
		for (i = 0; i < n && node[i] && lower(node[i]) == lower(part[i]); i++)
			;
		if (i == n)
			return true;
	}
	return false;
}

static void
visit_shape(void *context, const struct tensor *t)
{
	struct shape_search *s = context;
	struct shape_match m;

	if (!compare(s, t, &m))
		return;
	if (t->def && named(s->node, t->def->path))
		m.score--;
	add(s, &m);
}

void
shape_find(const struct module *m, const struct oom_shape *shape, int64_t batch,
    const char *node, struct shape_matches *to)
{
	struct shape_search s = { .module = m, .shape = shape, .node = node, .batch = batch, .to = to };

	memset(to, 0, sizeof(*to));
	each(m, visit_shape, &s);
	sort(to);
}

/* How far apart two sizes are: a hundredth of a doubling counts one. */
static int
octaves(int64_t a, int64_t b)
{
	return a > 0 && b > 0 ? (int)(100 * fabs(log2((double)a) - log2((double)b))) : 6400;
}

/* How far the tensor at the spec's batch is from the shape: axes that have no partner, and how much
 * its size differs. */
static void
visit_near(void *context, const struct tensor *t)
{
	struct shape_search *s = context;
	struct oom_shape have = { .known = true };
	struct shape_match m = { .tensor = t };
	bool used[MAX_RANK] = { false };
	int i, k, lone = 0;

	if (t->batched && t->rank < MAX_RANK)
		have.dim[have.rank++] = s->batch;
	for (i = 0; i < t->rank && have.rank < MAX_RANK; i++)
		have.dim[have.rank++] = t->dim[i];
	for (i = 0; i < s->shape->rank; i++) {
		for (k = 0; k < have.rank && (used[k] || have.dim[k] != s->shape->dim[i]); k++)
			;
		if (k < have.rank)
			used[k] = true;
		else
			lone++;
	}
	m.score = 10000 * (lone + abs(have.rank - s->shape->rank)) +
	    octaves(shape_bytes(&have, 1), shape_bytes(s->shape, 1));
	add(s, &m);
}

void
shape_nearest(const struct module *m, const struct oom_shape *shape, int64_t batch, int most,
    struct shape_matches *to)
{
	struct shape_search s = { .module = m, .shape = shape, .batch = batch, .to = to };

	memset(to, 0, sizeof(*to));
	each(m, visit_near, &s);
	sort(to);
	if (to->all.n > most)
		to->all.n = most;
}

/* What a layer keeps beside its result in another type, as places of maxima, for which PyTorch has
 * 8 bytes each and TensorFlow none: its bytes are not those of another program. */
static bool
is_own(const struct tensor *t)
{
	return t->def && t != t->def->out[0] && t->dtype != t->def->out[0]->dtype;
}

static void
visit_bytes(void *context, const struct tensor *t)
{
	struct shape_search *s = context;
	struct affine size = tensor_bytes(t);
	struct shape_match m = { .tensor = t };
	int64_t now = affine_at(size, s->batch);

	if (t->alias_of || size.per_sample < 0 || is_own(t))
		return;
	if (now >= s->lo && now <= s->hi) {
		m.batch = size.per_sample ? s->batch : 0;
	} else if (size.per_sample > 0 && s->hi >= size.per_sample) {
		m.batch = s->hi / size.per_sample;
		m.score = octaves(m.batch, s->batch);
		if (size.fixed || m.batch * size.per_sample < s->lo || m.score > MOST_OCTAVES)
			return;
	} else {
		return;
	}
	add(s, &m);
}

void
shape_by_bytes(const struct module *m, int64_t lo, int64_t hi, int64_t batch,
    struct shape_matches *to)
{
	struct shape_search s = { .module = m, .lo = lo, .hi = hi, .batch = batch, .to = to };

	memset(to, 0, sizeof(*to));
	each(m, visit_bytes, &s);
	sort(to);
}
