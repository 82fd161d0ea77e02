/*
 * Biases of attention that are looked up in a trained table by where a query and a key are: T5's
 * buckets of their distance, and places of a grid. What a model has is rows of the table by
 * constant indices, in whichever order of axes. Such rows are the product of a matrix of ones and
 * the table, whose numbers are written only where no attention takes the table itself.
 */
#include "import/arrays.h"

#include <string.h>

#include "import/rows.h"
#include "import/strided.h"
#include "ops/attend.h"

/* ---- rows of a table ---- */

struct val *
table_rows(struct importer *im, struct val *table, const struct numbers *index)
{
	struct numbers *n = ARENA_NEW(im->arena, struct numbers);
	int64_t i;
	struct val *ones, *rows;
	struct call c;

	if (index->count > MOST_FOLDED)
		return cannot(im, "its constant indices are too many"), NULL;
	for (i = 0; i < index->count; i++)
		if (numbers_integer(index, i) < -table->data->dim[0] || numbers_integer(index, i) >= table->data->dim[0])
			return cannot(im, "its constant indices are out of range"), NULL;
	*n = (struct numbers){ .name = "", .type = ELEMENT_F64, .rank = 2, .dim = { index->count, table->data->dim[0] },
		.picks = index, .computed = true };
	if (__builtin_mul_overflow(n->dim[0], n->dim[1], &n->count))
		return cannot(im, "its constant indices are too many"), NULL;
	if (!(rows = val_laid(im, table, -1)))
		return NULL;
	call_begin(&c, im, "parameter");
	call_ints(&c, "shape", 2, n->dim);
	call_frozen(&c, n, NULL);
	c.path = "";
	if (!(ones = call_value(&c)))
		return NULL;
	call_begin(&c, im, "matmul");
	call_in(&c, ones);
	call_in(&c, rows);
	return call_value(&c);
}

static int64_t
picked(const struct numbers *n, int64_t i)
{
	int64_t k = numbers_integer(n->picks, i);

	return k < 0 ? k + n->dim[1] : k;
}

bool
table_rows_fill(struct importer *im)
{
	int i;
	int64_t k;

	for (i = 0; i < im->steps.n; i++) {
		const struct step *s = im->steps.v[i];
		struct numbers *n = s->nweights > 0 ? (struct numbers *)s->weight[0].numbers : NULL;
		struct array a = { .real = true, .rank = 2 };

		if (!n || !n->picks || n->data)
			continue;
		memcpy(a.dim, n->dim, sizeof(a.dim));
		im->node = s->said_by;
		if (!array_room(im, &a))
			return cannot(im, "the matrix of %lld numbers by %lld that says which rows it takes is too large",
			    (long long)n->dim[0], (long long)n->dim[1]);
		for (k = 0; k < n->dim[0]; k++)
			a.r[k * n->dim[1] + picked(n, k)] = 1;
		n->data = (const unsigned char *)a.r;
	}
	return true;
}

/* ---- which rule they follow ---- */

/* Rows by query and key. */
struct lookup {
	const struct numbers *n;
	int64_t queries, keys, rows;
	int64_t first, of_query, of_key;
};

static int64_t
row_at(const struct lookup *l, int64_t i, int64_t j)
{
	return picked(l->n, l->first + i * l->of_query + j * l->of_key);
}

static bool
is_grid(const struct lookup *l, int64_t h, int64_t w)
{
	int64_t i, j;

	for (i = 0; i < l->queries; i++)
		for (j = 0; j < l->keys; j++)
			if (row_at(l, i, j) != (i / w - j / w + h - 1) * (2 * w - 1) + i % w - j % w + w - 1)
				return false;
	return true;
}

static bool
find_grid(const struct lookup *l, struct attend_table *to)
{
	int64_t h, w;

	for (h = 1; h <= l->queries && l->queries == l->keys; h++) {
		w = l->queries / h;
		if (h * w == l->queries && (2 * h - 1) * (2 * w - 1) == l->rows && is_grid(l, h, w)) {
			to->grid[0] = h;
			to->grid[1] = w;
			return true;
		}
	}
	return false;
}

/* By the distance alone? */
static bool
is_by_distance(const struct lookup *l)
{
	int64_t i, j;

	for (i = 1; i < l->queries; i++)
		for (j = 1; j < l->keys; j++)
			if (row_at(l, i, j) != row_at(l, i - 1, j - 1))
				return false;
	return true;
}

static bool
are_buckets(const struct lookup *l, int64_t most, bool causal)
{
	int64_t i;

	for (i = 0; i < l->queries; i++)
		if (row_at(l, i, 0) != attend_bucket(l->rows, most, causal, i))
			return false;
	for (i = 0; i < l->keys && !causal; i++)	/* what is not seen has no bucket that matters */
		if (row_at(l, 0, i) != attend_bucket(l->rows, most, false, -i))
			return false;
	return true;
}

#define MOST_DISTANCE	4096	/* that is tried */

/* Distances beyond those that there are may be any, so that of T5 is tried first. */
static bool
find_buckets(const struct lookup *l, bool causal, struct attend_table *to)
{
	int64_t side = causal ? l->rows : l->rows / 2, most;

	if (side < 2 || (!causal && l->rows % 2) || !is_by_distance(l))
		return false;
	to->relative = l->rows;
	to->max_distance = 128;
	if (side / 2 < 128 && are_buckets(l, 128, causal))
		return true;
	for (most = side / 2 + 1; most <= MOST_DISTANCE; most++)
		if (are_buckets(l, most, causal)) {
			to->max_distance = most;
			return true;
		}
	return false;
}

bool
recognise_table(struct val *bias, int64_t heads, int64_t queries, int64_t keys, bool causal, struct attend_table *to)
{
	struct lookup l = { .queries = queries, .keys = keys };
	const struct step *product, *ones;
	struct strided s;
	int i, r;

	*to = (struct attend_table){ .relative = 0 };
	strided_trace(bias, &s);
	product = made_by(s.of, "matmul");
	ones = product && product->nin == 2 ? made_by(product->in[0], "parameter") : NULL;
	r = s.rank;
	if (!ones || !ones->weight[0].numbers->picks || s.scale != 1 || r < 2 || s.dim[r - 1] != keys || s.dim[r - 2] != queries ||
	    (r < 3 ? heads != 1 : s.dim[r - 3] != heads || (heads > 1 && s.stride[r - 3] != 1)))
		return false;
	for (i = 0; i < r - 3; i++)
		if (s.dim[i] != 1)
			return false;
	l.n = ones->weight[0].numbers;
	l.rows = l.n->dim[1];
	to->table = product->in[1];
	if (to->table->t->rank != 2 || to->table->t->dim[1] != heads || s.first % heads || s.stride[r - 1] % heads || s.stride[r - 2] % heads)
		return false;
	l.first = s.first / heads;
	l.of_query = s.stride[r - 2] / heads;
	l.of_key = s.stride[r - 1] / heads;
	return find_grid(&l, to) || find_buckets(&l, causal, to);
}
