/*
 * bias-gradients: on a GPU, lets the product that makes the gradient of a dense layer's weights
 * also make the gradient of its bias:
 *
 *     dw = dense_grad_weight(dy, x); db = dense_grad_bias(dy)     dw, db = dense_grad_weight_bias(dy, x)
 *
 * db is the sum of dy's rows, and the product reads all of dy anyway: this saves a launch or two
 * and one read of dy. dw may be added onto something; db is always made anew, which is all that
 * cuBLASLt can do beside a product, and no pass lets a bias's gradient add onto anything.
 *
 * cuBLASLt's epilogue for it is BGRADB, since it computes the transpose, whose second operand is
 * dy. In our tiles (kernels/product/gemm_cuda.cu) the threads of a block add up its rows of A as
 * they lie in shared memory, in f32 whatever the tensor cores round to.
 *
 * A product of 16 bits that adds to a sum in f32 (gradients-in-place) is left alone: cuBLASLt would
 * make db of that type.
 *
 * On target c nothing is joined: summing rows that lie in the cache costs next to nothing there,
 * and products pack their operands in an order that is not the order of the sum.
 *
 * The joined node stands where the product stood. A bias's gradient that came after it is born
 * earlier now, and the node's scratch memory is the larger of the two. So they are joined only
 * where all that is alive from there on stays below the peak of training. One that came before is
 * born later, unless it is read before the product. So the arena's lower bound does not rise.
 *
 * Reads: train after order. Writes: the two nodes. Invariants after: 1. every node reads what it
 * read;
 * 2. no dense_grad_bias stands close behind a dense_grad_weight of the same dy, if there was room.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/dense.h"
#include "schedule/headroom.h"
#include "schedule/step.h"

#define NEAR	64	/* nodes between the two, at most: the order leaves none, or an update */

struct joining {
	struct graph *g;
	struct headroom room;
	/* By the id of a tensor, 1 the first node, 0 none: the last product that has it as dy, the
	 * last bias's gradient, each while it is alone, and the first node that reads it. */
	int *product, *bias, *read;
};

/* Is there room for BYTES more from node FROM to before node TO, and for the scratch memory of the
 * node that FROM becomes? If so, it is taken. */
static bool
takes_room(struct joining *j, int from, int to, int64_t bytes)
{
	const struct node *product = j->g->nodes.v[from];
	int64_t grown = headroom_scratch(&j->room, product, &op_dense_grad_weight_bias) -
	    headroom_scratch(&j->room, product, product->op);

	return headroom_take(&j->room, from, to, bytes, grown > 0 ? grown : 0);
}

/* Can the gradient of a bias, node BIAS, be made at node PRODUCT instead? */
static bool
fits(struct joining *j, int product, int bias)
{
	const struct tensor *db = j->g->nodes.v[bias]->out[0];

	if (bias < product)
		return j->read[db->id] - 1 > product && takes_room(j, product, product + 1, 0);
	return bias - product <= NEAR &&
	    takes_room(j, product, bias, headroom_bytes(&j->room, db));
}

/* Node I has come, which is one of the two. If the other is there and they fit, the number of the
 * bias's, which is not needed any more; else -1. */
static int
joined(struct joining *j, int i)
{
	struct node *n = j->g->nodes.v[i];
	int *product = &j->product[n->in[0]->id], *bias = &j->bias[n->in[0]->id], gone;

	*(n->op == &op_dense_grad_bias ? bias : product) = i + 1;
	if (*product == 0 || *bias == 0 || !fits(j, *product - 1, *bias - 1))
		return -1;
	n = j->g->nodes.v[*product - 1];
	n->op = &op_dense_grad_weight_bias;
	ir_add_output(j->g->module, n, j->g->nodes.v[*bias - 1]->out[0]);
	gone = *bias - 1;
	*product = *bias = 0;
	return gone;
}

static void
note_reads(struct joining *j)
{
	int i, k;

	for (i = j->g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = j->g->nodes.v[i];

		for (k = 0; k < n->nin; k++)
			if (n->in[k])
				j->read[n->in[k]->id] = i + 1;
	}
}

static void
join(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	size_t tensors = (size_t)g->module->next_tensor + 1;
	struct joining j = { .g = g, .room = headroom_new(a, g, o, m),
		.product = arena_array(a, tensors, sizeof(*j.product)),
		.bias = arena_array(a, tensors, sizeof(*j.bias)),
		.read = arena_array(a, tensors, sizeof(*j.read)) };
	bool *gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, bias;

	if (m && step_try(m)) {
		note_reads(&j);
		for (i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.v[i];

			if ((n->op != &op_dense_grad_weight && n->op != &op_dense_grad_bias) ||
			    n->out[0]->dtype != n->in[0]->dtype)
				continue;
			bias = joined(&j, i);
			if (bias >= 0)
				gone[bias] = true;
		}
		ir_drop(g, gone);
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->sums_bias && ir_has(m->train, &op_dense_grad_bias))
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
