/*
 * learning-rate: one far outside of what the optimizer is used with. For sgd it is lr / (1 -
 * momentum), the size that steps converge to. The bounds are wide: a rule that is often wrong gets
 * switched off.
 */
#include "lint/rule.h"

#include <string.h>

#include "ir/op.h"

static const struct {
	const char *optimizer;
	double least, most;	/* of the learning rate */
	const char *usual;
} ranges[] = {
	{ "adam", 1e-7, 0.05, "1e-5 to 1e-2" },
	{ "adamw", 1e-7, 0.05, "1e-5 to 1e-2" },
	{ "sgd", 1e-6, 20, "1e-3 to 1" },
};

static double
attribute(const struct settings *set, const char *name)
{
	int i;

	for (i = 0; i < op_nattrs(set->optimizer); i++)
		if (strcmp(set->optimizer->attrs[i].name, name) == 0)
			return set->optimizer_attr[i].r;
	return 0;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct settings *set = &m->set;
	double lr, momentum, steps;
	struct diag *g;
	size_t i;

	if (!m->train || !set->optimizer || !set->optimizer_loc.src)
		return;
	lr = attribute(set, "lr");
	momentum = attribute(set, "momentum");
	steps = momentum < 1 ? lr / (1 - momentum) : lr;
	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (strcmp(ranges[i].optimizer, set->optimizer->name) != 0 ||
		    (steps >= ranges[i].least && steps <= ranges[i].most))
			continue;
		if (lr == 0)
			g = lint_report(l, rule, set->optimizer_loc, "a learning rate of 0 trains "
			    "nothing");
		else
			g = lint_report(l, rule, set->optimizer_loc, "a learning rate of %g is far "
			    "%s what %s is used with", lr, steps < ranges[i].least ? "below" :
			    "above", set->optimizer->name);
		if (momentum > 0 && lr > 0)
			diag_fact(l->diags, g, "with momentum %g its steps come to "
			    "lr / (1 - momentum) = %g", momentum, steps);
		diag_help(l->diags, g, "usual for %s: %s", set->optimizer->name, ranges[i].usual);
	}
}

const struct rule rule_learning_rate = {
	.id = "SW311",
	.name = "learning-rate",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a learning rate far outside of what the optimizer is used with",
	.doc = "Adam's steps are about the learning rate itself, whatever the gradient: 0.1, "
	    "which is right for sgd, throws every weight of a usual network away within a few "
	    "steps. Most often the optimizer was changed and the learning rate was not.\n\n"
	    "Reported for adam and adamw outside of 1e-7 to 0.05, for sgd where lr / (1 - "
	    "momentum) is outside of 1e-6 to 20, and for 0. The default of torch.optim.Adam is "
	    "1e-3; ResNet's sgd has 0.1 with momentum 0.9, which comes to 1.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
