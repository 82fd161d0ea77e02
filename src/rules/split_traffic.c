/*
 * split-traffic: layers are split over ranks, and the sums of what they make are more bytes than
 * their network's weights, so ranks that share out samples and weights in place of layers would
 * send less, and not wait for it.
 *
 * Of a micro-batch, of N ranks, each sends in (N - 1) / N:
 *
 *     split=ranks          2 S, S the bytes of the sums, which are activations of the whole micro-batch
 *     shard parameters     at most 3 W, W those of all weights: brought to all forward and backward, and gradients added up
 */
#include "lint/rule.h"

#include "ir/op.h"
#include "ir/split.h"
#include "plan/plan.h"

static int64_t
weight_bytes(const struct module *m)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_PARAM) {
			struct tensor all = tensor_of_ranks(m, m->persistent.v[i]);

			bytes += affine_at(tensor_bytes(&all), 1);
		}
	return bytes;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	int64_t ranks = settings_ranks(&m->set), sums, weights, first, second;
	const struct node *n;
	struct diag *g;

	if (!m->train || !module_splits(m) || m->train->batch % ranks)
		return;
	n = split_first(m->train);
	sums = plan_split_bytes(m) / m->set.accumulate;
	weights = weight_bytes(m);
	if (!n || 2 * sums <= 3 * weights)
		return;
	first = 2 * sums / ranks * (ranks - 1);
	second = 3 * weights / ranks * (ranks - 1);
	g = lint_report(l, rule, n->loc, "each rank sends %s a micro-batch for split layers, and waits for it: sharing out samples "
	    "sends less", lint_human(m->arena, first));
	diag_fact(l->diags, g, "what they add up, forward and backward, is %s of activations, as each has all %lld samples; the "
	    "network's weights are %s", lint_human(m->arena, sums), (long long)m->train->batch, lint_human(m->arena, weights));
	diag_help(l->diags, g, "leave split=ranks out, so that each has %lld of the samples, and sends gradients beside backward; "
	    "with shard parameters each keeps but its piece of the weights, too, and sends at most %s",
	    (long long)(m->train->batch / ranks), lint_human(m->arena, second));
	diag_help(l->diags, g, "or fewer samples in a micro-batch (accumulate): sums grow with them, weights do not");
}

const struct rule rule_split_traffic = {
	.id = "SW140",
	.name = "split-traffic",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "layers split over ranks send more than sharing out samples would",
	.doc = "split=ranks shares a layer out, as Megatron-LM does (Shoeybi and others, 2019): each rank has its share of the weights, "
	    "and all samples of a micro-batch. What it makes of them is added up over ranks, once forward and once backward for a "
	    "pair of dense layers or attention, and the next layer waits for it. Of a sum of S bytes each of N ranks sends "
	    "2 (N - 1) / N S, which nothing hides. Ranks that share out the samples send gradients, beside backward; "
	    "with shard parameters (ZeRO's third stage) they keep no more of the weights than split layers do, and of W bytes of "
	    "all weights each sends at most 3 (N - 1) / N W a micro-batch: to bring them to all, forward and backward, and to add "
	    "up their gradients. So splitting pays where layers are wide and a micro-batch has few samples or positions.\n\n"
	    "Reported where 2 S is more than 3 W, and the ranks divide the micro-batch. Where they don't, there are no "
	    "samples to share out; then it is silent.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
