/*
 * attend: softmax(q k' + bias) v for several heads, the core of attention, whose scores are never
 * in memory (kernels/attention/attend.cu).
 *
 *     in  q k v bias      or  qkv _ _ bias: the three side by side in one row, as one dense layer
 *     out y logsum            makes them
 *
 * An absent input is NULL. Backward reads both y and the logarithms of the sums of exponentials,
 * and makes scores and dropout's draws again.
 */
#include "ops/attend.h"

#include <math.h>
#include <string.h>

#include "ir/diff.h"
#include "ir/split.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "ops/broadcast.h"
#include "ops/product.h"
#include "ops/shapes.h"

enum { Q, K, V, BIAS, OPERANDS };
enum { Y, LOGSUM };

static const struct attr_spec attrs[] = { ATTEND_ATTRS, ATTRS_END };

struct extents {		/* of one sample */
	int64_t sequences;	/* that know nothing of each other: along the axes before the last two */
	int64_t queries, keys, heads, kv_heads, d;
	bool packed;		/* in[Q] holds q, k and v */
};

static struct extents
extents(const struct node *n, struct tensor *const *in)
{
	struct extents e = { .heads = op_int(n, "heads"), .kv_heads = op_int(n, "kv_heads"), .packed = !in[K] };
	int axis = in[Q]->rank - 2;

	e.sequences = shape_product(in[Q], 0, axis);
	e.queries = in[Q]->dim[axis];
	e.keys = e.packed ? e.queries : in[K]->dim[axis];
	e.kv_heads = e.kv_heads ? e.kv_heads : e.heads;
	e.d = in[Q]->dim[axis + 1] / (e.packed ? e.heads + 2 * e.kv_heads : e.heads);
	return e;
}

/* Pairs of a query and a key that it sees. */
static int64_t
pairs(const struct node *n, const struct extents *e)
{
	int64_t window = op_int(n, "window"), t = e->queries;
	int64_t side = window ? least(window, t) : least(t, e->keys);
	int64_t before = product_of(side, side + 1) / 2;	/* of the first queries, themselves included */

	before += product_of(t - side, side);
	if (op_bool(n, "causal"))
		return before;
	return window ? 2 * before - t : product_of(t, e->keys);
}

static struct affine
macs_of(const struct node *n, struct tensor *const *in, int products)
{
	struct extents e = extents(n, in);

	return product_macs(in[Q], e.sequences, product_of(pairs(n, &e), product_of(products * e.heads, e.d)));
}

/* ---- emission ---- */

/* Steps of a bias in memory from head to head, and from one sequence to the next that has
 * another. */
static const char *
bias_steps(struct emitter *e, const struct node *n, struct tensor *const *in, const struct extents *s)
{
	const struct tensor *bias = in[BIAS];
	int heads = bias ? bias->rank - 3 : -1;
	bool per_head = heads >= 0 && bias->dim[heads] > 1, per_sequence = heads > 0;
	int64_t plane = s->queries * s->keys;
	struct arena *a = e->module->arena;
	const char *biases;

	if (!bias || attend_table(n) || !(per_head || per_sequence || bias->batched))
		return "";
	biases = emit_rows(e, bias, per_sequence ? heads : 0);
	return arena_printf(a, ",\n\t    .biases = %s, .bias_each = %lld, .bias_b = %lld, .bias_head = %lld", biases,
	    (long long)(per_sequence ? 1 : s->sequences), (long long)(per_head ? s->heads * plane : plane),
	    (long long)(per_head ? plane : 0));
}

