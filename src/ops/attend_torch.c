/*
 * How PyTorch runs attend, as its users write it: F.scaled_dot_product_attention of views of its
 * operands, by heads.
 *
 * In f32 on a card that is _scaled_dot_product_efficient_attention: flash attention wants 16 bits,
 * and the efficient kernel, unlike the naive one, is chosen wherever it can be (sdp_utils.cpp). Its
 * autograd node keeps queries, keys, values, the bias, the output and logsumexp [B, heads, T], T
 * rounded up to 32 (meta__scaled_dot_product_efficient_attention in torch/_meta_registrations.py).
 * It has no grouped queries, so that keys and values are first repeated; no windows, which are a
 * mask of their own; and no mask beside is_causal, which then is one too.
 *
 * Sequences of a sample are folded into the batch, which is a view; a bias that only some of them
 * share is then repeated in memory.
 *
 * In f64 there is the naive one alone (_scaled_dot_product_attention_math in attention.cpp): scaled
 * and contiguous copies of its operands, the scores, and probabilities that are kept. What it makes
 * in between is counted from above.
 */
#include "ops/attend.h"

#include "calls/sizes.h"
#include "calls/tape.h"
#include "ops/product.h"
#include "ops/shapes.h"

enum { Q, K, V, BIAS };

struct calls {
	struct tape *t;
	const struct node *n;
	int64_t element;	/* bytes */
	int64_t batch;		/* sequences of all samples */
	int64_t sequences, queries, keys, heads, kv_heads, d;
	int q, k, v, bias;	/* values; k and v are TAPE_NONE where q holds them too */
};

static int64_t
bytes(const struct calls *c, int64_t a, int64_t b, int64_t d)
{
	return product_of(product_of(c->element, c->batch), product_of(a, product_of(b, d)));
}

static int
make(const struct calls *c, int64_t size, int x, int y)
{
	int in[] = { x, y };
	struct tape_call call = { .output = TORCH_NEW, .in = in, .bytes = size,
		.nin = x == TAPE_NONE ? 0 : y == TAPE_NONE ? 1 : 2 };

	return tape_call(c->t, &call);
}

/* Operands as views. What one row holds is split, whose gradient is a cat of theirs. */
static void
take(struct calls *c)
{
	const struct node *n = c->n;
	struct tape_call split = { .output = TORCH_VIEW, .nin = 1 };

	c->q = tape_value(c->t, n->in[Q]);
	c->k = tape_value(c->t, n->in[K]);
	c->v = tape_value(c->t, n->in[V]);
	c->bias = tape_value(c->t, n->in[BIAS]);
	if (!n->in[K]) {
		split.in = &c->q;
		split.bytes = tape_bytes(c->t, n->in[Q]);
		c->q = tape_call(c->t, &split);
	}
}

/* Each head of keys and of values as often as there are heads of queries for it. */
static void
repeat(struct calls *c)
{
	int64_t all = bytes(c, c->keys, c->heads, c->d);

	if (c->kv_heads == c->heads)
		return;
	if (c->k == TAPE_NONE) {
		c->k = make(c, product_of(all, 2), c->q, TAPE_NONE);
	} else {
		c->k = make(c, all, c->k, TAPE_NONE);
		c->v = make(c, all, c->v, TAPE_NONE);
	}
}

/* How many windows an image has whose seams are a mask. */
static int64_t
windows(const struct node *n)
{
	const int64_t *shift = op_attr(n, "shift")->v;
	const struct tensor *q = n->in[Q];

	return shift[0] || shift[1] ? shape_product(q, q->rank - 4, q->rank - 2) : 1;
}

/* That mask, [windows, 1, queries, keys], and what the bias is with it. */
static void
shift(struct calls *c)
{
	int64_t plane = product_of(windows(c->n), product_of(c->element, product_of(c->queries, c->keys)));
	int in[2] = { c->bias };
	struct tape_call sum = { .in = in, .nin = 2, .bytes = product_of(plane, c->heads) };

	if (windows(c->n) == 1 && !op_attr(c->n, "shift")->v[0] && !op_attr(c->n, "shift")->v[1])
		return;
	in[1] = make(c, plane, TAPE_NONE, TAPE_NONE);
	c->bias = tape_call(c->t, &sum);
}

