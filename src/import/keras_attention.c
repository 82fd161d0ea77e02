/*
 * Attention. Keras has projections as [features, heads, numbers of a head], and back as [heads, numbers, features]; ours are
 * dense layers, with heads side by side in a row.
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

/* Which keys each query sees, [queries, keys] of 1 and 0; NULL, not after cannot(): all, or those before it. */
static bool
seen_by(struct importer *im, const struct model_node *n, int64_t queries, int64_t keys, struct val **seen)
{
	struct val *rows, *columns, *behind;
	int64_t all[2] = { queries, keys };
	struct call c;

	*seen = NULL;
	if (!keras_mask_of_heads(im, n, 0, &rows) || !keras_mask_of_heads(im, n, n->nin > 1 ? 1 : 0, &columns))
		return false;
	if (!rows && !columns)
		return true;
	if (columns && !(columns = reshape_value(im, columns, 2, (int64_t[]){ 1, keys })))
		return false;
	call_begin(&c, im, "broadcast");
	call_in(&c, rows ? rows : columns);
	call_ints(&c, "shape", 2, all);
	if (!(*seen = call_value(&c)) || (rows && columns && !(*seen = call_two(im, "mul", *seen, columns))))
		return false;
	if (!attr_int(n, "use_causal_mask", 0))
		return true;
	call_begin(&c, im, "tril");
	call_ints(&c, "shape", 2, all);
	return (behind = call_value(&c)) && (*seen = call_two(im, "mul", *seen, behind));
}

static bool
attention(struct importer *im, const struct model_node *n)
{
	struct val *q = keras_plain(im, n, 0), *v = q ? keras_plain(im, n, n->nin > 1 ? 1 : 0) : NULL, *part[3], *y, *seen;
	struct attention at = { 0 };
	double rate = keras_real(n, "dropout", 0);
	struct call c;
	int i;

	if (!v)
		return false;
	if (n->nin > 3 || (n->nin == 3 && strcmp(n->in[1], n->in[2]) != 0))
		return cannot(im, "keys other than its values, and masks, are not imported yet; the closest is attend");
	if (q->t->rank != 2 || v->t->rank != 2)
		return cannot(im, "its inputs are not [steps, features]");
	at.in = q->t->dim[1];
	if (!attention_of(im, n, &at, v->t->dim[1]))
		return false;
	for (i = 0; i < 3; i++) {
		struct val *x = i == 0 ? q : v;
		static const char *const words[] = { "query", "key", "value" };

		part[i] = projected(im, n, &at, x, words[i], (int64_t[]){ x->t->dim[1], at.heads, at.each }, x->t->dim[1],
		    at.heads * at.each, false);
		if (!part[i])
			return false;
	}
	if (!seen_by(im, n, q->t->dim[0], v->t->dim[0], &seen) ||
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
