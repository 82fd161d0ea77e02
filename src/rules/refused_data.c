/*
 * refused-data: a data file that the program will stop at: names above the columns, a column too
 * many, a value that is missing, samples of another size. Reads the first part of the files.
 */
#include "rulekit/data_look.h"

#include "readers/reader.h"

/* Which columns of a table are whose. */
static void
tell_columns(struct lint *l, struct diag *g, const struct data_source *source)
{
	const struct module *m = l->module;
	const char *list = "";
	int i;

	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *t = m->forward->inputs.v[i];
		int64_t first = reader_field(m, source, t) + 1, last = first + tensor_elements_per_sample(t) - 1;

		list = arena_printf(m->arena, "%s%s'%s' is column%s %lld", list, i ? ", " : "", t->name, first < last ? "s" : "",
		    (long long)first);
		if (first < last)
			list = arena_printf(m->arena, "%s to %lld", list, (long long)last);
	}
	diag_fact(l->diags, g, "%s", list);
}

static bool
check_input(const struct rule *rule, struct lint *l, const struct data_source *source, const struct tensor *t)
{
	struct data_look look;
	struct diag *g;

	if (data_look(l, source, t, &look) || !look.refused)
		return false;
	g = lint_report(l, rule, source->loc, "the program will stop at \"%s\": %s", look.file, look.refused);
	if (source->reader->files == FILES_ONE && !source->reader->apart)
		tell_columns(l, g, source);
	else
		diag_place(l->diags, g, t->loc, "'%s' is declared here", t->name);
	if (look.cure)
		diag_help(l->diags, g, "%s", look.cure);
	return true;
}

static void
check_source(const struct rule *rule, struct lint *l, const struct data_source *source)
{
	const struct graph *f = l->module->forward;
	bool apart;
	int i;

	if (!reader_has_files(source))
		return;
	apart = source->reader->files == FILES_EACH || source->reader->apart;
	for (i = 0; i < f->inputs.n && (apart || i == 0); i++)	/* of a table one has read them all */
		if (check_input(rule, l, source, f->inputs.v[i]) && source->reader->files != FILES_EACH)
			return;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;

	if (set->train)
		check_source(rule, l, &set->data);
	if (set->validate)
		check_source(rule, l, &set->validate_data);
}

const struct rule rule_refused_data = {
	.id = "SW335",
	.name = "refused-data",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a data file that the program will stop at",
	.doc = "A table whose first line names its columns, and no header=true; a column too many, as the number of each row that "
	    "pandas writes without index=False; a field that is empty, ?, or NaN; classes by their names; arrays whose samples are "
	    "of another size than the input. A program reads a table as a whole before the first step, and stops at such a "
	    "line; but before that it is built, and started, on a cluster perhaps hours later.\n\n"
	    "The first 64 KiB of CSV, NPY, IDX and safetensors files are read, where the program would look for them: in the "
	    "current folder, then beside the spec. Files that are not there, or lie outside the project, are passed over.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
