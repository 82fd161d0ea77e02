/*
 * stacked-sigmoids: gradients that vanish on their way through hidden layers of sigmoids. Counts,
 * from the inputs on, how many lie behind one another with nothing between that keeps gradients up.
 * Reads the forward graph.
 */
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"

#define FEWEST	4	/* sigmoids: a 256th of the gradient at best */

/* Does the number of sigmoids behind which it lies stay as it is? Sums, products and
 * normalisation begin anew. */
static bool
keeps_count(const struct node *n)
{
	static const char *const name[] = { "flatten", "reshape", "dropout", "maxpool", "avgpool",
		"global_avgpool", "pad", "crop", "upsample", NULL };
	int i;

	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	return name[i] || node_has_weights(n);
}

/* Is what made it, apart from views and dropout, a layer with weights? */
static bool
is_activation(const struct node *n)
{
	return (node_is(n, "sigmoid") || node_is(n, "hardsigmoid")) && node_has_weights(tensor_maker(n->in[0]));
}

/* By tensor id, how many sigmoids lie behind one another up to it; *DEEPEST is the layer with
 * weights that has most of them before it, or NULL. */
static int *
count_sigmoids(const struct graph *f, const struct node **deepest)
{
	int *count = arena_array(f->module->arena, (size_t)f->module->next_tensor + 1,
	    sizeof(*count));
	int i, most = 0;

	*deepest = NULL;
	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];

		if (n->nin == 0 || !n->in[0] || n->nout == 0 || !n->out[0])
			continue;
		if (is_activation(n))
			count[n->out[0]->id] = count[n->in[0]->id] + 1;
		else if (keeps_count(n))
			count[n->out[0]->id] = count[n->in[0]->id];
		if (node_has_weights(n) && count[n->in[0]->id] > most) {
			most = count[n->in[0]->id];
			*deepest = n;
		}
	}
	return count;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct node *deepest, *first;
	int *count, n, at;
	struct diag *g;

	if (!m->set.train)
		return;
	count = count_sigmoids(m->forward, &deepest);
	if (!deepest || (n = count[deepest->in[0]->id]) < FEWEST)
		return;
	first = deepest->in[0]->def;
	for (at = n; first; first = first->in[0]->def) {
		at -= is_activation(first);
		if (at == 0 && is_activation(first))
			break;
	}
	g = lint_report(l, rule, first ? first->loc : deepest->loc, "%d hidden layers of sigmoids, "
	    "one behind another: little of the gradient reaches the first", n);
	diag_place(l->diags, g, deepest->loc, "they end before '%s'", deepest->path);
	diag_fact(l->diags, g, "a sigmoid's slope is 1/4 at most: of %d that leaves (1/4)^%d = %.2g "
	    "before weights", n, n, pow(0.25, n));
	diag_help(l->diags, g, "relu in hidden layers; or batchnorm before each sigmoid");
}

const struct rule rule_stacked_sigmoids = {
	.id = "SW324",
	.name = "stacked-sigmoids",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "four or more hidden layers of sigmoids in a row",
	.doc = "Backward multiplies the gradient by the slope of each activation: of a sigmoid s it "
	    "is s (1 - s), 1/4 at most, so that n of them leave (1/4)^n of it, and weights that "
	    "start small make it less. The first layers stay as they were initialised, and the "
	    "loss stays where it is for long. Besides, sigmoids answer 1/2 on average and not 0, "
	    "which drives those behind into saturation: \"the logistic sigmoid activation is "
	    "unsuited for deep networks with random initialization\" (Glorot and Bengio: "
	    "Understanding the difficulty of training deep feedforward neural networks, 2010, "
	    "with four and five hidden layers).\n\n"
	    "Reported for four hidden layers or more with no normalisation, sum or other "
	    "activation between. hardsigmoid, whose slope is 1/6 and beyond 3 is 0, counts as one. tanh has a slope of 1 and is not meant; nor are sigmoids that "
	    "gate something. Write relu, or batchnorm before each sigmoid.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
