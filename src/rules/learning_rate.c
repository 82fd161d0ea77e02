/*
 * learning-rate: one far outside of what the optimizer is used with. For sgd it is lr / (1 -
 * momentum), the size that steps converge to, and grows with the batch. The bounds are wide: a rule
 * that is often wrong gets switched off. A linear model, which has no layer whose gradient its
 * steps could spoil, takes rates of any size (30 is usual for linear probes). What clips gradients
 * to a short length makes sgd's steps as much smaller. And the two means of adam, by which
 * steps are a learning rate long, if the second remembers longer than the first.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"

#include <math.h>

#define CLIPPED		20	/* sgd's largest beside any clip */
#define USUAL_BATCH	256	/* up to this sgd's largest rate is as the table has it */
#define LONG_MEAN	0.95	/* of gradients: shorter ones are in use beside short ones of squares, 0.8 and 0.5, */
#define SHORT_MEAN	0.1	/* but hardly beside ones as short as this */
#define SMALL_EPS	1e-4	/* beside a larger one rmsprop's steps are as large as gradients are (MobileNet: 1) */
#define SHARE_OF_EPS	0.1	/* of adam: gradients below that are lost in it */

static const struct {
	const char *optimizer;
	double least, most;	/* of the learning rate */
	const char *usual;
	bool scales;		/* the most grows with the batch */
} ranges[] = {
	{ "adam", 1e-7, 0.05, "1e-5 to 1e-2", false },
	{ "adamw", 1e-7, 0.05, "1e-5 to 1e-2", false },
	{ "adamw8bit", 1e-7, 0.05, "1e-5 to 1e-2", false },
	{ "adamax", 1e-7, 0.05, "1e-5 to 1e-2", false },
	{ "lion", 1e-8, 0.05, "1e-6 to 1e-3", false },
	{ "rmsprop", 1e-7, 0.1, "1e-5 to 1e-2", false },
	{ "lamb", 1e-7, 1, "1e-4 to 1e-2", false },
	{ "adafactor", 1e-7, 1, "1e-4 to 1e-2", false },
	{ "adagrad", 1e-7, 5, "1e-3 to 0.1", false },
	{ "sgd", 1e-6, 10, "1e-3 to 1", true },
};

static double
real_of(const struct optimizer_number *r, const char *name)
{
	int i = op_attr_at(r->optimizer, name);

	return i >= 0 ? r->attr[i].r : 0;
}

static double
most_of(const struct module *m, size_t i)
{
	double most = ranges[i].most;

	if (trained_layers(m) < 2)
		return INFINITY;
	if (ranges[i].scales && m->set.clip > 0)
		most = fmax(CLIPPED, most / m->set.clip);
	return ranges[i].scales && m->set.batch > USUAL_BATCH ? most * (double)m->set.batch / USUAL_BATCH : most;
}

static void
report(const struct rule *rule, struct lint *l, const struct optimizer_number *r, double momentum, double steps,
    size_t i)
{
	struct diag *g;

	if (isinf(steps)) {
		g = lint_report(l, rule, r->loc, "momentum %g of sgd keeps all gradients for ever: its steps grow without an end", momentum);
		diag_help(l->diags, g, "usual for %s: 0.9", r->optimizer->name);
		return;
	}
	if (r->value == 0)
		g = lint_report(l, rule, r->loc, "a learning rate of 0 trains nothing");
	else
		g = lint_report(l, rule, r->loc, "a learning rate of %g is far %s what %s is used "
		    "with", r->value, steps < ranges[i].least ? "below" : "above", r->optimizer->name);
	if (momentum > 0 && r->value > 0)
		diag_fact(l->diags, g, "with momentum %g its steps come to lr / (1 - momentum) = %g",
		    momentum, steps);
	diag_help(l->diags, g, "usual for %s: %s", r->optimizer->name, ranges[i].usual);
}

/* sgd(lr=0.9, momentum=0.1) */
static bool
are_swapped(double lr, double momentum)
{
	return momentum > 0 && momentum <= 0.1 && (lr == 0.9 || lr == 0.95 || lr == 0.99);
}

static void
report_swapped(const struct rule *rule, struct lint *l, const struct optimizer_number *r, double momentum)
{
	struct diag *g = lint_report(l, rule, r->loc, "a learning rate of %g and a momentum of %g stand in each other's place",
	    r->value, momentum);

	diag_help(l->diags, g, "sgd(lr=%g, momentum=%g)", momentum, r->value);
}

/* A clip so short that it is the step. */
static void
report_clip(const struct rule *rule, struct lint *l, const struct optimizer_number *r, size_t i)
{
	double clip = l->module->set.clip;
	struct diag *g = lint_report(l, rule, edited_setting(l, SEC_TRAIN, "clip", r->loc), "clip %g leaves sgd steps far below what it is used with", clip);

	diag_fact(l->diags, g, "a step is at most lr * clip = %g long", r->value * clip);
	diag_help(l->diags, g, "usual for clip: 0.1 to 10; for %s: %s", r->optimizer->name, ranges[i].usual);
}

/* Trained numbers. */
static double
trained_numbers(const struct module *m)
{
	double sum = 0;
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_PARAM && !m->persistent.v[i]->frozen)
			sum += (double)tensor_elements_per_sample(m->persistent.v[i]);
	return sum;
}

