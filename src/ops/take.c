/*
 * take and gather: elements by indices that are data. take reads whole slices, one index for all of
 * a slice; gather reads single elements, each with an index of its own.
 *
 *     take     y[o, t, i] = x[o, index[t], i]             o: axes before `axis`, i: axes after it
 *     gather   y[o, t, i] = x[o, index[o, t, i], i]
 *
 * Backward adds up the dy of each element of x in the order of t. Of few indices each element of dx
 * looks for its own. Of many, a thread has all of some columns i, and puts each dy where its index
 * says; that are sums in memory, in reals. Where all samples share x and slices are all that there
 * is, as in a table, columns are few and indices many: those are sorted, as an embedding's are.
 */
#include "ops/broadcast.h"

#include <assert.h>

#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"

extern const struct op op_gather, op_slice;

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, "the axis of x that indices are of; 0 is the first after the batch, -1 the last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

struct taking {
	bool each;		/* gather: each element has its own index */
	bool shared;		/* one x for all samples of y */
	bool own;		/* each sample has its own indices */
	int64_t outer, n, t, inner;	/* of x [outer, n, inner], of y [outer, t, inner] */
};

static struct taking
taking_of(const struct node *n, const struct tensor *x, const struct tensor *index, const struct tensor *y)
{
	int axis = shape_axis_of(n, x);
	struct taking k = { .each = n->op == &op_gather, .shared = y->batched && !x->batched, .own = index->batched };

	k.outer = shape_product(x, 0, axis);
	k.n = x->dim[axis];
	k.inner = shape_product(x, axis + 1, x->rank);
	k.t = k.each ? index->dim[axis] : shape_product(index, 0, index->rank);
	return k;
}

static struct call_arg
arg_taking(struct emitter *e, const struct taking *k, const struct tensor *y)
{
	return arg_text(arena_printf(e->module->arena, "(struct take){ %s, %lld, %lld, %lld, %lld, .each = %d, .shared = %d, "
	    ".own = %d }", y->batched ? "b" : "1", (long long)k->outer, (long long)k->n, (long long)k->t,
	    (long long)k->inner, k->each, k->shared, k->own));
}

/* ---- backward ---- */

#define FEW	8	/* indices that each element of dx looks through */

enum way { SEARCH, COLUMNS, SORT };

static enum way
way_of(const struct taking *k, const struct tensor *dy)
{
	if (k->t <= FEW && !k->shared)
		return SEARCH;
	if (!k->each && k->outer == 1 && (k->shared || !dy->batched) && k->n <= INT32_MAX)
		return SORT;
	return COLUMNS;
}

static struct taking
taking_forward(const struct node *n)
{
	const struct node *f = n->forward;

	return taking_of(f, f->in[0], f->in[1], f->out[0]);
}

/* The keys of a sort (kernels/copy/embedding.cu), or sums of elements that cannot hold them. */
static struct affine
work(const struct node *n, const struct room *room)
{
	struct taking k = taking_forward(n);
	const struct tensor *dx = n->out[0];
	struct affine all = tensor_elements(n->in[1]);
	enum way way = way_of(&k, n->in[0]);

	(void)room;
	if (way == SORT)
		return (struct affine){ 16 * all.fixed, 16 * all.per_sample };
	if (way == SEARCH || dtype_bytes(dx->dtype) >= dtype_bytes(dx->dtype->real))
		return (struct affine){ 0, 0 };
	all = tensor_elements(dx);
	return (struct affine){ dtype_bytes(dx->dtype->real) * all.fixed, dtype_bytes(dx->dtype->real) * all.per_sample };
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0], *dy = n->in[0], *index = n->in[1];
	struct taking k = taking_forward(n);

	switch (way_of(&k, dy)) {
	case SORT:
		emit_call(e, "embedding_backward", arg_tensor(dx), arg_tensor(dy), arg_tensor(index), arg_onto(n),
		    arg_work(n), arg_text(emit_rows(e, index, index->rank)), arg_int(0), arg_int(k.n),
		    arg_int(k.inner), arg_int(-1));
		return;
	case SEARCH:
		emit_call(e, "take_search", arg_tensor(dx), arg_tensor(dy), arg_tensor(index), arg_onto(n),
		    arg_taking(e, &k, dy));
		return;
	case COLUMNS:
		emit_call(e, "take_columns", arg_tensor(dx), arg_tensor(dy), arg_tensor(index), arg_onto(n),
		    arg_work(n), arg_taking(e, &k, dy));
	}
}

