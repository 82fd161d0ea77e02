/*
 * bodies: plans what nodes run many times, such as the steps of a scan (ir/rounds.h). Each becomes
 * a module of its own, which those passes of the table go over that say so (pass->in_bodies); in
 * place of differentiate the operator says what a round is. Its plan is proved right by the same
 * verifier, and the node's scratch memory holds it.
 *
 *     train:  ... y = scan(xs, h0, w) {cell="y.scan", ...} ...
 *                       |
 *             rounds:   x, h -> dense(x, h, w') -> tanh -> h'        a plan with places from 0 on
 *
 * It runs once it is known which results are wanted, and before anything asks for scratch memory.
 *
 * Reads: train, validate. Writes: nodes' attributes, which are then their own. Invariant after:
 * every node with a body has rounds, planned for its graph's batch.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/rounds.h"
#include "plan/plan.h"

extern const struct pass pass_bodies, pass_differentiate;

/* Bodies are small, so they are planned in full whatever is asked of the whole. */
static struct pass_options
options_for_body(const struct pass_options *o)
{
	struct pass_options own = *o;

	own.dump_after = NULL;
	own.bound_only = own.sketch = own.speed = false;
	own.seconds = 0;
	return own;
}

static void
note_places(struct rounds *r, const struct plan *p)
{
	int i;

	r->bytes = p->transient_bytes;
	r->place = arena_array(r->m->arena, (size_t)p->ntensors + 1, sizeof(*r->place));
	for (i = 0; i < p->ntensors; i++) {
		const struct buffer *b = plan_buffer_of(p, i);

		r->place[i] = b && !b->persistent ? b->offset - p->persistent_bytes : -1;
	}
}

static struct rounds *
plan_body(struct module *m, const struct node *n, int which, int64_t batch, const struct pass_options *o)
{
	struct pass_options own = options_for_body(o);
	struct module *copy = ir_module(m->arena, m->diags, m->name);
	struct rounds *r;
	int i;

	copy->src = m->src;
	copy->loc = n->loc;
	copy->set = m->set;
	copy->set.shard = SHARD_NONE;	/* a round has all of what it is given: gathering is done around the node */
	copy->options = m->options;
	r = rounds_new(copy, n, which, batch);
	for (i = 0; pass_table[i] && !copy->broken; i++) {
		const struct pass *p = pass_table[i];
		bool done = true;

		if (p == &pass_differentiate)
			done = n->op->rounds.make(r, n);
		else if (p->in_bodies && !pass_is_left_out(p, &own))
			done = pass_apply(p, copy, &own);
		copy->broken |= !done;
#ifdef VERIFY_PASSES
		copy->broken |= !copy->broken && !ir_verify(copy);
#endif
	}
	if (copy->broken)
		return NULL;
	note_places(r, copy->plan);
	return r;
}

static bool
plan_node(struct module *m, struct graph *g, struct node *n, const struct pass_options *o)
{
	struct attr *body = op_body(n), *own;
	size_t bytes = (size_t)op_nattrs(n->op) * sizeof(*own);
	struct rounds *r, *all = NULL;
	int which;

	if (!body)
		return true;
	for (which = n->op->rounds.count ? n->op->rounds.count(n) : 1; which-- > 0; all = r) {
		if (!(r = plan_body(m, n, which, g->batch, o)))
			return false;
		r->next = all;
	}
	own = arena_array(m->arena, (size_t)op_nattrs(n->op), sizeof(*own));
	memcpy(own, n->attr, bytes);
	own[body - n->attr].rounds = all;
	n->attr = own;
	return true;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->validate };
	int i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; graph[k] && i < graph[k]->nodes.n; i++)
			if (!plan_node(m, graph[k], graph[k]->nodes.v[i], o))
				return false;
	return true;
}

const struct pass pass_bodies = {
	.name = "bodies",
	.doc = "plan what nodes run many times",
	.in_bodies = true,
	.run = run,
};
