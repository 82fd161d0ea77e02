/*
 * From what rules found to what is reported, in two turns: first what rules found, then what is to
 * be said about the comments (rules unused-suppression and the like), when it is known which are
 * unused.
 */
#include "lint/suppress.h"

#include <string.h>

#include "lint/catalog.h"
#include "lint/comment_match.h"

struct suppress_state {
	struct suppress *s;
	struct arena *scratch;
	struct comment_covers covers;
	/* the last answers of rule_of() and file_of(), which are nearly always the next ones */
	const char *rule_name;
	int rule, file;
};

bool
rule_was_run(const struct rules_run *ran, const struct levels *levels, int rule)
{
	const struct rule *r = rule_at(rule);

	if (level_is_off(levels, rule) || (r->on_request && !ran->of_reasons))
		return false;
	return r->needs == NEEDS_SOURCE ? ran->of_source : ran->of_plan;
}

/* ---- whose findings are whose ---- */

static int
rule_of(struct suppress_state *st, const char *name)
{
	if (!st->rule_name || strcmp(st->rule_name, name) != 0) {
		st->rule_name = name;
		st->rule = rule_index(name);
	}
	return st->rule;
}

/* The file a finding is in; those without a place belong to the first. */
static int
file_of(struct suppress_state *st, const struct diag *g)
{
	int i;

	if (!g->loc.src)
		return 0;
	if (st->file < st->s->nfiles && st->s->file[st->file]->src == g->loc.src)
		return st->file;
	for (i = 0; i < st->s->nfiles; i++)
		if (st->s->file[i]->src == g->loc.src)
			return st->file = i;
	return 0;
}

static const struct levels *
levels_of(const struct suppress_state *st, int file)
{
	return st->s->levels ? st->s->levels[file] : NULL;
}

/* Rules about comments, whose findings come in the second turn. */
static bool
is_about_comments(int rule)
{
	return rule_at(rule)->subject == ABOUT_COMMENT;
}

static bool
is_error_of_language(int rule, const struct diag *g)
{
	return rule < 0 || (rule_is_language(rule_at(rule)) && g->severity == SEV_ERROR);
}

/* ---- the first turn: what rules found ---- */

static const struct waiver *
waiver_of(const struct suppress_state *st, const struct suppression *by)
{
	struct waiver *w = ARENA_NEW(st->s->d->arena, struct waiver);

	*w = (struct waiver){ WAIVED_BY_COMMENT, by->loc, by->reason };
	return w;
}

static void
waive(struct suppress_state *st, struct suppressibles *findings)
{
	int i;

	comment_match(st->scratch, &st->covers, findings);
	for (i = 0; i < findings->all.n; i++) {
		const struct suppressible *f = &findings->all.v[i];

		if (f->by && f->finding)
			f->finding->waiver = waiver_of(st, f->by->by);
	}
	diags_waive(st->s->d);
}

static void
add_suppressible(struct suppress_state *st, struct suppressibles *to, struct diag *g, bool reported)
{
	int rule = rule_of(st, g->rule), file = file_of(st, g);

	if (is_error_of_language(rule, g) || !g->loc.src)
		return;
	vec_push(st->scratch, &to->all, ((struct suppressible){ file, rule, loc_line(g->loc),
	    reported ? g : NULL, NULL }));
}

/* Drops findings of rules that are off, and waives those that a comment allows. */
static void
suppress_findings(struct suppress_state *st)
{
	struct diags *d = st->s->d;
	struct suppressibles findings = { .all = { NULL, 0, 0 } };
	int i, n = 0;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];
		int rule = rule_of(st, g->rule);

		if (!is_error_of_language(rule, g) &&
		    level_is_off(levels_of(st, file_of(st, g)), rule))
			continue;
		d->all.v[n++] = g;
		if (st->covers.all.n)
			add_suppressible(st, &findings, g, true);
	}
	d->all.n = n;
	for (i = 0; st->s->possible && i < st->s->possible->all.n; i++)
		add_suppressible(st, &findings, st->s->possible->all.v[i], false);
	waive(st, &findings);
}

/* ---- the second turn: what is to be said about the comments ---- */

