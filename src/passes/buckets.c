/*
 * buckets: lets sums over ranks wait for one another, so that many gradients are added up in one
 * go: each such sum costs several turns over the wire, however small it is. A sum begins when a
 * bucket is full, while backward goes on with the next; where one of its gradients is waited for
 * before, then. The last bucket need not be full: it begins with its last gradient, before ranks
 * wait for any other.
 *
 *     dw3 begin3 dx3 dw2 begin2 dx2 dw1 begin1     ->     dw3 dx3 dw2 begin3 begin2 dx2 dw1 begin1
 *
 * Sums that stand side by side here are placed side by side in the arena (plan/buckets.c), so that
 * nothing is copied into a bucket. A gradient that others read after its own bucket is full waits
 * for a later one, and is added up in place too. No tensor lives longer: what is added up is waited
 * for where it was. Sums of which each rank gets its piece, and weights that all get back, are held
 * in the same way, each by themselves, and stay where they lie.
 *
 * Reads: train after updates-together. Writes: the place of nodes that begin something between
 * ranks. Invariants after:
 * 1. every node comes after those that define what it reads; 2. the order of all other nodes is what it was.
 */
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/plan.h"

struct held {			/* what has not begun, in the order of its gradients */
	struct node **node;
	int n;
	int64_t bytes;		/* that go between ranks */
};

struct filling {
	struct graph *g;
	struct node **made;	/* the new order, so far */
	int nmade;
	struct held held[BETWEENS];
	int64_t most;		/* of a bucket */
	int *last;		/* by the id of a root: the last node that reads it, other than for ranks */
	int end[BETWEENS];	/* the last node that begins one */
};

static int64_t
bytes_of(const struct node *n)
{
	return affine_at(tensor_bytes(n->in[0]), 1);
}

/* Does a node from I on read what is added up, as it is before? Where the sum takes its bytes, all
 * that do stand before it. */
static bool
is_read(const struct filling *f, const struct node *n, int i)
{
	return !n->out[0]->alias_of && f->last[tensor_root(n->in[0])->id] >= i;
}

/* Those begin whose tensors no node from I on reads; all of them, if ALL. */
static void
begin(struct filling *f, struct held *h, int i, bool all)
{
	int k, left = 0;

	for (k = 0; k < h->n; k++) {
		struct node *n = h->node[k];

		if (!all && is_read(f, n, i)) {
			h->node[left++] = n;
			continue;
		}
		f->made[f->nmade++] = n;
		h->bytes -= bytes_of(n);
	}
	h->n = left;
}

static bool
is_held(const struct held *h, const struct node *n)
{
	int k;

	for (k = 0; k < h->n; k++)
		if (h->node[k] == n)
			return true;
	return false;
}

static void
fill(struct filling *f)
{
	int i, k;

	for (i = 0; i < f->g->nodes.n; i++) {
		struct node *n = f->g->nodes.v[i];
		struct held *h = &f->held[n->op->ranks.between];

		if (op_begins_between(n->op)) {
			h->node[h->n++] = n;
			h->bytes += bytes_of(n);
			if (h->bytes >= f->most || i == f->end[n->op->ranks.between])
				begin(f, h, i, false);
			continue;
		}
		if (n->op->ranks.waits && is_held(h, n->in[0]->def))
			begin(f, h, i, true);
		f->made[f->nmade++] = n;
	}
	for (k = 0; k < BETWEENS; k++)
		begin(f, &f->held[k], i, true);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *g = m->train;
	struct arena *a;
	struct filling f = { .g = g };
	int i, k;

	(void)o;
	if (!g || m->set.ranks <= 1)
		return true;
	a = arena_child(m->arena);
	f.made = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*f.made));
	for (k = 0; k < BETWEENS; k++)
		f.held[k].node = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*f.held[k].node));
	f.last = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*f.last));
	f.most = plan_bucket_bytes(m);
	for (i = 0; i < g->nodes.n; i++) {
		if (op_begins_between(g->nodes.v[i]->op))
			f.end[g->nodes.v[i]->op->ranks.between] = i;
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] && g->nodes.v[i]->op->ranks.between == BETWEEN_NOTHING)
				f.last[tensor_root(g->nodes.v[i]->in[k])->id] = i;
	}
	fill(&f);
	for (i = 0; i < g->nodes.n; i++)
		g->nodes.v[i] = f.made[i];
	arena_free(a);
	return true;
}

const struct pass pass_buckets = {
	.name = "buckets",
	.doc = "let sums over ranks wait until there is enough to add up in one go",
	.optional = true,
	.run = run,
};
