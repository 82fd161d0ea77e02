/*
 * fuse-activation: lets the products of dense layers and convolutions do the activation next to them
 * as they store their results, instead of a kernel that reads and writes all of it once more:
 *
 *     x -> dense -> t -> relu -> y                     x -> dense_then(relu) -> y
 *     dt -> dense_grad_input -> dy -> relu_grad(y) -> dx     dt -> dense_grad_input_then(relu, y) -> dx
 *
 * Forward likewise conv_then; what follows the gradient of a convolution's input stays by itself, since
 * cuDNN has that in one only with engines that it compiles when the program starts, for seconds each.
 * The same for gelu in both its forms. Where backward reads t, as gelu's does, forward stays as it
 * is; backward is fused nevertheless. Between a product and relu_grad there may be views, as there
 * are where a dense layer reads what was flattened.
 *
 * It runs after order and recompute, and changes nothing about either. No plan gets larger: the
 * joined node stands where the product stood. There t was born, in whose bytes y would have been
 * made; y is now born there instead, and no other tensor lives longer than before. That is why
 * cuBLASLt's relu with a mask of bits is not used: the mask would be one more tensor to keep. On
 * both targets relu gives the same bits as before.
 *
 * Reads and writes: train, validate. Invariant after: no dense or conv node, and no dense_grad_input
 * that adds onto nothing, makes what one such activation or gradient alone reads, if what else that
 * reads is there by then.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/conv.h"
#include "ops/dense.h"

struct fusing {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: which node makes it, 1 the first; 0: none */
	const struct op *relu, *gelu, *relu_grad, *gelu_grad;
};

/* Which activation, or the gradient of which, a node is: false if it is none of them. */
static bool
is_activation(const struct node *n, const struct op *relu, const struct op *gelu,
    enum product_then *then)
{
	if (n->op == relu)
		*then = THEN_RELU;
	else if (n->op == gelu)
		*then = op_bool(n, "tanh") ? THEN_GELU_TANH : THEN_GELU;
	else
		return false;
	return true;
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

/* What does the same as the operator, and then an activation; NULL: nothing. */
static const struct op *
makes_activation(const struct op *op)
{
	return op == &op_dense ? &op_dense_then : op == &op_conv ? &op_conv_then : NULL;
}

/* N, an activation, and the dense layer or convolution before it. */
static bool
fuse_forward(struct fusing *f, struct node *n)
{
	struct node *product;
	enum product_then then;

	if (!is_activation(n, f->relu, f->gelu, &then) || !is_for_one(f, n->in[0]) ||
	    !makes_activation(n->in[0]->def->op) || n->out[0]->alias_of)
		return false;
	product = n->in[0]->def;
	product->attr = product_attrs_then(f->g->module->arena, product, then);
	product->op = makes_activation(product->op);
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

/* N, an activation's gradient, and the product that makes what arrives there. */
static bool
fuse_backward(struct fusing *f, struct node *n)
{
	struct tensor *dy, *dx, *saved;
	struct node *product;
	enum product_then then;

	if (!is_activation(n, f->relu_grad, f->gelu_grad, &then) || n->out[0]->alias_of)
		return false;
	for (dy = n->in[0]; is_view(f, dy); dy = dy->alias_of)
		;
	dx = n->out[0];
	saved = n->in[1];
	if (!is_for_one(f, dy) || dy->def->op != &op_dense_grad_input ||
	    f->place[saved->id] >= f->place[dy->id])
		return false;
	product = dy->def;
	product->attr = product_attrs_then(f->g->module->arena, product, then);
	product->op = &op_dense_grad_input_then;
	ir_add_input(f->g->module, product, saved);
	if (dy == n->in[0]) {
		rename_output(product, dx, f, f->place[dy->id]);
	} else {	/* the last view is what is read from now on */
		struct tensor *view = n->in[0];

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
	    .place = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*f.place)),
	    .relu = op_find("relu"), .gelu = op_find("gelu"),
	    .relu_grad = op_find("relu_grad"), .gelu_grad = op_find("gelu_grad") };
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
	.doc = "let products do the relu or gelu next to them",
	.optional = true,
	.rewrite = fuse,
};