static const char *
geometry(struct emitter *e, const struct node *n, struct tensor *const *in)
{
	struct extents s = extents(n, in);
	struct arena *a = e->module->arena;
	double scale = op_real(n, "scale");
	int64_t rows = in[Q]->dim[in[Q]->rank - 1], kv = s.packed ? rows : in[K]->dim[in[K]->rank - 1];
	const char *window = op_int(n, "window") ? arena_printf(a, ".window = %lld, ",
	    (long long)op_int(n, "window")) : "";
	bool split = split_is_done(e->module, n);
	const char *first = split ? arena_printf(a, ".first_head = ranks.rank * %lld, ", (long long)s.heads) : "";
	const char *dropout = op_real(n, "dropout") == 0 || !n->training ? "" : arena_printf(a,
	    ",\n\t    .rate = %s, .stream_id = %d, %s.all_heads = %lld", emit_double(e, op_real(n, "dropout")),
	    n->forward ? n->forward->id : n->again ? n->again->id : n->id, first,
	    (long long)(split ? s.heads * e->module->set.ranks : s.heads));

	return arena_printf(a, "(struct attend){ .b = %s, .t = %lld, .s = %lld, .q_row = %lld, "
	    ".k_row = %lld, .v_row = %lld,\n\t    .heads = %lld, .kv_heads = %lld, .d = %lld, .causal = %d, "
	    "%s.scale = (real)%s%s%s%s }", emit_rows(e, in[Q], in[Q]->rank - 2), (long long)s.queries,
	    (long long)s.keys, (long long)rows, (long long)kv, (long long)kv, (long long)s.heads,
	    (long long)s.kv_heads, (long long)s.d, op_bool(n, "causal"), window,
	    emit_double(e, scale > 0 ? scale : 1 / sqrt((double)s.d)), bias_steps(e, n, in, &s), dropout,
	    attend_rule_text(a, n, in[Q]));
}

struct thirds {			/* pointers to q, k and v, or to their gradients */
	struct call_arg q, k, v;
};

static struct thirds
thirds_of(struct emitter *e, const struct extents *s, struct tensor *const *t)
{
	const char *at = emit_pointer(e, t[Q]);
	struct arena *a = e->module->arena;

	if (!s->packed || !t[Q])
		return (struct thirds){ arg_tensor(t[Q]), arg_tensor(t[K]), arg_tensor(t[V]) };
	return (struct thirds){ arg_tensor(t[Q]),
		arg_text(arena_printf(a, "%s + %lld", at, (long long)(s->heads * s->d))),
		arg_text(arena_printf(a, "%s + %lld", at, (long long)((s->heads + s->kv_heads) * s->d))) };
}

/* ---- backward: dy q k v bias y logsum ---- */

enum { DY, BACK };		/* the forward node's inputs begin at BACK */

static bool
on_gpu(const struct room *room)
{
	return room->target->splits_sums;
}

/* A GPU wants a number for each query of each head; threads have blocks of their own. */
static struct affine
work_of(const struct node *n, const struct room *room, int64_t reals)
{
	struct tensor *const *in = n->in + BACK;
	struct affine deltas = product_macs(in[Q], op_int(n, "heads"), product_of(shape_product(in[Q], 0,
	    in[Q]->rank - 1), dtype_bytes(in[Q]->dtype->real)));

	return on_gpu(room) ? deltas : product_reals(n, product_of(reals, room->threads));
}

static struct affine
work_of_grad(const struct node *n, const struct room *room)
{
	struct extents e = extents(n, n->in + BACK);

	return work_of(n, room, attend_backward_scratch(e.keys, e.d));
}

static struct affine
macs_of_grad(const struct node *n)
{
	return macs_of(n, n->in + BACK, 5);
}

/* What backward needs of y, then the gradients of queries, and those of keys and values together:
 * of wide heads in 16 bits some cards have one more (ATTEND_FEW_ON in
 * kernels/attention/attend_products_cuda.cu). */
static int
launches_of_grad(const struct node *n, int64_t batch)
{
	const struct node *of = n->forward;
	int k, queries = 0;

	(void)batch;
	for (k = 0; k < n->nout; k++)
		queries |= n->out[k]->gradient_of == of->in[Q];
	if (queries && !of->in[K])
		return 3;
	return 1 + queries + (n->nout > queries);
}

static void
emit_grad(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in + BACK, *d[OPERANDS] = { NULL };
	struct extents s = extents(n, in);
	struct thirds x = thirds_of(e, &s, in), dx;
	int k, next = 0;

	/* outputs are in the order of the inputs that they are gradients of; one input may be
	 * several */
	for (k = Q; k <= V && next < n->nout; k++)
		if (n->out[next]->gradient_of == n->forward->in[k])
			d[k] = n->out[next++];
	dx = thirds_of(e, &s, d);
	emit_call(e, "attend_backward", dx.q, dx.k, dx.v, arg_work(n), arg_tensor(n->in[DY]), x.q, x.k,
	    x.v, arg_tensor(in[BIAS]), arg_tensor(in[OPERANDS + Y]), arg_tensor(in[OPERANDS + LOGSUM]),
	    arg_step(e, in[OPERANDS + Y]), arg_text(geometry(e, n, in)));
}

