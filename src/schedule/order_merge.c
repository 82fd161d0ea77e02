/*
 * An order of all nodes by merging chains, from which order.c begins anew where that is lower than
 * what its windows came to: a window holds few nodes (ORDER_WINDOW), so that of many parallel
 * branches it sees too few.
 *
 * A chain is what can run after a node that is ready, one node after the other. It is taken apart
 * into segments, each from where it begins over its highest need (the *hill*) to the least that is
 * alive behind that (the *valley*), both beside what was alive before. Of segments that leave no
 * more alive than there was, the one with the lowest hill runs first; of others, the one with the
 * largest difference of hill and valley. For parallel chains that is the best order of all (Liu,
 * 1987: trees of factorisations); for other graphs it is a start. Where backward follows, what is
 * kept for it decides, and nothing is tried.
 */
#include "schedule/order_impl.h"

#include <string.h>

#include "base/vec.h"
#include "ir/op.h"

#define LONGEST_CHAIN	64	/* nodes that are looked at */
#define MANY_READY	64	/* from so many on, segments are not looked at again before they run */
#define MOST_NODES	20000

struct segment {
	int node;		/* the first; it is ready */
	int n;
	int64_t hill, valley;
};

struct merge {
	struct order *o;
	const struct model *m;
	struct arena *a;
	int *next, *edge;	/* by node: where its dependents begin in edge */
	int *before;		/* by node: those before it that have not run */
	int *users;		/* by value, of roots: nodes that have not run and use it */
	bool *there;		/* by value, of roots */
	VEC(struct segment) ready;
	VEC(int) order;
	int chain[LONGEST_CHAIN];	/* that is looked at */
	int running[LONGEST_CHAIN];	/* of the segment that runs */
};

/* ---- dependencies ---- */

struct pair {
	int before, after;
};

struct reader {
	int node;
	int earlier;		/* the one before, + 1 */
};

struct pairs {
	struct arena *a;
	VEC(struct pair) pair;
	VEC(struct reader) reader;
	int *written;		/* by value, of roots: the last node that wrote it, + 1 */
	int *read;		/* by value, of roots: the last reader since, + 1 */
	int effect;		/* the last node with a side effect, + 1 */
};

static void
add_pair(struct pairs *p, int before, int after)
{
	if (before != after)
		vec_push(p->a, &p->pair, ((struct pair){ before, after }));
}

/* Node I uses a root: after what wrote it; if it writes, also after all that read what was
 * there. */
static void
add_use(struct pairs *p, int root, int i, bool writes)
{
	int k;

	if (root < 0)
		return;
	if (p->written[root])
		add_pair(p, p->written[root] - 1, i);
	if (!writes) {
		vec_push(p->a, &p->reader, ((struct reader){ i, p->read[root] }));
		p->read[root] = p->reader.n;
		return;
	}
	for (k = p->read[root]; k; k = p->reader.v[k - 1].earlier)
		add_pair(p, p->reader.v[k - 1].node, i);
	p->read[root] = 0;
	p->written[root] = i + 1;
}

static int
root_of(const struct model *m, const struct model_node *n, int k)
{
	int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

	return v < 0 ? -1 : m->value[v].root;
}

static void
find_pairs(struct merge *g, struct pairs *p)
{
	const struct model *m = g->m;
	int i, k;

	p->a = g->a;
	p->written = arena_array(g->a, (size_t)m->nvalues + 1, sizeof(int));
	p->read = arena_array(g->a, (size_t)m->nvalues + 1, sizeof(int));
	for (i = 0; i < m->nnodes; i++) {
		const struct model_node *n = &m->node[i];

		for (k = 0; k < n->nin + n->nout; k++)
			add_use(p, root_of(m, n, k), i, k >= n->nin);
		if (!(n->node->op->flags & OP_SIDE_EFFECT))
			continue;
		if (p->effect)
			add_pair(p, p->effect - 1, i);
		p->effect = i + 1;
	}
}

