/*
 * differentiate: appends the backward graph to train, by reverse accumulation over its nodes.
 *
 * Reads: op->gradient.build() of each node on a path from a trained parameter to the loss. Writes: train's
 * nodes, param->gradient. Each operator builds its own backward nodes; this pass decides who needs
 * a gradient, adds up the contributions of several readers, and walks the nodes in reverse.
 *
 * Invariants after: 1. each trained parameter that reaches the loss has a gradient; 2. backward
 * nodes read only what their forward operator's `saves` names, and gradients; 3. nothing is made
 * for a frozen prefix, whose activations therefore die in forward.
 */
#include "ir/pass.h"

#include "ir/diff.h"

/* Forward: a tensor needs a gradient when a trained parameter flows into it. */
static void
mark_wanted(struct diff *d, const struct pass_options *o)
{
	int i;

	for (i = 0; i < d->m->persistent.n; i++) {
		const struct tensor *t = d->m->persistent.v[i];

		d->wants[t->id] = t->kind == T_PARAM && !t->frozen;
	}
	for (i = 0; o->input_gradients && i < d->g->inputs.n; i++) {
		const struct tensor *t = d->g->inputs.v[i];

		d->wants[t->id] = t->kind == T_INPUT && dtype_is_float(t->dtype);
	}
	diff_mark(d);
}

/* Half precision: the loss is scaled up, by a factor that the updates adapt. */
static struct tensor *
loss_scale(struct diff *d)
{
	struct tensor *loss = d->g->loss;
	struct tensor *t = ir_tensor(d->m, T_OPTIMIZER, DT_F32, false, 0, NULL,
	    arena_printf(d->m->arena, "%s.scale", loss->name), loss->loc);

	t->init = (struct init){ INIT_CONSTANT, 65536 };
	return t;
}

static void
seed(struct diff *d)
{
	struct tensor *loss = d->g->loss;
	bool scaled = d->m->set.precision->scales_loss;
	struct tensor *scale = scaled ? loss_scale(d) : NULL;
	struct node *n = ir_node(d->g, op_find("seed"), loss->name, loss->loc, scaled, &scale);

	n->phase = PHASE_BACKWARD;
	d->gradient[loss->id] = ir_add_output(d->m, n, diff_like(d, loss, "grad"));
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct diff d;
	bool ok;
	int i, forward;

	if (!m->train)
		return true;
	diff_begin(&d, m->train);
	mark_wanted(&d, o);
	if (!diff_wants(&d, m->train->loss)) {
		diag_error(m->diags, "settings", m->loc, "network '%s' has nothing to train: no "
		    "parameter that is not frozen reaches the loss", m->name);
		return false;
	}
	forward = m->train->nodes.n;
	seed(&d);
	ok = diff_nodes(&d, forward);
	for (i = 0; i < m->persistent.n; i++)
		m->persistent.v[i]->gradient = diff_of(&d, m->persistent.v[i]);
	return ok;
}

const struct pass pass_differentiate = {
	.name = "differentiate",
	.doc = "append the backward graph",
	.run = run,
};
