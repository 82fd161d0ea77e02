/*
 * batchnorm_pool: a batchnorm and the maxpool behind it, perhaps with a formula
 * (batchnorm_pool_then), in one. What is normalised, and what in backward arrives at it, the step's
 * largest tensors in the stems of residual and dense networks, are never in memory
 * (kernels/norm/batchnorm_pool.cu). The pass pooled_norms makes it, on a GPU.
 *
 *     in:   as batchnorm
 *     out:  as batchnorm, of which y is the pooling's; and the places of the maxima
 */
#include "ops/batchnorm.h"

#include "ops/maxpool.h"
#include "ops/pool.h"
#include "ops/shapes.h"
#include "ops/then.h"

#define MOST_TIMES	4	/* that windows may have an element, on average */

enum { INDEX = NEW_VAR + 1 };	/* output, beside those of batchnorm */
enum { DY, OF_X, OF_WEIGHT, OF_MEAN, OF_INVSTD, OF_INDEX };	/* inputs of the gradient */

static const struct attr_spec attrs[] = { MAXPOOL_ATTRS, BATCHNORM_ATTRS, ATTRS_END };
static const struct attr_spec attrs_then[] = { MAXPOOL_ATTRS, BATCHNORM_ATTRS, THEN_ATTR, ATTRS_END };

static void
emit(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in, *const *out = n->out;
	struct window w = pool_window(n, in[X], out[Y]);
	const char *eps = emit_double(e, op_real(n, "eps"));

	if (batchnorm_uses_batch(n))
		emit_call(e, "batchnorm_pool_forward", arg_tensor(out[Y]), arg_tensor(out[INDEX]),
		    arg_tensor(out[MEAN]), arg_tensor(out[INVSTD]), arg_tensor(out[NEW_MEAN]), arg_tensor(out[NEW_VAR]),
		    arg_work(n), arg_tensor(in[X]), arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]), then_arg(e, n, NULL), maxpool_passed(e, n), arg_text(eps),
		    arg_text(emit_double(e, op_real(n, "momentum"))), POOL_ARGS(in[X], w),
		    arg_int(batchnorm_parts(in[X], e->target)));
	else
		emit_call(e, "batchnorm_pool_inference", arg_tensor(out[Y]), arg_tensor(out[INDEX]), arg_work(n),
		    arg_tensor(in[X]), arg_tensor(in[WEIGHT]), arg_tensor(in[BIAS]), arg_tensor(in[RUNNING_MEAN]),
		    arg_tensor(in[RUNNING_VAR]), then_arg(e, n, NULL), maxpool_passed(e, n), arg_text(eps), POOL_ARGS(in[X], w));
}

#define POOLED									\
	.kind = OP_INTERNAL,							\
	.operands = "x weight bias running_mean running_var",			\
	.min_operands = 5, .max_operands = 5,					\
	.traffic = batchnorm_traffic,						\
	.memory.workspace = batchnorm_workspace,				\
	.memory.alias = batchnorm_alias,					\
	.memory.optional_out = BATCHNORM_OPTIONAL | 1u << INDEX,		\
	.calls.kernels = "norm/batchnorm_pool.cu",				\
	.calls.launches = 3,							\
	.calls.emit = emit

const struct op op_batchnorm_pool = {
	.name = "batchnorm_pool",
	.brief = "batchnorm, and maximum pooling of its result",
	.attrs = attrs,
	POOLED
};

const struct op op_batchnorm_pool_then = {
	.name = "batchnorm_pool_then",
	.brief = "batchnorm, maximum pooling of its result, and a formula of that",
	.attrs = attrs_then,
	.calls.note = maxpool_note,
	.calls.define = maxpool_define,
	POOLED
};

static void
emit_grad(struct emitter *e, const struct node *n)
{
	struct tensor *const *in = n->in;
	struct window w = pool_window(n, in[OF_X], in[DY]);

	emit_call(e, "batchnorm_pool_backward", arg_tensor(batchnorm_gradient_of(n, X)),
	    arg_tensor(batchnorm_gradient_of(n, WEIGHT)), arg_tensor(batchnorm_gradient_of(n, BIAS)), arg_work(n),
	    arg_tensor(in[DY]), arg_tensor(in[OF_INDEX]), arg_tensor(in[OF_X]), arg_tensor(in[OF_WEIGHT]),
	    arg_tensor(in[OF_MEAN]), arg_tensor(in[OF_INVSTD]), POOL_ARGS(in[OF_X], w),
	    arg_int(batchnorm_parts(in[OF_X], e->target)));
}

