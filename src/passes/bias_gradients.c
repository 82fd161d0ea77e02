/*
 * bias-gradients: lets the product that makes the gradient of a dense layer's weights make that of
 * its bias too, on a GPU:
 *
 *     dw = dense_grad_weight(dy, x); db = dense_grad_bias(dy)     dw, db = dense_grad_weight_bias(dy, x)
 *
 * db is the sum of dy's rows, and all of dy goes by while dw is made: a launch or two less, and dy is
 * read once less. dw may be added onto something. db is always made anew, which is all that cuBLASLt
 * can do beside a product: no pass lets a bias's gradient add onto anything.
 *
 * On target c nothing is joined: a sum of rows that lie in the cache costs next to nothing there, and
 * products pack their operands in an order of their own, which is not that of the sum.
 *
 * The joined node stands where the product stood, and db is born there. That is taken into account:
 * they join where all that is alive from there on, with db and the scratch memory of both, stays
 * below the peak of training. So the arena's lower bound is what it was.
 *
 * Reads: train after order. Writes: the two nodes. Invariants after: 1. no dense_grad_bias stands
 * close behind a dense_grad_weight of the same dy, if there is room; 2. every node reads what it read.
 */
#include "passes/pass.h"

#include "emit/emit.h"
#include "ops/dense.h"
#include "plan/step.h"

#define NEAR	64	/* nodes between the two, at most: the order leaves none, or an update */

struct joining {
	struct graph *g;
	const struct pass_options *o;
	const struct trial *t;
	int64_t *more;	/* by node: what is alive there beside what the trial says */
	int *product;	/* by the id of dy: the last product that reads it, 1 the first node; 0: none */
};

static int64_t
aligned(const struct joining *j, int64_t bytes)
{
	int64_t mask = j->o->target->alignment - 1;

	return (bytes + mask) & ~mask;
}

static int64_t
scratch(const struct joining *j, const struct node *n, const struct op *op)
{
	struct room room = op_room(j->g->module, j->o->target, j->o->threads);
	struct node probe = *n;

	probe.op = op;
	return aligned(j, affine_at(op->workspace(&probe, &room), j->g->batch));
}

/* Is there room for DB from node FROM to before node TO? If so, it is taken. */
static bool
takes_room(struct joining *j, int from, int to, const struct tensor *db)
{
	const struct node *product = j->g->nodes.v[from];
	int64_t bytes = aligned(j, affine_at(tensor_bytes(db), j->g->batch));
	int64_t own = scratch(j, product, product->op);
	int64_t both = scratch(j, product, &op_dense_grad_weight_bias);
	int64_t grown = both > own ? both - own : 0;
	int k;

	for (k = from; k < to; k++)
		if (j->t->live[k] + j->more[k] + bytes + (k == from ? grown : 0) > j->t->peak)
			return false;
	for (k = from; k < to; k++)
		j->more[k] += bytes;
	j->more[from] += grown;
	return true;
}

/* Does node I, the gradient of a bias, become part of the product before it? */
static bool
joins(struct joining *j, int i)
{
	struct node *bias = j->g->nodes.v[i], *product;
	int *from = &j->product[bias->in[0]->id];

	if (*from == 0 || i - (*from - 1) > NEAR || !takes_room(j, *from - 1, i, bias->out[0]))
		return false;
	product = j->g->nodes.v[*from - 1];
	product->op = &op_dense_grad_weight_bias;
	ir_add_output(j->g->module, product, bias->out[0]);
	*from = 0;
	return true;
}

static void
join(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	struct joining j = { .g = g, .o = o,
		.more = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*j.more)),
		.product = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*j.product)) };
	bool *gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, kept = 0;

	if (m && step_try(m)) {
		j.t = m->trial;
		for (i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.v[i];

			if (n->op == &op_dense_grad_weight)
				j.product[n->in[0]->id] = i + 1;
			gone[i] = n->op == &op_dense_grad_bias && joins(&j, i);
		}
		for (i = 0; i < g->nodes.n; i++)
			if (!gone[i])
				g->nodes.v[kept++] = g->nodes.v[i];
		g->nodes.n = kept;
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->gpu)
		join(m->train, o);
	return true;
}

const struct pass pass_bias_gradients = {
	.name = "bias-gradients",
	.doc = "let the products of dense layers' weights' gradients sum their biases' gradients too",
	.optional = true,
	.thorough = true,
	.run = run,
};
