/*
 * gated-gradients: for speed on a GPU, lets cuDNN make at once what of the gradient of a
 * convolution's input passes the relu before it, where it can:
 *
 *     t = conv_grad_input(dy, w)                         t = conv_grad_gated(dy, w, y)
 *     db, p over t = bias_grad_of(relu_grad, t, y)       db, p over t = bias_grad_gated(t, y)
 *
 * That spares reading t and writing p. Engines for it are compiled when the program starts; the
 * program measures them then, and takes one only if it is faster and there is room for its code
 * (kernels/host/tune_fused_cuda.cu). Otherwise the two nodes do what they did before. Either way t
 * is read by nothing else and p takes its bytes, so it does not matter which of the two makes p.
 *
 * No byte is planned otherwise: y is read by the second node anyway, and is there before the first
 * one. Where t is added onto something no graph of cuDNN is known.
 *
 * Reads and writes: train after inplace. Invariant after: no such pair.
 */
#include "ir/pass.h"

#include "ops/conv.h"
#include "passes/sums.h"
#include "target/target.h"

struct gating {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: which node makes it, 1 the first; 0: none of this graph */
};

/* What makes the gradient that GRAD reads, if it may read GATE, too; NULL: it may not. */
static struct node *
gated(const struct gating *s, const struct node *grad, const struct tensor *gate)
{
	const struct tensor *t = grad->in[0];

	if (!t->def || t->alias_of || s->reads[t->id] != 1 || s->place[gate->id] >= s->place[t->id] ||
	    !conv_can_gate(t->def, s->g->batch))
		return NULL;
	return t->def;
}

static void
gate_all(struct graph *g, struct arena *a)
{
	struct gating s = { g, sums_reads(g, a), arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*s.place)) };
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			if (g->nodes.v[i]->out[j])
				s.place[g->nodes.v[i]->out[j]->id] = i + 1;
	for (i = 0; i < g->nodes.n; i++) {
		struct node *grad = g->nodes.v[i], *n;
		struct tensor *gate = bias_gate(a, grad);

		n = gate ? gated(&s, grad, gate) : NULL;
		if (!n)
			continue;
		conv_gate(g->module, n, gate);
		grad->op = &op_bias_grad_gated;
	}
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
