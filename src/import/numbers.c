/*
 * Integers that shapes are made of, computed where they are known: Shape, Gather, Concat and what
 * else stands between a tensor and a Reshape. An element may be a multiple of the batch, which has
 * no number here; what mixes it with others is not known.
 */
#include "import/importer.h"

#include <string.h>

static struct integers *
fresh(struct importer *im, int n, bool scalar)
{
	struct integers *i = ARENA_NEW(im->arena, struct integers);

	i->n = n;
	i->scalar = scalar;
	return i;
}

const struct integers *
val_integers(struct importer *im, struct val *v)
{
	struct integers *k;
	int i;

	if (!v || v->integers || !v->data)
		return v ? v->integers : NULL;
	if (numbers_are_real(v->data) || v->data->rank > 1 || v->data->count > MOST_INTEGERS)
		return NULL;
	k = fresh(im, (int)v->data->count, v->data->rank == 0);
	for (i = 0; i < k->n; i++)
		k->v[i] = numbers_integer(v->data, i);
	v->integers = k;
	return k;
}

const struct integers *
known_integers(struct importer *im, struct val *v, const char *what)
{
	const struct integers *k = val_integers(im, v);

	if (!k)
		cannot(im, "its %s is computed from data, or not given", what);
	return k;
}

static bool
set(struct importer *im, const struct model_node *n, const struct integers *k)
{
	struct val *v = val_new(im, n->out[0]);

	v->integers = k;
	val_alias(im, n->out[0], v);
	return true;
}

static bool
fold_shape(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0);
	struct integers *k, *part;
	int64_t beg = attr_int(n, "start", 0), end;
	int rank;

	if (!x || !(x->t || val_numbers(x) || x->integers) || (x->t && x->t->kind == T_POISON))
		return false;
	rank = val_rank(x);
	end = attr_int(n, "end", rank);
	k = fresh(im, rank, false);
	val_extents(x, k->v);
	if (val_has_batch(x))
		k->batch[x->source.at] = true;
	beg = beg < 0 ? beg + rank : beg;
	end = end < 0 ? end + rank : end > rank ? rank : end;
	if (beg < 0 || beg > end)
		return false;
	part = fresh(im, (int)(end - beg), false);
	memcpy(part->v, k->v + beg, (size_t)part->n * sizeof(*part->v));
	memcpy(part->batch, k->batch + beg, (size_t)part->n * sizeof(*part->batch));
	return set(im, n, part);
}

static bool
fold_gather(struct importer *im, const struct model_node *n)
{
	const struct integers *x = val_integers(im, node_in(im, n, 0)), *at = val_integers(im, node_in(im, n, 1));
	struct integers *k;
	int i;

	if (!x || !at)
		return false;
	k = fresh(im, at->n, at->scalar);
	for (i = 0; i < at->n; i++) {
		int64_t j = at->v[i] < 0 ? at->v[i] + x->n : at->v[i];

		if (j < 0 || j >= x->n)
			return false;
		k->v[i] = x->v[j];
		k->batch[i] = x->batch[j];
	}
	return set(im, n, k);
}

static bool
fold_concat(struct importer *im, const struct model_node *n)
{
	struct integers *k = fresh(im, 0, false);
	int i, j;

	for (i = 0; i < n->nin; i++) {
		const struct integers *x = val_integers(im, node_in(im, n, i));

		if (!x || x->scalar || k->n + x->n > MOST_INTEGERS)
			return false;
		for (j = 0; j < x->n; j++, k->n++) {
			k->v[k->n] = x->v[j];
			k->batch[k->n] = x->batch[j];
		}
	}
	return set(im, n, k);
}

/* The same integers as a vector, or as a scalar. */
static bool
fold_same(struct importer *im, const struct model_node *n, bool scalar)
{
	const struct integers *x = val_integers(im, node_in(im, n, 0));
	struct integers *k;

	if (!x || (scalar && x->n != 1))
		return false;
	k = fresh(im, x->n, scalar);
	memcpy(k->v, x->v, sizeof(k->v));
	memcpy(k->batch, x->batch, sizeof(k->batch));
	return set(im, n, k);
}

/* To a vector, or to a scalar. */
static bool
fold_reshaped(struct importer *im, const struct model_node *n)
{
	const struct integers *shape = val_integers(im, node_in(im, n, 1)), *x = val_integers(im, node_in(im, n, 0));

	return x && shape && shape->n <= 1 && fold_same(im, n, shape->n == 0);
}

static bool
computed(char what, int64_t a, int64_t b, int64_t *v)
{
	switch (what) {
	case '+':
		return !__builtin_add_overflow(a, b, v);
	case '-':
		return !__builtin_sub_overflow(a, b, v);
	case '*':
		return !__builtin_mul_overflow(a, b, v);
	default:
		if (b == 0 || (a == INT64_MIN && b == -1))
			return false;
		*v = what == '/' ? a / b : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
		return true;
	}
}

