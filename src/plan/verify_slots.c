/*
 * The verifier's look at a pipeline's stage (slots.c), whose forward and backward take turns on different micro-batches. The
 * replay runs the graph as if backward followed its own forward; so here is asked, of the nodes alone, what other micro-batches
 * could spoil between the two:
 *
 * 1. What backward reads of forward is in a buffer with a slot for each micro-batch that may be between them, each large enough,
 *    and alive throughout the graph: nobody else ever writes there.
 * 2. What is sent is alive throughout its graph.
 */
#include "plan/verify_impl.h"

extern const struct op op_pipe_send, op_pipe_receive;

static bool
is_throughout(const struct buffer *b, const struct graph *g, int start)
{
	return b->first <= start && b->last >= start + g->nodes.n - 1;
}

static void
check_kept(struct check *c, const struct graph *g, const struct node *n, const struct tensor *t, int64_t slots)
{
	const struct buffer *b = verify_buffer(c, t);

	if (!b || b->persistent)
		return;
	if (b->stride < verify_bytes(c, g, t) || b->stride % c->p->alignment || b->stride > b->bytes / slots)
		verify_object(c, n->loc, "'%s' reads '%s' of forward, of which %lld micro-batches have no slot each", n->path, t->name,
		    (long long)slots);
	else if (!is_throughout(b, g, 0))
		verify_object(c, n->loc, "'%s', which backward reads, lives from instant %d to %d alone", t->name, b->first, b->last);
}

static void
check_turn(struct check *c, const struct graph *g, int64_t slots)
{
	bool *forward = arena_array(c->arena, (size_t)c->m->next_tensor + 1, sizeof(*forward));
	int turn = 0, i, k;

	while (turn < g->nodes.n && (g->nodes.v[turn]->op != &op_pipe_receive || g->nodes.v[turn]->phase != PHASE_BACKWARD))
		turn++;
	if (turn == g->nodes.n) {
		if (c->p->turn)
			verify_object(c, c->m->loc, "backward begins at instant %d, where no gradient arrives", c->p->turn);
		return;
	}
	if (c->p->turn != turn || c->p->slots != slots)
		verify_object(c, g->nodes.v[turn]->loc, "backward begins at instant %d with %lld slots, not at %d with %lld", turn,
		    (long long)slots, c->p->turn, (long long)c->p->slots);
	for (i = 0; i < g->inputs.n; i++)
		forward[g->inputs.v[i]->id] = true;
	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin && i >= turn; k++)
			if (n->in[k] && forward[n->in[k]->id])
				check_kept(c, g, n, n->in[k], slots);
		for (k = 0; k < n->nout && i < turn; k++)
			if (n->out[k])
				forward[n->out[k]->id] = true;
	}
}

static void
check_sent(struct check *c, const struct graph *g, int start)
{
	int i;

	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];
		const struct buffer *b = n->op == &op_pipe_send ? verify_buffer(c, n->in[0]) : NULL;

		if (b && !is_throughout(b, g, start))
			verify_object(c, n->loc, "'%s' is sent from '%s', which lives from instant %d to %d alone", n->path,
			    n->in[0]->name, b->first, b->last);
	}
}

void
verify_slots(struct check *c)
{
	const struct module *m = c->m;
	int64_t after = module_stages(m) - m->set.stage, slots = after < m->set.accumulate ? after : m->set.accumulate;

	if (module_stages(m) == 1)
		return;
	if (slots > 1)
		check_turn(c, m->train, slots);
	check_sent(c, m->train, 0);
	if (m->validate)
		check_sent(c, m->validate, m->train->nodes.n + (m->update ? m->update->nodes.n : 0));
}
