/*
 * unused-suppression: a comment allows a rule that finds nothing there. lint/suppress.c knows which
 * names are unused; here they are reported and fixed.
 */
#include "lint/suppress.h"

#include "base/text.h"

/* Removes a name from its list: with the comma before it, or, if none before it stays, the one
 * behind it. So the fixes of one comment can be applied singly or together. */
static void
drop_name(struct edits *e, const struct suppression *s, int i, const bool *unused)
{
	int k;

	for (k = 0; k < i && unused[k]; k++)
		;
	if (k == i)
		edits_add(e, s->rule[i].loc.beg, s->rule[i + 1].loc.beg, "");
	else
		edits_add(e, s->rule[i - 1].loc.end, s->rule[i].loc.end, "");
}

/* The comment, with its line if there is nothing else on it. */
static void
drop_comment(struct edits *e, const struct suppression *s)
{
	const char *text = s->loc.src->text;
	int beg = s->loc.beg, end = s->loc.end;

	while (beg > 0 && (text[beg - 1] == ' ' || text[beg - 1] == '\t'))
		beg--;
	if (beg == 0 || text[beg - 1] == '\n') {
		end += text[end] == '\r';
		end += text[end] == '\n';
	}
	edits_add(e, beg, end, "");
}

static const char *
listed(struct arena *a, const struct suppression *s)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < s->nrules; i++)
		text_printf(&t, "%s'%s'", i == 0 ? "" : i == s->nrules - 1 ? " or " : ", ",
		    s->rule[i].text);
	return t.s;
}

void
unused_suppression_report(struct diags *d, const struct suppression *s, const bool *unused)
{
	struct edits *e;
	struct diag *g;
	int i, n = 0;

	for (i = 0; i < s->nrules; i++)
		n += unused[i];
	if (n == s->nrules) {
		e = edits_new(d->arena, s->loc.src);
		drop_comment(e, s);
		g = diag_add(d, rule_unused_suppression.severity, rule_unused_suppression.name,
		    s->loc, "there is no finding of %s here, so this comment allows nothing",
		    listed(d->arena, s));
		diag_fix(d, g, true, e, "remove the comment");
		return;
	}
	for (i = 0; i < s->nrules; i++) {
		if (!unused[i])
			continue;
		e = edits_new(d->arena, s->loc.src);
		drop_name(e, s, i, unused);
		g = diag_add(d, rule_unused_suppression.severity, rule_unused_suppression.name,
		    s->rule[i].loc, "there is no finding of '%s' here, so this allows nothing",
		    s->rule[i].text);
		diag_fix(d, g, true, e, "remove '%s' from the comment", s->rule[i].text);
	}
}

const struct rule rule_unused_suppression = {
	.id = "SW207",
	.name = "unused-suppression",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a comment allows a rule that finds nothing there",
	.doc = "A comment '# stowage: allow(RULE)' outlives what it was written for, and then "
	    "hides the next finding, which nobody has looked at. Each name in it is judged by "
	    "itself; of comments that cover one place the narrowest counts as used.\n\n"
	    "A name is called unused only where its rule has really been asked: not where the spec "
	    "has errors or the rule is off; and where it is asked of the plan, not under --batch, "
	    "--define, --device, --network, --target or --without, which plan something else than "
	    "the spec says, nor in a file without networks, nor in a file that is only used by the "
	    "one that is checked. What would be found under --as counts as found.\n\n"
	    "Cure: remove the name, or the comment where no other is in it.",
	.needs = NEEDS_SOURCE,
	.subject = ABOUT_COMMENT,
};
