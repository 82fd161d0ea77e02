/*
 * differentiate: appends the backward graph to train, by reverse accumulation over its nodes.
 *
 * Reads: op->gradient.build() of each node on a path from a trained parameter to the loss. Writes:
 * train's nodes, param->gradient. Each operator builds its own backward nodes; this pass decides
 * who needs a gradient, adds up the contributions of several readers, and walks the nodes in
 * reverse.
 *
 * Where a step is several updates (passes/turns.c), each is differentiated by itself, from the
 * operand of its node `turn` to the parameters that it moves; backward nodes of one turn stand
 * together, in the order of the turns.
 *
 * Invariants after: 1. each trained parameter that reaches the loss has a gradient; 2. backward
 * nodes read only what their forward operator's `saves` names, and gradients; 3. nothing is made
 * for a frozen prefix, whose activations therefore die in forward.
 */
#include "ir/pass.h"

#include "ir/diff.h"

/* Forward: a tensor needs a gradient when a trained parameter flows into it: one of this turn (0:
 * of the step). */
static void
mark_wanted(struct diff *d, const struct pass_options *o, int turn)
{
	int i;

	for (i = 0; i < d->m->persistent.n; i++) {
		const struct tensor *t = d->m->persistent.v[i];

		d->wants[t->id] = t->kind == T_PARAM && !t->frozen && t->turn == turn;
	}
	for (i = 0; o->input_gradients && i < d->g->inputs.n; i++) {
		const struct tensor *t = d->g->inputs.v[i];

		d->wants[t->id] = t->kind == T_INPUT && dtype_is_float(t->dtype);
	}
	diff_mark(d);
}

/* Half precision: the loss is scaled up, by a factor that the updates adapt. */
static struct tensor *
loss_scale(struct diff *d, const struct tensor *loss)
{
	struct tensor *t = ir_tensor(d->m, T_OPTIMIZER, DT_F32, false, 0, NULL,
	    arena_printf(d->m->arena, "%s.scale", loss->name), loss->loc);

	tensor_start_as(t, (struct init){ INIT_CONSTANT, 65536 });
	return t;
}

static void
seed(struct diff *d, struct tensor *loss)
{
	bool scaled = d->m->set.precision->scales_loss;
	struct tensor *scale = scaled ? loss_scale(d, loss) : NULL;
	struct node *n = ir_node(d->g, op_find("seed"), loss->name, loss->loc, scaled, &scale);

	n->phase = PHASE_BACKWARD;
	d->gradient[loss->id] = ir_add_output(d->m, n, diff_like(d, loss, "grad"));
}

static void
nothing_to_train(const struct module *m, int turn)
{
	if (turn)
		diag_error(m->diags, "settings", m->set.turn[turn - 1].loc, "this update moves nothing: no parameter of "
		    "it that is not frozen reaches its loss");
	else
		diag_error(m->diags, "settings", m->loc, "network '%s' has nothing to train: no "
		    "parameter that is not frozen reaches the loss", m->name);
}

/* The first N nodes, from that loss back to the parameters of that turn. */
static bool
from_loss(struct module *m, const struct pass_options *o, struct tensor *loss, int turn, int n)
{
	struct arena *scratch = arena_child(m->arena);
	struct diff d;
	bool ok;
	int i;

	diff_begin(&d, scratch, m->train);
	mark_wanted(&d, o, turn);
	if (!diff_wants(&d, loss)) {
		nothing_to_train(m, turn);
		arena_free(scratch);
		return false;
	}
	seed(&d, loss);
	ok = diff_nodes(&d, n);
	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_PARAM && m->persistent.v[i]->turn == turn)
			m->persistent.v[i]->gradient = diff_of(&d, m->persistent.v[i]);
	arena_free(scratch);
	return ok;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	const struct op *turn = op_find("turn");
	int i, forward, turns = 0;
	bool ok = true;

	if (!m->train)
		return true;
	forward = m->train->nodes.n;
	for (i = 0; i < forward && ok; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (n->op == turn) {
			turns++;
			ok = from_loss(m, o, n->in[0], (int)op_int(n, "number"), forward);
		}
	}
	return turns ? ok : from_loss(m, o, m->train->loss, 0, forward);
}

const struct pass pass_differentiate = {
	.name = "differentiate",
	.doc = "append the backward graph",
	.run = run,
};
