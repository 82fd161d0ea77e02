/*
 * inplace: lets an output take over the bytes of an input that nobody reads afterwards.
 *
 * Reads: op->memory.inplace, the order of the nodes. Writes: alias_of of first and last outputs.
 * Tensors that share bytes form a class, known by its root; a class is last read where its last
 * member is. The walk is in execution order and keeps that place up to date as classes grow, so one
 * pass suffices.
 *
 * Invariants after: 1. an output aliases only an input of its own node, of the same size in bytes
 * at every batch; 2. no tensor of the class is read later than the node that overwrites it, unless
 * it is the new one; 3. results, persistent tensors and what a stage sends are never overwritten
 * this way.
 */
#include "ir/pass.h"

#include "ir/op.h"

struct classes {
	int *last;	/* by the id of a root: the last node that reads the class */
};

static bool
same_size(const struct tensor *a, const struct tensor *b)
{
	struct affine x = tensor_bytes(a), y = tensor_bytes(b);

	return x.fixed == y.fixed && x.per_sample == y.per_sample &&
	    dtype_bytes(a->dtype) == dtype_bytes(b->dtype);	/* element i is where element i was */
}

/* May another input of the node be in the class of in[k] too? Only if element i is read before
 * element i is written, through whichever input. */
static bool
others_allow_it(const struct node *n, int k)
{
	int j;

	if (n->op->flags & OP_ELEMENTWISE)
		return true;
	for (j = 0; j < n->nin; j++)
		if (j != k && n->in[j] && tensor_root(n->in[j]) == tensor_root(n->in[k]))
			return false;
	return true;
}

static bool
may_overwrite(const struct classes *c, const struct node *n, const struct tensor *out, int i, int k)
{
	const struct tensor *t = n->in[k];

	return t && !tensor_persistent(t) && c->last[tensor_root(t)->id] == i &&
	    same_size(t, out) && others_allow_it(n, k);
}

static void
find_last_reads(const struct graph *g, struct classes *c)
{
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j])
				c->last[tensor_root(g->nodes.v[i]->in[j])->id] = i;
	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->flags & OP_SENDS)	/* it is on its way when the node is over */
			c->last[tensor_root(g->nodes.v[i]->in[0])->id] = g->nodes.n;
	for (i = 0; i < g->results.n; i++)
		if (!g->results.v[i].predicted)
			c->last[tensor_root(g->results.v[i].tensor)->id] = g->nodes.n;
	if (g->loss)
		c->last[tensor_root(g->loss)->id] = g->nodes.n;
}

/* INPUTS: those whose bytes OUT may take. */
static void
overwrite(struct classes *c, struct node *n, int i, struct tensor *out, unsigned inputs)
{
	int k, last;

	if (!out || out->alias_of)
		return;
	for (k = 0; k < n->nin && inputs; k++) {
		if (!(inputs >> k & 1) || !may_overwrite(c, n, out, i, k))
			continue;
		last = c->last[out->id];
		tensor_alias(out, n->in[k]);
		c->last[tensor_root(out)->id] = last > i ? last : i;
		return;
	}
}

static void
overwrite_any(struct classes *c, struct node *n, int i)
{
	if (n->nout > 0)
		overwrite(c, n, i, n->out[0], n->op->memory.inplace);
	if (n->nout > 1)
		overwrite(c, n, i, n->out[n->nout - 1], n->op->memory.inplace_last);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->update, m->validate };
	struct arena *scratch = arena_child(m->arena);
	struct classes c = { arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*c.last)) };
	size_t i;
	int j;

	(void)o;
	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++) {
		if (!graph[i])
			continue;
		find_last_reads(graph[i], &c);
		for (j = 0; j < graph[i]->nodes.n; j++)
			overwrite_any(&c, graph[i]->nodes.v[j], j);
	}
	arena_free(scratch);
	return true;
}

const struct pass pass_inplace = {
	.name = "inplace",
	.doc = "let outputs take over the bytes of inputs that are read no more",
	.optional = true,
	.in_bodies = true,
	.run = run,
};
