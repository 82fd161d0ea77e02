/*
 * formula-in-bias: on a GPU, lets the gradient of a bias make the formula of two tensors that it
 * sums; mostly what of a gradient passes the relu behind the layer:
 *
 *     p = relu_grad(dy, y); db = bias_grad(p)     db, p = bias_grad_of(dy, y)
 *
 * The gradients of the layer's weights and of its input read p, too, so it exists in any case; but
 * it need not be read once more for its sum, which is a quarter of what both read and write, and
 * there is one kernel less. Of a dense layer the product that makes its weights' gradient sums the
 * bias's (bias_gradients.c).
 *
 * The joined node stands where the formula stood, whose result others read before the sum: db is
 * born earlier so, and the sum's scratch memory is alive beside the formula's operands. So the two
 * are joined only where all stays below the peak of training: no plan gets
 * larger, but for speed, where there is room. In C p of small layers is in the caches, and nothing
 * is joined. Results are bit-identical.
 *
 * Reads and writes: train after order. Invariant after: no such pair, where there is room and
 * kernels take one formula more.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/pointwise.h"
#include "ops/product.h"
#include "ops/then.h"
#include "schedule/headroom.h"
#include "schedule/step.h"

#define NEAR	16	/* nodes from one to the other, at most: products and updates lie between */

struct joining {
	struct graph *g;
	struct headroom room;
	struct then_set formulas;
};

/* The node that sums what the I-th makes; 0: there is none near. */
static int
sum_after(const struct graph *g, int i)
{
	int j;

	for (j = i + 1; j < g->nodes.n && j <= i + NEAR; j++)
		if (bias_takes(g->nodes.v[i], g->nodes.v[j]))
			return j;
	return 0;
}

/* DB lives from I on, not from J, and the sum has its scratch memory at I. */
static bool
joins(struct joining *s, int i, int j)
{
	const struct node *n = s->g->nodes.v[i], *sum = s->g->nodes.v[j];

	return headroom_take(&s->room, i, j, headroom_bytes(&s->room, sum->out[0]), headroom_scratch(&s->room, sum, sum->op)) &&
	    then_admits(&s->formulas, pointwise_formula(s->g->module->arena, n), EPILOGUES_MOST);
}

static void
join(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	struct joining s = { .g = g, .room = headroom_new(a, g, o, m) };
	bool *gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, j;

	if (m && step_try(m)) {
		s.room.roomy = step_is_roomy(g->module, o, m);
		then_gather(&s.formulas, g->module);
		for (i = 0; i < g->nodes.n; i++) {
			if (gone[i] || !(j = sum_after(g, i)) || !joins(&s, i, j))
				continue;
			bias_give(g->module, g->nodes.v[i], g->nodes.v[j]);
			g->nodes.v[i] = g->nodes.v[j];
			gone[j] = true;
		}
		ir_drop(g, gone);
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->splits_sums && ir_has(m->train, &op_bias_grad))
		join(m->train, o);
	return true;
}

const struct pass pass_formula_in_bias = {
	.name = "formula-in-bias",
	.doc = "let the gradient of a convolution's bias make what it sums, if that is a formula",
	.optional = true,
	.thorough = true,
	.run = run,
};
