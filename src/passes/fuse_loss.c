/*
 * fuse-loss: lets a loss compute the gradient of its logits in the same sweep:
 *
 *     logits, labels -> cross_entropy -> loss, lse           logits, labels -> cross_entropy_with_grad
 *     seed -> dloss                                               -> dlogits over logits, loss
 *     dloss, logits, labels, lse -> cross_entropy_grad -> dlogits
 *
 * Losses that are means of formulas, such as mse, which keep nothing for backward, likewise. For
 * small networks this saves launches, 1 or 2 on a GPU instead of 5; for large images, one read of
 * the logits.
 *
 * The node stands where the loss stood. That is for losses whose gradient is the seed itself, and
 * if nothing else reads the logits later, even through a view: the pass in-place then puts dlogits
 * where the logits are, which were alive until their gradient was made. So no plan gets larger: lse
 * and the seed are gone, the labels are read for the last time, and the workspace is that of the
 * loss. It runs after order and recompute.
 *
 * In C the results are bit-identical. On a GPU the loss is summed in another order.
 *
 * Reads and writes: train. Invariant after: no loss that can be joined starts a backward pass whose
 * first node could stand where the loss does, and every seed has a reader.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/labels.h"
#include "ops/losses.h"
#include "ops/mean_loss.h"

struct fusing {
	struct graph *g;
	int *reads;		/* by the id of a tensor */
	struct last_reads read;
	int *place;		/* by the id of logits: the loss that reads them, or -1 */
	int *over;		/* by the id of a root: the first node to overwrite it, or -1 */
};

/* The operator that its gradient is; NULL: it is no loss that can be joined. */
static const struct op *
grad_of(const struct node *loss)
{
	return loss->op == &op_cross_entropy && !labels_vary(loss) ? &op_cross_entropy_grad :
	    mean_loss_is(loss->op) ? &op_mean_loss_grad : NULL;
}

static struct fusing
survey(struct graph *g, struct arena *a)
{
	size_t all = (size_t)g->module->next_tensor + 1, k;
	struct fusing f = { g, sums_reads(g, a), sums_last_reads(g, a), arena_array(a, all, sizeof(*f.place)),
	    arena_array(a, all, sizeof(*f.over)) };
	int i, j;

	for (k = 0; k < all; k++)
		f.place[k] = f.over[k] = -1;
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		for (j = 0; j < n->nout; j++)
			if (n->out[j] && n->out[j]->alias_of && f.over[tensor_root(n->out[j])->id] < 0)
				f.over[tensor_root(n->out[j])->id] = i;
		if (grad_of(n))
			f.place[n->in[0]->id] = i;
	}
	return f;
}

/* Is the AT-th node, which makes the gradient of the logits that LOSS reads, all that what LOSS
 * keeps is for, and all that reads the logits after it? */
static bool
can_join(const struct fusing *f, const struct node *loss, const struct node *grad, int at)
{
	const struct tensor *logits = loss->in[0], *root = tensor_root(logits);
	int k;

	if (mean_loss_is(loss->op) && grad->forward != loss)
		return false;	/* it is of another formula */
	if (grad->nin < 3 || grad->in[2] != loss->in[1] || grad->out[0]->alias_of)
		return false;
	for (k = 1; k < loss->nout; k++)
		if (loss->out[k] && (f->reads[loss->out[k]->id] != 1 || grad->in[2 + k] != loss->out[k]))
			return false;
	return !tensor_persistent(root) && f->read.last[root->id] == at &&
	    f->read.before[root->id] == f->place[logits->id];
}

/* Is what the seed is made of, the loss's scale, still there when the loss runs? Where no gradient
 * of a parameter waits for it, its update may come first. */
static bool
scale_is_there(const struct fusing *f, const struct node *seed, const struct tensor *logits)
{
	int over = seed->nin ? f->over[tensor_root(seed->in[0])->id] : -1;

	return over < 0 || over > f->place[logits->id];
}

static void
join(struct fusing *f, struct node *loss, struct node *grad)
{
	struct module *m = f->g->module;
	struct tensor *in[] = { loss->in[0], loss->in[1], NULL }, *value = loss->out[0];
	struct node *seed = grad->in[0]->def;
	int k;

	if (mean_loss_is(loss->op))
		mean_loss_fuse(m->arena, loss);
	else
		loss->op = &op_cross_entropy_with_grad;
	loss->nin = loss->nout = 0;
	in[2] = seed->nin ? seed->in[0] : NULL;
	for (k = 0; k < 3 && in[k]; k++)
		ir_add_input(m, loss, in[k]);
	ir_add_output(m, loss, grad->out[0]);
	ir_add_output(m, loss, value);
	f->reads[seed->out[0]->id]--;
}

/* Does the AT-th node now run where the loss does? */
static bool
fuse(struct fusing *f, int at)
{
	struct node *n = f->g->nodes.v[at], *loss;

	if (n->nin < 2 || !n->in[1] || f->place[n->in[1]->id] < 0)
		return false;
	loss = f->g->nodes.v[f->place[n->in[1]->id]];
	if (n->op != grad_of(loss) || !n->in[0]->def || n->in[0]->def->op != &op_seed ||
	    !can_join(f, loss, n, at) || !scale_is_there(f, n->in[0]->def, loss->in[0]))
		return false;
	join(f, loss, n);
	return true;
}

static void
fuse_losses(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	struct fusing f = survey(g, scratch);
	bool *gone = arena_array(scratch, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		gone[i] = fuse(&f, i);
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		if (!gone[i] && (n->op != &op_seed || f.reads[n->out[0]->id] > 0))
			g->nodes.v[kept++] = n;
	}
	g->nodes.n = kept;
	arena_free(scratch);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	if (m->train)
		fuse_losses(m->train);
	return true;
}

const struct pass pass_fuse_loss = {
	.name = "fuse-loss",
	.doc = "let losses make the gradient of their logits in the same sweep",
	.optional = true,
	.run = run,
};