const struct op op_take_grad = {
	.name = "take_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of take and gather: for each element of x the sum of dy where it was taken",
	.attrs = attrs,
	.operands = "dy index",
	.min_operands = 2, .max_operands = 2,
	.memory.workspace = work,
	.memory.onto = 2,
	.calls.kernels = "copy/take.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_take_grad, 1, &n->in[1]);
}

/* ---- forward ---- */

static bool
indexes(struct build *b, const struct node *n, int *axis)
{
	const struct tensor *x = n->in[0], *index = n->in[1];

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[..., n, ...]") || !shape_axis(b, n, x, axis))
		return false;
	if (!index->classes || index->dtype != DT_I32)
		return op_error(b, n, "%s: indices are class[K] or tokens[T, vocab=K], or what tril_index makes, but "
		    "the second operand is %s of %s", n->op->name, op_operand_text(b, index), dtype_name(index->dtype));
	if (index->classes > x->dim[*axis])
		return op_error(b, n, "%s: '%s' is %s, with indices up to %d, but axis %d of %s has %lld", n->op->name,
		    index->name, tensor_type_text(b->module->arena, index), index->classes - 1, *axis,
		    op_operand_text(b, x), (long long)x->dim[*axis]);
	return true;
}

static bool
take_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0], *index = n->in[1];
	int64_t dim[MAX_RANK];
	int axis, i, rank = 0;

	if (!indexes(b, n, &axis))
		return false;
	if (x->rank - 1 + index->rank > MAX_RANK)
		return op_error(b, n, "take: the result would have %d axes, those of %s with those of '%s' in place of "
		    "axis %d, and a tensor has at most %d besides the batch", x->rank - 1 + index->rank,
		    op_operand_text(b, x), index->name, axis, MAX_RANK);
	for (i = 0; i < axis; i++)
		dim[rank++] = x->dim[i];
	for (i = 0; i < index->rank; i++)
		dim[rank++] = index->dim[i];
	for (i = axis + 1; i < x->rank; i++)
		dim[rank++] = x->dim[i];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched || index->batched, rank, dim) != NULL;
}

/* Along other axes than that of indices, gather reads as much of x as there are indices, from the
 * first on: the rest is left out by a slice before it. */
static void
slice_to_index(struct build *b, struct node *n, int axis)
{
	struct attr *attr = op_presets(b->module->arena, &op_slice);
	struct attr *axes = op_preset(&op_slice, attr, "axis"), *stop = op_preset(&op_slice, attr, "stop");
	const struct tensor *x = n->in[0], *index = n->in[1];
	struct node **at, *made;
	int i;

	axes->given = stop->given = true;
	axes->n = 0;
	for (i = 0; i < x->rank; i++)
		if (i != axis && index->dim[i] < x->dim[i]) {
			axes->v[axes->n++] = i;
			stop->v[stop->n++] = index->dim[i];
		}
	if (axes->n == 0)
		return;
	made = op_part(b, n, &op_slice, attr, "read", 1, n->in);
	at = &b->graph->nodes.v[b->graph->nodes.n - 2];	/* it comes before its reader */
	assert(at[0] == n && at[1] == made);
	at[1] = at[0];
	at[0] = made;
	n->in[0] = made->out[0];
}

