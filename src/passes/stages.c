/*
 * stages: of the graph of all stages of a pipeline (passes/borders.c), which has its backward by
 * now, keeps what one rank does, settings.stage. A border to it becomes a receive, one from it a
 * send.
 *
 *     all stages:  x -> conv -> border 0 to 1 -> dense -> loss, seed -> dense_grad -> border 1 to 0 -> conv_grad
 *     rank 0:      x -> conv -> send, hold                                             receive -> conv_grad
 *     rank 1:                          receive -> dense -> loss, seed -> dense_grad -> send, hold
 *
 * Every rank makes this graph alike and keeps its part, so both sides of a border have the same
 * tensor, and the same number for it.
 *
 * Reads: train and validate after differentiate. Writes: both, and what persists: what this rank's
 * nodes read. Invariants after: 1. no border is left; 2. sends and receives stand in the order of
 * the graph of all; 3. losses and metrics are the last rank's alone; 4. every rank has a parameter
 * that a gradient reaches, so all have a backward and an update.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"

extern const struct op op_border, op_pipe_send, op_pipe_receive, op_pipe_hold;

struct cutting {
	struct module *m;
	struct arena *scratch;
	int rank;
	int *of;		/* by a tensor's id: the rank that makes it, and 1; 0: not known */
	int *readers;		/* by a tensor's id: the first rank that reads it, and 1 */
	bool *read_here, *read;	/* by a persistent tensor's id */
	bool *trains;		/* by a rank */
	bool apart;		/* something goes from one rank to another; else all is on one, whichever it is */
	VEC(struct tensor *) sent;	/* and not held yet */
};

static int
place_of(const struct node *n, const char *which)
{
	return (int)op_int(n, which) + 1;
}

/* The rank of the node, and 1, by what it reads; 0: it reads inputs and parameters alone. */
static int
rank_by_operands(const struct cutting *c, const struct node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && c->of[n->in[k]->id])
			return c->of[n->in[k]->id];
	return 0;
}

static int
rank_by_readers(const struct cutting *c, const struct node *n)
{
	int rank = 0, k;

	for (k = 0; k < n->nout; k++)
		if (n->out[k] && c->readers[n->out[k]->id] && (!rank || c->readers[n->out[k]->id] < rank))
			rank = c->readers[n->out[k]->id];
	return rank;
}

static void
find_ranks(struct cutting *c, const struct graph *g, int *rank)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		rank[i] = n->op == &op_border ? place_of(n, "to") : rank_by_operands(c, n);
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				c->of[n->out[k]->id] = rank[i];
	}
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];
		int reads;

		if (!rank[i])
			rank[i] = rank_by_readers(c, n);
		rank[i] = rank[i] ? rank[i] : 1;
		reads = n->op == &op_border ? place_of(n, "from") : rank[i];
		for (k = 0; k < n->nin; k++)
			if (n->in[k] && (!c->readers[n->in[k]->id] || reads < c->readers[n->in[k]->id]))
				c->readers[n->in[k]->id] = reads;
	}
}

/* A result that says nothing, for what has none. */
static void
add_token(struct cutting *c, struct node *n, const char *what)
{
	ir_add_output(c->m, n, ir_tensor(c->m, T_SCALAR, DT_F32, false, 0, NULL, arena_join(c->m->arena, n->path, ".", what), n->loc));
}

/* What was sent since the last is not overwritten before here. */
static void
hold(struct cutting *c, struct graph *g, enum phase phase)
{
	struct node *n;

	if (c->sent.n == 0)
		return;
	n = ir_node(g, &op_pipe_hold, c->sent.v[0]->name, c->sent.v[0]->loc, c->sent.n, c->sent.v);
	n->phase = phase;
	add_token(c, n, "held");
	c->sent.n = 0;
}

static void
send(struct cutting *c, struct graph *g, const struct node *border, int number)
{
	struct node *n = ir_node(g, &op_pipe_send, border->path, border->loc, 1, border->in);

	n->phase = border->phase;
	n->attr = border->attr;
	n->attr[2].i = number;
	add_token(c, n, "sent");
	vec_push(c->scratch, &c->sent, n->in[0]);
}

