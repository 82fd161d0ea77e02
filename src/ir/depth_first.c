/*
 * Nodes in depth-first order, from the results. It is a function of what nodes read, so that a spec
 * whose statements stand in another order is planned alike; and where branches are parallel, each
 * is done with before the next begins, which leaves least alive.
 */
#include "ir/depth_first.h"

#include <string.h>

#include "base/vec.h"
#include "ir/op.h"

struct link {
	int node;		/* that must have run before */
	int next;		/* of the same node's, + 1 */
};

struct walk {
	struct graph *g;
	struct arena *a;
	int *place;		/* by id of a node: where it stood, + 1; 0: in no graph */
	VEC(struct link) link;
	int *links;		/* by node: its first link, + 1 */
	int *at;		/* by node: operands gone through, + 1; 0: not come to yet */
	int *stack;
	struct node **order;
	int n;
};

/* ---- what must keep its place ---- */

static void
add_link(struct walk *w, int node, int before)
{
	if (node == before)
		return;
	vec_push(w->a, &w->link, ((struct link){ before, w->links[node] }));
	w->links[node] = w->link.n;
}

/* Does any node change what that tensor, which persists, holds? */
static bool *
find_changed(const struct walk *w)
{
	bool *changed = arena_array(w->a, (size_t)w->g->module->next_tensor + 1, sizeof(*changed));
	int i, k;

	for (i = 0; i < w->g->nodes.n; i++) {
		const struct node *n = w->g->nodes.v[i];

		for (k = 0; k < n->nout; k++)
			if (n->out[k] && tensor_persistent(n->out[k]))
				changed[tensor_root(n->out[k])->id] = true;
	}
	return changed;
}

/* All users of what changes run in the order in which they stand, and so does what has side
 * effects. */
static void
link_all(struct walk *w)
{
	const bool *changed = find_changed(w);
	int *user = arena_array(w->a, (size_t)w->g->module->next_tensor + 1, sizeof(*user));
	int effect = 0, i, k;

	for (i = 0; i < w->g->nodes.n; i++) {
		const struct node *n = w->g->nodes.v[i];

		for (k = 0; k < n->nin + n->nout; k++) {
			const struct tensor *t = k < n->nin ? n->in[k] : n->out[k - n->nin];
			int id = t ? tensor_root(t)->id : 0;

			if (!t || !changed[id])
				continue;
			if (user[id])
				add_link(w, i, user[id] - 1);
			user[id] = i + 1;
		}
		if (!(n->op->flags & OP_SIDE_EFFECT))
			continue;
		if (effect)
			add_link(w, i, effect - 1);
		effect = i + 1;
	}
}

/* ---- the walk ---- */

/* The K-th node that must run before that one, or -1: none there; -2: there are no more. */
static int
before(const struct walk *w, int node, int k)
{
	const struct node *n = w->g->nodes.v[node];
	int l;

	if (k < n->nin)
		return n->in[k] && n->in[k]->def ? w->place[n->in[k]->def->id] - 1 : -1;
	for (l = w->links[node], k -= n->nin; l && k > 0; k--)
		l = w->link.v[l - 1].next;
	return l ? w->link.v[l - 1].node : -2;
}

static void
come_to(struct walk *w, int node)
{
	int depth = 0, b;

	if (node < 0 || w->at[node])
		return;
	w->at[node] = 1;
	w->stack[depth++] = node;
	while (depth > 0) {
		node = w->stack[depth - 1];
		b = before(w, node, w->at[node]++ - 1);
		if (b == -2) {
			w->order[w->n++] = w->g->nodes.v[node];
			depth--;
		} else if (b >= 0 && !w->at[b]) {
			w->at[b] = 1;
			w->stack[depth++] = b;
		}
	}
}

static void
come_to_tensor(struct walk *w, const struct tensor *t)
{
	if (t && t->def)
		come_to(w, w->place[t->def->id] - 1);
}

static void
come_to_results(struct walk *w)
{
	const struct graph *g = w->g;
	int i;

	come_to_tensor(w, g->loss);
	for (i = 0; i < g->results.n; i++)
		come_to_tensor(w, g->results.v[i].tensor);
	for (i = 0; i < g->nodes.n; i++)
		come_to(w, i);
}

/* The losses once more, in the order in which they were come to, but what they are made from
 * first. */
static void
put_losses_last(struct walk *w)
{
	struct node **first = arena_array(w->a, (size_t)w->n + 1, sizeof(*first));
	int n = w->n, i, k;

	memcpy(first, w->order, (size_t)n * sizeof(*first));
	memset(w->at, 0, (size_t)n * sizeof(*w->at));
	w->n = 0;
	for (i = 0; i < n; i++)
		for (k = 0; first[i]->op->kind == OP_LOSS && k < first[i]->nin; k++)
			come_to_tensor(w, first[i]->in[k]);
	come_to_results(w);
}

void
ir_depth_first(struct graph *g)
{
	struct arena *a = arena_child(g->module->arena);
	size_t n = (size_t)g->nodes.n + 1, size = (size_t)g->nodes.n * sizeof(struct node *);
	struct walk w = { .g = g, .a = a, .links = arena_array(a, n, sizeof(int)),
	    .place = arena_array(a, (size_t)g->module->next_node + 1, sizeof(int)),
	    .at = arena_array(a, n, sizeof(int)), .stack = arena_array(a, n, sizeof(int)),
	    .order = arena_array(a, n, sizeof(*w.order)) };
	int i;

	for (i = 0; i < g->nodes.n; i++)
		w.place[g->nodes.v[i]->id] = i + 1;
	link_all(&w);
	come_to_results(&w);
	put_losses_last(&w);
	if (size > 0)
		memcpy(g->nodes.v, w.order, size);
	arena_free(a);
}
