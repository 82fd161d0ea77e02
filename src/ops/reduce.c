/*
 * Sums over some axes of a tensor, with the internal operators that gradients of repeated operands
 * are:
 *
 *     reduce_to       dy summed over the axes its operand was repeated along
 *     reduce_to_then  and a formula of that, as it is stored (the pass fuse-activation makes it)
 */
#include "ops/reduce.h"

#include "calls/emitter.h"
#include "ops/shapes.h"
#include "ops/then.h"

bool
reduce_is_whole(const struct tensor *a, const struct tensor *b)
{
	return a->batched == b->batched &&
	    tensor_elements_per_sample(a) == tensor_elements_per_sample(b);
}

/* Pieces that each sum is cut into, so that few results still occupy all cores (a result with a
 * batch has enough of them). Their sums lie in the workspace. */
int64_t
reduce_pieces(const struct tensor *from, const struct tensor *to, const struct groups *g)
{
	int64_t outs = tensor_elements_per_sample(to), least, count;

	if (to->batched || reduce_is_whole(from, to))
		return 1;
	least = g->runs[0][g->n - 1] ? 16384 : 512;	/* summed side by side, or row by row */
	count = (least + outs - 1) / outs;
	return count > 64 ? 64 : count;
}

struct affine
reduce_room(const struct tensor *from, const struct tensor *to, const struct tensor *other)
{
	struct groups g;
	int64_t p;

	groups_make(&g, from, to, other);
	if ((p = reduce_pieces(from, to, &g)) == 1)
		return (struct affine){ 0, 0 };
	return (struct affine){ p * tensor_elements_per_sample(to) * (int64_t)sizeof(double), 0 };
}

void
reduce_emit(struct emitter *e, const struct node *n, const struct tensor *to, double factor)
{
	struct groups g;

	groups_make(&g, n->in[0], to, NULL);
	emit_call(e, "reduce_to", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]),
	    arg_text(emit_double(e, factor)), then_arg(e, n, then_beside(n)), arg_text(groups_text(e, &g)),
	    arg_int(reduce_pieces(n->in[0], to, &g)));
}

static struct affine
workspace(const struct node *n, const struct room *room)
{
	(void)room;
	return reduce_room(n->in[0], n->out[0], NULL);
}

bool
reduce_takes(const struct node *n, struct tensor *to, double *factor)
{
	int i;

	if (n->op != &op_reduce_to)
		return reductions_take(n, to, factor);
	*to = tensor_value(n->in[0]);
	for (i = 0; i < to->rank; i++)
		to->dim[i] = n->out[0]->rank > 0 ? n->out[0]->dim[i] : 1;
	to->batched = n->out[0]->batched;
	*factor = 1;
	return true;
}

static void
emit(struct emitter *e, const struct node *n)
{
	reduce_emit(e, n, n->out[0], 1);
}

static const struct attr_spec attrs_then[] = { THEN_ATTR, ATTRS_END };

extern const struct op op_reduce_to_then;

const struct op op_reduce_to = {
	.name = "reduce_to",
	.kind = OP_INTERNAL,
	.brief = "dy summed over the axes along which an operand was repeated",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.workspace = workspace,
	.memory.inplace = 1u << 0,
	.then = { &op_reduce_to_then, 2 },
	.calls.kernels = "pointwise/reduce.cu",
	.calls.emit = emit,
};

const struct op op_reduce_to_then = {
	.name = "reduce_to_then",
	.brief = "dy summed over axes, and a formula of its result",
	.attrs = attrs_then,
	.memory.workspace = workspace,
	REDUCE_THEN(op_reduce_to_then),
	.calls.emit = emit,
};
