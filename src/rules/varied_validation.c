/*
 * varied-validation: validation on pictures that are varied at random, as training's are. Reads the
 * settings alone. What is the same for every picture, as flip=1, is another choice; so is a random
 * crop, which fits pictures to the input's size.
 */
#include "lint/rule.h"

#include "base/text.h"
#include "readers/reader.h"

/* Shares and ranges: 0 is none of it. */
static const char *const ranges[] = { "brightness", "contrast", "saturation", "hue", "mixup", NULL };
static const char *const chances[] = { "flip", "flip_vertical", NULL };
static const char *const pixels[] = { "cutout", "pad", NULL };

static void
add(struct text *t, const char *name)
{
	text_printf(t, "%s%s", t->n ? ", " : "", name);
}

/* The arguments that vary pictures. */
static void
find(struct text *t, const struct data_source *d)
{
	int i;

	if (reader_has(d->reader, "area") && reader_real_at(d, "area", 0, 1) < 1)
		add(t, "area");
	for (i = 0; chances[i]; i++)
		if (reader_real(d, chances[i], 0) > 0 && reader_real(d, chances[i], 0) < 1)
			add(t, chances[i]);
	for (i = 0; ranges[i]; i++)
		if (reader_real(d, ranges[i], 0) > 0)
			add(t, ranges[i]);
	for (i = 0; pixels[i]; i++)
		if (reader_int(d, pixels[i], 0) > 0)
			add(t, pixels[i]);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct data_source *d = &m->set.validate_data;
	struct diag *g;
	struct text t;

	if (!m->set.train || !m->set.validate || !d->reader || !reader_has(d->reader, "flip"))
		return;
	text_init(&t, m->arena);
	find(&t, d);
	if (t.n == 0)
		return;
	g = lint_report(l, rule, d->loc, "validation varies its pictures at random: %s", t.s);
	diag_fact(l->diags, g, "its loss and metrics then are those of other pictures than the file's");
	diag_help(l->diags, g, "leave %s out of validate's data; what prepares each picture alike, as resize, scale, mean and std, stays",
	    t.s);
}

const struct rule rule_varied_validation = {
	.id = "SW338",
	.name = "varied-validation",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "validation on pictures that are varied at random",
	.doc = "Flips, cuts, colours and mixtures make training's task harder, so that the network learns what does not "
	    "change with them. Validation is to say how well it does on pictures as they are: varied ones "
	    "give it other numbers, mostly worse, by chance, and early "
	    "stopping and the best checkpoint follow these. Most often train's data setting was copied.\n\n"
	    "Reported of a part of the picture drawn by area, a flip whose probability is neither 0 nor 1, brightness, contrast, "
	    "saturation, hue, mixup, cutout and pad. Quiet about random_crop, which fits "
	    "pictures of any size to the input.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
