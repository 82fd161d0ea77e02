/* Checking one spec. */
#include "cli/lint_check.h"

#include <string.h>

#include "base/filename.h"
#include "cli/forecast_text.h"
#include "frameworks/framework.h"
#include "lint/catalog.h"
#include "lint/engine.h"

/* ---- options ---- */

static bool
read_words(struct arena *a, const struct command *c, struct lint_given *given, const char *option,
    const struct words *list)
{
	const char *why, *near, *word, *s;
	const struct level_word *other;
	int i;

	for (i = 0; i < list->n; i++)
		for (s = list->word[i]; ; s += *s == ',') {
			struct level_word w = { .option = arena_printf(a, "--%s", option) };
			size_t n = strcspn(s, ",");

			word = arena_strndup(a, s, n);
			level_key(option, &w);
			if (!selection_read(a, word, &w.what, &why, &near)) {
				usage_error(c, "--%s: %s%s%s%s", option, why,
				    near ? "; did you mean '" : "", near ? near : "",
				    near ? "'?" : "");
				return false;
			}
			if ((other = level_conflict(&given->layer, &w))) {
				usage_error(c, "%s and --%s both name '%s'", other->option, option,
				    word);
				return false;
			}
			vec_push(a, &given->layer.words, w);
			s += n;
			if (!*s)
				break;
		}
	return true;
}

bool
lint_given_read(struct arena *a, const struct command *c, struct lint_given *g)
{
	return read_words(a, c, g, "select", &g->select) &&
	    read_words(a, c, g, "ignore", &g->ignore) &&
	    read_words(a, c, g, "error", &g->error) &&
	    read_words(a, c, g, "warning", &g->warning) &&
	    read_words(a, c, g, "note", &g->note);
}

/* ---- what holds for a spec ---- */

static void
use_words(struct words *to, const struct config_words *from)
{
	int i;

	for (i = 0; i < from->all.n && to->n < MAX_WORDS; i++)
		to->word[to->n++] = from->all.v[i].text;
}

/* A spec's own lint section is a suppression in the spec, and does not count if those do not. */
static bool
specs_have_a_say(const struct lint_config *c, const struct lint_given *given)
{
	return c->inline_suppressions.on && !(given && given->no_suppressions);
}

struct levels **
lint_levels(struct arena *a, struct diags *d, const struct lint_config *c,
    const struct lint_given *given, const struct file *const *file, int nfiles, struct words *as)
{
	struct levels **levels = arena_array(a, (size_t)nfiles + 1, sizeof(*levels));
	struct config_words named = { .all = { NULL, 0, 0 } }, others = named;
	int i;

	for (i = 0; i < nfiles; i++) {
		struct level_layer own = { .words = { NULL, 0, 0 } };
		const char *path = c->parts.n ? filename_absolute(a, file[i]->src->path) : NULL;

		config_of_spec(a, d, file[i], &own, i ? &others : &named);
		levels[i] = config_levels(a, c, path, specs_have_a_say(c, given) ? &own : NULL,
		    given ? &given->layer : NULL);
	}
	if (as && given && given->as.n)
		*as = given->as;
	else if (as)
		use_words(as, named.all.n ? &named : &c->as);
	return levels;
}

int
lint_fatal(const struct lint_check *l)
{
	return l->given->fail_on >= 0 ? config_fail_on(l->given->fail_on) :
	    l->project->config->fail_on;
}

/* ---- checking ---- */

static bool
requires_reasons(const struct lint_check *l)
{
	return l->given->require_reason || l->project->config->require_reason.on;
}

/* Options that change the network make the plan one that says nothing of the spec's own. */
static struct rules_run
rules_that_run(const struct lint_check *l, bool errors)
{
	const struct compile_args *c = l->compile;
	struct rules_run ran = { .of_source = !errors, .of_reasons = requires_reasons(l) };
	int i;

	ran.of_plan = !errors && l->made.spec->modules.n + l->made.spec->known > 0 && !c->network && !c->batch &&
	    !c->device && c->define.n == 0 && c->without.n == 0 && c->target < 0;
	for (i = 0; i < l->made.spec->modules.n; i++) {
		const struct module *m = l->made.spec->modules.v[i];

		ran.of_plan &= !m->broken && m->plan;
	}
	return ran;
}

/* Could a comment or the baseline be for findings that only --as asks for? */
static bool
may_suppress_forecasts(const struct lint_check *l, const struct file *f)
{
	const struct suppression *s;
	int i, k, rule;

	if (l->project->baseline && l->project->baseline->old.all.n)
		return true;
	for (i = 0; f && i < f->suppressions.n; i++)
		for (s = &f->suppressions.v[i], k = 0; k < s->nrules; k++)
			if ((rule = rule_index(s->rule[k].text)) >= 0 &&
			    rule_at(rule)->also_forecast)
				return true;
	return false;
}

