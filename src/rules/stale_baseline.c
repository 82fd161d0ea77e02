/* stale-baseline: an entry of the baseline stands for findings that no longer exist. */
#include "lint/baseline.h"

#include "lint/catalog.h"

/* Removes its line, or lowers its number. */
static struct edits *
mend(struct arena *a, const struct baseline *b, const struct baseline_entry *e)
{
	struct edits *edits = edits_new(a, b->src);
	int beg = b->src->line_start[e->line - 1], n;
	int end = e->line < b->src->lines ? b->src->line_start[e->line] : b->src->size;

	if (e->found == 0) {
		edits_add(edits, beg, end, "");
		return edits;
	}
	beg += 17;		/* behind the fingerprint */
	for (n = 0; b->src->text[beg + n] != ' '; n++)
		;
	edits_add(edits, beg, beg + n, arena_printf(a, "%d", e->found));
	return edits;
}

static const char *
what(struct arena *a, const struct baseline_entry *e)
{
	if (e->found)
		return arena_printf(a, "%d of the %d findings", e->count - e->found, e->count);
	return e->count > 1 ? arena_printf(a, "the %d findings", e->count) : "the finding";
}

void
baseline_stale(const struct baseline *b, struct diags *d)
{
	struct diag *g;
	struct loc loc;
	int i, length;

	for (i = 0; b->src && i < b->old.all.n; i++) {
		const struct baseline_entry *e = &b->old.all.v[i];

		if (!e->judged || e->found >= e->count)
			continue;
		source_line(b->src, e->line, &length);
		loc = (struct loc){ b->src, b->src->line_start[e->line - 1], 0 };
		loc.end = loc.beg + length;
		g = diag_add(d, rule_stale_baseline.severity, rule_stale_baseline.name, loc,
		    "%s of '%s' in %s that the baseline has %s gone", what(d->arena, e), e->rule,
		    e->path, e->found || e->count > 1 ? "are" : "is");
		diag_help(d, g, "--write-baseline writes it anew");
		diag_fix(d, g, true, mend(d->arena, b, e), "%s", e->found ? "lower its number" :
		    "remove the entry");
	}
}

const struct rule rule_stale_baseline = {
	.id = "SW209",
	.name = "stale-baseline",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "the baseline lists a finding that is there no more",
	.doc = "An entry of the baseline whose finding was mended, or whose line was changed, "
	    "would hide the next finding like it. It is stale if its file was checked and its rule "
	    "asked, as with unused-suppression, and fewer findings were there than it counts; or "
	    "if its file is no more.\n\n"
	    "Cure: remove the entry; --write-baseline writes the file without it, and with what "
	    "else is new.",
	.needs = NEEDS_SOURCE,
	.subject = ABOUT_BASELINE,
};