static void
find_edges(struct merge *g)
{
	struct pairs p = { .a = g->a };
	int n = g->m->nnodes, i;
	int *at;

	find_pairs(g, &p);
	g->next = arena_array(g->a, (size_t)n + 2, sizeof(int));
	g->edge = arena_array(g->a, (size_t)p.pair.n + 1, sizeof(int));
	at = arena_array(g->a, (size_t)n + 1, sizeof(int));
	for (i = 0; i < p.pair.n; i++) {
		g->next[p.pair.v[i].before + 1]++;
		g->before[p.pair.v[i].after]++;
	}
	for (i = 0; i < n; i++)
		g->next[i + 1] += g->next[i];
	for (i = 0; i < p.pair.n; i++) {
		int b = p.pair.v[i].before;

		g->edge[g->next[b] + at[b]++] = p.pair.v[i].after;
	}
}

/* ---- running nodes ---- */

/* Is this the first operand of the node with its root, and does that count at all? */
static bool
counts(const struct merge *g, const struct model_node *n, int k)
{
	int root = root_of(g->m, n, k), j;

	if (root < 0 || g->m->value[root].persistent)
		return false;
	for (j = 0; j < k; j++)
		if (root_of(g->m, n, j) == root)
			return false;
	return true;
}

/* The node runs: what it needs beside what is alive, and what is alive after it, more than
 * before. */
static void
run_node(struct merge *g, int i, int64_t *need, int64_t *more)
{
	const struct model *m = g->m;
	const struct model_node *n = &m->node[i];
	int64_t made = 0, dead = 0, spared = 0;
	int k, root;

	for (k = 0; k < n->nin + n->nout; k++) {
		if (!counts(g, n, k))
			continue;
		root = root_of(m, n, k);
		if (!g->there[root])
			made += m->value[root].bytes;
		g->there[root] = true;
		if (--g->users[root] > 0)
			continue;
		dead += m->value[root].bytes;
		if (k < n->nin && (n->over.inputs >> k & 1) && n->nout && n->out[0] >= 0 &&
		    m->value[n->out[0]].root == n->out[0] &&
		    m->value[n->out[0]].bytes == m->value[root].bytes)
			spared = m->value[root].bytes;
	}
	*need = made + n->work - spared;
	*more = made - dead;
}

static void
take_back(struct merge *g, int i)
{
	const struct model_node *n = &g->m->node[i];
	int k;

	for (k = 0; k < n->nin + n->nout; k++)
		if (counts(g, n, k)) {
			int root = root_of(g->m, n, k);

			g->users[root]++;
			if (g->m->value[root].def == i)
				g->there[root] = false;
		}
}

/* ---- segments ---- */

/* The one node that gets ready when this one has run, or -1. */
static int
follower(const struct merge *g, int i)
{
	int found = -1, e;

	for (e = g->next[i]; e < g->next[i + 1]; e++)
		if (g->before[g->edge[e]] == 1) {
			if (found >= 0 && found != g->edge[e])
				return -1;
			found = g->edge[e];
		}
	return found;
}

/* The first segment of the chain that begins with a node. */
static struct segment
segment_from(struct merge *g, int node)
{
	struct segment s = { node, 0, INT64_MIN, INT64_MAX };
	int64_t need[LONGEST_CHAIN] = { 0 }, more[LONGEST_CHAIN] = { 0 }, alive = 0;
	int n = 0, highest = 0, i;

	for (i = node; i >= 0 && n < LONGEST_CHAIN; i = follower(g, i)) {
		g->chain[n] = i;
		run_node(g, i, &need[n], &more[n]);
		need[n] += alive;
		alive = more[n] += alive;
		if (need[n] >= need[highest])
			highest = n;
		n++;
	}
	s.hill = need[highest];
	for (i = highest; i < n; i++)
		if (more[i] < s.valley) {
			s.valley = more[i];
			s.n = i + 1;
		}
	for (i = 0; i < highest; i++)	/* no higher than before when that is over: a segment of its own */
		if (more[i] <= 0 && more[i] <= s.valley) {
			int64_t hill = need[0];
			int k;

			for (k = 1; k <= i; k++)
				hill = need[k] > hill ? need[k] : hill;
			s = (struct segment){ node, i + 1, hill, more[i] };
			break;
		}
	while (n-- > 0)
		take_back(g, g->chain[n]);
	return s;
}

