/*
 * pooled-biases: on a GPU, lets the gradient of a bias be summed before a maximum pool passes it
 * back, where it is a quarter as large (for windows of 2 x 2):
 *
 *     p = maxpool_grad(dy, places); db = bias_grad(p)     db = bias_grad_pooled(dy, places); p = maxpool_grad(dy, places)
 *
 * Each element of dy goes to one place, so both sums are of the same numbers, in another order. But
 * where windows overlap, p has sums of several, and in 16 bits those are rounded: db is then more
 * exact. A formula behind the pool may let some pass to no place (ops/maxpool.c), and the sum asks
 * for that; where none does, it is that of dy.
 *
 * The sum goes right before the pool's gradient, after which dy and the places die. There p is not
 * alive, but the sum's scratch memory is, and from there on db. So that is done where all stays
 * below the peak of training, or there is room for speed. In C sums of images take next to nothing,
 * since these are in the caches.
 *
 * Reads and writes: train after order. Invariant after: no bias's gradient that is summed near a
 * maximum's gradient, of what that makes, but where there is no room.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/maxpool.h"
#include "ops/product.h"
#include "schedule/headroom.h"
#include "schedule/step.h"

#define NEAR	16	/* nodes from one to the other, at most: products and updates lie between */

struct exchange {
	struct graph *g;
	struct headroom room;
	int *at;		/* by node: its place in the trial, whose order was that before any was moved */
};

/* The node that sums for a bias what the I-th, a maximum's gradient, passes back; 0: there is none
 * near. That of a bias with a value for each element (ops/local.c) has no sum over positions. */
static int
sum_after(const struct graph *g, int i)
{
	const struct node *n = g->nodes.v[i];
	int j;

	if ((n->op != &op_maxpool_grad && n->op != &op_adaptive_maxpool_grad) || op_base(n) || n->in[1]->dtype != DT_U8 ||
	    n->out[0]->alias_of)
		return 0;
	for (j = i + 1; j < g->nodes.n && j <= i + NEAR; j++)
		if (g->nodes.v[j]->op == &op_bias_grad && g->nodes.v[j]->in[0] == n->out[0] &&
		    tensor_elements_per_sample(g->nodes.v[j]->out[0]) == n->out[0]->dim[0])
			return j;
	return 0;
}

/* DB lives from I on, not from J; the sum has its scratch memory where P is not there yet. */
static bool
fits(struct exchange *s, int i, int j)
{
	const struct node *sum = s->g->nodes.v[j];
	int64_t work = headroom_scratch(&s->room, sum, sum->op) - headroom_bytes(&s->room, sum->in[0]);

	return headroom_take(&s->room, s->at[i], s->at[j], headroom_bytes(&s->room, sum->out[0]), work > 0 ? work : 0);
}

/* N sums what GRAD is given. */
static void
take_before(struct module *m, struct node *n, const struct node *grad)
{
	n->in[0] = grad->in[0];
	if (maxpool_is_gated(m->arena, grad)) {
		n->op = &op_bias_grad_pooled;
		ir_add_input(m, n, grad->in[1]);
	}
}

/* The J-th node goes before the I-th. */
static void
move(struct exchange *s, int i, int j)
{
	struct node *n = s->g->nodes.v[j];
	int at = s->at[j], k;

	for (k = j; k > i; k--) {
		s->g->nodes.v[k] = s->g->nodes.v[k - 1];
		s->at[k] = s->at[k - 1];
	}
	s->g->nodes.v[i] = n;
	s->at[i] = at;
}

static void
exchange(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	struct exchange s = { .g = g, .room = headroom_new(a, g, o, m) };
	int i, j;

	if (m && step_try(m)) {
		s.at = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*s.at));
		for (i = 0; i < g->nodes.n; i++)
			s.at[i] = i;
		s.room.roomy = step_is_roomy(g->module, o, m);
		for (i = 0; i < g->nodes.n; i++) {
			if (!(j = sum_after(g, i)) || !fits(&s, i, j))
				continue;
			take_before(g->module, g->nodes.v[j], g->nodes.v[i]);
			move(&s, i++, j);
		}
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->splits_sums && ir_has(m->train, &op_bias_grad))
		exchange(m->train, o);
	return true;
}

const struct pass pass_pooled_biases = {
	.name = "pooled-biases",
	.doc = "sum the gradient of a convolution's bias before a maximum pool passes it back",
	.optional = true,
	.thorough = true,
	.run = run,
};