static bool
fold_arithmetic(struct importer *im, const struct model_node *n, char what)
{
	const struct integers *a = val_integers(im, node_in(im, n, 0)), *b = val_integers(im, node_in(im, n, 1));
	struct integers *k;
	int i;

	if (!a || !b || (a->n != b->n && a->n != 1 && b->n != 1))
		return false;
	k = fresh(im, a->n > b->n ? a->n : b->n, a->scalar && b->scalar);
	for (i = 0; i < k->n; i++) {
		int p = a->n == 1 ? 0 : i, q = b->n == 1 ? 0 : i;

		k->batch[i] = a->batch[p] || b->batch[q];
		if (k->batch[i] && (b->batch[q] ? what != '*' || a->batch[p] : what == '%' || what == '+' || what == '-' ||
		    (what == '/' && a->v[p] % (b->v[q] ? b->v[q] : 1) != 0)))
			return false;
		if (!computed(what, a->v[p], b->v[q], &k->v[i]))
			return false;
	}
	return set(im, n, k);
}

/* A multiple of the batch is above 0, and so no number that is not. */
static bool
fold_equal(struct importer *im, const struct model_node *n)
{
	const struct integers *a = val_integers(im, node_in(im, n, 0)), *b = val_integers(im, node_in(im, n, 1));
	struct integers *k;
	int i;

	if (!a || !b || (a->n != b->n && a->n != 1 && b->n != 1))
		return false;
	k = fresh(im, a->n > b->n ? a->n : b->n, a->scalar && b->scalar);
	for (i = 0; i < k->n; i++) {
		int p = a->n == 1 ? 0 : i, q = b->n == 1 ? 0 : i;

		if (a->batch[p] != b->batch[q] && (a->batch[p] ? b->v[q] : a->v[p]) > 0)
			return false;
		k->v[i] = a->batch[p] == b->batch[q] && a->v[p] == b->v[q];
	}
	return set(im, n, k);
}

static bool
fold_where(struct importer *im, const struct model_node *n)
{
	const struct integers *c = val_integers(im, node_in(im, n, 0)), *a = val_integers(im, node_in(im, n, 1)),
	    *b = val_integers(im, node_in(im, n, 2));
	struct integers *k;
	int i;

	if (!a || !b || !c || (a->n != c->n && a->n != 1) || (b->n != c->n && b->n != 1))
		return false;
	k = fresh(im, c->n, c->scalar && a->scalar && b->scalar);
	for (i = 0; i < k->n; i++) {
		const struct integers *from = c->v[i] ? a : b;
		int at = from->n == 1 ? 0 : i;

		if (c->batch[i])
			return false;
		k->v[i] = from->v[at];
		k->batch[i] = from->batch[at];
	}
	return set(im, n, k);
}

static bool
fold_slice(struct importer *im, const struct model_node *n)
{
	const struct integers *x = val_integers(im, node_in(im, n, 0)), *beg = val_integers(im, node_in(im, n, 1)),
	    *end = val_integers(im, node_in(im, n, 2)), *step = val_integers(im, node_in(im, n, 4));
	struct integers *k;
	int64_t from, to;

	if (!x || !beg || !end || beg->n != 1 || end->n != 1 || (step && step->v[0] != 1))
		return false;
	from = beg->v[0] < -x->n ? 0 : beg->v[0] < 0 ? beg->v[0] + x->n : beg->v[0] > x->n ? x->n : beg->v[0];
	to = end->v[0] < -x->n ? 0 : end->v[0] < 0 ? end->v[0] + x->n : end->v[0] > x->n ? x->n : end->v[0];
	if (from > to)
		to = from;
	k = fresh(im, (int)(to - from), false);
	memcpy(k->v, x->v + from, (size_t)k->n * sizeof(*k->v));
	memcpy(k->batch, x->batch + from, (size_t)k->n * sizeof(*k->batch));
	return set(im, n, k);
}