static bool
gather_shape(struct build *b, struct node *n)
{
	const struct tensor *x, *index = n->in[1];
	int axis, i;

	if (!indexes(b, n, &axis))
		return false;
	broadcast_samples(b, n, 0, n->nin);
	x = n->in[0];
	for (i = 0; i < x->rank && index->rank == x->rank; i++)
		if (i != axis && index->dim[i] > x->dim[i])
			break;
	if (i < x->rank)
		return op_error(b, n, "gather: each element has its own index, so '%s' must have as many axes as %s and be no "
		    "larger but along axis %d, and is %s; take() has one index for a whole slice", index->name,
		    op_operand_text(b, x), axis, tensor_type_text(b->module->arena, index));
	slice_to_index(b, n, axis);
	x = n->in[0];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, index->dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0], *index = n->in[1], *y = n->out[0];
	struct taking k = taking_of(n, x, index, y);

	emit_call(e, "take_forward", arg_tensor(y), arg_tensor(x), arg_tensor(index), arg_taking(e, &k, y));
}

/* PyTorch's gather(), which keeps x and its indices, also where one index is that of a whole slice
 * and is expanded; or, which keep indices alone, index_select(), of those that all samples share or
 * of a table, and x[rows, index], along the first axis, with the samples' own numbers as rows. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0], *index = n->in[1];
	struct taking k = taking_of(n, x, index, n->out[0]);
	bool first = !k.each && k.outer == 1;
	int in[2] = { tape_value(t, x), tape_value(t, index) };

	if (k.shared && k.outer > 1) {
		struct tape_shape each;
		int i;

		tape_shape_of_tensor(t, x, &each);
		for (i = each.rank++; i > 0; i--)
			each.size[i] = each.size[i - 1];
		each.size[0] = t->batch;
		in[0] = tape_expand(t, in[0], &each);
	}
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = tape_bytes(t, n->out[0]), .beside = first && k.own && !k.shared ? 8 * t->batch : 0,
	    .saves = SAVES_IN(1) | (first || (!k.each && !k.own) ? 0 : SAVES_IN(0)) }));
}

/* Of x, as much as is taken. */
static struct affine
traffic(const struct node *n)
{
	struct affine y = tensor_bytes(n->out[0]);

	return affine_sum(affine_sum(y, y), tensor_bytes(n->in[1]));
}

#define MISSING										\
	" The data are looked through when they are read: a number that is no index of the type stops the program. A "	\
	"number such as -1 that is put in otherwise gives 0 and has no gradient. Backward reads dy and the indices, "	\
	"and adds up in one order: no atomics."

const struct op op_take = {
	.name = "take",
	.kind = OP_LAYER,
	.brief = "slices by their indices along an axis",
	.doc = "y[..., t, ...] = x[..., index[t], ...]: the axis of x becomes the axes of the index, as NumPy's take for each "
	    "sample. x [N, D] and index class[N, T] give [T, D]; class[N] gives [D], one slice of each sample; "
	    "logits [K] and class[K] give one number each. Where x does not depend on the batch, such as a parameter, all "
	    "samples take from one table; and an index may be one for all samples, such as tril_index(27, diagonal=-1). In "
	    "PyTorch this is index_select, or where each sample has its own index x[arange(B)[:, None], index], and along an "
	    "axis but the first gather with an expanded index.\n\n"
	    "The index is an operand of type class[K] or tokens, with K at most the extent of the axis." MISSING,
	.attrs = attrs,
	.operands = "x index",
	.min_operands = 2, .max_operands = 2,
	.shape = take_shape,
	.traffic = traffic,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(1),
	.torch = { .calls = torch_calls },
	.calls.kernels = "copy/take.cu",
	.calls.emit = emit,
};

const struct op op_gather = {
	.name = "gather",
	.kind = OP_LAYER,
	.brief = "elements, each by an index of its own along an axis",
	.doc = "As PyTorch's gather: y[i, j] = x[index[i, j], j] along axis 0, x[i, index[i, j]] along axis 1. The index has the "
	    "shape of x but for the extent of the axis: x [N, D] and index class[N, T, D] give [T, D]. Along another axis it may "
	    "be smaller: then only as much of x is read, from the first on. For one index a slice see take.\n\n"
	    "The index is an operand of type class[K] or tokens, with K at most the extent of the axis." MISSING,
	.attrs = attrs,
	.operands = "x index",
	.min_operands = 2, .max_operands = 2,
	.shape = gather_shape,
	.traffic = traffic,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(1),
	.torch = { .calls = torch_calls },
	.calls.kernels = "copy/take.cu",
	.calls.emit = emit,
};
