/*
 * fuse-activation: lets the products of dense layers and convolutions do the formula next to them, mostly an
 * activation, as they store their results, instead of a kernel that reads and writes all of it once more:
 *
 *     x -> dense -> t -> relu -> y                     x -> dense_then(relu) -> y
 *     dt -> dense_grad_input -> dy -> relu_grad(y) -> dx     dt -> dense_grad_input_then(relu, y) -> dx
 *
 * Forward likewise conv_then; what follows the gradient of a convolution's input stays by itself, since
 * cuDNN has that in one only with engines that it compiles when the program starts, for seconds each.
 * Any formula of one operand goes, and after the gradient of a dense layer's input also one that reads one more.
 * Where backward reads t, as gelu's does, forward stays as it is; backward is fused nevertheless. Between a product
 * and relu_grad there may be views, as there are where a dense layer reads what was flattened.
 *
 * It runs after order and recompute, and changes nothing about either. No plan gets larger: the
 * joined node stands where the product stood. There t was born, in whose bytes y would have been
 * made; y is now born there instead, and no other tensor lives longer than before. That is why
 * cuBLASLt's relu with a mask of bits is not used: the mask would be one more tensor to keep. On
 * both targets relu gives the same bits as before.
 *
 * Reads and writes: train, validate. Invariant after: no dense or conv node, and no dense_grad_input
 * that adds onto nothing, makes what one such formula alone reads, if what else that
 * reads is there by then.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/pointwise.h"

#include "ops/conv.h"
#include "ops/dense.h"
#include "ops/then.h"

struct fusing {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: which node makes it, 1 the first; 0: none */
};

/* Does N make a new tensor by a formula of that many operands, all as large as its result? */
static bool
is_formula_of(const struct node *n, int operands)
{
	const struct tensor *y = n->nout == 1 ? n->out[0] : NULL;
	int k;

	if (!pointwise_has_formula(n) || n->nin != operands || !y || y->alias_of)
		return false;
	for (k = 0; k < operands; k++)
		if (n->in[k]->dtype != y->dtype || n->in[k]->batched != y->batched ||
		    tensor_elements_per_sample(n->in[k]) != tensor_elements_per_sample(y))
			return false;
	return true;
}

/* The node's formula, with operand FIRST, then the other. */
static const struct formula *
formula_from(const struct fusing *f, const struct node *n, int first)
{
	struct arena *a = f->g->module->arena;
	const struct formula *of = pointwise_formula(a, n);
	struct formula *turned = formula_new(a, of->operands);
	int value[2] = { 0 }, k;

	turned->name = of->name;
	for (k = 0; k < of->operands; k++)
		value[k ^ first] = formula_operand(turned, k);
	turned->result[turned->results++] = formula_insert(turned, of, 0, value);
	return turned;
}

/* Does T lie where it was made, and is it read once? */
static bool
is_for_one(const struct fusing *f, const struct tensor *t)
{
	return t->def && !t->alias_of && f->reads[t->id] == 1;
}

static void
rename_output(struct node *n, struct tensor *t, struct fusing *f, int place)
{
	n->out[0] = t;
	t->def = n;
	f->place[t->id] = place;
}

/* What does the same as the operator, and then a formula; NULL: nothing. */
static const struct op *
and_then(const struct op *op)
{
	return op == &op_dense ? &op_dense_then : op == &op_conv ? &op_conv_then : NULL;
}

/* N, a formula, and the dense layer or convolution before it. */
static bool
fuse_forward(struct fusing *f, struct node *n)
{
	struct node *product;

	if (!is_formula_of(n, 1) || !is_for_one(f, n->in[0]) || !and_then(n->in[0]->def->op))
		return false;
	product = n->in[0]->def;
	product->attr = then_attrs(f->g->module->arena, product, formula_from(f, n, 0));
	product->op = and_then(product->op);
	rename_output(product, n->out[0], f, f->place[n->in[0]->id]);
	return true;
}

/* A view, which nothing runs for: T's bytes under another shape, for one reader. */
static bool
is_view(const struct fusing *f, const struct tensor *t)
{
	return t->def && t->def->nin == 1 && t->alias_of == t->def->in[0] && op_is_view(t->def->op) &&
	    f->reads[t->id] == 1;
}

/* What the product made that operand K of N is, or a view of: for N alone, when the other operand is there. NULL: it is
 * no such product's. */
static struct tensor *
made_by_product(const struct fusing *f, const struct node *n, int k)
{
	struct tensor *dy = n->in[k];

	while (is_view(f, dy))
		dy = dy->alias_of;
	if (!is_for_one(f, dy) || dy->def->op != &op_dense_grad_input || op_base(dy->def) ||
	    (n->nin > 1 && f->place[n->in[1 - k]->id] >= f->place[dy->id]))
		return NULL;
	return dy;
}

/* N, such as an activation's gradient, and the product that makes what arrives there. */
static bool
fuse_backward(struct fusing *f, struct node *n)
{
	struct tensor *dy = NULL, *dx = n->nout > 0 ? n->out[0] : NULL;
	struct node *product;
	int k;

	if (!is_formula_of(n, 1) && !is_formula_of(n, 2))
		return false;
	for (k = 0; k < n->nin && !(dy = made_by_product(f, n, k)); k++)
		;
	if (!dy)
		return false;
	product = dy->def;
	product->attr = then_attrs(f->g->module->arena, product, formula_from(f, n, k));
	product->op = &op_dense_grad_input_then;
	if (n->nin > 1)
		ir_add_input(f->g->module, product, n->in[1 - k]);
	if (dy == n->in[k]) {
		rename_output(product, dx, f, f->place[dy->id]);
	} else {	/* the last view is what is read from now on */
		struct tensor *view = n->in[k];

		tensor_alias(dx, view->alias_of);
		rename_output(view->def, dx, f, f->place[view->id]);
	}
	return true;
}

static void
fuse(struct graph *g)
{
	struct arena *a = g->module->arena;
	struct fusing f = { .g = g, .reads = sums_reads(g),
	    .place = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*f.place)) };
	int i, j, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			if (g->nodes.v[i]->out[j])
				f.place[g->nodes.v[i]->out[j]->id] = i + 1;
	for (i = 0; i < g->nodes.n; i++)
		if (!fuse_forward(&f, g->nodes.v[i]) && !fuse_backward(&f, g->nodes.v[i]))
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
}

const struct pass pass_fuse_activation = {
	.name = "fuse-activation",
	.doc = "let products do the formula next to them",
	.optional = true,
	.rewrite = fuse,
};
