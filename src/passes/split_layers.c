/*
 * split-layers: where layers say split=ranks and several ranks train together, makes of each graph
 * what one of them does (ir/split.h). No samples are shared out then: all ranks have the same ones,
 * and the same losses. What is elementwise runs on a rank's share where all that it reads is split
 * alike, or is one number for a whole row, whose gradient ranks add up; operators say themselves
 * what else can be; the rest gets all columns. It runs after turns, whose nodes draw the same
 * random numbers then as on one rank: what is made here is numbered after all of them.
 *
 * Reads: train and validate after turns. Writes: both, and the module's list of what persists,
 * where a rank's part takes the place of a parameter. Invariants after: 1. a split parameter is
 * read by nodes that split it alone; 2. results are whole;
 * 3. the order of the nodes that were there is what it was.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/split.h"

extern const struct op op_parameter;

/* Does a rank's share of the operands make its share of the result? */
static bool
keeps_share(const struct op *op)
{
	return (op->flags & OP_ELEMENTWISE) && !(op->flags & OP_RANDOM);
}

/* Is it elementwise, of operands that are split alike, or alike along the last axis? Then in so
 * many blocks; else 0. */
static int
shares_of(const struct split *s, const struct node *n)
{
	int blocks = 0, k;

	if (!keeps_share(n->op))
		return 0;
	for (k = 0; k < n->nin; k++)
		blocks = n->in[k] && split_blocks(s, n->in[k]) ? split_blocks(s, n->in[k]) : blocks;
	for (k = 0; k < n->nin && blocks; k++) {
		const struct tensor *t = n->in[k];

		if (t && split_blocks(s, t) != blocks && (split_blocks(s, t) || (t->rank && t->dim[t->rank - 1] != 1)))
			return 0;
	}
	for (k = 0; k < n->nout; k++)
		if (n->out[k] && !tensor_same_shape(n->out[k], n->out[0]))
			return 0;
	return blocks;
}

static void
split_node(struct split *s, struct node *n)
{
	int blocks = n->op->ranks.split ? 0 : shares_of(s, n), k;

	if (n->op->ranks.split && (n->op->ranks.hands_on || split_is_said(n)) && n->op->ranks.split(s, n))
		return;
	for (k = 0; k < n->nin; k++)
		if (n->in[k] && !blocks)
			n->in[k] = split_whole(s, n, n->in[k]);
		else if (n->in[k] && !split_blocks(s, n->in[k]) && dtype_is_float(n->in[k]->dtype))
			n->in[k] = split_enter(s, n, n->in[k]);
	node_alias_again(n);
	for (k = 0; k < n->nout && blocks; k++)
		if (n->out[k])
			split_result(s, n->out[k], blocks);
	split_append(s, n);
}

/* What is elementwise, or repeats samples, hands on what is wanted of its result. */
static void
note_wanted(struct split *s, const struct node *n)
{
	bool wants = n->op->ranks.split_blocks && split_is_said(n);
	const struct tensor *y = n->nout > 0 ? n->out[0] : NULL;
	int blocks = wants ? n->op->ranks.split_blocks(n) : y && y->rank > 0 ? s->wanted[y->id] : 0, k;

	if (!wants && !keeps_share(n->op) && !n->op->ranks.hands_on)
		return;
	for (k = 0; k < n->nin; k++) {
		const struct tensor *t = n->in[k];

		if (t && blocks > s->wanted[t->id] && (wants || (t->rank && t->dim[t->rank - 1] == y->dim[y->rank - 1])))
			s->wanted[t->id] = blocks;
	}
}

static void
split_graph(struct split *s, struct graph *g)
{
	struct node **node = g->nodes.v;
	int n = g->nodes.n, errors = s->m->diags->errors, i;

	s->g = g;
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = n - 1; i >= 0; i--)
		note_wanted(s, node[i]);
	for (i = 0; i < n && s->m->diags->errors == errors; i++)	/* what comes after an error is no news */
		split_node(s, node[i]);
	for (i = 0; n && i < g->results.n; i++)
		g->results.v[i].tensor = split_whole(s, node[n - 1], g->results.v[i].tensor);
}

/* A parameter that the spec names is a node, too, which nobody reads where it serves split layers
 * alone. */
static void
drop_views(const struct split *s, struct graph *g)
{
	int i, n = 0;

	for (i = 0; g && i < g->nodes.n; i++) {
		struct node *node = g->nodes.v[i];

		if (node->op != &op_parameter || !s->part[node->in[0]->id])
			g->nodes.v[n++] = node;
	}
	if (g)
		g->nodes.n = n;
}

/* Who reads all of a parameter of which there is but a part here? */
static bool
is_read_whole(const struct split *s, const struct graph *g)
{
	int i, k;

	for (i = 0; g && i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++) {
			const struct node *n = g->nodes.v[i];
			const struct tensor *t = n->in[k] ? tensor_root(n->in[k]) : NULL;
			struct diag *d;

			if (!t || t->id >= s->known || !s->part[t->id])
				continue;
			d = diag_error(s->m->diags, "settings", n->loc, "'%s' reads all of '%s', of which each of %lld ranks has but a "
			    "part (split=ranks)", n->path, t->name, (long long)s->ranks);
			if (split_can_be_said(n->op))
				diag_help(s->m->diags, d, "split=ranks for '%s', too, or weights of its own", n->path);
			else
				diag_help(s->m->diags, d, "leave split=ranks out of the layers that have these weights");
			return true;
		}
	return false;
}

static void
replace_parameters(struct split *s)
{
	struct module *m = s->m, was = *m;
	int i;

	memset(&m->persistent, 0, sizeof(m->persistent));	/* others may have the same list; parts are at its end */
	for (i = 0; i < was.persistent.n; i++) {
		struct tensor *t = was.persistent.v[i];

		if (t->id < s->known)
			vec_push(m->arena, &m->persistent, s->part[t->id] ? s->part[t->id] : t);
	}
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct split s = { .m = m, .ranks = m->set.ranks, .known = m->next_tensor };
	size_t room = (size_t)m->next_tensor + 1;
	struct arena *a;
	int errors = m->diags->errors;

	(void)o;
	if (!module_splits(m))
		return true;
	a = arena_child(m->arena);
	s.blocks = arena_array(a, room, sizeof(*s.blocks));
	s.wanted = arena_array(a, room, sizeof(*s.wanted));
	s.entered = arena_array(a, room, sizeof(struct tensor *));
	s.joined = arena_array(a, room, sizeof(struct tensor *));
	s.part = arena_array(a, room, sizeof(struct tensor *));
	split_graph(&s, m->train);
	if (m->validate && m->diags->errors == errors)
		split_graph(&s, m->validate);
	drop_views(&s, m->train);
	drop_views(&s, m->validate);
	if (m->diags->errors == errors && !is_read_whole(&s, m->train))
		is_read_whole(&s, m->validate);
	replace_parameters(&s);
	arena_free(a);
	return m->diags->errors == errors;
}

const struct pass pass_split_layers = {
	.name = "split-layers",
	.doc = "make of layers that are split over ranks what one rank does of them",
	.run = run,
};
