/*
 * part-statistics: where sums over parts of the batch are to be the same on any number of ranks
 * (settings.parts), batch normalisation's running statistics are such sums, too. A rank makes its
 * parts one after the other, and others make theirs at the same time: what ran on from one part to
 * the next would be of those that a rank happens to make. So each part begins with what the last
 * update left, and what it changes is added up in the order of gradients:
 *
 *     train:   held = hold_statistics(running...)
 *              ...
 *              change, running... = part_statistics(held, running...)
 *              accumulate into changes
 *     update:  all_reduce, all_reduced, running... = settle_statistics(changes, running...)
 *
 * With pieces of gradients the parts of a turn are neighbours (kernels/host/run.c), so changes are
 * added up over ranks before they are over a rank's parts. A rank that makes a single part has all
 * of it in train. It runs when nodes are in their last order, so that these sums hold up no others.
 *
 * Reads: train, settings after sync-norm. Writes: train and update. Invariants after: 1. train
 * leaves running statistics as it found them, if an update has several parts here; 2. the order of
 * all other nodes is what it was.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"

extern const struct op op_hold_statistics, op_part_statistics, op_settle_statistics, op_accumulate, op_all_reduce,
    op_all_reduced;

#define NAME	"running statistics"

struct keeping {
	struct module *m;
	struct tensor **running, **last;	/* as train finds it, and what it makes of it */
	int n;
	int64_t elements;			/* of all */
};

static void
find(struct keeping *k)
{
	struct graph *g = k->m->train;
	int *of = arena_array(k->m->arena, (size_t)k->m->next_tensor + 1, sizeof(*of)), i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++) {
			struct tensor *t = g->nodes.v[i]->out[j], *root = t ? tensor_root(t) : NULL;

			if (!root || root->kind != T_STATISTIC || root->frozen)
				continue;
			if (!of[root->id]) {
				of[root->id] = ++k->n;
				k->running[k->n - 1] = root;
				k->elements += tensor_elements_per_sample(root);
			}
			k->last[of[root->id] - 1] = t;
		}
}

static struct node *
append(struct keeping *k, struct graph *g, const struct op *op, enum phase phase)
{
	struct node *n = ir_node(g, op, NAME, k->m->loc, 0, NULL);

	n->phase = phase;
	return n;
}

static struct tensor *
numbers(struct keeping *k, enum tensor_kind kind, int64_t of_all)
{
	int64_t elements = of_all * k->elements;

	return ir_tensor(k->m, kind, k->running[0]->dtype, false, 1, &elements, NAME, k->m->loc);
}

static void
put_first(struct graph *g)
{
	struct node *n = g->nodes.v[g->nodes.n - 1];

	memmove(g->nodes.v + 1, g->nodes.v, (size_t)(g->nodes.n - 1) * sizeof(*g->nodes.v));
	g->nodes.v[0] = n;
}

static struct tensor *
hold(struct keeping *k)
{
	struct node *n = append(k, k->m->train, &op_hold_statistics, PHASE_FORWARD);
	int i;

	for (i = 0; i < k->n; i++)
		ir_add_input(k->m, n, k->running[i]);
	put_first(k->m->train);
	return ir_add_output(k->m, n, numbers(k, T_SAVED, 1));
}

/* Appends what reads X and all running statistics, and makes them anew. */
static struct node *
append_of_all(struct keeping *k, struct graph *g, const struct op *op, enum phase phase, struct tensor *x)
{
	struct node *n = append(k, g, op, phase);
	int i;

	ir_add_input(k->m, n, x);
	for (i = 0; i < k->n; i++)
		ir_add_input(k->m, n, k->last[i]);
	if (op == &op_part_statistics)
		ir_add_output(k->m, n, numbers(k, T_SAVED, 1));
	for (i = 0; i < k->n; i++)
		k->last[i] = ir_add_output(k->m, n, ir_tensor_like(k->m, T_SAVED, k->running[i], k->running[i]->name, k->running[i]->loc));
	return n;
}

static struct tensor *
over_ranks(struct keeping *k, struct graph *g, enum phase phase, struct tensor *x)
{
	const struct op *const op[] = { &op_all_reduce, &op_all_reduced };
	int i;

	for (i = 0; i < 2; i++) {
		struct node *n = append(k, g, op[i], phase);

		ir_add_input(k->m, n, x);
		x = ir_add_output(k->m, n, numbers(k, x->kind, 1));
	}
	return x;
}

/* What sums of branches wait in is as for gradients (passes/update.c). */
static struct tensor *
over_parts(struct keeping *k, struct tensor *x)
{
	struct node *n = append(k, k->m->train, &op_accumulate, PHASE_BACKWARD);
	struct tensor *sum[2];
	int64_t levels = 0, parts;
	int i;

	for (parts = 4; parts <= k->m->set.accumulate; parts *= 2)
		levels++;
	for (i = 0; i < (levels ? 2 : 1); i++) {
		sum[i] = numbers(k, T_GRADIENT, i ? levels : 1);
		sum[i]->accumulates = true;
	}
	ir_add_input(k->m, n, sum[0]);
	ir_add_input(k->m, n, x);
	if (levels)
		ir_add_input(k->m, n, sum[1]);
	for (i = 0; i < (levels ? 2 : 1); i++)
		ir_add_output(k->m, n, numbers(k, T_GRADIENT, i ? levels : 1));
	return sum[0];
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct keeping k = { .m = m };
	struct graph *last = m->update ? m->update : m->train;
	bool pieces = settings_share_out(&m->set, SHARD_GRADIENTS), ranks = module_ranks(m) > 1;
	struct tensor *held, *x;
	int i;

	(void)o;
	if (!m->train || !module_parts(m))
		return true;
	k.running = arena_array(m->arena, (size_t)m->persistent.n + 1, sizeof(*k.running));
	k.last = arena_array(m->arena, (size_t)m->persistent.n + 1, sizeof(*k.last));
	find(&k);
	if (k.n == 0)
		return true;
	held = hold(&k);
	x = append_of_all(&k, m->train, &op_part_statistics, PHASE_BACKWARD, held)->out[0];
	if (ranks && (pieces || !m->update))
		x = over_ranks(&k, m->train, PHASE_BACKWARD, x);
	if (m->update) {
		x = over_parts(&k, x);
		if (ranks && !pieces)
			x = over_ranks(&k, m->update, PHASE_BACKWARD, x);
		for (i = 0; i < k.n; i++)
			k.last[i] = k.running[i];
	}
	append_of_all(&k, last, &op_settle_statistics, PHASE_UPDATE, x);
	return true;
}

const struct pass pass_part_statistics = {
	.name = "part-statistics",
	.doc = "add up over parts of the batch what they make of running statistics",
	.run = run,
};
