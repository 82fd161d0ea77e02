/*
 * weight-decay: so much of it, added to gradients, that it outweighs them. Decoupled decay (adamw,
 * lion, lamb) is another number, of which 0.1 is in use, and 10.
 */
#include "rulekit/graph_query.h"

#define LEAST		0.1
#define LEAST_DECOUPLED	30	/* no weight then stays above 1/30 */

static const struct {
	const char *optimizer;
	bool steps;	/* of about lr: a weight rests where lr * weight_decay of it is that */
} decoupled[] = {
	{ "adamw", true }, { "adamw8bit", true }, { "lion", true }, { "lamb", false }, { "adafactor", false },
};

static void
judge_decoupled(const struct rule *rule, struct lint *l, const struct optimizer_number *n)
{
	struct diag *g;

	if (n->value < LEAST_DECOUPLED)
		return;
	g = lint_report(l, rule, n->loc, "weight_decay=%g of %s pulls all weights to 0", n->value, n->optimizer->name);
	diag_fact(l->diags, g, "it takes lr * %g off each weight in an update, and a step is about lr: none stays "
	    "above 1/%g = %.2g", n->value, n->value, 1 / n->value);
	diag_help(l->diags, g, "usual for %s: 0.01 to %s", n->optimizer->name,
	    strcmp(n->optimizer->name, "lion") == 0 ? "10" : "0.3");
}

static void
judge(const struct rule *rule, struct lint *l, const struct optimizer_number *n)
{
	struct diag *g;
	size_t i;

	for (i = 0; i < sizeof(decoupled) / sizeof(*decoupled); i++)
		if (strcmp(n->optimizer->name, decoupled[i].optimizer) == 0) {
			if (decoupled[i].steps)
				judge_decoupled(rule, l, n);
			return;
		}
	if (n->value < LEAST)
		return;
	g = lint_report(l, rule, n->loc, "weight_decay=%g of %s pulls weights to 0 harder than a usual "
	    "loss pulls them away", n->value, n->optimizer->name);
	diag_fact(l->diags, g, "it adds %g times each weight to its gradient: training settles "
	    "where the loss's own gradient is as large as that", n->value);
	diag_help(l->diags, g, "usual for %s: 1e-5 to 5e-3; 0.1 is a number for adamw, which takes "
	    "lr * weight_decay off each weight instead", n->optimizer->name);
}

static void
check(const struct rule *rule, struct lint *l)
{
	if (trained_layers(l->module) >= 2)
		each_optimizer_number(rule, l, "weight_decay", judge);
}

const struct rule rule_weight_decay = {
	.id = "SW326",
	.name = "weight-decay",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a weight decay of 0.1 or more that is added to gradients, or of 30 beside them",
	.doc = "sgd and adam add weight_decay times the weight to its gradient, so that training "
	    "minimises loss + weight_decay / 2 * |w|^2: with 0.1 a weight of 1 stays only where the "
	    "loss would fall by 0.1 for each unit that it grows, and most weights end near 0. In "
	    "adamw the number is another thing, a share lr * weight_decay of each weight a step "
	    "(Loshchilov and Hutter: Decoupled weight decay regularization, 2017), and 0.1 is "
	    "usual: GPT-3 was trained with it.\n\n"
	    "Reported from 0.1 on, of groups and of updates with optimizers of their own too, but not for adamw, nor for a single layer with trained weights, where "
	    "it is ridge regression; of adamw and lion from 30 on, beside which no weight stays above 1/30. Most often the optimizer was changed and the number was not. "
	    "ResNet has 1e-4, VGG and AlexNet 5e-4.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