const struct op op_attend_grad = {
	.name = "attend_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of attend with respect to queries, keys and values",
	.flags = OP_RANDOM,
	.attrs = attrs,
	.operands = "dy q k v bias y logsum",
	.min_operands = 7, .max_operands = 7,
	.macs = macs_of_grad,
	.memory.workspace = work_of_grad,
	.calls.kernels = "attention/attend.cu",
	.calls.launches_of = launches_of_grad,
	.calls.emit = emit_grad,
};

static struct affine
work_of_bias(const struct node *n, const struct room *room)
{
	struct extents e = extents(n, n->in + BACK);
	struct affine work = work_of(n, room, attend_bias_scratch(e.keys, e.d));

	if (attend_table(n) && __builtin_add_overflow(work.fixed, attend_table_work(n, e.queries, e.keys),
	    &work.fixed))
		work.fixed = INT64_MAX;
	return work;
}

static struct affine
macs_of_bias(const struct node *n)
{
	return macs_of(n, n->in + BACK, 2);
}

/* Of a table its differences are summed first. */
static int
launches_of_bias(const struct node *n, int64_t batch)
{
	(void)batch;
	return attend_table(n) ? 3 : 2;
}

static void
emit_bias(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in + BACK;
	struct extents s = extents(n, in);
	struct thirds x = thirds_of(e, &s, in);

	emit_call(e, attend_table(n) ? "attend_relative_backward" : "attend_bias_backward", arg_tensor(n->out[0]),
	    arg_work(n), arg_tensor(n->in[DY]), x.q, x.k, x.v, arg_tensor(in[BIAS]), arg_tensor(in[OPERANDS + Y]),
	    arg_tensor(in[OPERANDS + LOGSUM]), arg_step(e, in[OPERANDS + Y]), arg_text(geometry(e, n, in)));
}

const struct op op_attend_grad_bias = {
	.name = "attend_grad_bias",
	.kind = OP_INTERNAL,
	.brief = "gradient of attend with respect to what is added to the scores",
	.flags = OP_RANDOM,
	.attrs = attrs,
	.operands = "dy q k v bias y logsum",
	.min_operands = 7, .max_operands = 7,
	.macs = macs_of_bias,
	.memory.workspace = work_of_bias,
	.calls.kernels = "attention/attend.cu",
	.calls.launches_of = launches_of_bias,
	.calls.emit = emit_bias,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[Y]), n->in[Q], n->in[K], n->in[V], n->in[BIAS],
		n->out[Y], n->out[LOGSUM] };
	int count = sizeof(in) / sizeof(*in), k;
	struct node *back = NULL;

	if (diff_wants(d, n->in[BIAS]))
		diff_output(d, diff_node(d, n, &op_attend_grad_bias, count, in), n->in[BIAS]);
	for (k = Q; k <= V; k++) {
		if (!diff_wants(d, n->in[k]))
			continue;
		back = back ? back : diff_node(d, n, &op_attend_grad, count, in);
		diff_output(d, back, n->in[k]);
	}
	return true;
}

/* ---- shapes ---- */

/* Operands as they are given become q k v bias, an absent one NULL. */
static void
spread(struct build *b, struct node *n)
{
	struct tensor *in[OPERANDS] = { n->in[Q], n->nin > 2 ? n->in[1] : NULL,
		n->nin > 2 ? n->in[2] : NULL, n->nin == 2 ? n->in[1] : n->nin > 3 ? n->in[3] : NULL };

	while (n->nin < OPERANDS)
		ir_add_input(b->module, n, NULL);
	memcpy(n->in, in, sizeof(in));
}

