/*
 * f32-products: convolutions and products in f32 on a card whose tensor cores would do them in
 * tf32, in a fraction of the time. Both are reckoned from the plan, which is the same: tf32 takes
 * the bytes of f32.
 */
#include "rulekit/graph_query.h"

#include "ir/op.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "target/gpu.h"
#include "target/target.h"

#define WORTH_SHARE	4	/* a step that takes a quarter less is worth a line */

/* tf32, where nobody said that it is to be f32, tf32 has the same bytes, and the card has it; else
 * NULL. */
static const struct precision *
rounded(const struct module *m)
{
	const struct precision *now = m->set.precision, *then = precision_find("tf32");
	const struct gpu *gpu = card_named(m);

	return m->train && m->plan->target->libraries && gpu && !m->set.precision_loc.src && !now->tensor_cores &&
	    now->element == then->element && precision_runs_on(then, gpu->arch) ? then : NULL;
}

/* The convolution that does most. */
static const struct node *
largest(const struct module *m)
{
	const struct node *most = NULL;
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "conv") && n->op->macs && (!most || affine_at(n->op->macs(n), 1) > affine_at(most->op->macs(most), 1)))
			most = n;
	}
	return most;
}

/* Milliseconds of a step in a precision that has the same plan. */
static double
milliseconds(const struct module *m, const struct precision *p)
{
	struct module in = *m;

	in.set.precision = p;
	return plan_step_estimate(&in).apart / 1e6;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct precision *then = rounded(m);
	const struct node *n = then ? largest(m) : NULL;
	double now, less;
	struct diag *g;

	if (!n)
		return;
	now = milliseconds(m, m->set.precision);
	less = milliseconds(m, then);
	if (less > now - now / WORTH_SHARE)
		return;
	g = lint_report(l, rule, m->set.batch_loc,
	    "in %s a step takes at least %.2f ms on %s, and in %s %.2f", m->set.precision->name, now, card_named(m)->name, then->name,
	    less);
	diag_place(l->diags, g, n->loc, "'%s' is the largest convolution", n->path);
	diag_fact(l->diags, g, "by what its calls read, write and multiply with objective memory, at %.0f %% of what is published for the card",
	    100 * CARD_SHARE);
	diag_fact(l->diags, g, "PyTorch's convolutions are in %s there unless torch.backends.cudnn.allow_tf32 is False; its products of "
	    "matrices are not", then->name);
	diag_help(l->diags, g, "precision %s takes the same bytes, and rounds the factors of convolutions and products to 10 bits of "
	    "fraction; precision %s says that they are not to be", then->name, m->set.precision->name);
}

static bool
may_find(const struct module *m)
{
	return rounded(m) && largest(m);
}

const struct rule rule_f32_products = {
	.id = "SW331",
	.name = "f32-products",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "convolutions in f32 on a card that does them in tf32 in a fraction of the time",
	.doc = "From sm_80 on tensor cores multiply numbers of f32 whose factors are rounded to 10 bits of fraction, tf32, and add up in "
	    "f32: on an A100 eight times as fast as f32. PyTorch does its convolutions so by default, and its products of matrices not; "
	    "TensorFlow and JAX do both. Here f32 is f32, so a network that comes from there takes longer, and is more exact, unless it "
	    "says precision tf32.\n\n"
	    "Reported where the spec says no precision, the device is a card that is known by its name, and a step's least time is a "
	    "quarter less in tf32; cards such as an RTX 3090 are published with the same rate for both. Cure: precision tf32, or bf16, "
	    "which halves the bytes, too; or precision f32, which says that it is meant. Seen as models that train several times faster in PyTorch than f32's "
	    "rate lets them (pytorch's documentation of TensorFloat-32 on Ampere).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
