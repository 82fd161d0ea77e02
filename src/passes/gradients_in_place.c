/*
 * gradients-in-place: lets the products that compute weights' gradients add them directly to where
 * they are accumulated, so that a separate gradient, as large as the weights, never exists:
 *
 *     g = product(..); v, p = sgd(p, g, v)       v = mu v + product(..); p, v = the rest of sgd
 *     g = product(..); sum = accumulate(sum, g)  sum = [sum +] product(..)
 *
 * The first is for an optimizer that says so (op->memory.onto_state: sgd with momentum, not clipped
 * and not looking ahead), where every update is one batch. The second is for micro-batches, of
 * which the first overwrites what lies there. Where both hold, the gradients are not kept either:
 * the first micro-batch adds onto mu v, the others onto what that made.
 *
 * Where N ranks add up gradients, each keeps an N-th of mu v, and the sum of what they made is the
 * new state, the same on all:
 *
 *     g = product(..); begin g; ..; wait g; v, p = sgd(p, g, v)
 *     v = mu / N v + product(..); begin v; ..; wait v; p, v = the rest of sgd
 *
 * As nothing dies at that wait any more, backward need not stop for it (updates-together).
 *
 * Where the results are to be the same to the bit on every number of ranks, all is left alone: of a
 * rank that has but one micro-batch nothing could be added onto (settings.parts).
 *
 * Weights that several layers share have a sum of gradients: their products add up in one place.
 *
 * Elements of 16 bits are added up in f32. On a GPU the products of dense layers add to these as
 * they store, where that costs less than to add up what they made (op->memory.onto_real): such a
 * gradient is never rounded. The state of an optimizer takes their place as ever, of a rank alone;
 * but without micro-batches it would be read and written more than a gradient of 16 bits.
 *
 * Left alone are gradients that are not made by a product (such as those of biases, which are
 * small), or that have another reader.
 *
 * Numbers differ from before by the order of two additions at most. A state is updated as soon as
 * its gradient is made, the parameter not before its last reader, as always.
 *
 * Reads and writes: train, update. It runs right after `update`, whose nodes it takes apart.
 * Invariant after: between two updates only the products and the rest of the optimizer read or
 * write a state that a gradient was added onto.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ir/op.h"
#include "target/target.h"

struct taking {
	struct module *m;
	bool widens;		/* products may add narrow elements onto numbers that are not */
	const int *reads;	/* in train, by the id of a tensor */
};

/* The first of the products that add up to gradient G, if nobody else reads any of them; the base
 * of that one is still to be given. NULL: there is none. */
static struct node *
first_product(const struct taking *t, const struct tensor *g)
{
	const struct tensor *base;

	for (; g && g->def; g = base) {
		if (t->reads[g->id] != 1 || !g->def->op->memory.onto || g->def->out[0] != g)
			return NULL;
		base = op_base(g->def);
		if (!base)
			return g->alias_of ? NULL : g->def;
	}
	return NULL;
}

static bool
fits(const struct tensor *base, const struct tensor *g)
{
	return base->batched == g->batched && !g->batched &&
	    tensor_elements_per_sample(base) == tensor_elements_per_sample(g);
}

/* Can the products of narrow elements that add up to G add them onto BASE, which is not narrow? */
static bool
widens(const struct taking *t, const struct tensor *base, const struct tensor *g)
{
	if (!t->widens || base->dtype != g->dtype->real)
		return false;
	for (; g; g = op_base(g->def))
		if (!g->def->op->memory.onto_real || !g->def->op->memory.onto_real(g->def, t->m->train->batch))
			return false;
	return true;
}

/* The products of G, FIRST and those after it, now make the new value of BASE. */
static void
take(struct taking *t, struct tensor *g, struct node *first, struct tensor *base, double keep,
    bool micro)
{
	op_add_onto(t->m, first, base, keep, micro);
	for (;; g = op_base(g->def)) {
		g->name = base->name;	/* no longer a gradient */
		g->dtype = base->dtype;
		if (g->def == first)
			return;
	}
}

/* What T is the sum over ranks of, if only the nodes that begin and end that sum read it; else T
 * itself. */
static struct tensor *
before_ranks(const int *reads, struct tensor *t)
{
	while (t->def && t->def->op->ranks.between == BETWEEN_SUM && reads[t->id] == 1)
		t = t->def->in[0];
	return t;
}