static bool
is_sequence(struct build *b, const struct node *n, int k, const char *what)
{
	const struct tensor *x = n->in[k], *q = n->in[Q];
	int i;

	if (!shape_float(b, n, k))
		return false;
	if (x->rank < 2)
		return op_error(b, n, "attend: %s must have shape [..., positions, features], but it is %s", what,
		    op_operand_text(b, x));
	for (i = 0; i < q->rank - 2 && x->rank == q->rank && x->dim[i] == q->dim[i]; i++)
		;
	if (i < q->rank - 2 || x->rank != q->rank)
		return op_error(b, n, "attend: %s are %s; before positions and features they must have the axes of "
		    "the queries, which are %s", what, op_operand_text(b, x), op_operand_text(b, q));
	return true;
}

static bool
heads_divide(struct build *b, const struct node *n)
{
	int64_t heads = op_int(n, "heads"), kv = op_int(n, "kv_heads") ? op_int(n, "kv_heads") : heads;
	int64_t features = n->in[Q]->dim[n->in[Q]->rank - 1], parts = n->in[K] ? heads : heads + 2 * kv;

	if (heads % kv)
		return op_error(b, n, "attend: %lld heads do not divide among %lld kv_heads",
		    (long long)heads, (long long)kv);
	if (features % parts)
		return op_error(b, n, n->in[K] ? "attend: the %lld features of %s do not divide into %lld "
		    "heads" : "attend: the %lld features of %s do not divide into %lld heads, those of "
		    "queries, keys and values together", (long long)features,
		    op_operand_text(b, n->in[Q]), (long long)parts);
	if (features / parts > ATTEND_WIDEST)
		return op_error(b, n, "attend: heads of %lld features; the most is %d", (long long)
		    (features / parts), ATTEND_WIDEST);
	return true;
}

static bool
sides_agree(struct build *b, const struct node *n, const struct extents *e)
{
	const struct tensor *k = n->in[K], *v = n->in[V];

	if (!e->packed && k->dim[k->rank - 1] != e->kv_heads * e->d)
		return op_error(b, n, "attend: keys are %s; with %lld of %lld heads, of %lld features as "
		    "the queries', they would be [%s%lld, %lld]", op_operand_text(b, k),
		    (long long)e->kv_heads, (long long)e->heads, (long long)e->d, k->rank > 2 ? "..., " : "",
		    (long long)e->keys, (long long)(e->kv_heads * e->d));
	if (!e->packed && !tensor_same_shape(k, v))
		return op_error(b, n, "attend: keys are %s, and values %s; there is a value for each key, "
		    "of as many features", op_operand_text(b, k), op_operand_text(b, v));
	if (op_int(n, "window") && e->queries != e->keys)
		return op_error(b, n, "attend: window is for positions of one sequence; here %lld queries "
		    "look at %lld keys", (long long)e->queries, (long long)e->keys);
	return true;
}

/* [T, S]; or [heads, T, S], or 1 in place of heads, behind the axes of the queries or without
 * these */
static bool
bias_has_shape(const struct tensor *t, const struct tensor *q, const struct extents *e)
{
	int heads = t->rank - 3, i;

	if (t->rank < 2 || t->dim[t->rank - 2] != e->queries || t->dim[t->rank - 1] != e->keys)
		return false;
	if (heads >= 0 && t->dim[heads] != 1 && t->dim[heads] != e->heads)
		return false;
	for (i = 0; i < heads && heads == q->rank - 2 && t->dim[i] == q->dim[i]; i++)
		;
	return heads <= 0 || (heads == q->rank - 2 && i == heads);
}

static bool
bias_fits(struct build *b, const struct node *n, const struct extents *e)
{
	const struct tensor *t = n->in[BIAS];

	if (t && !shape_float(b, n, BIAS))
		return false;
	if (attend_table(n))
		return attend_table_fits(b, n, t, e->queries, e->keys);
	if (!t)
		return true;
	if (t->batched && !n->in[Q]->batched)
		return op_error(b, n, "attend: the bias depends on the batch, %s, and the queries do not",
		    op_operand_text(b, t));
	if (bias_has_shape(t, n->in[Q], e))
		return true;
	return op_error(b, n, "attend: the bias of the scores must have shape [%lld, %lld] or [%lld, %lld, %lld]%s, "
	    "but it is %s", (long long)e->queries, (long long)e->keys, (long long)e->heads, (long long)e->queries,
	    (long long)e->keys, n->in[Q]->rank > 2 ? ", or that behind the axes that the queries have before" : "",
	    op_operand_text(b, t));
}

