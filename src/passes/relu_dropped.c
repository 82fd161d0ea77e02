/*
 * relu-dropped: lets the gradient of a relu whose result goes through dropout read what dropout
 * made of it, so that the result itself need not be kept:
 *
 *     y = relu(x); z = dropout(y)        y = relu(x); z = dropout(y)
 *     dy = dropout_grad(dz)              dy = dropout_grad(dz)
 *     dx = relu_grad(dy, y)              dx = relu_grad(dy, z)
 *
 * What relu's gradient asks of y is whether it is <= 0. Where an element was kept, z = y / (1 -
 * rate) is not less than y, and says the same; where it was dropped, dy is 0, and so is dx. That is
 * worth it only where backward reads z anyway, as the layer behind mostly does for its weights'
 * gradient, in the feed-forward blocks of transformers and in VGG's head: y's bytes are then free
 * when dropout has read it, or become z's. Elsewhere, as before a residual sum, z would be kept in
 * place of y, and dropout would have to write it where it could be joined with what reads it. dx
 * has the same bits, but for the sign of zeros.
 *
 * Reads and writes: train after prune. Invariant after: no gradient of relu reads a y from which
 * its own gradient came by dropout alone, where backward reads what dropout made, which has bytes
 * of its own and y's type.
 */
#include "ir/pass.h"

#include "ops/pointwise.h"

extern const struct op op_dropout, op_dropout_grad;

/* What dropout made of the y that N, the gradient of its relu, reads; NULL: N is none, or what it
 * is given did not come through that dropout. */
static struct tensor *
dropped(struct arena *a, const struct node *n)
{
	const struct node *grad = n->nin == 2 && n->in[0] ? n->in[0]->def : NULL;
	const struct node *dropout = grad && grad->op == &op_dropout_grad ? grad->forward : NULL;

	if (!dropout || dropout->op != &op_dropout || dropout->in[0] != n->in[1] || !pointwise_has_formula(n) ||
	    !pointwise_is_relu_grad(a, pointwise_formula(a, n)) || n->in[0]->alias_of || dropout->out[0]->dtype != n->in[1]->dtype)
		return NULL;
	return dropout->out[0];
}

/* Whose bytes backward reads, by the number of the tensor that they are of. */
static const bool *
read_by_backward(struct arena *a, const struct graph *g)
{
	bool *read = arena_array(a, (size_t)g->module->next_tensor, sizeof(*read));
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->phase != PHASE_BACKWARD)
			continue;
		for (k = 0; k < n->nin; k++)
			if (n->in[k])
				read[tensor_root(n->in[k])->id] = true;
	}
	return read;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	const bool *read;
	struct arena *a;
	int i;

	(void)o;
	if (!m->train || !ir_has(m->train, &op_dropout_grad))
		return true;
	a = arena_child(m->arena);
	read = read_by_backward(a, m->train);
	for (i = 0; i < m->train->nodes.n; i++) {
		struct node *n = m->train->nodes.v[i];
		struct tensor *z = dropped(a, n);

		if (z && read[tensor_root(z)->id])
			n->in[1] = z;
	}
	arena_free(a);
	return true;
}

const struct pass pass_relu_dropped = {
	.name = "relu-dropped",
	.doc = "let relu's gradient read what dropout made of its result, which then need not be kept",
	.optional = true,
	.run = run,
};
