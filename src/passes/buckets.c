/*
 * buckets: lets sums over ranks wait for one another, so that many gradients are added up in one go: each such sum costs
 * several turns over the wire, however small it is. A sum begins when a bucket is full, while backward goes on with the
 * next; where one of its gradients is waited for before, then.
 *
 *     dw3 begin3 dx3 dw2 begin2 dx2 dw1 begin1     ->     dw3 dx3 dw2 begin3 begin2 dx2 dw1 begin1
 *
 * Sums that stand side by side here are placed side by side in the arena (plan/buckets.c), so that nothing is copied into
 * a bucket. A gradient that others read after its own bucket is full waits for a later one, and is added up in place too.
 * No tensor lives longer: what is added up is waited for where it was.
 *
 * Reads: train after updates-together. Writes: the place of its all_reduce nodes. Invariants after: 1. every node comes
 * after those that define what it reads; 2. the order of all other nodes is what it was.
 */
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/plan.h"

extern const struct op op_all_reduce, op_all_reduced;

struct filling {
	struct graph *g;
	struct node **made;	/* the new order, so far */
	int nmade;
	struct node **held;	/* sums that have not begun, in the order of their gradients */
	int n;
	int64_t bytes;		/* of what they add up */
	int64_t most;		/* of a bucket */
	int *last;		/* by the id of a root: the last node that reads it, other than its sum */
};

static int64_t
bytes_of(const struct node *n)
{
	return affine_at(tensor_bytes(n->in[0]), 1);
}

/* Those begin whose gradients no node from I on reads; all of them, if ALL. */
static void
begin(struct filling *f, int i, bool all)
{
	int k, left = 0;

	for (k = 0; k < f->n; k++) {
		struct node *n = f->held[k];

		if (!all && f->last[tensor_root(n->in[0])->id] >= i) {
			f->held[left++] = n;
			continue;
		}
		f->made[f->nmade++] = n;
		f->bytes -= bytes_of(n);
	}
	f->n = left;
}

static bool
is_held(const struct filling *f, const struct node *n)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->held[k] == n)
			return true;
	return false;
}

static void
fill(struct filling *f)
{
	int i;

	for (i = 0; i < f->g->nodes.n; i++) {
		struct node *n = f->g->nodes.v[i];

		if (n->op == &op_all_reduce) {
			f->held[f->n++] = n;
			f->bytes += bytes_of(n);
			if (f->bytes >= f->most)
				begin(f, i, false);
			continue;
		}
		if (n->op == &op_all_reduced && is_held(f, n->in[0]->def))
			begin(f, i, true);
		f->made[f->nmade++] = n;
	}
	begin(f, i, true);
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
	f.held = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*f.held));
	f.last = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*f.last));
	f.most = plan_bucket_bytes(m);
	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] && g->nodes.v[i]->op != &op_all_reduce)
				f.last[tensor_root(g->nodes.v[i]->in[k])->id] = i;
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
