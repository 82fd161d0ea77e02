/* concat: operands one after the other along an axis. Its gradient cuts dy into pieces, in one
 * node, for the operands that want one. */
#include "ops/broadcast.h"
#include "ops/product.h"
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, "axis along which operands are joined: 0 is channels, -1 the last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

/* The gradients are in the order of the operands that want one, so walking both lists together
 * pairs them, even when an operand comes twice. */
static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct node *f = n->forward;
	const struct tensor *dy = n->in[0];
	struct channels c = emit_axis(e, dy, shape_axis_of(n, dy));
	int64_t offset = 0;
	int i, k = 0;

	for (i = 0; i < f->nin; i++) {
		int64_t piece = f->in[i]->dim[shape_axis_of(n, dy)] * c.places;

		if (k < n->nout && n->out[k]->gradient_of == f->in[i])
			emit_call(e, "concat_backward", arg_tensor(n->out[k++]), arg_tensor(dy),
			    arg_text(c.rows), arg_int(c.channels * c.places), arg_int(offset),
			    arg_int(piece));
		offset += piece;
	}
}

const struct op op_concat_grad = {
	.name = "concat_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of concat: dy cut into the pieces it was joined from",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.calls.kernels = "copy/concat.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct node *back = diff_node(d, n, &op_concat_grad, 1,
	    (struct tensor *[]){ diff_of(d, n->out[0]) });
	int i;

	for (i = 0; i < n->nin; i++)
		if (diff_wants(d, n->in[i]))
			diff_output(d, back, n->in[i]);
	return true;
}

static bool
joins(struct build *b, const struct node *n, int k, int axis)
{
	const struct tensor *x = n->in[0], *y = n->in[k];
	int i;

	if (!shape_float(b, n, k))
		return false;
	if (y->rank != x->rank || y->dtype != x->dtype)
		return op_error(b, n, "concat: operands must be of one kind, but the first is %s "
		    "and another %s", op_operand_text(b, x), op_operand_text(b, y));
	for (i = 0; i < x->rank; i++)
		if (i != axis && x->dim[i] != y->dim[i])
			return op_error(b, n, "concat: %s and %s differ in axis %d (%lld and "
			    "%lld); only axis %d, along which they are joined, may differ",
			    op_operand_text(b, x), op_operand_text(b, y), i,
			    (long long)x->dim[i], (long long)y->dim[i], axis);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x;
	int64_t dim[MAX_RANK];
	int axis, i;

	broadcast_samples(b, n, 0, n->nin);
	x = n->in[0];
	if (!shape_float(b, n, 0) || !shape_axis(b, n, x, &axis))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	for (i = 1; i < n->nin; i++) {
		if (!joins(b, n, i, axis))
			return false;
		if (dim[axis] <= LARGEST_EXTENT)	/* beyond that, op_output() objects */
			dim[axis] += n->in[i]->dim[axis];
	}
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return n->nin == 1 ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *y = n->out[0];
	struct channels c = emit_axis(e, y, shape_axis_of(n, y));
	int64_t offset = 0;
	int i;

	for (i = 0; i < n->nin; i++) {
		int64_t piece = n->in[i]->dim[shape_axis_of(n, y)] * c.places;

		emit_call(e, "concat_forward", arg_tensor(y), arg_tensor(n->in[i]),
		    arg_text(c.rows), arg_int(c.channels * c.places), arg_int(offset),
		    arg_int(piece));
		offset += piece;
	}
}

/* In PyTorch the gradients are views of dy. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int *in = arena_array(t->arena, (size_t)n->nin + 1, sizeof(*in)), i;
	int64_t before = y->batched ? t->batch : 1;

	for (i = 0; i < shape_axis_of(n, y); i++)
		before = product_of(before, y->dim[i]);
	for (i = 0; i < n->nin; i++)
		in[i] = tape_value(t, n->in[i]);
	tape_result(t, y, tape_call(t, &(struct tape_call){ .in = in, .nin = n->nin,
	    .bytes = tape_bytes(t, y), .pieces = true, .apart = before > 1 }));
}

const struct op op_concat = {
	.name = "concat",
	.kind = OP_LAYER,
	.brief = "operands one after the other along an axis",
	.doc = "Joins any number of tensors along an axis, by default channels: [64, 28, 28] and "
	    "[32, 28, 28] give [96, 28, 28]. All other extents must agree. Elements are copied, but "
	    "not where a convolution without groups is the only one to read up to eight images "
	    "joined along their channels: it reads them where they lie. "
	    "Backward needs neither inputs nor output.",
	.attrs = attrs,
	.operands = "a b ...",
	.min_operands = 1, .max_operands = -1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls, .copies = true },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/concat.cu",
	.calls.emit = emit,
};