/* Adam divides by the size of gradients, and what it adds to that is to be the smaller. */
static void
judge_short_clip(const struct rule *rule, struct lint *l, const struct optimizer_number *r)
{
	double clip = l->module->set.clip, eps = real_of(r, "eps"), n = trained_numbers(l->module);
	struct diag *g;

	if (r->part || clip <= 0 || n < 1 || strncmp(r->optimizer->name, "adam", 4) != 0 || clip / sqrt(n) > SHARE_OF_EPS * eps)
		return;
	g = lint_report(l, rule, edited_setting(l, SEC_TRAIN, "clip", r->loc), "clip %g leaves gradients far below %s's eps of %g, "
	    "which then stands in their place", clip, r->optimizer->name, eps);
	diag_fact(l->diags, g, "of %.0f numbers whose gradients are %g long together each has %.2g at most, in the mean of squares: "
	    "its steps are a share of %.2g of the learning rate", n, clip, clip / sqrt(n), clip / sqrt(n) / eps);
	diag_help(l->diags, g, "usual for clip: 0.1 to 10");
}

static void
judge(const struct rule *rule, struct lint *l, const struct optimizer_number *r)
{
	double momentum = strcmp(r->optimizer->name, "sgd") == 0 ? real_of(r, "momentum") : 0;
	double steps = momentum < 1 ? r->value / (1 - momentum) : r->value > 0 ? INFINITY : 0;
	double clip = l->module->set.clip > 0 && l->module->set.clip < 1 ? l->module->set.clip : 1;
	size_t i;

	if (strcmp(r->optimizer->name, "rmsprop") == 0 && real_of(r, "eps") > SMALL_EPS)
		return;
	if (are_swapped(r->value, momentum)) {
		report_swapped(rule, l, r, momentum);
		return;
	}
	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (strcmp(ranges[i].optimizer, r->optimizer->name) != 0)
			continue;
		if ((steps < ranges[i].least && !r->part) || steps > most_of(l->module, i))
			report(rule, l, r, momentum, steps, i);
		else if (ranges[i].scales && steps * clip < ranges[i].least && !r->part)
			report_clip(rule, l, r, i);
	}
}

/* Adam's proof of convergence wants beta1 below the root of beta2. Lion's two are of another
 * kind. */
static void
judge_means(const struct rule *rule, struct lint *l, const struct optimizer_number *r)
{
	double beta1 = r->value, beta2 = real_of(r, "beta2");
	struct diag *g;

	if (r->part || strcmp(r->optimizer->name, "lion") == 0 || beta1 * beta1 <= beta2 ||
	    (beta1 < LONG_MEAN && beta2 > SHORT_MEAN))
		return;
	g = lint_report(l, rule, r->loc, "beta1=%g of %s keeps gradients longer than beta2=%g keeps their squares",
	    beta1, r->optimizer->name, beta2);
	diag_fact(l->diags, g, "the mean of gradients goes back about %.0f updates, that of their squares about %.0f",
	    1 / (1 - beta1), 1 / (1 - beta2));
	if (beta1 > 0.9 && beta2 > 0)
		diag_help(l->diags, g, "the other way round: beta1=%g, beta2=%g", beta2, beta1);
	else
		diag_help(l->diags, g, "usual for %s: beta2=0.999, 0.99 or 0.95", r->optimizer->name);
}

static void
check(const struct rule *rule, struct lint *l)
{
	each_optimizer_number(rule, l, "lr", judge);
	each_optimizer_number(rule, l, "lr", judge_short_clip);
	each_optimizer_number(rule, l, "beta1", judge_means);
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
	    "Reported for adam, adamw and adamax outside of 1e-7 to 0.05, for lion outside of 1e-8 to "
	    "0.05, for rmsprop outside of 1e-7 to 0.1 (MobileNetV3's rate), unless its eps is large, for lamb and adafactor outside of 1e-7 to 1, for adagrad outside of 1e-7 to 5, "
	    "for sgd where lr / (1 - momentum) is outside of 1e-6 to 10 or momentum is 1, and for 0; for sgd whose steps a clip leaves below that, and for adam and its kin where it leaves gradients at less than a tenth of eps; for sgd whose rate and momentum stand in each other's place, 0.9 and 0.1; of updates with "
	    "optimizers of their own, too, and of groups where it is above that. Above batch 256 sgd's 10 grows with "
	    "the batch, as rates do (Goyal and others: Accurate, large minibatch SGD, 2017, with "
	    "3.2 and momentum 0.9 at batch 8192). Where gradients are clipped to a length c, it is 20 (Kelley and others: Sequential "
	    "regulatory activity prediction across chromosomes, 2018, with 0.15 and momentum 0.99), or 10 / c: language models were trained with 20 and 30 beside a clip of 0.25 (Merity and others: Regularizing and "
	    "optimizing LSTM language models, 2017). Reported of adam and its kin, too: a beta1 of 0.95 or more above the root of beta2, or any above a beta2 below 0.1, most often the two in each other's place, beside which "
	    "the proof of convergence does not hold (Reddi, Kale and Kumar: On the convergence of Adam and beyond, 2018). Quiet for large rates of a single layer with trained "
	    "weights: linear probes are trained with 30 (He and others: Momentum contrast, 2020). "
	    "The default of torch.optim.Adam is 1e-3; ResNet's sgd has 0.1 with momentum 0.9, "
	    "which comes to 1.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
