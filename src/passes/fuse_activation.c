/*
 * fuse-activation: lets what can (op->then) do the formula behind it as it stores its result,
 * instead of a kernel that reads and writes all of it once more:
 *
 *     x -> dense -> t -> relu -> y                     x -> dense_then(relu) -> y
 *     x -> dense -> t, t + skip -> y                   x, skip -> dense_then(t + skip) -> y
 *     dt -> dense_grad_input -> dy -> relu_grad(y) -> dx     dt -> dense_grad_input_then(relu, y) -> dx
 *
 * Any formula of one operand goes, and where the operator's row says so also one that reads one
 * more, as large, which is there by then. cuDNN adds a skip to a convolution only with engines that
 * it compiles when the program starts, for seconds each; there a kernel of ours does it afterwards,
 * as a node of its own would. What follows the gradient of a convolution's input stays by itself.
 * Where backward reads t, as gelu's does, forward stays as it is; backward is fused nevertheless.
 * Between the two there may be views, as there are where a dense layer reads what was flattened.
 *
 * It runs after order and recompute, and changes nothing about either. No plan gets larger: the
 * joined node stands where the first stood. There t was born, in whose bytes y would have been
 * made; y is now born there instead, and no other tensor lives longer than before. That is why
 * cuBLASLt's relu with a mask of bits is not used here: the mask would be one more tensor to keep.
 * Where that takes the place of y, relu_bits.c puts it. On both targets relu gives the same bits as
 * before.
 *
 * Each formula is a branch of all kernels that do such, so a program has EPILOGUES_MOST of them
 * (kernels/sizes.h), and others stay by themselves.
 *
 * Reads and writes: train, validate. Invariant after: nothing with op->then, that adds onto
 * nothing, makes what one such formula alone reads, if what else that reads is there by then, and
 * there are not so many.
 */
#include "ir/pass.h"

#include "formula/formula_pool.h"
#include "ir/attr_pool.h"
#include "ops/pointwise.h"
#include "ops/then.h"
#include "passes/sums.h"

struct fusing {
	struct graph *g;
	struct intern attrs;		/* of what does a formula, */
	struct intern formulas;	/* and those */
	struct then_set done;	/* of them, and before */
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: which node makes it, 1 the first; 0: none */
};

/* Does N make a new tensor by a formula of one operand or two, all as large as its result? */
static bool
is_formula(const struct node *n)
{
	const struct tensor *y = n->nout == 1 ? n->out[0] : NULL;
	int k;

	if (!pointwise_has_formula(n) || n->nin < 1 || n->nin > 2 || !y || y->alias_of)
		return false;
	for (k = 0; k < n->nin; k++)
		if (n->in[k]->dtype != y->dtype || n->in[k]->batched != y->batched ||
		    n->in[k]->channels_last != y->channels_last ||
		    tensor_elements_per_sample(n->in[k]) != tensor_elements_per_sample(y))
			return false;
	return true;
}

/* A view, which nothing runs for: T's bytes under another shape, for one reader. */
static bool
is_view(const struct fusing *f, const struct tensor *t)
{
	return t->def && t->def->nin == 1 && t->alias_of == t->def->in[0] && op_is_view(t->def->op) &&
	    f->reads[t->id] == 1;
}

/* What operand K of N is, or a view of, if that is made for N alone by a node that can do N's
 * formula too, when the other operand is there; or NULL. */
static struct tensor *
made_for(const struct fusing *f, const struct node *n, int k)
{
	struct tensor *t = n->in[k];

	while (is_view(f, t))
		t = t->alias_of;
	if (!t->def || t->alias_of || f->reads[t->id] != 1 || t->def->out[0] != t || !then_takes(t->def, n->nin) ||
	    op_base(t->def))
		return NULL;
	return n->nin > 1 && f->place[n->in[1 - k]->id] >= f->place[t->id] ? NULL : t;
}

static void
rename_output(struct node *n, struct tensor *t, struct fusing *f, int place)
{
	n->out[0] = t;
	t->def = n;
	f->place[t->id] = place;
}

/* MAKER does the formula of its reader N, too, which has it as operand K, if kernels take one
 * more. */
static bool
join(struct fusing *f, struct node *maker, const struct node *n, int k)
{
	struct module *m = f->g->module;
	struct arena *scratch = arena_child(m->arena);
	const struct formula *then = formula_pool_keep(&f->formulas, m->arena, then_both(scratch, maker, n, k));
	bool joins = then_admits(&f->done, then, EPILOGUES_MOST);

	if (joins) {
		then_join(m, scratch, maker, then, n, k);
		maker->attr = attr_pool_keep(&f->attrs, m->arena, maker->op, maker->attr);
	}
	arena_free(scratch);
	return joins;
}

/* N, a formula, and what makes its operand: does that do it from now on? */
static bool
fuse_one(struct fusing *f, struct node *n)
{
	struct tensor *t = NULL, *y = n->nout > 0 ? n->out[0] : NULL;
	int k;

	if (!is_formula(n))
		return false;
	for (k = 0; k < n->nin && !(t = made_for(f, n, k)); k++)
		;
	if (!t || !join(f, t->def, n, k))
		return false;
	if (t == n->in[k]) {
		rename_output(t->def, y, f, f->place[t->id]);
	} else {	/* the last view is what is read from now on, and what lies before it are its bytes */
		struct tensor *view = n->in[k], *before = view;

		do {
			before = before->alias_of;
			before->name = y->name;
		} while (before != t);
		tensor_alias(y, view->alias_of);
		rename_output(view->def, y, f, f->place[view->id]);
	}
	return true;
}

static void
fuse(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	struct fusing f = { .g = g, .reads = sums_reads(g, scratch),
	    .place = arena_array(scratch, (size_t)g->module->next_tensor + 1, sizeof(*f.place)) };
	int i, j, kept = 0;

	then_gather(&f.done, g->module);
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			if (g->nodes.v[i]->out[j])
				f.place[g->nodes.v[i]->out[j]->id] = i + 1;
	for (i = 0; i < g->nodes.n; i++)
		if (!fuse_one(&f, g->nodes.v[i]))
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
	arena_free(scratch);
}

const struct pass pass_fuse_activation = {
	.name = "fuse-activation",
	.doc = "let products, average pools and sums do the formula behind them",
	.optional = true,
	.rewrite = fuse,
};