/* Those nodes behind FROM that make SUM of it now work on G, where that lies. */
static void
add_up(struct tensor *sum, const struct tensor *from, struct tensor *g)
{
	struct node *n = sum->def;

	if (sum == from)
		return;
	if (n->in[0] == from)
		n->in[0] = g;
	else
		add_up(n->in[0], from, g);
	sum->name = g->name;
	tensor_alias(sum, n->in[0]);
}

/* What is left of an update whose gradient, onto STATE, is now G; last the master copy, if there is
 * one. */
static void
finish(struct node *update, const struct op *rest, int state, struct tensor *g)
{
	struct tensor *of = update->in[state], *master;
	int i;

	for (i = 0; i < update->nout && update->out[i]->alias_of != of; i++)
		;
	master = update->nout > 2 ? update->out[i == 1 ? 2 : 1] : NULL;
	update->op = rest;
	update->in[1] = g;
	update->nin = 2;
	update->out[1] = update->out[i];
	update->nout = 2;
	tensor_alias(update->out[1], g);
	if (master) {
		update->in[update->nin++] = master->alias_of;
		update->out[update->nout++] = master;
	}
}

/* Can an optimizer's node have its gradient, which it reads over all ranks where there are several,
 * and which products made as G, in one of its states? SUM is what G is read as, of micro-batches
 * their sum. */
static bool
into_state(struct taking *t, struct node *update, const struct tensor *sum, struct tensor *g, bool micro)
{
	const struct op *rest;
	struct tensor *read = update->in[1], *state;
	struct node *first;
	double keep;
	int at;

	if (!update->op->memory.onto_state)
		return false;
	rest = update->op->memory.onto_state(update, &at, &keep);
	first = first_product(t, g);
	if (!rest || !first || !fits(update->in[at], g))
		return false;
	state = update->in[at];
	if (state->dtype != g->dtype && !(micro && read == sum && widens(t, state, g)))
		return false;
	take(t, g, first, state, read == sum ? keep : keep / (double)settings_data_ranks(&t->m->set), micro);
	g = micro ? state : g;
	add_up(read, sum, g);
	finish(update, rest, at, read == sum ? g : read);
	return true;
}

/* By the id of an accumulated gradient: the update that reads it, by itself or over all ranks,
 * where nobody else does (as the norm of all gradients would). */
static struct node **
readers(const struct module *m, struct arena *a)
{
	struct node **reader = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*reader));
	const int *reads = m->update ? sums_reads(m->update, a) : NULL;
	int i;

	for (i = 0; m->update && i < m->update->nodes.n; i++) {
		struct node *n = m->update->nodes.v[i];
		const struct tensor *sum = n->op->kind == OP_OPTIMIZER ? before_ranks(reads, n->in[1]) : NULL;

		if (sum && reads[sum->id] == 1)
			reader[sum->id] = n;
	}
	return reader;
}

/* Is the node, which adds a micro-batch's gradient to the others, not needed any more? */
static bool
accumulated(struct taking *t, const struct node *n, struct node *update)
{
	struct tensor *sum = n->in[0], *g = n->in[1];
	struct node *first;

	if (update && into_state(t, update, sum, g, true))
		return true;
	first = first_product(t, g);
	if (!first || !fits(sum, g) || (sum->dtype != g->dtype && !widens(t, sum, g)))
		return false;
	take(t, g, first, sum, 0, true);
	return true;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	const struct op *accumulate = op_find("accumulate");
	struct taking t = { .m = m, .widens = o->target->libraries };
	struct node **reader, *n;
	struct arena *scratch;
	struct tensor *g;
	int i, kept = 0;

	if (!m->train || m->set.parts)
		return true;
	sums_fold(m->train, T_GRADIENT);
	scratch = arena_child(m->arena);
	t.reads = sums_reads(m->train, scratch);
	reader = readers(m, scratch);
	for (i = 0; i < m->train->nodes.n; i++) {
		n = m->train->nodes.v[i];
		if (n->op->kind == OP_OPTIMIZER) {
			g = before_ranks(t.reads, n->in[1]);
			into_state(&t, n, g, g, false);
		}
		if (n->op != accumulate || !accumulated(&t, n, reader[n->in[0]->id]))
			m->train->nodes.v[kept++] = n;
	}
	m->train->nodes.n = kept;
	arena_free(scratch);
	return true;
}

const struct pass pass_gradients_in_place = {
	.name = "gradients-in-place",
	.doc = "add weights' gradients straight onto momentum or those of earlier micro-batches",
	.optional = true,
	.run = run,
};
