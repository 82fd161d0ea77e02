/*
 * last-sums: lets the sums over ranks of what micro-batches have added up begin beside the backward
 * of the last of them, as those of a step alone do, in place of after it:
 *
 *     train:   ... dw2 += ...  dw1 += ...                          ... dw2 += ... begin2 ... dw1 += ... begin1 ... wait2 wait1
 *     update:  begin2 begin1 wait2 wait1, updates          ->      updates
 *
 * Both run in the last micro-batch of an update alone (ir/due.h). The waits end the step, not the
 * update: what a captured step begins beside itself is over when it is. Sums of which each rank
 * gets but its piece (shard optimizer) go likewise; where gradients are in pieces, too, every
 * micro-batch adds up its own.
 *
 * Reads: train and update after updates-together. Writes: their nodes. Invariants after: 1. update
 * begins no sum over ranks and waits for none; 2. in train each begins behind the last node that
 * has to do with what is added up.
 */
#include "ir/pass.h"

#include "ir/op.h"
#include "passes/early.h"

struct moving {
	struct module *m;
	struct node **begins, **waits;	/* taken from update, in its order */
	int nbegins, nwaits;
	struct tensor **now;		/* by the id of a sum in update: the root of what it is in */
};

/* Takes the sums out of update, whose other nodes then read what is added up where it lies between
 * steps. */
static void
take(struct moving *f)
{
	struct graph *g = f->m->update;
	int i, k, kept = 0;

	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		if (n->op->ranks.between == BETWEEN_SUM || n->op->ranks.between == BETWEEN_SCATTER) {
			*(n->op->ranks.waits ? &f->waits[f->nwaits++] : &f->begins[f->nbegins++]) = n;
			f->now[n->out[0]->id] = tensor_root(n->in[0]);
			continue;
		}
		for (k = 0; k < n->nin; k++)
			if (n->in[k] && f->now[n->in[k]->id])
				n->in[k] = f->now[n->in[k]->id];
		for (k = 0; k < n->nout; k++)
			if (n->out[k] && n->out[k]->alias_of && f->now[n->out[k]->alias_of->id])
				tensor_alias(n->out[k], f->now[n->out[k]->alias_of->id]);
		g->nodes.v[kept++] = n;
	}
	g->nodes.n = kept;
}

/* Puts each sum behind the last node that has to do with what it adds up, and the waits at the
 * end. */
static void
put(struct moving *f, struct arena *a)
{
	struct graph *g = f->m->train;
	struct tensor **made = arena_array(a, (size_t)f->m->next_tensor + 1, sizeof(*made));
	int first = g->nodes.n, i, k;

	for (i = 0; i < first; i++)
		for (k = 0; k < g->nodes.v[i]->nout; k++)
			if (g->nodes.v[i]->out[k])
				made[tensor_root(g->nodes.v[i]->out[k])->id] = g->nodes.v[i]->out[k];
	for (i = 0; i < f->nbegins; i++) {
		struct node *n = f->begins[i];

		n->in[0] = made[tensor_root(n->in[0])->id];
		tensor_alias(n->out[0], n->in[0]);
		vec_push(f->m->arena, &g->nodes, n);
	}
	early_nodes(g, first);
	for (i = 0; i < f->nwaits; i++)
		vec_push(f->m->arena, &g->nodes, f->waits[i]);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct moving f = { .m = m };
	struct arena *a;

	(void)o;
	if (!m->train || !m->update || settings_data_ranks(&m->set) <= 1)
		return true;
	a = arena_child(m->arena);
	f.begins = arena_array(a, (size_t)m->update->nodes.n + 1, sizeof(*f.begins));
	f.waits = arena_array(a, (size_t)m->update->nodes.n + 1, sizeof(*f.waits));
	f.now = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*f.now));
	take(&f);
	put(&f, a);
	arena_free(a);
	return true;
}

const struct pass pass_last_sums = {
	.name = "last-sums",
	.doc = "add up over ranks what micro-batches have while backward of the last of them goes on",
	.optional = true,
	.run = run,
};