static bool
sooner(const struct segment *a, const struct segment *b)
{
	if ((a->valley <= 0) != (b->valley <= 0))
		return a->valley <= 0;
	if (a->valley <= 0)
		return a->hill != b->hill ? a->hill < b->hill : a->valley < b->valley;
	return a->hill - a->valley > b->hill - b->valley;
}

static void
add_ready(struct merge *g, int node)
{
	vec_push(g->a, &g->ready, segment_from(g, node));
}

/* Runs a segment; those that get ready by it are added. Its nodes are found before the first of
 * them runs, as when it was made: then another reader of two of them may be as near to being ready
 * as the next node is. */
static void
run_segment(struct merge *g, struct segment s)
{
	int64_t need, more;
	int n, count = 0, i, e;

	for (i = s.node; i >= 0 && count < s.n; i = follower(g, i))
		g->running[count++] = i;
	for (n = 0; n < count; n++) {
		int after = n + 1 < count ? g->running[n + 1] : -1;

		i = g->running[n];
		run_node(g, i, &need, &more);
		vec_push(g->a, &g->order, i);
		for (e = g->next[i]; e < g->next[i + 1]; e++)
			if (--g->before[g->edge[e]] == 0 && g->edge[e] != after)
				add_ready(g, g->edge[e]);
	}
}

static void
merge_all(struct merge *g)
{
	struct segment s;
	int i, best;

	for (i = 0; i < g->m->nnodes; i++)
		if (g->before[i] == 0)
			add_ready(g, i);
	while (g->ready.n > 0) {
		for (best = i = 0; i < g->ready.n; i++) {
			if (g->ready.n < MANY_READY)
				g->ready.v[i] = segment_from(g, g->ready.v[i].node);
			if (sooner(&g->ready.v[i], &g->ready.v[best]))
				best = i;
		}
		s = g->ready.v[best];
		g->ready.v[best] = g->ready.v[--g->ready.n];
		run_segment(g, s);
	}
}

static void
count_users(struct merge *g)
{
	const struct model *m = g->m;
	int i, k;

	for (i = 0; i < m->nnodes; i++)
		for (k = 0; k < m->node[i].nin + m->node[i].nout; k++)
			if (counts(g, &m->node[i], k))
				g->users[root_of(m, &m->node[i], k)]++;
	for (i = 0; i < m->nvalues; i++) {
		g->users[i] += g->o->now.result[i];	/* read after the last node */
		g->there[i] = m->value[i].def < 0;
	}
}

bool
order_merge(struct order *o)
{
	struct model *m = o->now.m;
	struct node **old;
	struct merge *g;
	int i;

	if (m->forward < m->nnodes || m->nnodes > MOST_NODES || m->trial->peak <= step_least(m))
		return false;
	g = ARENA_NEW(o->arena, struct merge);
	g->o = o;
	g->m = m;
	g->a = o->arena;
	g->before = arena_array(g->a, (size_t)m->nnodes + 1, sizeof(int));
	g->users = arena_array(g->a, (size_t)m->nvalues + 1, sizeof(int));
	g->there = arena_array(g->a, (size_t)m->nvalues + 1, sizeof(bool));
	find_edges(g);
	count_users(g);
	merge_all(g);
	if (g->order.n < m->nnodes)
		return false;
	old = arena_array(g->a, (size_t)m->nnodes + 1, sizeof(*old));
	memcpy(old, o->g->nodes.v, (size_t)m->nnodes * sizeof(*old));
	for (i = 0; i < m->nnodes; i++)
		o->g->nodes.v[i] = old[g->order.v[i]];
	return true;
}