/* Whether names are unused, those of rules about comments or the others. */
static void
report_unused(struct suppress_state *st, bool about_comments)
{
	const struct file *f = st->s->nfiles ? st->s->file[0] : NULL;
	bool **unused;		/* by comment, then by name */
	int i;

	if (!f || f->suppressions.n == 0)
		return;
	unused = arena_array(st->scratch, (size_t)f->suppressions.n, sizeof(*unused));
	for (i = 0; i < st->covers.all.n && st->covers.all.v[i].file == 0; i++) {
		const struct comment_cover *c = &st->covers.all.v[i];
		ptrdiff_t k = c->by - f->suppressions.v;

		if (c->used || is_about_comments(c->rule) != about_comments ||
		    !rule_was_run(&st->s->ran, levels_of(st, 0), c->rule))
			continue;
		if (!unused[k])
			unused[k] = arena_array(st->scratch, (size_t)c->by->nrules, sizeof(bool));
		unused[k][c->name] = true;
	}
	for (i = 0; i < f->suppressions.n; i++)
		if (unused[i])
			unused_suppression_report(st->s->d, &f->suppressions.v[i], unused[i]);
}

/* The same of the findings behind FROM, which are about comments. */
static void
suppress_findings_on_comments(struct suppress_state *st, int from)
{
	struct suppressibles findings = { .all = { NULL, 0, 0 } };
	struct diags *d = st->s->d;
	int i, n = from;

	for (i = from; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (level_is_off(levels_of(st, file_of(st, g)), rule_of(st, g->rule)))
			continue;
		d->all.v[n++] = g;
		add_suppressible(st, &findings, g, true);
	}
	d->all.n = n;
	waive(st, &findings);
}

/* ---- all of it ---- */

static void
add_cover(struct suppress_state *st, const struct suppression *by, int file, int name)
{
	struct comment_cover c = { .by = by, .file = file, .name = name, .from = by->from_line,
		.to = by->to_line };
	int own = loc_line(by->loc);

	c.rule = rule_of(st, by->rule[name].text);
	if (c.rule < 0 || !rule_has_level(rule_at(c.rule)))
		return;
	if (is_about_comments(c.rule)) {	/* the comment itself may be meant */
		c.from = c.from < own ? c.from : own;
		c.to = c.to > own ? c.to : own;
	}
	vec_push(st->scratch, &st->covers.all, c);
}

static void
gather_covers(struct suppress_state *st)
{
	struct suppress *s = st->s;
	int i, j, k;

	for (i = 0; i < s->nfiles; i++)
		for (j = 0; j < s->file[i]->suppressions.n; j++) {
			const struct suppression *one = &s->file[i]->suppressions.v[j];

			for (k = 0; k < one->nrules; k++)
				add_cover(st, one, i, k);
		}
	comment_covers_sort(&st->covers);
}

static void
give_level(struct suppress_state *st, struct diag *g)
{
	int rule = rule_of(st, g->rule);

	if (!is_error_of_language(rule, g))
		g->severity = level_severity(levels_of(st, file_of(st, g)), rule, g->severity);
}

static void
give_levels(struct suppress_state *st)
{
	struct diags *d = st->s->d;
	int i;

	for (i = 0; i < d->waived.n; i++)
		give_level(st, d->waived.v[i]);
	d->errors = d->warnings = 0;
	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];

		give_level(st, d->all.v[i]);
		d->errors += g->severity == SEV_ERROR;
		d->warnings += g->severity == SEV_WARNING;
	}
}

void
suppress_run(struct suppress *s)
{
	struct arena *scratch = arena_child(s->d->arena);
	struct suppress_state st = { .s = s, .scratch = scratch, .rule = -1 };
	int from;

	if (!s->ignore_comments)
		gather_covers(&st);
	suppress_findings(&st);
	from = s->d->all.n;
	if (!s->ignore_comments || s->forbidden.src)
		comment_names_check(s);
	if (!s->ignore_comments)
		report_unused(&st, false);
	suppress_findings_on_comments(&st, from);
	if (!s->ignore_comments && !level_is_off(levels_of(&st, 0),
	    rule_index(rule_unused_suppression.name)))
		report_unused(&st, true);
	give_levels(&st);
	arena_free(scratch);
}
