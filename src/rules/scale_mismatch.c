/*
 * scale-mismatch: validation reads its data in another way than training: another scale, another
 * mean or deviation, or targets that are further ahead. Reads the settings alone.
 */
#include "lint/rule.h"

#include <string.h>

#include "readers/reader.h"

/* Scale is applied to inputs that are no token or class numbers. */
static bool
has_scaled_input(const struct module *m)
{
	int i;

	for (i = 0; i < m->forward->inputs.n; i++)
		if (m->forward->inputs.v[i]->kind == T_INPUT &&
		    m->forward->inputs.v[i]->classes == 0)
			return true;
	return false;
}

/* One of mean= and std= that differs, or NULL; the numbers of the first channel that does. */
static const char *
other_normal(const struct data_source *t, const struct data_source *v, double *training, double *validation)
{
	static const char *const name[] = { "mean", "std" };
	int i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < 3; k++) {
			*training = reader_real_at(t, name[i], k, i);
			*validation = reader_real_at(v, name[i], k, i);
			if (*training != *validation)
				return name[i];
		}
	return NULL;
}

static void
check_normal(const struct rule *rule, struct lint *l)
{
	const struct data_source *t = &l->module->set.data, *v = &l->module->set.validate_data;
	double training, validation;
	const char *name = other_normal(t, v, &training, &validation);
	struct diag *g;

	if (!name)
		return;
	g = lint_report(l, rule, v->loc, "validation has another %s of its inputs than training: %.4g, and not %.4g", name,
	    validation, training);
	diag_place(l->diags, g, t->loc, "training's data are here");
	diag_help(l->diags, g, "training's mean and std in both: they are numbers of the network, and not of a data set");
}

static bool
has_target(const struct module *m)
{
	int i;

	for (i = 0; i < m->forward->inputs.n; i++)
		if (m->forward->inputs.v[i]->kind == T_TARGET)
			return true;
	return false;
}

/* Windows of a text whose targets are another task in validation. */
static void
check_ahead(const struct rule *rule, struct lint *l)
{
	const struct data_source *t = &l->module->set.data, *v = &l->module->set.validate_data;
	long long training = reader_int(t, "ahead", 1), validation = reader_int(v, "ahead", 1);
	struct diag *g;

	if (!reader_has(t->reader, "ahead") || !reader_has(v->reader, "ahead") || training == validation || !has_target(l->module))
		return;
	g = lint_report(l, rule, v->loc, "validation asks for what is %lld ahead, and training for what is %lld ahead", validation,
	    training);
	diag_place(l->diags, g, t->loc, "training's data are here");
	diag_fact(l->diags, g, validation == 0 ? "with ahead=0 the answer is the input itself, which the network has not learnt to give"
	    : "its loss and metrics then are those of a task that the network has not learnt");
	diag_help(l->diags, g, "ahead=%lld in both", training > 0 ? training : validation);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct data_source *t = &m->set.data, *v = &m->set.validate_data;
	double times;
	struct diag *g;

	if (m->set.train && m->set.validate && reader_has_files(t) && reader_has_files(v))
		check_ahead(rule, l);
	if (!m->set.train || !m->set.validate || t->reader != v->reader || !reader_has_files(t) || !has_scaled_input(m))
		return;
	if (t->scale == v->scale) {
		check_normal(rule, l);
		return;
	}
	times = t->scale != 0 ? v->scale / t->scale : 0;
	g = lint_report(l, rule, v->loc, "validation scales its inputs by %.4g, and training by "
	    "%.4g",
	    v->scale, t->scale);
	diag_place(l->diags, g, t->loc, "training's data are here");
	if (times != 0)
		diag_fact(l->diags, g, "the network sees numbers %.4g times as large as those it "
		    "was trained on", times);
	diag_help(l->diags, g, "the same scale in both; or scale(...) as the network's first "
	    "layer, which is in both of itself");
}

const struct rule rule_scale_mismatch = {
	.id = "SW313",
	.name = "scale-mismatch",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "validation reads its data otherwise than training",
	.doc = "What the network is measured on must come as what it is trained on came: pixels of "
	    "0 to 255 given to a network that has seen 0 to 1 are out of everything it knows, and "
	    "validation stays near chance while training looks well. scale= is a part of the "
	    "data setting, so that it is written twice, and forgotten once.\n\n"
	    "Reported where train and validate read files of one format with different scales, or with another mean= or std=, or one that "
	    "validation has not; and where windows of a text are given with another ahead= (1, where it is left out), so that validation "
	    "asks for another word than the network has learnt to give. "
	    "A scale in the network (image -> scale(1/255)) cannot differ, and lets inputs be "
	    "staged as u8, in a quarter of the memory. Seen in doctr #214, a /255 that validation "
	    "lacked, and mlpack examples #213.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
