/*
 * Attention. Keras has projections as [features, heads, numbers of a head], and back as [heads,
 * numbers, features]; ours are dense layers, with heads side by side in a row. What hides keys, by
 * name or with what they are made of, is a bias of the scores.
 */
#include "import/keras.h"

#include <string.h>

#define HIDDEN	-1e9	/* what Keras adds to the scores of keys that are not seen */

struct attention {
	int64_t heads, each, in;
	bool bias;
	int k;			/* weights so far */
};

/* A dense layer of the IN features of x to UNITS, whose weight has the shape DIM in the source. */
static struct val *
projected(struct importer *im, const struct model_node *n, struct attention *at, struct val *x, const char *word,
    const int64_t *dim, int64_t in, int64_t units, bool back)
{
	const char *kernel = arena_join(im->arena, word, ".", "kernel"), *bias = arena_join(im->arena, word, ".", "bias");
	struct call c;

	call_begin(&c, im, "dense");
	call_in(&c, x);
	call_int(&c, "units", units);
	if (!at->bias)
		call_int(&c, "bias", false);
	call_view(&c, keras_weight(im, n, at->k++, kernel, 3, dim), view_transposed(im->arena, in, units));
	if (at->bias)
		call_view(&c, keras_weight(im, n, at->k++, bias, back ? 1 : 2, back ? &dim[2] : &dim[1]), NULL);
	return call_value(&c);
}

static bool
attention_of(struct importer *im, const struct model_node *n, struct attention *at, int64_t keys)
{
	const struct model_attr *axes = model_attr(n, "attention_axes");

	at->heads = attr_int(n, "num_heads", 0);
	at->each = attr_int(n, "key_dim", 0);
	at->bias = attr_int(n, "use_bias", 1) != 0;
	if (at->heads < 1 || at->heads > 1 << 16 || at->each < 1 || at->each > 1 << 16 || at->in > 1 << 24 || keys > 1 << 24)
		return cannot(im, "its heads are out of range");
	if (attr_int(n, "value_dim", at->each) != at->each)
		return cannot(im, "its values have other numbers in a head than its keys");
	if (keras_has(n, "output_shape") || attr_int(n, "use_gate", 0) || keras_has(n, "sliding_window"))
		return cannot(im, "output_shape, use_gate and sliding_window are not imported yet");
	if (axes && (axes->type != A_INTS || axes->n != 1 || axes->v[0] != 1))
		return cannot(im, "it attends along other axes than that of steps");
	return true;
}

/* ---- what it is given ---- */

/* By their places, from Keras 3 on. */
static const char *const given[] = { "query", "value", "key", "query_mask", "value_mask", "key_mask", "attention_mask" };

/* The operand that is given as WORD, by name or by its place; -1: none. */
static int
given_as(struct importer *im, const struct model_node *n, const char *word)
{
	static const char *const before_3[] = { "query", "value", "key", "attention_mask" };
	bool older = keras_older_than_3(im);
	int k, place = 0, most = older ? 4 : 7;

	for (k = 0; k < n->nin; k++)
		if (n->word[k] ? strcmp(n->word[k], word) == 0 : place < most && strcmp((older ? before_3 : given)[place++], word) == 0)
			return k;
	return -1;
}

static bool
all_are_read(struct importer *im, const struct model_node *n)
{
	size_t i;
	int read = 0;

	for (i = 0; i < sizeof(given) / sizeof(*given); i++)
		read += given_as(im, n, given[i]) >= 0;
	if (read != n->nin || given_as(im, n, "query") != 0)
		return cannot(im, "it is given what is neither query, value, key nor a mask, or something twice");
	return !attr_int(n, "return_attention_scores", 0) ||
	    cannot(im, "its scores are asked for, which are never in memory here; the closest is attend without them");
}

/* Operand K, a mask, as 1 and 0, of RANK axes or more. Keras 2 takes what it is given for that.
 * NULL after cannot(). */
static struct val *
given_mask(struct importer *im, const struct model_node *n, int k, int rank)
{
	struct val *v = keras_plain(im, n, k);

	if (!v)
		return NULL;
	if (v->t->rank < rank || v->t->rank > (rank > 1 ? 3 : 1)) {
		cannot(im, "a mask that it is given has %d axes beside the batch", v->t->rank);
		return NULL;
	}
	if (v->t->dtype == DT_I32)
		v = call_one(im, "cast", v, NULL, 0);
	return v && keras_older_than_3(im) ? v : call_one(im, "not_equal", v, "than", 0);
}

/* Which steps of the operand that is given as WORD are seen, [steps, 1]; NULL: all. False after
 * cannot(). From 3.8 on Keras puts the query's own mask in the place of the one that it is
 * given. */
static bool
steps_of(struct importer *im, const struct model_node *n, const char *word, struct val **seen)
{
	int mask = given_as(im, n, arena_join(im->arena, word, "_", "mask")), k = given_as(im, n, word);

	*seen = NULL;
	if (mask < 0 || (strcmp(word, "query") == 0 && !keras_older_than(im, 3, 8)))
		return k < 0 || keras_mask_of_heads(im, n, k, seen);
	if (!(*seen = given_mask(im, n, mask, 1)))
		return false;
	return (*seen = reshape_value(im, *seen, 2, (int64_t[]){ (*seen)->t->dim[0], 1 })) != NULL;
}

/* Both, where there are both; false after cannot(). */
static bool
and_seen(struct importer *im, struct val **all, struct val *more)
{
	*all = *all && more ? call_two(im, "mul", *all, more) : *all ? *all : more;
	return *all != NULL;
}