static const struct diags *
possible_findings(struct lint_check *l, const struct words *as)
{
	struct words others = { .n = 0 };
	struct diags *d;
	int i;

	if (!l->ran.of_plan || !may_suppress_forecasts(l, l->made.spec->file))
		return NULL;
	for (i = 0; framework_table[i] && others.n < MAX_WORDS; i++)
		if (!forecast_asked(as, framework_table[i]))
			others.word[others.n++] = framework_table[i]->name;
	d = ARENA_NEW(l->arena, struct diags);
	diags_init(d, l->arena);
	for (i = 0; i < l->made.spec->modules.n; i++)
		forecast_findings(d, l->made.spec->modules.v[i], &others);
	return d;
}

static struct suppress
suppression_of(const struct lint_check *l, const struct file *const *file, int nfiles)
{
	const struct lint_config *c = l->project->config;

	return (struct suppress){
		.file = file, .nfiles = nfiles, .levels = l->levels, .ran = l->ran,
		.require_reason = requires_reasons(l),
		.ignore_comments = l->given->no_suppressions || !c->inline_suppressions.on,
		.forbidden = l->given->no_suppressions ? (struct loc){ NULL, 0, 0 } :
		    c->inline_suppressions.loc,
	};
}

static struct compile_args
in_project(const struct lint_check *l)
{
	struct compile_args args = *l->compile;

	args.project = l->project->project;
	args.project_known = true;
	args.known = l->known;
	return args;
}

struct lint_check *
lint_check_of(struct checked *c)
{
	return (struct lint_check *)((char *)c - offsetof(struct lint_check, made));
}

/* Other files are fixed when they are checked themselves; what was made of a model has none. */
static void
drop_fixes_elsewhere(struct diags *d, const struct source *source)
{
	int i;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (g->fix && (g->fix->edits->src != source || source->origins))
			g->fix = NULL;
	}
}

void
lint_check(struct lint_check *l, struct source *source)
{
	const struct compile_args args = in_project(l);
	struct diags *d = &l->made.diags;
	const struct file *const *file;
	struct words as = { .n = 0 };
	struct spec *spec;
	struct suppress s;
	int nfiles, i;

	l->made.source = source;
	l->found.n = 0;
	diags_init(d, l->arena);
	spec = l->made.spec = compile_as_needed(l->arena, d, source, &args, lint_sketch_serves);
	file = compile_files(l->arena, spec, &nfiles);
	l->levels = lint_levels(l->arena, d, l->project->config, l->given, file, nfiles, &as);
	l->ran = rules_that_run(l, d->errors > 0);
	lint_run(d, file, l->levels, nfiles, spec->modules.v, spec->modules.n, spec->options);
	for (i = 0; i < spec->modules.n; i++) {
		d->network = spec->modules.v[i]->name;
		forecast_findings(d, spec->modules.v[i], &as);
	}
	d->network = NULL;
	if (l->known)
		l->known->report(l->known, d);
	for (i = 0; i < d->all.n; i++)
		vec_push(l->arena, &l->found, *d->all.v[i]);
	s = suppression_of(l, file, nfiles);
	s.d = d;
	s.possible = possible_findings(l, &as);
	if (s.possible && spec->known) {	/* those of the others are needed too */
		l->known = NULL;
		lint_check(l, source);
		return;
	}
	l->alone = !s.possible;
	suppress_run(&s);
	drop_fixes_elsewhere(d, source);
	diags_sort(d);
	l->match = (struct baseline_match){ .hidden = 0 };
	if (l->project->baseline)
		baseline_match(l->project->baseline, d, s.possible, l->given->write_baseline,
		    &l->match);
}

/* A rule may have made its edits in the arena of what it looked at, which is freed. */
static void
keep_fixes(struct arena *a, struct diags *d)
{
	int i, k;

	for (i = 0; i < d->all.n; i++) {
		struct fix *fix = d->all.v[i]->fix;
		struct edits *kept;

		if (!fix)
			continue;
		kept = edits_new(a, fix->edits->src);
		for (k = 0; k < fix->edits->all.n; k++) {
			const struct edit *e = &fix->edits->all.v[k];

			edits_add(kept, e->beg, e->end, arena_strdup(a, e->text));
		}
		fix->edits = kept;
	}
}

void
lint_check_settle(struct checked *c)
{
	struct lint_check *l = lint_check_of(c);

	if (l->compile->apart) {
		keep_fixes(l->arena, &c->diags);
		compile_drop_plans(c->spec);
	}
}

struct checked *
lint_check_again(struct arena *a, struct source *source, const void *before)
{
	struct lint_check *l = ARENA_NEW(a, struct lint_check);

	*l = *(const struct lint_check *)before;
	l->arena = a;
	lint_check(l, source);
	return &l->made;
}
