/*
 * borders: where layers are placed on ranks, says of each node on which rank it is, and puts a
 * border (ops/border.c) wherever a tensor is read on a later one. Ranks are stages: nothing goes
 * back, but gradients.
 *
 *     stem, layer1 on 0    x -> stem -> layer1 -> border 0 to 1 -> head -> loss
 *     head on 1
 *
 * A node that no pattern names is on the last rank that something it reads is on; what reads inputs
 * and parameters alone, where it is read first; losses and metrics on the last rank, which alone
 * says what comes of a step. A tensor that is read several stages later goes through all between
 * them. Inputs and targets are read from the data by each rank that wants them.
 *
 * Reads: train and validate after turns, so that nodes have the numbers of one rank, by which they
 * draw at random. Writes: both. Invariants after: 1. what a node reads is on its rank, a border's
 * alone on the one before; 2. a parameter's readers are on one rank; 3. all ranks have the same
 * graph: it is shared out after backward is made (passes/stages.c).
 */
#include "ir/pass.h"

#include "ir/dotted_path.h"
#include "ir/op.h"

extern const struct op op_border;

struct placing {
	struct module *m;
	struct arena *scratch;
	struct graph *g;
	int64_t last;
	int known;		/* tensors there were before */
	int *of_pattern;	/* the rank, by a pattern's place */
	struct path_set *paths;
	int *rank;		/* by a tensor's id: of the node that makes it; -1: none yet, or nobody does */
	int *node;		/* by a node's place */
	struct tensor **carried;	/* by a tensor's id: the same, on the next rank; NULL: it does not go there yet */
	const struct node **reader;	/* by a persistent tensor's id: the first that reads it, */
	int *owner;		/* and on which rank; -1: nobody does yet */
};

static int
rank_of(const struct placing *p, const struct tensor *t)
{
	return t && t->id < p->known ? p->rank[t->id] : -1;
}

static int
named_rank(const struct placing *p, const struct node *n)
{
	int first = path_set_first(p->paths, n->path);

	return first < 0 ? -1 : p->of_pattern[first];
}

static bool
goes_back(const struct placing *p, const struct node *n, const struct tensor *from, int rank)
{
	struct diag *g = diag_error(p->m->diags, "settings", n->loc, "'%s' is placed on rank %d, and reads '%s', which is made on rank %d: "
	    "stages follow one another", n->path, rank, from->name, rank_of(p, from));

	if (from->def)
		diag_place(p->m->diags, g, from->loc, "it is made here");
	diag_help(p->m->diags, g, "place what comes first on the lower rank");
	return false;
}

static bool
is_no_end(const struct placing *p, const struct node *n, int rank)
{
	struct diag *g = diag_error(p->m->diags, "settings", n->loc, "'%s' is placed on rank %d: losses and metrics are on the last rank, "
	    "%lld", n->path, rank, (long long)p->last);

	diag_help(p->m->diags, g, "name the layers before it alone");
	return false;
}

static void
set_rank(struct placing *p, int i, int rank)
{
	const struct node *n = p->g->nodes.v[i];
	int k;

	p->node[i] = rank;
	for (k = 0; k < n->nout; k++)
		if (n->out[k])
			p->rank[n->out[k]->id] = rank;
}

/* In the order of the nodes: what is named, what reads that, and what ends on the last. */
static bool
place_forward(struct placing *p, const bool *ends)
{
	int i, k;

	for (i = 0; i < p->g->nodes.n; i++) {
		const struct node *n = p->g->nodes.v[i];
		const struct tensor *most = NULL;
		int rank;
		bool end = false;

		for (k = 0; k < n->nin; k++)
			if (n->in[k] && rank_of(p, n->in[k]) > rank_of(p, most))
				most = n->in[k];
		for (k = 0; k < n->nout; k++)
			end |= n->out[k] && ends[n->out[k]->id];
		rank = named_rank(p, n);
		if (end && rank >= 0 && rank != p->last)
			return is_no_end(p, n, rank);
		rank = end ? (int)p->last : rank;
		if (rank >= 0 && rank < rank_of(p, most))
			return goes_back(p, n, most, rank);
		set_rank(p, i, rank >= 0 ? rank : rank_of(p, most));
	}
	return true;
}

/* What is on no rank yet is where it is read first. */
static void
place_free(struct placing *p)
{
	int *wanted = arena_array(p->scratch, (size_t)p->known + 1, sizeof(*wanted)), i, k;	/* a rank and 1; 0: nowhere */

	for (i = p->g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = p->g->nodes.v[i];
		int rank = p->node[i];

		for (k = 0; k < n->nout && p->node[i] < 0; k++)
			if (n->out[k] && wanted[n->out[k]->id] && (rank < 0 || wanted[n->out[k]->id] <= rank))
				rank = wanted[n->out[k]->id] - 1;
		set_rank(p, i, rank < 0 ? 0 : rank);
		for (k = 0; k < n->nin; k++)
			if (n->in[k] && (!wanted[n->in[k]->id] || p->node[i] < wanted[n->in[k]->id]))
				wanted[n->in[k]->id] = p->node[i] + 1;
	}
}