static void
receive(struct cutting *c, struct graph *g, const struct node *border, int number)
{
	struct node *n = ir_node(g, &op_pipe_receive, border->path, border->loc, 0, NULL);

	n->phase = border->phase;
	n->attr = border->attr;
	n->attr[2].i = number;
	ir_add_output(c->m, n, border->out[0]);
}

static void
note_read(struct cutting *c, const struct node *n, int rank)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && tensor_persistent(n->in[k])) {
			const struct tensor *t = tensor_root(n->in[k]);

			c->read[t->id] = true;
			c->read_here[t->id] |= rank == c->rank;
			c->trains[rank] |= t->kind == T_PARAM && !t->frozen && tensor_gradient(t);
		}
}

static void
cut(struct cutting *c, struct graph *g)
{
	int *rank = arena_array(c->scratch, (size_t)g->nodes.n + 1, sizeof(*rank)), n = g->nodes.n, borders = 0, i;
	struct node **node = g->nodes.v;

	find_ranks(c, g, rank);
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < n; i++) {
		bool border = node[i]->op == &op_border;

		if (node[i]->phase == PHASE_BACKWARD && (i == 0 || node[i - 1]->phase == PHASE_FORWARD))
			hold(c, g, PHASE_FORWARD);
		if (!border)
			note_read(c, node[i], rank[i] - 1);
		if (border && op_int(node[i], "from") == c->rank)
			send(c, g, node[i], borders);
		else if (border && op_int(node[i], "to") == c->rank)
			receive(c, g, node[i], borders);
		else if (!border && rank[i] == c->rank + 1)
			vec_push(c->m->arena, &g->nodes, node[i]);
		borders += border;
	}
	c->apart |= borders > 0;
	hold(c, g, g == c->m->train ? PHASE_BACKWARD : PHASE_FORWARD);
	if (c->rank + 1 < module_stages(c->m)) {
		g->results.n = 0;
		g->loss = NULL;
	}
}

/* Has every rank something to train? Then it has a backward and an update. */
static bool
all_train(const struct cutting *c)
{
	struct diag *g;
	int i;

	for (i = 0; i < module_stages(c->m); i++)
		if (!c->trains[i]) {
			g = diag_error(c->m->diags, "settings", c->m->set.place[0].loc, c->apart ?
			    "rank %d has no parameter to train" : "all layers are on one rank: another has no parameter to train", i);
			diag_help(c->m->diags, g, "place layers that have some there, or leave that stage out");
			return false;
		}
	return true;
}

/* What nobody reads is the first rank's. */
static void
keep_own(struct cutting *c)
{
	struct module *m = c->m, was = *m;
	int i;

	memset(&m->persistent, 0, sizeof(m->persistent));	/* others have the same list */
	for (i = 0; i < was.persistent.n; i++) {
		struct tensor *t = was.persistent.v[i];

		if (c->read_here[t->id] || (!c->read[t->id] && c->rank == 0))
			vec_push(m->arena, &m->persistent, t);
	}
}

static bool
run(struct module *m, const struct pass_options *o)
{
	size_t room = (size_t)m->next_tensor + 1;
	struct cutting c = { .m = m, .rank = (int)m->set.stage };
	bool good;

	(void)o;
	if (module_stages(m) == 1)
		return true;
	c.scratch = arena_child(m->arena);
	c.of = arena_array(c.scratch, room, sizeof(*c.of));
	c.readers = arena_array(c.scratch, room, sizeof(*c.readers));
	c.read = arena_array(c.scratch, room, sizeof(*c.read));
	c.read_here = arena_array(c.scratch, room, sizeof(*c.read_here));
	c.trains = arena_array(c.scratch, (size_t)module_stages(m), sizeof(*c.trains));
	cut(&c, m->train);
	if (m->validate)
		cut(&c, m->validate);
	keep_own(&c);
	good = all_train(&c);
	arena_free(c.scratch);
	return good;
}

const struct pass pass_stages = {
	.name = "stages",
	.doc = "keep what one rank of a pipeline does",
	.run = run,
};
