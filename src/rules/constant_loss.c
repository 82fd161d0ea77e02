/*
 * constant-loss: one of several losses that no trained parameter reaches. (Where none of them has
 * any, there is nothing to train, which is an error of the language.) One walk over the forward
 * graph.
 */
#include "rulekit/place_set.h"

#include "ir/op.h"

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	bool *trained = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*trained));
	struct place_set reported = { NULL };
	int i, j;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false, frozen = false;
		struct diag *g;

		for (j = 0; j < n->nin; j++)
			any |= n->in[j] && (trained[n->in[j]->id] ||
			    (n->in[j]->kind == T_PARAM && !n->in[j]->frozen));
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				trained[n->out[j]->id] = any;
		if (n->op->kind != OP_LOSS || any || !place_is_new(&reported, l, rule, n->loc))
			continue;
		frozen = m->set.nfreeze > 0;
		g = lint_report(l, rule, n->loc, "no trained parameter reaches this %s: its "
		    "gradient is 0 whatever its value", n->op->name);
		diag_fact(l->diags, g, "it is added to the loss that is printed, and trains "
		    "nothing");
		diag_help(l->diags, g, frozen ? "train a layer before it, or make it a metric" :
		    "compare what the network makes, or make it a metric");
	}
}

const struct rule rule_constant_loss = {
	.id = "SW315",
	.name = "constant-loss",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a loss that no trained parameter reaches",
	.doc = "A loss of frozen layers, or of two inputs, has no gradient in anything that is "
	    "trained. Beside other losses nothing fails: the sum is higher by a number, and what "
	    "it was to teach is not learnt. It happens when a branch is frozen and its loss is "
	    "left in place, or a name in the loss is that of the input.\n\n"
	    "Train a layer before it, or write metric in place of loss. (By itself such a loss is "
	    "an error; in PyTorch it is \"element 0 of tensors does not require grad and does not "
	    "have a grad_fn\".)",
	.check = check,
	.needs = NEEDS_GRAPH,
};
