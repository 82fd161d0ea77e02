/*
 * shadowed-name: a name of a body that hides a block or a param of the file. Reads the syntax tree
 * alone. Names of operators may be used freely: a new operator must not put findings in old files.
 */
#include "lint/rule.h"

#include "amend/cut.h"
#include "base/map.h"

/* NULL: it hides nothing. */
static struct diag *
check_name(const struct rule *rule, struct lint *l, const struct map *file, const struct name *name)
{
	const struct name *hidden = name->text ? map_get(file, name->text) : NULL;
	struct diag *g;

	if (!hidden)
		return NULL;
	g = lint_report(l, rule, name->loc, "'%s' hides the one of the file", name->text);
	diag_place(l->diags, g, hidden->loc, "that is here");
	return g;
}

/* Renames a parameter. Not a definition, whose name is in checkpoints; nor a parameter that other
 * files may pass by name. */
static void
check_formal(const struct rule *rule, struct lint *l, const struct map *file,
    const struct block *b, int i, struct cut_calls *calls)
{
	struct diag *g = check_name(rule, l, file, &b->formal[i].name);
	const char *to;
	struct edits *e;

	if (!g || l->file->networks.n == 0 || !b->name.text)
		return;
	to = arena_printf(l->diags->arena, "%s_%s", b->name.text, b->formal[i].name.text);
	e = edits_new(l->diags->arena, l->file->src);
	if (!calls->arena)
		cut_calls_init(calls, l->diags->arena, l->file);
	if (!map_get(file, to) && cut_rename_formal(e, calls, b, i, to))
		diag_fix(l->diags, g, true, e, "call it '%s'", to);
}

static void
check_body(const struct rule *rule, struct lint *l, const struct map *file, const struct stmt *s,
    int n)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < s[i].nnames; j++)
			check_name(rule, l, file, &s[i].name[j]);
}

static void
add(struct lint *l, struct map *file, struct name *name)
{
	if (name->text && !map_get(file, name->text))
		map_put(l->diags->arena, file, name->text, name);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct file *f = l->file;
	struct map file = { NULL, 0, 0, NULL, 0 };
	struct cut_calls calls = { .arena = NULL };
	int i, j;

	for (i = 0; i < f->blocks.n; i++)
		add(l, &file, &f->blocks.v[i]->name);
	for (i = 0; i < f->globals.n; i++)
		add(l, &file, &f->globals.v[i].name);
	for (i = 0; i < f->blocks.n; i++) {
		const struct block *b = f->blocks.v[i];

		for (j = 0; j < b->nformals; j++)
			check_formal(rule, l, &file, b, j, &calls);
		check_body(rule, l, &file, b->stmt, b->nstmts);
	}
	for (i = 0; i < f->networks.n; i++)
		check_body(rule, l, &file, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
}

const struct rule rule_shadowed_name = {
	.id = "SW203",
	.name = "shadowed-name",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a local name hides a block or a param of the file",
	.doc = "A parameter or definition with the name of a param or block of the file is what "
	    "the name means from there on, in that body alone. A reader who looks at the top of "
	    "the file, and -D of that param, mean the other one. Rename one of them.\n\n"
	    "Names of operators are not reported: block(dropout) with dropout(dropout) is common, "
	    "and a new operator must not put findings into old files.",
	.check = check,
	.needs = NEEDS_SOURCE,
};