/* The tensor as it is on that rank, which is behind the one that makes it. */
static struct tensor *
carry(struct placing *p, const struct node *reader, struct tensor *t, int rank)
{
	struct tensor *before = rank - 1 > rank_of(p, t) ? carry(p, reader, t, rank - 1) : t, *to = p->carried[before->id];
	struct attr *attr;
	struct node *n;

	if (to)
		return to;
	n = ir_node(p->g, &op_border, before->name, reader->loc, 1, &before);
	n->attr = attr = op_presets(p->m->arena, n->op);
	op_preset(n->op, attr, "from")->i = rank - 1;
	op_preset(n->op, attr, "to")->i = rank;
	to = ir_add_output(p->m, n, ir_tensor_like(p->m, T_ACTIVATION, before, arena_printf(p->m->arena, "%s.on_%d", t->name, rank),
	    t->loc));
	p->carried[before->id] = to;
	return to;
}

/* A parameter is where it is read. */
static bool
own(struct placing *p, const struct node *n, const struct tensor *t, int rank)
{
	struct diag *g;

	if (p->owner[t->id] < 0) {
		p->owner[t->id] = rank;
		p->reader[t->id] = n;
	}
	if (p->owner[t->id] == rank)
		return true;
	g = diag_error(p->m->diags, "settings", n->loc, "'%s' on rank %d reads '%s', which '%s' reads on rank %d: one rank keeps a "
	    "parameter", n->path, rank, t->name, p->reader[t->id]->path, p->owner[t->id]);
	diag_place(p->m->diags, g, p->reader[t->id]->loc, "it is read here");
	diag_help(p->m->diags, g, "place both on one rank, or give each weights of its own");
	return false;
}

static bool
put_borders(struct placing *p)
{
	struct node **node = p->g->nodes.v;
	int n = p->g->nodes.n, i, k;

	p->g->nodes.v = NULL;
	p->g->nodes.n = p->g->nodes.cap = 0;
	for (i = 0; i < n; i++) {
		for (k = 0; k < node[i]->nin; k++) {
			struct tensor *t = node[i]->in[k];

			if (!t)
				continue;
			if (tensor_persistent(t)) {
				if (!own(p, node[i], tensor_root(t), p->node[i]))
					return false;
			} else if (rank_of(p, t) >= 0 && rank_of(p, t) < p->node[i]) {
				node[i]->in[k] = carry(p, node[i], t, p->node[i]);
			}
		}
		node_alias_again(node[i]);
		vec_push(p->m->arena, &p->g->nodes, node[i]);
	}
	return true;
}

static bool
place_graph(struct placing *p, struct graph *g)
{
	size_t known = (size_t)p->m->next_tensor + 1;
	bool *ends;
	int i;

	p->g = g;
	p->known = p->m->next_tensor;
	p->rank = arena_array(p->scratch, known, sizeof(*p->rank));
	p->node = arena_array(p->scratch, (size_t)g->nodes.n + 1, sizeof(*p->node));
	p->carried = arena_array(p->scratch, known * (size_t)(p->last + 2), sizeof(struct tensor *));	/* and of those that borders make */
	ends = arena_array(p->scratch, known, sizeof(*ends));
	for (i = 0; i < p->known; i++)
		p->rank[i] = -1;
	for (i = 0; i < g->results.n; i++)
		if (!g->results.v[i].predicted)
			ends[g->results.v[i].tensor->id] = true;
	if (g->loss)
		ends[g->loss->id] = true;
	if (!place_forward(p, ends))
		return false;
	place_free(p);
	return put_borders(p);
}

static void
read_places(struct placing *p)
{
	const struct settings *set = &p->m->set;
	int i, k, at = 0;

	p->of_pattern = arena_array(p->scratch, (size_t)set->nplace_patterns + 1, sizeof(*p->of_pattern));
	for (i = 0; i < set->nplaces; i++)
		for (k = 0; k < set->place[i].patterns; k++)
			p->of_pattern[at++] = (int)set->place[i].rank;
	p->paths = path_set_new(p->scratch, set->place_pattern, set->nplace_patterns);
	p->last = settings_stages(set) - 1;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct placing p = { .m = m };
	size_t room = (size_t)m->next_tensor + 1;
	bool good;
	int i;

	(void)o;
	if (module_stages(m) == 1)
		return true;
	p.scratch = arena_child(m->arena);
	read_places(&p);
	p.owner = arena_array(p.scratch, room, sizeof(*p.owner));
	p.reader = arena_array(p.scratch, room, sizeof(struct node *));
	for (i = 0; i < m->next_tensor; i++)
		p.owner[i] = -1;
	good = place_graph(&p, m->train) && (!m->validate || place_graph(&p, m->validate));
	arena_free(p.scratch);
	return good;
}

const struct pass pass_borders = {
	.name = "borders",
	.doc = "put borders between the layers of one rank and the next",
	.run = run,
};