/* The columns of keys that are seen, [1, keys]; NULL: all. */
static bool
keys_seen(struct importer *im, const struct model_node *n, int64_t keys, struct val **columns)
{
	struct val *of_keys;

	if (!steps_of(im, n, "value", columns) || !steps_of(im, n, "key", &of_keys))
		return false;
	if (of_keys && of_keys != *columns && !and_seen(im, columns, of_keys))
		return false;
	return !*columns || (*columns = reshape_value(im, *columns, 2, (int64_t[]){ 1, keys }));
}

static struct val *
broadcast_to(struct importer *im, struct val *v, int rank, const int64_t *dim)
{
	struct call c;

	if (v->t->rank == rank && memcmp(v->t->dim, dim, (size_t)rank * sizeof(*dim)) == 0)
		return v;
	call_begin(&c, im, "broadcast");
	call_in(&c, v);
	call_ints(&c, "shape", rank, dim);
	return call_value(&c);
}

/* What it is given for each query and key, [queries, keys], or of each head. */
static bool
pairs_seen(struct importer *im, const struct model_node *n, int64_t heads, int64_t queries, int64_t keys, struct val **pairs)
{
	int k = given_as(im, n, "attention_mask"), rank;

	*pairs = NULL;
	if (k < 0)
		return true;
	if (!(*pairs = given_mask(im, n, k, 2)))
		return false;
	rank = (*pairs)->t->rank;
	if (rank == 3 && (*pairs)->t->dim[0] == 1) {
		rank = 2;
		*pairs = reshape_value(im, *pairs, 2, (int64_t[]){ (*pairs)->t->dim[1], (*pairs)->t->dim[2] });
	}
	return *pairs && (*pairs = broadcast_to(im, *pairs, rank, rank == 2 ? (int64_t[]){ queries, keys } :
	    (int64_t[]){ heads, queries, keys }));
}

/* Which keys each query sees, [queries, keys] of 1 and 0, or [heads, queries, keys]; NULL, not
 * after cannot(): all, or those before it. */
static bool
seen_by(struct importer *im, const struct model_node *n, int64_t heads, int64_t queries, int64_t keys, struct val **seen)
{
	struct val *rows, *columns, *pairs, *behind;
	int64_t all[2] = { queries, keys };
	struct call c;

	*seen = NULL;
	if (!steps_of(im, n, "query", &rows) || !keys_seen(im, n, keys, &columns) || !pairs_seen(im, n, heads, queries, keys, &pairs))
		return false;
	if (!rows && !columns && !pairs)
		return true;
	if ((rows || columns) && (!(*seen = broadcast_to(im, rows ? rows : columns, 2, all)) ||
	    (rows && columns && !and_seen(im, seen, columns))))
		return false;
	if (attr_int(n, "use_causal_mask", 0)) {
		call_begin(&c, im, "tril");
		call_ints(&c, "shape", 2, all);
		if (!(behind = call_value(&c)) || !and_seen(im, seen, behind))
			return false;
	}
	if (pairs && *seen && pairs->t->rank == 3 && !(*seen = reshape_value(im, *seen, 3, (int64_t[]){ 1, queries, keys })))
		return false;
	return !pairs || and_seen(im, seen, pairs);
}

static bool
attention(struct importer *im, const struct model_node *n)
{
	struct val *x[3], *part[3], *y, *seen;
	static const char *const words[] = { "query", "key", "value" };
	struct attention at = { 0 };
	double rate = keras_real(n, "dropout", 0);
	struct call c;
	int i;

	if (!all_are_read(im, n))
		return false;
	for (i = 2; i >= 0; i--) {
		int k = given_as(im, n, words[i]);

		x[i] = k >= 0 ? keras_plain(im, n, k) : i == 1 ? x[2] : keras_plain(im, n, 0);
		if (!x[i])
			return false;
		if (x[i]->t->rank != 2)
			return cannot(im, "its inputs are not [steps, features]");
	}
	at.in = x[0]->t->dim[1];
	if (!attention_of(im, n, &at, x[1]->t->dim[1]))
		return false;
	for (i = 0; i < 3; i++) {
		part[i] = projected(im, n, &at, x[i], words[i], (int64_t[]){ x[i]->t->dim[1], at.heads, at.each }, x[i]->t->dim[1],
		    at.heads * at.each, false);
		if (!part[i])
			return false;
	}
	if (!seen_by(im, n, at.heads, x[0]->t->dim[0], x[2]->t->dim[0], &seen) ||
	    (seen && !(seen = keras_scaled(im, seen, -HIDDEN, HIDDEN))))
		return false;
	call_begin(&c, im, "attend");
	for (i = 0; i < 3; i++)
		call_in(&c, part[i]);
	if (seen)
		call_in(&c, seen);
	call_int(&c, "heads", at.heads);
	if (!seen && attr_int(n, "use_causal_mask", 0))
		call_int(&c, "causal", true);
	if (rate != 0)
		call_real(&c, "dropout", rate);
	if (!(y = call_value(&c)))
		return false;
	return keras_alias(im, n, projected(im, n, &at, y, "output", (int64_t[]){ at.heads, at.each, at.in },
	    at.heads * at.each, at.in, true));
}

const struct keras_op keras_op_attention = { .name = "MultiHeadAttention", .translate = attention, .most = ANY_OPERANDS, .mask = MASK_GOES_ON_ANEW };
