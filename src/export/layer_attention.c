/*
 * Attention, and positions that are turned. ONNX has neither in its opset 21, so they are said step
 * by step: scores as a product, what is added to them, what is not seen, softmax, and another
 * product.
 *
 *     q [..., T, heads d] -> [..., heads, T, d]      with fewer heads of keys: [..., kv, heads / kv, T, d]
 */
#include "export/training.h"

#include <math.h>
#include <string.h>

#include "ops/attend.h"
#include "ops/shapes.h"

enum { Q, K, V, BIAS };

#define AXES	(MAX_RANK + 4)

struct attention {
	struct exporter *x;
	const struct node *n;
	const struct tensor *q;
	bool batched;
	int sequences;		/* axes before the last two */
	int64_t t, s, heads, kv, d;
	const char *part[3];	/* q, k and v, each [..., positions, its heads d] */
};

/* ---- parts ---- */

static void
find_parts(struct attention *a)
{
	struct exporter *x = a->x;
	const struct node *n = a->n;
	int64_t width = a->heads * a->d, kv = a->kv * a->d;
	int k, last = a->q->rank - 1 + a->batched;

	for (k = Q; k <= V; k++)
		a->part[k] = n->in[K] ? value_of(x, n->in[k]) : sliced(x, value_of(x, a->q), last,
		    k == Q ? 0 : width + (k == V) * kv, k == Q ? width : width + kv + (k == V) * kv);
}

static struct attention
attention_of(struct exporter *x, const struct node *n)
{
	struct attention a = { .x = x, .n = n, .q = n->in[Q], .batched = n->in[Q]->batched,
		.heads = op_int(n, "heads"), .kv = op_int(n, "kv_heads") };
	const struct tensor *q = a.q;

	a.sequences = q->rank - 2;
	a.t = q->dim[q->rank - 2];
	a.s = n->in[K] ? n->in[K]->dim[q->rank - 2] : a.t;
	a.kv = a.kv ? a.kv : a.heads;
	a.d = q->dim[q->rank - 1] / (n->in[K] ? a.heads : a.heads + 2 * a.kv);
	find_parts(&a);
	return a;
}

/* [..., positions, heads d] with the heads in front; of queries, those that share keys are an axis
 * of their own. */
static const char *
by_head(struct attention *a, int part, bool keys_turned)
{
	int64_t dim[AXES], axes[AXES];
	bool grouped = a->kv != a->heads;
	int front = a->sequences, i, rank;

	memcpy(dim, a->q->dim, (size_t)front * sizeof(*dim));
	dim[front] = part == Q ? a->t : a->s;
	dim[front + 1] = grouped || part != Q ? a->kv : a->heads;
	dim[front + 2] = part == Q ? a->heads / a->kv : 1;
	dim[front + 2 + grouped] = a->d;
	rank = front + 3 + grouped;
	front += a->batched;
	for (i = 0; i < front; i++)
		axes[i] = i;
	axes[front] = front + 1;
	axes[front + grouped] = front + 1 + grouped;
	axes[front + 1 + grouped] = keys_turned ? front + 2 + grouped : front;
	axes[front + 2 + grouped] = keys_turned ? front : front + 2 + grouped;
	return transposed(a->x, reshaped(a->x, a->part[part], a->batched, rank, dim), rank + a->batched, axes);
}

/* Scores as [..., heads, T, S], or with those that share keys as an axis. */
static const char *
with_groups(struct attention *a, const char *scores, bool grouped)
{
	int64_t dim[AXES];
	int rank = a->sequences;

	if (a->kv == a->heads)
		return scores;
	memcpy(dim, a->q->dim, (size_t)rank * sizeof(*dim));
	dim[rank++] = grouped ? a->kv : a->heads;
	if (grouped)
		dim[rank++] = a->heads / a->kv;
	dim[rank++] = a->t;
	dim[rank++] = a->s;
	return reshaped(a->x, scores, a->batched, rank, dim);
}

/* ---- what is added to scores ---- */

/* 0, 1, 2 ... as a column of queries or a row of keys. */
static const char *
positions(struct attention *a, bool queries)
{
	return counted(a->x, 2, queries ? (int64_t[]){ a->t, 1 } : (int64_t[]){ 1, a->s });
}

/* A table's row for each query and key, and what it holds there: [heads, T, S]. */
static const char *
from_table(struct attention *a)
{
	int32_t *row = arena_array(a->x->arena, (size_t)(a->t * a->s), sizeof(*row));
	int64_t h = op_attr(a->n, "grid")->v[0], w = op_attr(a->n, "grid")->v[1], i, j;
	const char *v;

	for (i = 0; i < a->t; i++)
		for (j = 0; j < a->s; j++)
			row[i * a->s + j] = (int32_t)(h ? (i / w - j / w + h - 1) * (2 * w - 1) + i % w - j % w + w - 1 :
			    attend_bucket(op_int(a->n, "relative"), op_int(a->n, "max_distance"), op_bool(a->n, "causal"), i - j));
	v = places_constant(a->x, 2, (int64_t[]){ a->t, a->s }, row);
	v = two(a->x, "Gather", value_of(a->x, a->n->in[BIAS]), v);
	return transposed(a->x, v, 3, (int64_t[]){ 2, 0, 1 });
}

