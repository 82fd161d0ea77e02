/* The lint engine: runs the rules, and reports for them. suppress.c decides which findings are
 * kept. */
#include "lint/engine.h"

#include <string.h>

#include "base/text.h"
#include "plan/plan.h"
#include "lint/catalog.h"

struct diag *
lint_report(struct lint *l, const struct rule *rule, struct loc loc, const char *fmt, ...)
{
	const char *message;
	va_list ap;

	va_start(ap, fmt);
	message = arena_vprintf(l->diags->arena, fmt, ap);
	va_end(ap);
	return diag_add(l->diags, rule->severity, rule->name, loc, "%s", message);
}

const char *
lint_human(struct arena *a, int64_t bytes)
{
	char buf[SIZE_TEXT];

	return arena_strdup(a, size_human(buf, bytes));
}

const char *
lint_commas(struct arena *a, int64_t n)
{
	char buf[SIZE_TEXT];

	return arena_strdup(a, size_commas(buf, n));
}

/* What the rule has planned goes with it. */
static void
ask(const struct rule *rule, struct lint *l)
{
	struct arena *scratch = NULL;

	l->module->scratch = &scratch;
	rule->check(rule, l);
	l->module->scratch = NULL;
	arena_free(scratch);
}

static const struct file *
file_of(const struct module *m, const struct file *const *file, int nfiles)
{
	int i;

	for (i = 0; i < nfiles; i++)
		if (file[i]->src == m->src)
			return file[i];
	return nfiles ? file[0] : NULL;
}

/* Is it certain that the rule finds nothing in the whole plan of this sketch that the sketch does
 * not show? */
static bool
sketch_serves_rule(const struct rule *r, struct lint *l)
{
	switch (r->needs) {
	case NEEDS_SOURCE:
	case NEEDS_GRAPH:
		return true;
	case NEEDS_SKETCH:
		diags_init(l->diags, l->module->arena);
		ask(r, l);
		return l->diags->all.n == 0;
	case NEEDS_PLAN:
		break;
	}
	return r->may_find && !r->may_find(l->module);
}

bool
lint_sketch_serves(const struct spec *spec, struct module *sketch)
{
	struct diags scratch;
	struct data_looks looks = { NULL };
	struct lint l = { .file = spec->file, .module = sketch, .options = spec->options,
		.diags = &scratch, .asked = true, .looks = &looks };
	const struct rule *r;
	int i;

	for (i = 0; (r = rule_table[i]); i++)
		if (r->check && !sketch_serves_rule(r, &l))
			return false;
	return true;
}

static bool
is_off_everywhere(struct levels *const *levels, int nfiles, int rule)
{
	int i;

	for (i = 0; levels && i < nfiles; i++)
		if (!level_is_off(levels[i], rule))
			return false;
	return levels && nfiles > 0;
}

static void
check_files(const struct rule *rule, int index, struct lint *l, const struct file *const *file,
    struct levels *const *levels, int nfiles)
{
	int i;

	l->module = NULL;
	for (i = 0; i < nfiles; i++) {
		if (levels && level_is_off(levels[i], index))
			continue;
		l->file = file[i];
		rule->check(rule, l);
	}
}

static void
check_modules(const struct rule *rule, struct lint *l, const struct file *const *file, int nfiles,
    struct module *const *module, int nmodules)
{
	int i;

	for (i = 0; i < nmodules; i++) {
		const struct plan *plan = module[i]->plan;

		if (module[i]->broken ? !rule->of_broken || !module[i]->forward :
		    !plan || (plan->sketch && rule->needs != NEEDS_GRAPH))
			continue;
		l->file = file_of(module[i], file, nfiles);
		l->module = module[i];
		l->diags->network = module[i]->name;
		ask(rule, l);
	}
	l->diags->network = NULL;
}

void
lint_run(struct diags *d, const struct file *const *file, struct levels *const *levels, int nfiles,
    struct module *const *module, int nmodules, const struct lang_options *options)
{
	struct data_looks looks = { NULL };
	struct lint l = { .diags = d, .options = options, .looks = &looks };
	int r, index;

	for (r = 0; rule_table[r]; r++) {
		const struct rule *rule = rule_table[r];

		index = rule_table_index(r);
		if (!rule->check || is_off_everywhere(levels, nfiles, index))
			continue;
		if (rule->needs == NEEDS_SOURCE)
			check_files(rule, index, &l, file, levels, nfiles);
		else
			check_modules(rule, &l, file, nfiles, module, nmodules);
	}
}
