/*
 * turns: where a step is several updates, runs again for each of them what those before it change.
 *
 *     update (disc, loss=d), (gen, loss=g)
 *
 *     x = gen(z)   y = disc(x)   d = f(y)  turn 1    y' = disc(x)   g = h(y')  turn 2
 *
 * The graph of the spec says what each loss is. A turn is what its losses need, with the weights as
 * the turns before it left them: nodes that depend on a parameter which one of those moves are
 * there once more, with random numbers of their own; all others, such as the generator here, run
 * once and serve every turn. Running statistics go from one application of a layer to the next,
 * whatever the turn. What no loss needs is left out.
 *
 * So a step stays one graph, with one plan. That the nodes of a turn read the weights which the
 * turn before it made is said when there are updates that make them (passes/update.c); until then
 * both read the parameter.
 *
 * Reads: train after phases, settings. Writes: train's nodes, results, loss. Invariants after: 1. a
 * node that reads a parameter of turn K is needed by turn K or earlier ones alone, or by later ones
 * alone; 2. the sum of a turn's losses is the operand of one node `turn`; 3. the loss of the graph
 * is the sum of these.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/needed.h"
#include "ir/op.h"

struct unrolling {
	struct module *m;
	struct graph *g;
	VEC(struct node *) old;	/* as the spec says them */
	unsigned *moved_by;	/* by the id of a tensor: the turns whose parameters it depends on, as bits */
	int *ran;		/* by the number of a node: the last turn in which it ran; -1: none */
	bool *needed;		/* by the id of a tensor: by the turn at hand */
	struct tensor **now;	/* by the id of a tensor: what stands for it at the end of what there is */
	int ntensors;
};

static void
begin(struct unrolling *u, struct graph *g)
{
	struct module *m = g->module;
	size_t n = (size_t)m->next_tensor + 1;
	int i;

	*u = (struct unrolling){ .m = m, .g = g, .ntensors = m->next_tensor };
	memcpy(&u->old, &g->nodes, sizeof(u->old));
	memset(&g->nodes, 0, sizeof(g->nodes));
	u->moved_by = arena_array(m->arena, n, sizeof(*u->moved_by));
	u->needed = arena_array(m->arena, n, sizeof(*u->needed));
	u->now = arena_array(m->arena, n, sizeof(struct tensor *));
	u->ran = arena_array(m->arena, (size_t)u->old.n + 1, sizeof(*u->ran));
	for (i = 0; i < u->old.n; i++)
		u->ran[i] = -1;
}

static unsigned
bits_of(const struct unrolling *u, const struct node *n)
{
	unsigned bits = 0;
	int k;

	for (k = 0; k < n->nin; k++) {
		const struct tensor *t = n->in[k];

		if (t)
			bits |= t->turn && !t->frozen ? 1u << (t->turn - 1) : u->moved_by[t->id];
	}
	return bits;
}

static void
find_moved(struct unrolling *u)
{
	int i, k;

	for (i = 0; i < u->old.n; i++) {
		const struct node *n = u->old.v[i];
		unsigned bits = bits_of(u, n);

		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				u->moved_by[n->out[k]->id] = bits;
	}
}

/* ---- one turn ---- */

/* Statistics that an earlier application of the layer left are not what this one needs it for: the
 * newest will do. */
static bool
is_statistic(const struct tensor *t)
{
	return tensor_persistent(t) && tensor_root(t)->kind == T_STATISTIC;
}

static void
find_needed(struct unrolling *u, int turn)
{
	int i;

	memset(u->needed, 0, (size_t)u->ntensors * sizeof(*u->needed));
	for (i = 0; i < u->g->results.n; i++)
		if (turn_has_loss(&u->m->set.turn[turn], u->g->results.v[i].name))
			u->needed[u->g->results.v[i].tensor->id] = true;
	needed_mark(u->old.v, u->old.n, u->needed, is_statistic);
}

static struct tensor *
now(const struct unrolling *u, struct tensor *t)
{
	if (t && is_statistic(t))	/* an application that it names may come later, or never */
		t = tensor_root(t);
	return t && u->now[t->id] ? u->now[t->id] : t;
}

