/*
 * Of which networks nobody can say what they take in PyTorch, and why: operators that are not
 * known, or that its users write in several ways (struct op_torch), and so settings.
 */
#include "frameworks/pytorch_eager.h"

#include "calls/tape.h"
#include "ir/op.h"

/* Of a graph's nodes, and of bodies that they run. */
static const char *
unknown_node(const struct graph *g)
{
	const char *why = NULL;
	int i;

	for (i = 0; i < g->nodes.n && !why; i++) {
		const struct node *n = g->nodes.v[i];

		if (!tape_layer(n))
			why = n->op->torch.unknown;
		if (!why && op_body(n))
			why = unknown_node(op_body(n)->body);
	}
	return why;
}

#define MOST_NODES	100000	/* played: a second, and 100 MB */

/* How many nodes a run goes through, each round of a loop by itself; no more than MOST_NODES. */
static int64_t
nodes_run(const struct graph *g)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < g->nodes.n && sum < MOST_NODES; i++) {
		const struct node *n = g->nodes.v[i];
		int64_t inner = op_body(n) ? nodes_run(op_body(n)->body) : 0;
		int64_t rounds = n->op->torch.rounds ? n->op->torch.rounds(n) : 1;

		if (__builtin_mul_overflow(inner, rounds, &inner) || inner > MOST_NODES)
			inner = MOST_NODES;
		sum += 1 + inner;
	}
	return sum < MOST_NODES ? sum : MOST_NODES;
}

const char *
eager_elsewhere(const struct module *m)
{
	const char *why = NULL;
	int i;

	for (i = 0; m->forward && i < m->forward->nodes.n && !why; i++) {
		const struct node *n = m->forward->nodes.v[i], *layer = tape_layer(n);

		why = (layer ? layer : n)->op->torch.elsewhere;
	}
	return why;
}

const char *
eager_unknown(const struct module *m)
{
	if (m->set.train && m->set.ema > 0)
		return "running averages of weights are kept in several ways there";
	if (m->set.train && m->set.nturns > 0)
		return "a step of several updates is written in several ways there";
	if (m->set.train && m->set.ranks > 1 && m->set.splits)
		return "layers that are split over ranks (split=ranks) are written in several ways there";
	if (m->set.train && settings_stages(&m->set) > 1)
		return "the stages of a pipeline, with layers placed on ranks, are written in several ways there";
	if (m->set.train && m->set.ranks > 1)
		return "what adds up the gradients of several ranks has buffers there that are not modelled";
	if (m->set.train && m->set.optimizer && m->set.optimizer->torch.unknown)
		return m->set.optimizer->torch.unknown;
	if (m->forward && nodes_run(m->forward) == MOST_NODES)
		return "its loops have more steps than are played here";
	return m->forward ? unknown_node(m->forward) : NULL;
}
