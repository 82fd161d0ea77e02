/* The lint engine: running rules, reporting for them, and suppressions. */
#include "rules/lint.h"

#include <string.h>

#include "base/text.h"

#define MAX_RULES	256

const struct rule *
rule_find(const char *name)
{
	int i;

	for (i = 0; rule_table[i]; i++)
		if (strcmp(rule_table[i]->name, name) == 0 || strcmp(rule_table[i]->id, name) == 0)
			return rule_table[i];
	return NULL;
}

const char *
family_name(enum family f)
{
	static const char *const name[] = {
		[FAMILY_MEMORY] = "memory", [FAMILY_HYGIENE] = "hygiene",
		[FAMILY_TRAINING] = "training", [FAMILY_PORTABILITY] = "portability",
	};

	return name[f];
}

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

static const struct file *
file_of(const struct module *m, const struct file *const *file, int nfiles)
{
	int i;

	for (i = 0; i < nfiles; i++)
		if (file[i]->src == m->src)
			return file[i];
	return nfiles ? file[0] : NULL;
}

void
lint_run(struct diags *d, const struct file *const *file, int nfiles,
    struct module *const *module, int nmodules)
{
	struct lint l = { .diags = d };
	int r, i;

	for (r = 0; rule_table[r]; r++) {
		const struct rule *rule = rule_table[r];

		for (i = 0; rule->source_only && i < nfiles; i++) {
			l.file = file[i];
			l.module = NULL;
			rule->check(rule, &l);
		}
		for (i = 0; !rule->source_only && i < nmodules; i++) {
			if (module[i]->broken || !module[i]->plan)
				continue;
			l.file = file_of(module[i], file, nfiles);
			l.module = module[i];
			rule->check(rule, &l);
		}
	}
}

/* The rules of the language that also warn. They have no id. */
static bool
language_warns(const char *name)
{
	return strcmp(name, "data") == 0 || strcmp(name, "settings") == 0;
}

static bool
names(const struct suppression *s, const char *name, const struct rule *rule)
{
	int i;

	for (i = 0; i < s->nrules; i++)
		if (strcmp(s->rule[i], name) == 0 || (rule && strcmp(s->rule[i], rule->id) == 0))
			return true;
	return false;
}

static bool
is_allowed(const struct diag *g, const struct file *const *file, int nfiles)
{
	const struct rule *rule = rule_find(g->rule);
	int line = loc_line(g->loc), i, j;

	if (!g->loc.src || (!rule && g->severity == SEV_ERROR))
		return false;
	for (i = 0; i < nfiles; i++) {
		if (file[i]->src != g->loc.src)
			continue;
		for (j = 0; j < file[i]->suppressions.n; j++) {
			const struct suppression *s = &file[i]->suppressions.v[j];

			if (line >= s->from_line && line <= s->to_line && names(s, g->rule, rule))
				return true;
		}
	}
	return false;
}

/* The I-th rule named by a comment, where it says so. */
static void
fix_name(struct diags *d, struct diag *g, const struct suppression *s, int i, const char *near)
{
	struct edits *e = edits_new(d->arena, s->loc.src);
	const char *text = s->loc.src->text, *at = strchr(text + s->loc.beg, '(');

	for (; at && i > 0; i--)
		at = strchr(at + 1, ',');
	if (!at || at >= text + s->loc.end)
		return;
	at += 1 + strspn(at + 1, " \t\r");
	if (edits_add(e, (int)(at - text), (int)(at - text) + (int)strcspn(at, " \t\r,)"), near))
		diag_fix(d, g, true, e, "write '%s'", near);
}

/* An allow() with a misspelt rule would silently allow nothing. */
static void
check_names(struct diags *d, const struct suppression *s)
{
	const char *candidate[MAX_RULES], *near;
	struct diag *g;
	int n = 0, i;

	for (i = 0; rule_table[i] && n < MAX_RULES; i++)
		candidate[n++] = rule_table[i]->name;
	for (i = 0; i < s->nrules; i++) {
		if (rule_find(s->rule[i]) || language_warns(s->rule[i]))
			continue;
		g = diag_add(d, SEV_WARNING, "suppression", s->loc,
		    "no lint rule is called '%s', so this allows nothing", s->rule[i]);
		if (!(near = text_nearest(s->rule[i], candidate, n)))
			continue;
		diag_help(d, g, "did you mean '%s'?", near);
		fix_name(d, g, s, i, near);
	}
}

void
lint_suppress(struct diags *d, const struct file *const *file, int nfiles)
{
	int i, j, n = 0;

	for (i = 0; i < nfiles; i++)
		for (j = 0; j < file[i]->suppressions.n; j++)
			check_names(d, &file[i]->suppressions.v[j]);
	d->errors = d->warnings = 0;
	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (is_allowed(g, file, nfiles))
			continue;
		d->errors += g->severity == SEV_ERROR;
		d->warnings += g->severity == SEV_WARNING;
		d->all.v[n++] = g;
	}
	d->all.n = n;
}
