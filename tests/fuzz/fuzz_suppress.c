/*
 * A fuzzer of comments that suppress findings; see fuzz.h. A text is parsed, findings are made up
 * at places that its own bytes choose, and levels likewise. Of each finding, either it is reported
 * or a comment that names its rule and covers its line waives it, and one is waived wherever such a
 * comment is.
 */
#include "lint/catalog.h"
#include "lint/suppress.h"

#include "tree.h"

#define MOST_FINDINGS	24

static const char *const words[] = {
	"# stowage: allow(oom) why\n", "# stowage: allow(dead-layer, last-batch)\n", "# stowage: allow-file(oom) x\n",
	"# stowage: allow(unused-suppression) y\n", "# stowage: allow(syntax)\n", "# stowage: allow(SW101)\n",
	"# stowage: allow(missing-reason, oom)\n", "# stowage: allow(dropuot-last) why\n", "# stowage: allow()\n",
	"# stowage: deny(oom)\n", "#stowage:allow(oom)", "# stowage : allow(oom)\n", "\n", " ", "oom", "dead-layer", ", ",
	"(", ")", "network n {\n", "block b(x) {\n", "}\n", "y = x -> relu\n", "y = x\n  -> relu\n  -> dense(3)\n",
	"train { batch 3\n epochs 4 }\n", "use \"a.nn\"\n", "param p = 1\n", "# a comment\n", "\t", "\r\n", "\xff",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(fuzz_below(4) ? 4 : 20); edits > 0; edits--)
		if (nfrom && fuzz_below(12) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 200);
		else
			fuzz_edit(t, words, COUNT_OF(words), 12);
}

static const struct rule *
some_rule(void)
{
	static const char *const often[] = { "oom", "dead-layer", "last-batch" };
	int n = 0;

	if (fuzz_below(4))
		return rule_find(often[fuzz_below(COUNT_OF(often))]);
	while (rule_at(n))
		n++;
	n = (int)fuzz_below((uint64_t)n);
	return rule_at(strcmp(rule_at(n)->name, "internal") == 0 ? 0 : n);	/* that one would be about us */
}

static void
some_findings(struct diags *d, const struct source *src)
{
	int n = (int)fuzz_below(MOST_FINDINGS), at;

	while (n-- > 0) {
		at = (int)fuzz_below((uint64_t)src->size + 1);
		diag_add(d, fuzz_below(3) ? SEV_WARNING : SEV_NOTE, some_rule()->name, (struct loc){ src, at, at },
		    "finding %d", n);
	}
}

static void
some_levels(struct arena *a, struct levels *l)
{
	static const char *const key[] = { "select", "ignore", "note", "warning", "error" };
	struct level_layer layer = { .words = { NULL, 0, 0 } };
	int n = (int)fuzz_below(4);
	const char *why, *near;

	while (n-- > 0) {
		struct level_word w = { .option = "--x" };

		level_key(key[fuzz_below(COUNT_OF(key))], &w);
		if (selection_read(a, fuzz_below(2) ? some_rule()->name : "memory", &w.what, &why, &near))
			level_say(a, &layer, &w);
	}
	levels_apply(l, &layer);
}

/* Rules about comments are judged by the comments that are there: not here. */
static bool
is_made_up(const struct diag *g)
{
	return strncmp(g->message, "finding ", 8) == 0 && rule_at(rule_index(g->rule))->subject != ABOUT_COMMENT;
}

static bool
allows(const struct suppression *s, const struct diag *g)
{
	int line = loc_line(g->loc), i;

	for (i = 0; i < s->nrules; i++)
		if (rule_index(s->rule[i].text) == rule_index(g->rule) && line >= s->from_line && line <= s->to_line)
			return true;
	return false;
}

static bool
one_allows(const struct file *f, const struct diag *g)
{
	int i;

	for (i = 0; i < f->suppressions.n; i++)
		if (allows(&f->suppressions.v[i], g))
			return true;
	return false;
}

static void
check_reported(const struct file *f, const struct diags *d, const struct levels *l, bool ignore)
{
	int i, errors = 0, warnings = 0;

	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];
		int rule = rule_index(g->rule);

		errors += g->severity == SEV_ERROR;
		warnings += g->severity == SEV_WARNING;
		if (!is_made_up(g) || rule < 0)
			continue;
		if (level_is_off(l, rule))
			fuzz_failed("a finding of a rule that is off");
		if (!ignore && rule_has_level(rule_at(rule)) && one_allows(f, g))
			fuzz_failed("a finding that a comment allows");
	}
	if (errors != d->errors || warnings != d->warnings)
		fuzz_failed("other counts");
}

static void
check_waived(const struct file *f, const struct diags *d, bool ignore)
{
	int i;

	for (i = 0; i < d->waived.n; i++)
		if (ignore || !d->waived.v[i]->waiver ||
		    (is_made_up(d->waived.v[i]) && !one_allows(f, d->waived.v[i])))
			fuzz_failed("a finding that nothing allows is not reported");
}

static long
try(const struct sample *t)
{
	struct arena *a = fuzz_arena();
	const struct source *src = source_from_text(a, "f.nn", t->text, t->n);
	struct levels *levels = levels_new(a);
	const struct file *file;
	struct suppress s = { .nfiles = 1, .file = &file, .levels = &levels };
	struct diags d;

	diags_init(&d, a);
	file = parse_file(a, &d, src);
	tree_check(file);
	some_findings(&d, src);
	some_levels(a, levels);
	s.d = &d;
	s.ran = (struct rules_run){ fuzz_below(2), fuzz_below(2), fuzz_below(2) };
	s.require_reason = fuzz_below(2);
	s.ignore_comments = fuzz_below(8) == 0;
	if (s.ignore_comments && file->suppressions.n && fuzz_below(2))
		s.forbidden = file->suppressions.v[0].loc;
	suppress_run(&s);
	diags_sort(&d);
	tree_check_diags(src, &d);
	check_reported(file, &d, levels, s.ignore_comments);
	check_waived(file, &d, s.ignore_comments);
	return d.waived.n;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_suppress",
	.outcome = "findings allowed",
	.longest = 600,
	.slow = 2,
	.mutate = mutate,
	.try = try,
};
