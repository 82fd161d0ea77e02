/*
 * odd-batch: in 16-bit precision, products of dense layers over a number of rows that is no
 * multiple of 8. The batches next to it are planned; that they need not be powers of two is said
 * with bytes.
 */
#include "rulekit/graph_query.h"

#include "fit/whatif.h"
#include "ir/op.h"
#include "plan/plan.h"

#define MULTIPLE	8
#define WORTH_SHARE	4	/* of the multiply-adds that dense layers must do */

static double
macs(const struct node *n)
{
	return n->op->macs ? (double)affine_at(n->op->macs(n), 1) : 0;
}

/* Rows of one sample that a dense layer multiplies: 0 for others. */
static int64_t
rows(const struct node *n)
{
	const struct tensor *x = node_is(n, "dense") ? n->in[0] : NULL;

	return x && x->batched && x->rank ? tensor_elements_per_sample(x) / x->dim[x->rank - 1] : 0;
}

/* The dense layer that does most, of those over an odd number of rows; *SHARE: of all work. */
static const struct node *
largest(const struct module *m, double *share)
{
	const struct node *most = NULL;
	double all = 0, odd = 0;
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		int64_t r = rows(n);

		all += macs(n);
		if (r == 0 || (r % MULTIPLE) * (m->plan->batch % MULTIPLE) % MULTIPLE == 0)
			continue;
		odd += macs(n);
		if (!most || macs(n) > macs(most))
			most = n;
	}
	*share = all > 0 ? odd / all : 0;
	return most;
}

static void
tell(struct lint *l, struct diag *g, int64_t batch)
{
	struct module *m = l->module;
	int64_t arena = batch > 0 ? whatif_batch(m, batch) : INT64_MAX, less;

	if (arena == INT64_MAX)
		return;
	less = m->plan->arena_bytes - arena;
	diag_help(l->diags, g, "%sbatch %lld needs %s, %s %s",
	    m->set.accumulate > 1 ? "micro-" : "",
	    (long long)batch, lint_human(m->arena, arena),
	    lint_human(m->arena, less < 0 ? -less : less), less < 0 ? "more" : "less");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	int64_t batch = m->plan->batch;
	const struct node *n;
	struct diag *g;
	double share;

	if (!m->train || batch < MULTIPLE || !precision_is_narrow(m->set.precision))
		return;
	n = largest(m, &share);
	if (!n || share * WORTH_SHARE < 1)
		return;
	g = lint_report(l, rule, m->set.batch_loc, "dense layers multiply %lld rows, no multiple "
	    "of %d, in %s", (long long)(rows(n) * batch), MULTIPLE,
	    m->set.precision->name);
	diag_place(l->diags, g, n->loc, "'%s' is the largest of them", n->path);
	diag_fact(l->diags, g, "they do %.0f %% of the multiply-adds; in the weights' gradient "
	    "rows are what is summed over, and matrix units take %d at a time", 100 * share,
	    MULTIPLE);
	tell(l, g, batch / MULTIPLE * MULTIPLE);
	tell(l, g, (batch / MULTIPLE + 1) * MULTIPLE);
}

const struct rule rule_odd_batch = {
	.id = "SW320",
	.name = "odd-batch",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "in 16-bit precision a batch that is no multiple of 8",
	.doc = "Tensor cores multiply 16-bit operands whose extents are multiples of 8. The rows "
	    "of a dense layer are the batch, times the positions of a sample; in the gradient of "
	    "the weights they are what is summed over. For other numbers libraries pad, or take "
	    "slower kernels.\n\n"
	    "Reported in bf16 and f16 where dense layers over such rows do a quarter of the "
	    "multiply-adds or more; the multiples of 8 below and above are planned. No power of "
	    "two is needed: memory grows with the batch in proportion, so that 96 or 104 cost what "
	    "they are, and 128 buys nothing. NVIDIA's guides to linear layers say so (extents "
	    "divisible by 8 for FP16), and cuBLAS's page on tensor cores.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
