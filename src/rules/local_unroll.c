/*
 * local-unroll: a locally-connected layer that Keras unrolls into one slice a position, whose
 * gradients are all as large as the whole input. Formulas and their source:
 * frameworks/keras_local.h.
 */
#include "rulekit/graph_query.h"

#include "base/text.h"
#include "frameworks/keras_local.h"
#include "plan/plan.h"

/* Below this no card runs out of memory, and unrolling is merely slow. */
#define WORTH_SAYING	((int64_t)256 << 20)

static void
tell_fit(struct lint *l, struct diag *g, const struct keras_local *k)
{
	const struct module *m = l->module;
	int64_t batch = m->plan->batch, memory = m->set.device.memory, most;

	if (!m->set.device.given || memory <= 0)
		return;
	most = keras_local_largest(m, k, batch, memory);
	if (most == batch) {
		diag_fact(l->diags, g, "that fits %s at batch %lld, by TensorFlow's allocator "
		    "rules", lint_human(m->arena, memory), (long long)batch);
		return;
	}
	if (most > 0)
		diag_fact(l->diags, g, "that does not fit %s at batch %lld; the largest batch "
		    "there is %lld, by TensorFlow's allocator rules", lint_human(m->arena, memory),
		    (long long)batch, (long long)most);
	else
		diag_fact(l->diags, g, "that does not fit %s at any batch",
		    lint_human(m->arena, memory));
}

static void
tell_lowerings(struct lint *l, struct diag *g, const struct keras_local *k)
{
	struct arena *a = l->module->arena;
	int64_t b = l->module->plan->batch;

	diag_fact(l->diags, g, "implementation 1, slices: %s B forward, %s B backward",
	    lint_commas(a, affine_at(k->slices_forward, b)),
	    lint_commas(a, affine_at(k->slices_backward, b)));
	diag_fact(l->diags, g, "implementation 2, masked dense: %s B, for a [%s, %s] weight",
	    lint_commas(a, affine_at(k->masked, b)),
	    lint_commas(a, tensor_elements_per_sample(k->forward->in[0])),
	    lint_commas(a, k->positions * k->filters));
	diag_fact(l->diags, g, "implementation 3, sparse: at most %s B",
	    lint_commas(a, affine_at(k->sparse, b)));
	diag_fact(l->diags, g, "here, a direct kernel: %s B forward, %s B backward",
	    lint_commas(a, affine_at(k->ours_forward, b)),
	    lint_commas(a, affine_at(k->ours_backward, b)));
}

static void
tell_cure(struct lint *l, struct diag *g, const struct keras_local *k, int64_t cost)
{
	struct arena *a = l->module->arena;
	int64_t b = l->module->plan->batch;
	bool sparse = affine_at(k->sparse, b) <= affine_at(k->masked, b);
	int64_t bytes = affine_at(sparse ? k->sparse : k->masked, b), memory = l->module->set.device.memory;

	if (bytes >= cost)
		diag_help(l->diags, g, "no implementation of Keras is sure to need less: fewer positions by a stride, fewer filters, or conv, "
		    "whose weights are the same at all positions");
	else
		diag_help(l->diags, g, "in Keras, implementation=%d needs at most %s%s", sparse ? 3 : 2, lint_human(a, bytes),
		    l->module->set.device.given && memory > 0 && bytes > memory ? ", which is more than the device has" : "");
	if (k->field == k->forward->in[0]->dim[0] && k->filters == 1)
		diag_help(l->diags, g, "a (1, 1) kernel per position with one filter is also a "
		    "product with a weight per position, summed over the channels");
}

static void
check_node(const struct rule *rule, struct lint *l, const struct node *n)
{
	struct module *m = l->module;
	struct arena *a = m->arena;
	struct keras_local k;
	int64_t b = m->plan->batch, cost;
	struct diag *g;

	if (!keras_local(m, n, &k))
		return;
	cost = affine_at(k.backward ? k.slices_backward : k.slices_forward, b);
	if (cost < WORTH_SAYING)
		return;
	g = lint_report(l, rule, n->loc, "locally-connected layer '%s' costs %s in Keras 2.1 on "
	    "TensorFlow (slices), %s here", n->path, lint_human(a, cost),
	    lint_human(a, affine_at(k.backward ? k.ours_backward : k.ours_forward, b)));
	if (k.backward)
		diag_fact(l->diags, g, "%lld positions x %s B (the whole input, zero-filled) held "
		    "at once in backward: %s B; grows with B·N²", (long long)k.positions,
		    lint_commas(a, affine_at(k.input, b)), lint_commas(a, cost));
	tell_fit(l, g, &k);
	tell_lowerings(l, g, &k);
	tell_cure(l, g, &k, cost);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct graph *g = l->module->train;
	int i;

	for (i = 0; g && i < g->nodes.n; i++)
		check_node(rule, l, g->nodes.v[i]);
}

static bool
may_find(const struct module *m)
{
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++)
		if (node_is(m->train->nodes.v[i], "local"))
			return true;
	return false;
}

const struct rule rule_local_unroll = {
	.id = "SW101",
	.name = "local-unroll",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "a locally-connected layer that other frameworks unroll position by position",
	.doc = "A locally-connected layer has its own weights at each of its N output positions. "
	    "Keras 2 (implementation 1, its default) slices the input once for each position. The "
	    "gradient of a slice is a zero-filled tensor of the whole input, and all N of them are "
	    "alive until they are added up, so a layer with a few thousand weights can ask for "
	    "tens of gigabytes.\n\n"
	    "In bytes, with K = kh kw C inputs a position, F filters, S optimizer slots, e bytes "
	    "an element and micro-batch B: slices take 2eBNK + 2eBNF forward and eBN HWC backward; "
	    "the masked dense form (implementation 2) e HWC NF (4 + S) + e HW N; the sparse form "
	    "(implementation 3) (16 + e(2 + S)) NKF and up to 3e NKF B. The largest batch that "
	    "fits the device is found by replaying TensorFlow's allocator. Stowage itself runs the "
	    "layer with a direct kernel that keeps nothing but the gradient of its input, so the "
	    "warning is about running the same network elsewhere.\n\n"
	    "Reported where the slices cost 256 MiB or more. To cure it in Keras, choose another "
	    "implementation, or write a kernel of one position as an elementwise product. Seen in "
	    "keras #10735 and #10084, and darkflow #392 (21.1 GiB for a 7 x 7 map).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