/* A rule of positions becomes a bias [heads, queries, keys]: rows of the table by an index of
 * int64, turned so that heads come first; or slopes times distances, which hold the mask of causal
 * or a window too. */
static void
positions(struct calls *c)
{
	int64_t plane = product_of(c->queries, c->keys), all = product_of(product_of(c->element, c->heads), plane);
	int in[2] = { c->bias };
	struct tape_call look = { .in = in, .nin = 2, .bytes = all, .saves = SAVES_IN(1) };
	struct tape_call turn = { .in = in, .nin = 1, .bytes = all, .passes = 1u << 0 };
	struct tape_call sum = { .in = in, .nin = 2, .bytes = all, .passes = 1u << 0 | 1u << 1 };

	if (attend_table(c->n)) {
		in[1] = make(c, product_of(8, plane), TAPE_NONE, TAPE_NONE);
		in[0] = tape_call(c->t, &look);
		c->bias = tape_call(c->t, &turn);
	}
	shift(c);
	if (!op_bool(c->n, "alibi"))
		return;
	in[0] = c->bias;
	in[1] = make(c, all, TAPE_NONE, TAPE_NONE);
	c->bias = c->bias == TAPE_NONE ? in[1] : tape_call(c->t, &sum);
}

/* What is added to the scores, and under a mask is a sum already. */
static void
mask(struct calls *c)
{
	int in[2] = { c->bias };
	struct tape_call sum = { .output = TORCH_NEW, .in = in, .nin = 2, .passes = 1u << 0 | 1u << 1 };

	if (op_bool(c->n, "alibi") || (!op_int(c->n, "window") &&
	    !(op_bool(c->n, "causal") && c->bias != TAPE_NONE)))
		return;
	in[1] = make(c, product_of(c->element, product_of(c->queries, c->keys)), TAPE_NONE, TAPE_NONE);
	if (c->bias == TAPE_NONE) {
		c->bias = in[1];
		return;
	}
	sum.bytes = c->t->values.v[c->bias].bytes;
	c->bias = tape_call(c->t, &sum);
}

/* Of a bias that not all sequences share, one for each: a view where nothing is repeated. */
static void
fold(struct calls *c)
{
	const struct tensor *t = c->n->in[BIAS];
	int64_t own = windows(c->n), each;
	struct tape_call view = { .output = TORCH_VIEW, .in = &c->bias, .nin = 1, .passes = 1u << 0 };

	if (c->sequences == 1 || c->bias == TAPE_NONE)
		return;
	if (t && !attend_table(c->n))
		own = product_of(t->rank > 3 ? c->sequences : 1, t->batched ? c->t->batch : 1);
	if (own == 1 && !(t && t->batched))
		return;
	each = product_of(c->t->values.v[c->bias].bytes / own, c->batch);
	view.bytes = each;
	c->bias = own == 1 || own == c->batch ? tape_call(c->t, &view) : make(c, each, c->bias, TAPE_NONE);
}

/* As large as the scores without a copy, but for rows that must be aligned (preprocess_mask in
 * attention.cpp). Its gradient is made in rows of whole 16. */
static void
expand(struct calls *c)
{
	int64_t rows = c->bias == TAPE_NONE ? 0 : c->t->values.v[c->bias].bytes / c->keys;
	struct tape_call slice = { .output = TORCH_VIEW, .nin = 1, .in = &c->bias, .strided = true,
		.bytes = product_of(rows, c->keys) };
	struct tape_call call = { .output = TORCH_VIEW, .nin = 1, .in = &c->bias, .strided = true,
		.passes = 1u << 0, .views = 1u << 0,
		.bytes = bytes(c, c->heads, c->queries, parts(c->keys, 16) * 16) };

	if (c->bias == TAPE_NONE)
		return;
	if (c->keys % 8) {
		c->bias = make(c, product_of(rows, parts(c->keys, 8) * 8), c->bias, TAPE_NONE);
		c->bias = tape_call(c->t, &slice);
	}
	c->bias = tape_call(c->t, &call);
}