/* A bias of each sample has as many axes as the scores. */
static const char *
from_memory(struct attention *a)
{
	const struct tensor *t = a->n->in[BIAS];
	const char *v = value_of(a->x, t);
	int64_t dim[AXES];
	int rank = a->sequences + 3, more = rank - t->rank, i;

	if (!t->batched || more <= 0)
		return v;
	for (i = 0; i < rank; i++)
		dim[i] = i < more ? 1 : t->dim[i - more];
	return reshaped(a->x, v, true, rank, dim);
}

static const char *
alibi(struct attention *a)
{
	double *slope = arena_array(a->x->arena, (size_t)a->heads, sizeof(*slope));
	int64_t n = 1, h;
	const char *v;

	while (2 * n <= a->heads)
		n *= 2;
	for (h = 0; h < a->heads; h++)
		slope[h] = -(h < n ? exp2(-8.0 * (double)(h + 1) / (double)n) :
		    exp2(-4.0 * (double)(2 * (h - n) + 1) / (double)n));
	v = one(a->x, "Abs", two(a->x, "Sub", positions(a, true), positions(a, false)));
	v = cast_to(a->x, v, ELEMENT_F32);
	return two(a->x, "Mul", v, reals_constant(a->x, 3, (int64_t[]){ a->heads, 1, 1 }, slope));
}

/* ---- what is not seen ---- */

/* [rows, columns, 1, T, S]: do both come round, or neither? */
static const char *
seams(struct attention *a)
{
	const struct attr *grid = op_attr(a->n, "grid"), *shift = op_attr(a->n, "shift");
	const int64_t *windows = a->q->dim + a->sequences - 2;
	int64_t all = windows[0] * windows[1], at, i;
	int32_t *side = arena_array(a->x->arena, (size_t)(all * a->t), sizeof(*side));
	const char *of_queries, *of_keys;

	for (at = 0; at < all; at++)
		for (i = 0; i < a->t; i++)
			side[at * a->t + i] = attend_side(windows, at, grid->v, shift->v, i);
	of_queries = places_constant(a->x, 5, (int64_t[]){ windows[0], windows[1], 1, a->t, 1 }, side);
	of_keys = places_constant(a->x, 5, (int64_t[]){ windows[0], windows[1], 1, 1, a->t }, side);
	return two(a->x, "Equal", of_queries, of_keys);
}

static const char *
both(struct attention *a, const char *one, const char *other)
{
	return one ? two(a->x, "And", one, other) : other;
}

/* NULL: all see all. */
static const char *
seen(struct attention *a)
{
	struct exporter *x = a->x;
	const char *mask = NULL, *apart;
	int32_t *window = arena_array(x->arena, 1, sizeof(*window));

	if (op_bool(a->n, "causal"))
		mask = two(x, "LessOrEqual", positions(a, false), positions(a, true));
	if (op_int(a->n, "window") > 0 && op_int(a->n, "window") < INT32_MAX) {
		*window = (int32_t)op_int(a->n, "window");
		apart = one(x, "Abs", two(x, "Sub", positions(a, true), positions(a, false)));
		mask = both(a, mask, two(x, "Less", apart, places_constant(x, 0, NULL, window)));
	}
	if (op_attr(a->n, "shift")->v[0] || op_attr(a->n, "shift")->v[1])
		mask = both(a, mask, seams(a));
	return mask;
}

static void
attend(struct exporter *x, const struct node *n)
{
	struct attention a = attention_of(x, n);
	double scale = op_real(n, "scale");
	const char *y = two(x, "MatMul", by_head(&a, Q, false), by_head(&a, K, true)), *mask = seen(&a);
	int64_t axes[AXES];
	int i, front = a.sequences + a.batched, heads = a.kv == a.heads ? 1 : 2;

	y = two(x, "Mul", y, real_constant(x, scale > 0 ? scale : 1 / sqrt((double)a.d)));
	y = with_groups(&a, y, false);
	if (n->in[BIAS])
		y = two(x, "Add", y, attend_table(n) ? from_table(&a) : from_memory(&a));
	if (op_bool(n, "alibi"))
		y = two(x, "Add", y, alibi(&a));
	if (mask)
		y = make(x, "Where", IN(mask, y, real_constant(x, -INFINITY)), AS_IS);
	y = make(x, "Softmax", IN(y), AS(attr_is_int("axis", -1)));
	if (x->training)
		y = dropped(x, y, op_real(n, "dropout"));
	y = with_groups(&a, y, true);
	y = two(x, "MatMul", y, by_head(&a, V, false));
	for (i = 0; i < front; i++)
		axes[i] = i;
	axes[front] = front + heads;	/* positions before heads again */
	for (i = 0; i < heads; i++)
		axes[front + 1 + i] = front + i;
	axes[front + 1 + heads] = front + 1 + heads;
	result(x, n->out[0], reshaped_as(x, transposed(x, y, front + heads + 2, axes), n->out[0]));
}

EXPORT_OP_ROW(attend, .write = attend);