static bool
fold_constant(struct importer *im, const struct model_node *n)
{
	const struct model_attr *a = model_attr(n, "value");
	struct val *v = val_new(im, n->out[0]);
	struct integers *k;

	if (a && a->type == A_NUMBERS) {
		struct numbers *same = ARENA_NEW(im->arena, struct numbers);

		*same = *a->numbers;
		same->name = n->out[0];
		same->computed = true;
		v->data = same;
	} else if (a || n->nattrs != 1) {
		return false;
	} else if (n->attr[0].type == A_INT || n->attr[0].type == A_INTS) {
		k = fresh(im, n->attr[0].type == A_INT ? 1 : n->attr[0].n, n->attr[0].type == A_INT);
		if (k->n > MOST_INTEGERS)
			return false;
		memcpy(k->v, k->scalar ? &n->attr[0].i : n->attr[0].v, (size_t)k->n * sizeof(*k->v));
		v->integers = k;
	} else if (n->attr[0].type == A_REALS) {
		struct numbers *many = ARENA_NEW(im->arena, struct numbers);

		*many = (struct numbers){ .name = n->out[0], .type = ELEMENT_F64, .rank = 1, .dim = { n->attr[0].n },
			.count = n->attr[0].n, .data = (const unsigned char *)n->attr[0].real };
		v->data = many;
	} else if (n->attr[0].type == A_REAL) {
		struct numbers *one = ARENA_NEW(im->arena, struct numbers);

		*one = (struct numbers){ .name = n->out[0], .type = ELEMENT_F64, .count = 1,
			.data = (const unsigned char *)&n->attr[0].r };
		v->data = one;
	} else
		return false;
	val_alias(im, n->out[0], v);
	return true;
}

static bool
fold_filled(struct importer *im, const struct model_node *n)
{
	const struct integers *shape = val_integers(im, node_in(im, n, 0));
	const struct model_attr *a = model_attr(n, "value");
	struct integers *k;
	int i;

	if (!shape || shape->n > 1 || (shape->n == 1 && (shape->batch[0] || shape->v[0] < 0 ||
	    shape->v[0] > MOST_INTEGERS)) || !a || a->type != A_NUMBERS || numbers_are_real(a->numbers))
		return false;
	k = fresh(im, shape->n ? (int)shape->v[0] : 1, shape->n == 0);
	for (i = 0; i < k->n; i++)
		k->v[i] = (int64_t)numbers_real(a->numbers, 0);
	return set(im, n, k);
}

static bool
fold_product(struct importer *im, const struct model_node *n)
{
	const struct integers *x = val_integers(im, node_in(im, n, 0));
	struct integers *k;
	int i;

	if (!x)
		return false;
	k = fresh(im, 1, !attr_int(n, "keepdims", 1));
	k->v[0] = 1;
	for (i = 0; i < x->n; i++) {
		if ((k->batch[0] && x->batch[i]) || __builtin_mul_overflow(k->v[0], x->v[i], &k->v[0]))
			return false;
		k->batch[0] |= x->batch[i];
	}
	return set(im, n, k);
}

static bool
is_scalar(struct importer *im, struct val *v)
{
	const struct integers *k = val_integers(im, v);

	return k && k->scalar;
}

static bool
fold_integers(struct importer *im, const struct model_node *n)
{
	static const struct { const char *op; char what; } arithmetic[] = {
		{ "Add", '+' }, { "Sub", '-' }, { "Mul", '*' }, { "Div", '/' }, { "Mod", '%' }
	};
	size_t i;

	for (i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++)
		if (strcmp(n->op, arithmetic[i].op) == 0)
			return fold_arithmetic(im, n, arithmetic[i].what);
	if (strcmp(n->op, "Shape") == 0)
		return fold_shape(im, n);
	if (strcmp(n->op, "Constant") == 0)
		return fold_constant(im, n);
	if (strcmp(n->op, "Gather") == 0)
		return fold_gather(im, n);
	if (strcmp(n->op, "Concat") == 0)
		return fold_concat(im, n);
	if (strcmp(n->op, "Slice") == 0)
		return fold_slice(im, n);
	if (strcmp(n->op, "Cast") == 0 && attr_int(n, "to", 1) != 7 && attr_int(n, "to", 1) != 6)
		return false;	/* to real ones, which divide otherwise */
	if (strcmp(n->op, "Unsqueeze") == 0)	/* of a vector it makes what is none */
		return is_scalar(im, node_in(im, n, 0)) && fold_same(im, n, false);
	if (strcmp(n->op, "Cast") == 0 || strcmp(n->op, "Identity") == 0)
		return fold_same(im, n, is_scalar(im, node_in(im, n, 0)));
	if (strcmp(n->op, "Squeeze") == 0)
		return fold_same(im, n, true);
	if (strcmp(n->op, "ConstantOfShape") == 0)
		return fold_filled(im, n);
	if (strcmp(n->op, "Reshape") == 0)
		return fold_reshaped(im, n);
	if (strcmp(n->op, "Equal") == 0)
		return fold_equal(im, n);
	if (strcmp(n->op, "Where") == 0)
		return fold_where(im, n);
	return strcmp(n->op, "ReduceProd") == 0 && fold_product(im, n);
}

bool
fold_node(struct importer *im, const struct model_node *n)
{
	return fold_integers(im, n) || fold_array(im, n);
}