static bool
shape(struct build *b, struct node *n)
{
	int64_t dim[MAX_RANK];
	const struct tensor *q;
	struct extents e;
	int axis;

	spread(b, n);
	broadcast_samples(b, n, Q, BIAS - Q);
	q = n->in[Q];
	axis = q->rank - 2;
	if (!attend_is_relative(b, n))
		return false;
	if (split_is_said(n) && attend_unsplit(n))
		return op_error(b, n, "attend: with %s it cannot be split over ranks", attend_unsplit(n));
	if (!is_sequence(b, n, Q, n->in[K] ? "the queries" : "the input") ||
	    (n->in[K] && !(is_sequence(b, n, K, "the keys") && is_sequence(b, n, V, "the values"))) ||
	    !heads_divide(b, n))
		return false;
	e = extents(n, n->in);
	if (!sides_agree(b, n, &e) || !bias_fits(b, n, &e) || !attend_shift_fits(b, n, q))
		return false;
	memcpy(dim, q->dim, (size_t)q->rank * sizeof(*dim));
	dim[axis + 1] = e.heads * e.d;
	op_output(b, n, NULL, T_ACTIVATION, q->dtype, q->batched, q->rank, dim);
	dim[axis] = e.heads;
	dim[axis + 1] = e.queries;
	op_output(b, n, "logsum", T_SAVED, q->dtype->real, q->batched, q->rank, dim);
	return true;
}

const char *
attend_unsplit(const struct node *n)
{
	return op_bool(n, "alibi") ? "alibi" : attend_table(n) ? "a table of positions" : NULL;
}

/* ---- split over ranks ---- */

/* Queries, keys and values side by side, each of which is shared out. */
static int
blocks(const struct node *n)
{
	return n->in[K] ? 1 : 3;
}

static bool
cannot_split(struct split *s, const struct node *n, const char *why)
{
	diag_help(s->m->diags, diag_error(s->m->diags, "settings", n->loc, "'%s' cannot be split over ranks: %s", n->path, why),
	    "leave split out here, and the layers around it are split by themselves");
	return true;
}

static bool
split(struct split *s, struct node *n)
{
	int64_t heads = op_int(n, "heads"), kv = op_int(n, "kv_heads");
	int k;

	if (heads % s->ranks != 0)
		return split_uneven(s, n, heads, "heads");
	if (kv % s->ranks != 0)
		return split_uneven(s, n, kv, "kv_heads");
	if (kv && kv != heads && !n->in[K])
		return cannot_split(s, n, "queries, keys and values of one layer are not of the same length with kv_heads");
	if (n->in[BIAS])
		return cannot_split(s, n, "its scores have a bias");
	for (k = Q; k <= V; k++)
		if (n->in[k] && split_blocks(s, n->in[k]) != blocks(n))
			return cannot_split(s, n, arena_printf(s->m->arena, "'%s', which it reads, is not split by heads: dense layers "
			    "with split=ranks make queries, keys and values of a rank's heads, and what is elementwise keeps them",
			    n->in[k]->def ? n->in[k]->def->path : n->in[k]->name));
	split_attr(s, n, "heads")->i = heads / s->ranks;
	split_attr(s, n, "kv_heads")->i = kv / s->ranks;
	split_result(s, n->out[Y], 1);
	n->out[LOGSUM]->dim[n->out[LOGSUM]->rank - 2] /= s->ranks;
	split_append(s, n);
	return true;
}

/* ---- forward ---- */

static struct affine
macs(const struct node *n)
{
	return macs_of(n, n->in, 2);
}

static struct affine
work(const struct node *n, const struct room *room)
{
	struct extents e = extents(n, n->in);

	return on_gpu(room) ? (struct affine){ 0, 0 } :
	    product_reals(n, product_of(attend_scratch(e.d, product_narrow(n)), room->threads));
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct extents s = extents(n, n->in);
	struct thirds x = thirds_of(e, &s, n->in);

	emit_call(e, "attend_forward", arg_tensor(n->out[Y]), arg_tensor(n->out[LOGSUM]), arg_work(n), x.q,
	    x.k, x.v, arg_tensor(n->in[BIAS]), arg_step(e, n->out[Y]), arg_text(geometry(e, n, n->in)));
}

