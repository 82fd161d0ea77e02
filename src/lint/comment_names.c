/* Comments that suppress nothing because of what they say: a name that no rule has, or any comment
 * in a project that forbids them. */
#include "lint/suppress.h"

#include <string.h>

#include "base/text.h"
#include "lint/catalog.h"

#define MOST_NAMES	1000

/* "all" or a family: words that options know. */
static bool
is_many(const char *word)
{
	int i;

	for (i = 0; i < FAMILIES; i++)
		if (strcmp(word, family_name((enum family)i)) == 0)
			return true;
	return strcmp(word, "all") == 0;
}

/* An allow() with a misspelt rule would silently allow nothing. */
static void
report_name(struct diags *d, const struct suppression *s, const struct name *name)
{
	const char *candidate[MOST_NAMES], *near;
	const struct rule *r;
	struct edits *e;
	struct diag *g;
	int n = 0, i = rule_index(name->text);

	if (i >= 0) {
		g = diag_add(d, SEV_WARNING, "suppression", s->loc,
		    "'%s' is an error of the language, so this allows nothing", name->text);
		return;
	}
	if (is_many(name->text)) {
		g = diag_add(d, SEV_WARNING, "suppression", s->loc,
		    "a comment allows single rules, not '%s', so this allows nothing", name->text);
		diag_help(d, g, "name the rules here, or set the level of '%s' in a lint section",
		    name->text);
		return;
	}
	g = diag_add(d, SEV_WARNING, "suppression", s->loc,
	    "no lint rule is called '%s', so this allows nothing", name->text);
	for (i = 0; (r = rule_at(i)) && n < MOST_NAMES; i++)
		if (rule_has_level(r))
			candidate[n++] = r->name;
	if (!(near = text_nearest(name->text, candidate, n)))
		return;
	diag_help(d, g, "did you mean '%s'?", near);
	e = edits_new(d->arena, s->loc.src);
	edits_add(e, name->loc.beg, name->loc.end, near);
	diag_fix(d, g, true, e, "write '%s'", near);
	if (g->fix)
		g->fix->told = true;
}

static void
report_forbidden(struct suppress *s, const struct suppression *comment)
{
	struct diag *g = diag_add(s->d, SEV_WARNING, "suppression", comment->loc,
	    "comments suppress nothing in this project");

	diag_place(s->d, g, s->forbidden, "it says so here");
}

void
comment_names_check(struct suppress *s)
{
	int i, j, k;

	for (i = 0; i < s->nfiles; i++)
		for (j = 0; j < s->file[i]->suppressions.n; j++) {
			const struct suppression *one = &s->file[i]->suppressions.v[j];

			if (s->ignore_comments) {
				report_forbidden(s, one);
				continue;
			}
			for (k = 0; k < one->nrules; k++) {
				int r = rule_index(one->rule[k].text);

				if (r < 0 || !rule_has_level(rule_at(r)))
					report_name(s->d, one, &one->rule[k]);
			}
			if (s->require_reason && !*one->reason)
				missing_reason_report(s->d, one);
		}
}
