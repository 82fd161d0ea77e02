/*
 * unused-name: blocks, params and parameters of blocks that nothing mentions. Reads the syntax tree
 * alone. One walk per body puts every name mentioned into a map; a name of a body is looked up
 * among those of its body, a name of the file among all. Definitions of tensors are dead-layer's;
 * inputs and targets the language's own ("data").
 */
#include "lint/catalog.h"

#include <string.h>

#include "amend/cut.h"
#include "base/map.h"

struct name_uses {
	struct arena *arena;
	struct cut_calls calls;	/* of the file; made when first asked for */
	struct map *body, *file;	/* names mentioned, to anything */
};

static void
mention(struct name_uses *u, const char *name)
{
	const char *first = name;
	size_t n = strcspn(name, ".");

	if (name[n])
		first = arena_strndup(u->arena, name, n);
	if (u->body && map_get(u->body, first))
		return;			/* then it is among all of them, too */
	if (u->body)
		map_put(u->arena, u->body, first, u);
	if (!map_get(u->file, first))
		map_put(u->arena, u->file, first, u);
}

/* The parser bounds the depth of trees. */
static void
walk(struct name_uses *u, const struct expr *e)
{
	int i;

	if (!e)
		return;
	if (e->name && (e->kind == E_NAME || e->kind == E_CALL || e->kind == E_PATH))
		mention(u, e->name);
	walk(u, e->a);
	walk(u, e->b);
	walk(u, e->c);
	for (i = 0; i < e->nargs; i++)
		walk(u, e->arg[i].value);
}

static void
walk_body(struct name_uses *u, const struct stmt *s, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		walk(u, s[i].expr);
		for (j = 0; s[i].type && j < s[i].type->nargs; j++)
			walk(u, s[i].type->arg[j].value);
	}
}

/* NULL: it is used. */
static struct diag *
report(const struct rule *rule, struct lint *l, const struct map *uses, const struct name *name,
    const char *what)
{
	if (!name->text || map_get(uses, name->text))
		return NULL;
	return lint_report(l, rule, name->loc, "%s '%s' is not used", what, name->text);
}

/* Who else uses a block of a file without a network is not known here. */
static void
check_formal(const struct rule *rule, struct lint *l, struct name_uses *u, const struct block *b,
    int i)
{
	struct diag *g = report(rule, l, u->body, &b->formal[i].name, "parameter");
	struct edits *e;

	if (!g || l->file->networks.n == 0)
		return;
	if (!u->calls.arena)
		cut_calls_init(&u->calls, u->arena, l->file);
	e = edits_new(u->arena, l->file->src);
	if (cut_drop_formal(e, &u->calls, b, i))
		diag_fix(l->diags, g, true, e, "remove the parameter, and what is given for it");
}

static void
check_block(const struct rule *rule, struct lint *l, struct name_uses *u, const struct block *b)
{
	struct diag *g = report(rule, l, u->file, &b->name, "block");
	struct edits *e;

	if (!g)
		return;
	e = edits_new(u->arena, l->file->src);
	if (cut_lines(e, b->loc))
		diag_fix(l->diags, g, true, e, "remove the block");
}

static void
check_param(const struct rule *rule, struct lint *l, struct name_uses *u, const struct global *p)
{
	struct diag *g = report(rule, l, u->file, &p->name, "param");
	struct edits *e;

	if (!g)
		return;
	e = edits_new(u->arena, l->file->src);
	if (cut_param(e, p))
		diag_fix(l->diags, g, true, e, "remove the param");
}

/* What could not be read, or is misspelt, may be a mention of anything. */
static bool
has_errors(const struct lint *l)
{
	const struct diags *d = l->diags;
	int i;

	for (i = 0; i < d->all.n; i++)
		if (d->all.v[i]->severity == SEV_ERROR && d->all.v[i]->loc.src == l->file->src &&
		    !rule_find(d->all.v[i]->rule))
			return true;
	return false;
}

static void
check_bodies(const struct rule *rule, struct lint *l, struct name_uses *u)
{
	const struct file *f = l->file;
	int i, j;

	for (i = 0; i < f->blocks.n; i++) {
		const struct block *b = f->blocks.v[i];
		struct map body = { NULL, 0, 0, NULL, 0 };

		u->body = &body;
		for (j = 0; j < b->nformals; j++)
			walk(u, b->formal[j].value);
		walk_body(u, b->stmt, b->nstmts);
		for (j = 0; j < b->nformals; j++)
			check_formal(rule, l, u, b, j);
	}
	for (i = 0; i < f->networks.n; i++) {
		u->body = NULL;
		walk_body(u, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct file *f = l->file;
	struct map all = { NULL, 0, 0, NULL, 0 };
	struct name_uses u = { .arena = l->diags->arena, .file = &all };
	int i, j, k;

	if (has_errors(l))
		return;
	check_bodies(rule, l, &u);
	if (f->networks.n == 0)		/* a file for others to use */
		return;
	for (i = 0; i < f->globals.n; i++)
		walk(&u, f->globals.v[i].value);
	for (i = 0; i < f->sections.n; i++)
		for (j = 0; j < f->sections.v[i]->nsettings; j++)
			for (k = 0; k < f->sections.v[i]->setting[j].nvalues; k++)
				walk(&u, f->sections.v[i]->setting[j].value[k]);
	for (i = 0; i < f->blocks.n; i++)
		check_block(rule, l, &u, f->blocks.v[i]);
	for (i = 0; i < f->globals.n; i++)
		check_param(rule, l, &u, &f->globals.v[i]);
}

const struct rule rule_unused_name = {
	.id = "SW202",
	.name = "unused-name",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a block, param or parameter that nothing mentions",
	.doc = "A parameter that its block does not mention takes its argument and does nothing "
	    "with it: block(width, rate) whose body says dropout(0.5) looks adjustable and is "
	    "not. Unused blocks and params are left over from edits; -D of such a param changes "
	    "nothing.\n\n"
	    "Params and blocks of a file without a network are for others to use, and are not "
	    "reported. Delete the name, or use it.",
	.check = check,
	.needs = NEEDS_SOURCE,
};