static int
efficient(struct calls *c)
{
	int in[] = { c->q, c->k, c->v, c->bias };
	bool keeps = c->t->mode != TAPE_EVALUATION;
	struct tape_call call = { .output = TORCH_NEW, .in = in, .nin = 4,
		.bytes = bytes(c, c->queries, c->heads, c->d), .views = 1u << Q | 1u << K | 1u << V,
		.always = 1u << Q | 1u << K | 1u << V,
		.saves = SAVES_IN(Q) | SAVES_IN(K) | SAVES_IN(V) | SAVES_IN(BIAS) | SAVES_OUT(0),
		.beside = keeps ? bytes(c, c->heads, parts(c->queries, 32) * 32, 1) : 0 };

	repeat(c);
	positions(c);
	mask(c);
	fold(c);
	expand(c);
	in[K] = c->k;
	in[V] = c->v;
	in[BIAS] = c->bias;
	return tape_call(c->t, &call);
}

static int
naive(struct calls *c)
{
	int64_t scores = bytes(c, c->heads, c->queries, c->keys), row = bytes(c, c->queries, c->heads, c->d);
	int64_t all = bytes(c, c->keys, c->heads, c->d);
	int q = make(c, row, c->q, TAPE_NONE), k = make(c, all, c->k == TAPE_NONE ? c->q : c->k, TAPE_NONE);
	int v = make(c, all, c->v == TAPE_NONE ? c->q : c->v, TAPE_NONE), p, in[2] = { q, k };
	struct tape_call product = { .output = TORCH_NEW, .in = in, .nin = 2, .bytes = scores,
		.saves = SAVES_IN(0) | SAVES_IN(1) };

	p = tape_call(c->t, &product);
	positions(c);
	if (c->bias != TAPE_NONE)
		p = make(c, scores, p, c->bias);
	product = (struct tape_call){ .output = TORCH_NEW, .in = in, .nin = 1, .bytes = scores,
		.beside = scores, .saves = SAVES_OUT(0) };
	in[0] = p;
	in[0] = tape_call(c->t, &product);
	in[1] = v;
	product = (struct tape_call){ .output = TORCH_NEW, .in = in, .nin = 2, .bytes = row,
		.saves = SAVES_IN(0) | SAVES_IN(1) };
	return make(c, row, tape_call(c->t, &product), TAPE_NONE);
}

int64_t
attend_scores(const struct node *n)
{
	const struct tensor *q = n->in[Q];
	int axis = q->rank - 2;
	int64_t keys = n->in[K] ? n->in[K]->dim[axis] : q->dim[axis];

	if (dtype_bytes(q->dtype) > 4)		/* which the naive kernel is counted for */
		return 0;
	return product_of(product_of(shape_product(q, 0, axis), op_int(n, "heads")), product_of(q->dim[axis], keys));
}

void
attend_torch(struct tape *t, const struct node *n)
{
	const struct tensor *q = n->in[Q];
	int axis = q->rank - 2;
	struct calls c = { .t = t, .n = n, .element = dtype_bytes(q->dtype), .queries = q->dim[axis],
		.sequences = shape_product(q, 0, axis), .heads = op_int(n, "heads"),
		.kv_heads = op_int(n, "kv_heads") };

	c.batch = product_of(c.sequences, q->batched ? t->batch : 1);
	c.kv_heads = c.kv_heads ? c.kv_heads : c.heads;
	c.keys = n->in[K] ? n->in[K]->dim[axis] : c.queries;
	c.d = n->out[0]->dim[axis + 1] / c.heads;
	take(&c);
	tape_result(t, n->out[0], c.element > 4 ? naive(&c) : efficient(&c));
}