const struct op op_attend = {
	.name = "attend",
	.kind = OP_LAYER,
	.brief = "scaled dot-product attention",
	.doc = "The core of attention, without weights: attend(q, k, v, heads=12). For each head, y[i] is "
	    "the sum over j of p[i, j] v[j], where p[i] is the softmax over j of scale q[i] k[j] + "
	    "bias[i, j] (Vaswani and others, 2017), as PyTorch's scaled_dot_product_attention.\n\n"
	    "Shapes: queries [T, heads d], keys and values [S, kv_heads d], output [T, heads d]; heads "
	    "lie side by side in a row, and d is at most 256. Where S is not T it is cross-attention. With "
	    "one operand, qkv -> attend(12), each row holds queries, keys and values side by side, [T, "
	    "(heads + 2 kv_heads) d], as one dense layer makes them. Axes before the last two, alike in all "
	    "of them, are those of sequences that do not see each other: [windows, T, heads d]. One operand more is "
	    "a bias, which is added to the scores: [T, S], or [heads, T, S] for each head its own, as of relative "
	    "positions; behind the axes of the queries, [windows, heads, T, S] or [windows, 1, T, S], each sequence "
	    "has its own. With kv_heads, neighbouring heads of queries share keys and values (Ainslie and "
	    "others, 2023); with window = w, position i sees those nearer than w, of one sequence, so that S "
	    "is T, and with causal none after i.\n\n"
	    "Positions can be a rule, which takes no memory but for a table's: alibi adds -m |i - j| to the scores, "
	    "with m = 2^(-8 h / heads) for head h = 1, 2, ... (Press and others, 2022; with heads that are no power "
	    "of two, as there). relative=32 makes the bias a table, attend(q, k, v, parameter((32, 8)), heads=8, "
	    "relative=32), whose row is T5's bucket of j - i (Raffel and others, 2020): half of the buckets for "
	    "keys ahead, unless causal, and of a side's, half for a distance each, the others to max_distance in "
	    "powers. grid=(7, 7) makes positions the places of a window of 7 x 7, row by row, and the bias a table "
	    "[169, heads], with row (yi - yj + 6) 13 + xi - xj + 6, as in Swin (Liu and others, 2021). With "
	    "shift=(3, 3) the sequences are the windows of an image that was rolled by that, [..., rows, columns, T, "
	    "heads d]: in those of the last row, places of the last 3 rows, which came round from the other end of "
	    "the image, and the others do not see each other, and likewise across. (Implementations add -100 to such "
	    "scores; here these are left out.) A "
	    "table can be that of several layers. Its gradient is summed in one order, in double precision, by "
	    "differences of positions. For rotary embedding see rope.\n\n"
	    "The scores are never in memory: a block of queries meets one block of keys after the other "
	    "(Milakov and Gimelshein, 2018; Dao and others, FlashAttention, 2022). Backward reads queries, "
	    "keys, values, bias, the output, and the logarithm of the sum of exponentials of each query, "
	    "[heads, T] in at least f32; scores and dropout's draws are made again. Multiply-adds: 2 heads "
	    "d for each query and key that it sees.\n\n"
	    "What PyTorch is said to take is that of scaled_dot_product_attention's memory-efficient kernel "
	    "in f32; of its naive one, which keeps probabilities, in f64. There a rule becomes a bias in memory, "
	    "[heads, T, S], made anew for each layer.",
	.flags = OP_RANDOM,
	.attrs = attrs,
	.ranks = { .split = split, .split_blocks = blocks },
	.operands = "q k v bias",
	.min_operands = 1, .max_operands = 4,
	.shape = shape,
	.macs = macs,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(Q) | SAVES_IN(K) | SAVES_IN(V) | SAVES_IN(BIAS) | SAVES_OUT(Y) |
	    SAVES_OUT(LOGSUM),
	.memory.workspace = work,
	.memory.optional_out = 1u << LOGSUM,
	.torch.calls = attend_torch,
	.torch.scores = attend_scores,
	.calls.kernels = "attention/attend.cu",
	.calls.emit = emit,
};