/* All that it reads of the batch it reads twice. */
static struct affine
traffic_grad(const struct node *n)
{
	struct affine bytes = batchnorm_backward_traffic(n);

	return batchnorm_gradient_of(n, X) ? affine_sum(bytes, tensor_bytes(n->in[OF_INDEX])) : bytes;
}

const struct op op_batchnorm_pool_grad = {
	.name = "batchnorm_pool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradients of batchnorm_pool, as far as they are wanted",
	.attrs = attrs,
	.operands = "dy x weight mean invstd index",
	.min_operands = 6, .max_operands = 6,
	.traffic = traffic_grad,
	.memory.workspace = batchnorm_backward_workspace,
	.memory.inplace = 1u << OF_X,
	.calls.kernels = "norm/batchnorm_pool.cu",
	.calls.launches = 3,
	.calls.emit = emit_grad,
};

/* ---- what others become ---- */

/* Those of the pooling but for its formula, and of the batchnorm. */
static struct attr *
both_attrs(struct arena *a, const struct node *pool, const struct node *norm)
{
	int first = op_nattrs(pool->op) - (then_of(pool) != NULL), second = op_nattrs(norm->op), i;
	struct attr *attr = arena_array(a, (size_t)(first + second), sizeof(*attr));

	for (i = 0; i < first; i++)
		attr[i] = pool->attr[i];
	for (i = 0; i < second; i++)
		attr[first + i] = norm->attr[i];
	return attr;
}

/* Of windows that kernels know, on X, whose channels come last: are Y and places, a byte each,
 * fewer bytes than what lies between, and is that made of x a few times at most? */
static bool
can_pool(const struct node *pool, const struct tensor *x, const struct tensor *y)
{
	struct window w = pool_window(pool, x, y);
	int64_t inputs = tensor_elements_per_sample(x), outputs = tensor_elements_per_sample(y);

	return x->channels_last && x->batched && window_is_flat(&w) && 2 * outputs <= inputs && window_cells(&w) <= 256 &&
	    window_cells(&w) <= MOST_TIMES * inputs / outputs;
}

bool
batchnorm_can_pool(const struct node *n, const struct node *pool)
{
	return n->op == &op_batchnorm && (pool->op == &op_maxpool || pool->op == &op_maxpool_then) &&
	    pool->in[0] == n->out[Y] && !n->out[Y]->alias_of && !pool->out[0]->alias_of && !batchnorm_is_synced(n) &&
	    can_pool(pool, n->in[X], pool->out[0]);
}

void
batchnorm_pool(struct module *m, struct node *n, const struct node *pool)
{
	n->attr = both_attrs(m->arena, pool, n);
	n->op = &op_batchnorm_pool;
	if (then_of(pool)) {
		n->attr = then_attrs(m->arena, n, then_of(pool));
		n->op = &op_batchnorm_pool_then;
	}
	n->out[Y] = pool->out[0];
	n->out[Y]->def = n;
	while (n->nout < INDEX)
		ir_add_output(m, n, NULL);
	ir_add_output(m, n, pool->nout > 1 ? pool->out[1] : NULL);
}

bool
batchnorm_can_pool_gradients(const struct node *pool, const struct node *grad)
{
	return pool->op == &op_maxpool_grad && pool->nin == 2 && grad->op == &op_batchnorm_grad &&
	    grad->in[DY] == pool->out[0] && !grad->in[DY]->alias_of && batchnorm_uses_batch(grad->forward) &&
	    !batchnorm_is_synced(grad) && can_pool(pool, grad->in[OF_X], pool->in[0]);
}

void
batchnorm_pool_gradients(struct module *m, const struct node *pool, struct node *grad)
{
	grad->attr = both_attrs(m->arena, pool, grad);
	grad->op = &op_batchnorm_pool_grad;
	grad->in[DY] = pool->in[0];
	ir_add_input(m, grad, pool->in[1]);
}