/* A result of that node: the spec's own tensor the first time, then one of its own for each
 * turn. */
static void
add_output(struct unrolling *u, struct node *n, struct tensor *was, int turn, bool first)
{
	struct tensor *t = was;

	if (was && !first) {
		t = ir_tensor_copy(u->m->arena, was);
		t->id = u->m->next_tensor++;
		t->name = arena_printf(u->m->arena, "%s.turn_%d", was->name, turn + 1);
	}
	ir_add_output(u->m, n, t);
	if (!t)
		return;
	u->now[was->id] = t;
	if (is_statistic(t))
		u->now[tensor_root(t)->id] = t;
}

/* Runs a node for this turn, reading what there is now, if it did not yet run with these
 * weights. */
static void
run_node(struct unrolling *u, int i, int turn)
{
	const struct node *was = u->old.v[i];
	bool first = u->ran[i] < 0;
	unsigned since = first ? 0 : ((1u << turn) - 1) & ~((1u << u->ran[i]) - 1);
	struct node *n;
	int k;

	if (!first && !(bits_of(u, was) & since))
		return;
	n = ir_node(u->g, was->op, was->path, was->loc, was->nin, was->in);
	n->attr = was->attr;
	n->part_of = was->part_of;
	for (k = 0; k < was->nin; k++)
		n->in[k] = now(u, was->in[k]);
	for (k = 0; k < was->nout; k++)
		add_output(u, n, was->out[k], turn, first);
	u->ran[i] = turn;
}

/* ---- its losses ---- */

static struct tensor *
apply(struct unrolling *u, const char *op, const struct attr *attr, const char *name, struct loc loc, int n,
    struct tensor *const *in)
{
	struct build b = { .module = u->m, .graph = u->g };

	return op_apply(&b, op_find(op), attr, name, loc, n, in)->out[0];
}

static struct tensor *
plus(struct unrolling *u, struct tensor *a, struct tensor *b, const char *name, struct loc loc)
{
	return a ? apply(u, "add", NULL, name, loc, 2, (struct tensor *[]){ a, b }) : b;
}

static struct tensor *
run_turn(struct unrolling *u, int turn)
{
	struct attr *number = op_presets(u->m->arena, op_find("turn"));
	const char *name = u->m->set.turn[turn].loss[0];
	struct loc loc = u->m->set.turn[turn].loc;
	struct tensor *sum = NULL;
	int i;

	find_needed(u, turn);
	for (i = 0; i < u->old.n; i++)
		if (needed_of(u->old.v[i], u->needed))
			run_node(u, i, turn);
	for (i = 0; i < u->g->results.n; i++) {
		struct result *r = &u->g->results.v[i];

		if (!turn_has_loss(&u->m->set.turn[turn], r->name))
			continue;
		r->tensor = now(u, r->tensor);
		sum = plus(u, sum, r->tensor, name, loc);
	}
	number[0].i = turn + 1;
	return apply(u, "turn", number, name, loc, 1, &sum);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct tensor *loss = NULL, *one[MOST_TURNS];
	struct unrolling u;
	struct diag *g;
	int i;

	(void)o;
	if (!m->train || m->set.nturns == 0)
		return true;
	if (m->set.accumulate > 1 || m->set.parts) {
		g = diag_error(m->diags, "settings", m->set.turns_loc, "a step of several updates has no micro-batches");
		diag_help(m->diags, g, "leave %s out", m->set.parts ? "deterministic" : "accumulate");
		return false;
	}
	begin(&u, m->train);
	find_moved(&u);
	for (i = 0; i < m->set.nturns; i++)
		one[i] = run_turn(&u, i);
	for (i = 0; i < m->set.nturns; i++)
		loss = plus(&u, loss, one[i], "loss", m->loc);
	m->train->loss = loss;
	return !m->broken;
}

const struct pass pass_turns = {
	.name = "turns",
	.doc = "run again for each update of a step what those before it change",
	.run = run,
};
