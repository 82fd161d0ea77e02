/*
 * split-layers: where layers say split=ranks and several ranks train together, makes of each graph what one of them does
 * (ir/split.h). No samples are shared out then: all ranks have the same ones, and the same losses. What is elementwise runs on
 * a rank's share where all that it reads is split alike; operators say themselves what else can be; the rest gets all columns.
 *
 * Reads: train and validate after phases. Writes: both, and the module's list of what persists, where a rank's part takes the
 * place of a parameter. Invariants after: 1. a split parameter is read by nodes that split it alone; 2. results are whole;
 * 3. the order of the nodes that were there is what it was.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/split.h"

/* Is it elementwise, of operands that are split alike, or alike along the last axis? Then in so many blocks; else 0. */
static int
shares_of(const struct split *s, const struct node *n)
{
	int blocks = 0, k;

	if (!(n->op->flags & OP_ELEMENTWISE) || (n->op->flags & OP_RANDOM))
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

	if (n->op->ranks.split && n->op->ranks.split(s, n))
		return;
	for (k = 0; k < n->nin && !blocks; k++)
		if (n->in[k])
			n->in[k] = split_whole(s, n, n->in[k]);
	for (k = 0; k < n->nout && blocks; k++)
		if (n->out[k])
			split_result(s, n->out[k], blocks);
	split_append(s, n);
}

static void
note_wanted(struct split *s, const struct node *n)
{
	int k;

	for (k = 0; n->op->ranks.split_blocks && op_splits(n) && k < n->nin; k++)
		if (n->in[k])
			s->wanted[n->in[k]->id] = n->op->ranks.split_blocks(n);
}

static void
split_graph(struct split *s, struct graph *g)
{
	struct node **node = g->nodes.v;
	int n = g->nodes.n, errors = s->m->diags->errors, i;

	s->g = g;
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < n; i++)
		note_wanted(s, node[i]);
	for (i = 0; i < n && s->m->diags->errors == errors; i++)	/* what comes after an error is no news */
		split_node(s, node[i]);
	for (i = 0; n && i < g->results.n; i++)
		g->results.v[i].tensor = split_whole(s, node[n - 1], g->results.v[i].tensor);
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
			diag_help(s->m->diags, d, "split=ranks for '%s', too, or weights of its own", n->path);
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
