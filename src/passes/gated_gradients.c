/*
 * gated-gradients: for speed on a GPU, lets cuDNN make at once what of the gradient of a
 * convolution's input passes the relu before it, where it can:
 *
 *     t = conv_grad_input(dy, w)                         t = conv_grad_gated(dy, w, y)
 *     db, p over t = bias_grad_of(relu_grad, t, y)       db, p over t = bias_grad_gated(t, y)
 *     or p over t = relu_grad(t, y)                      or p over t = pass_gated(t, y)
 *
 * That spares reading t and writing p; also where t is added onto another gradient, as at the end
 * of a residual block, whose norms are frozen or which has none. Engines for it are compiled when
 * the program starts; the program measures them then, and takes one only if it is faster and there
 * is room for its code (kernels/host/tune_fused_cuda.cu). Otherwise the two nodes do what they did
 * before. Either way t is read by nothing else and p takes its bytes, so it does not matter which
 * of the two makes p.
 *
 * No byte is planned otherwise: y is read by the second node anyway, and is there before the first
 * one.
 *
 * Not behind a block whose norm is trained: its gradient makes what passes as it sums, by bits that
 * are a sixteenth of y (passes/marked_norms.c), so cuDNN would read about as much more as that
 * would write less.
 *
 * Reads and writes: train after inplace. Invariant after: no such pair.
 */
#include "ir/pass.h"

#include "ops/conv.h"
#include "ops/pointwise.h"
#include "ops/then.h"
#include "passes/sums.h"
#include "target/target.h"

struct gating {
	struct graph *g;
	struct then_set formulas;	/* of a program's products */
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: which node makes it, 1 the first; 0: none of this graph */
};

/* What makes the gradient that GRAD reads, if it may read GATE, too; NULL: it may not. */
static struct node *
gated(const struct gating *s, const struct node *grad, const struct tensor *gate)
{
	const struct tensor *t = grad->in[0];

	if (!t->def || t->alias_of != op_base(t->def) || s->reads[t->id] != 1 || s->place[gate->id] >= s->place[t->id] ||
	    !conv_can_gate(t->def, s->g->batch))
		return NULL;
	return t->def;
}

/* GRAD takes what the convolution may have made, if there is one. */
static void
gate(struct gating *s, struct node *grad, struct arena *a)
{
	struct module *m = s->g->module;
	struct tensor *summed = bias_gate(a, grad), *swept = summed ? NULL : pass_gate(a, grad);
	struct node *n = summed || swept ? gated(s, grad, summed ? summed : swept) : NULL;

	if (!n || (swept && !then_admits(&s->formulas, pointwise_formula(m->arena, grad), EPILOGUES_MOST)))
		return;
	conv_gate(m, n, grad->in[1]);
	if (summed)
		grad->op = &op_bias_grad_gated;
	else
		pass_set_gated(m, grad);
}

static void
gate_all(struct graph *g, struct arena *a)
{
	struct gating s = { .g = g, .reads = sums_reads(g, a),
	    .place = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*s.place)) };
	int i, j;

	then_gather(&s.formulas, g->module);
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			if (g->nodes.v[i]->out[j])
				s.place[g->nodes.v[i]->out[j]->id] = i + 1;
	for (i = 0; i < g->nodes.n; i++)
		gate(&s, g->nodes.v[i], a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct arena *a;

	if (!o->speed || !m->train || !o->target->libraries)
		return true;
	a = arena_child(m->arena);
	gate_all(m->train, a);
	arena_free(a);
	return true;
}

const struct pass pass_gated_gradients = {
	.name = "gated-gradients",
	.doc = "for speed, let cuDNN make what of a convolution's gradient passes a relu, where that measures faster",
	.optional = true,
	.run = run,
};
