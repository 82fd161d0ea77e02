/*
 * table-rows: lets sgd without momentum update only those rows of an embedding's table that tokens
 * of the batch name, straight from dy:
 *
 *     g = embedding_grad(dy, ids); w = sgd(w, g)     ->     w = embedding_sgd(w, dy, ids)
 *
 * The gradient of the other rows is 0, and w - lr 0 is w. So neither a gradient as large as the
 * table is made, nor is the table read and written as a whole: for 50,257 rows of 768 that is 154
 * MB less, and a step of 1024 tokens writes 3 MB in place of 309.
 *
 * Left alone are: weight decay, momentum and the moments of adam, with which every row changes in
 * every step; a rate of the table's own; running averages, in which every row changes; clipping,
 * and the scale of the loss, whose factor is known only when all gradients are; a table that a
 * dense layer shares, whose own gradient is no sum of rows; and micro-batches. --input-gradients
 * says that somebody wants to see gradients.
 *
 * Numbers differ from before by one rounding: where elements have 16 bits, that of the gradient is
 * left out.
 *
 * Reads and writes: train, behind gradients-in-place, which may have given the gradient a place at
 * no cost. Invariants after: 1. the new node stands where the update stood, so no node reads the
 * table behind it;
 * 2. no gradient of its table is left.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/embedding.h"
#include "ops/optimizers.h"

/* The node that makes the gradient, if this is such an update and nobody else reads that. */
static struct node *
rows_of(const struct module *m, const struct node *update, const int *reads)
{
	struct node *n = update->in[1]->def;
	if (update->op != &op_sgd || update->in[2] || optimizer_average(update) || op_real(update, "momentum") != 0 ||
	    op_real(update, "weight_decay") != 0 || optimizer_rate(m, update) != 1)
		return NULL;
	if (!n || n->op != &op_embedding_grad || op_base(n) || reads[n->out[0]->id] != 1)
		return NULL;
	return n;
}

static void
take(struct node *update, const struct node *gradient)
{
	update->op = &op_embedding_sgd;
	update->forward = gradient->forward;
	update->attr = gradient->attr;
	update->in[1] = gradient->in[0];
	update->in[2] = gradient->in[1];	/* behind it, if there is one, the master copy */
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct arena *scratch;
	bool *gone;
	int *reads, i, kept = 0;

	if (!m->train || o->input_gradients)
		return true;
	scratch = arena_child(m->arena);
	reads = sums_reads(m->train, scratch);
	gone = arena_array(scratch, (size_t)m->next_node + 1, sizeof(*gone));
	for (i = 0; i < m->train->nodes.n; i++) {
		struct node *n = m->train->nodes.v[i];
		const struct node *gradient = n->op == &op_sgd ? rows_of(m, n, reads) : NULL;

		if (!gradient)
			continue;
		take(n, gradient);
		n->in[0]->gradient = NULL;
		gone[gradient->id] = true;
	}
	for (i = 0; i < m->train->nodes.n; i++)
		if (!gone[m->train->nodes.v[i]->id])
			m->train->nodes.v[kept++] = m->train->nodes.v[i];
	m->train->nodes.n = kept;
	arena_free(scratch);
	return true;
}

const struct pass pass_table_rows = {
	.name = "table-rows",
	.doc = "update only the rows of an embedding that a batch's tokens name, where that is the same",
	.optional = true,
	.run = run,
};
