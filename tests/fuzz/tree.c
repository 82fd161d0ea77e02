/* What every later stage relies on. */
#include "tree.h"

#define DEEPEST		257		/* of expression trees */

static void
check_loc(const struct source *src, struct loc loc)
{
	if (loc.src == src && (loc.beg < 0 || loc.end < loc.beg || loc.end > src->size))
		fuzz_failed("a place outside the text");
}

static void
check_expr(const struct source *src, const struct expr *e, int depth)
{
	int i;

	if (!e)
		return;
	if (depth > DEEPEST)
		fuzz_failed("a tree deeper than promised");
	check_loc(src, e->loc);
	check_loc(src, e->head);
	if ((e->kind == E_NAME || e->kind == E_PATH || e->kind == E_CALL || e->kind == E_STR ||
	    e->kind == E_LABEL || e->kind == E_DURATION) && !e->name)
		fuzz_failed("an expression without its name");
	if (((e->kind == E_BINARY || e->kind == E_PIPE) && (!e->a || !e->b)) ||
	    (e->kind == E_INDEX && (!e->a || e->nargs == 0)))
		fuzz_failed("an expression without its parts");
	for (i = 0; i < e->nargs; i++)
		check_expr(src, e->arg[i].value, depth + 1);
	check_expr(src, e->a, depth + 1);
	check_expr(src, e->b, depth + 1);
	check_expr(src, e->c, depth + 1);
}

static void
check_stmts(const struct source *src, const struct stmt *s, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		check_loc(src, s[i].loc);
		check_expr(src, s[i].expr, 1);
		if ((s[i].kind == S_DEF || s[i].kind == S_LOSS) && !s[i].expr)
			fuzz_failed("a statement without its value");
		for (j = 0; j < s[i].nnames; j++)
			check_loc(src, s[i].name[j].loc);
		if (s[i].kind == S_DEF && !s[i].name[0].text)
			fuzz_failed("a definition without its name");
		for (j = 0; s[i].type && j < s[i].type->nargs; j++)
			check_expr(src, s[i].type->arg[j].value, 1);
	}
}

static void
check_section(const struct source *src, const struct section *sec)
{
	int i, j;

	for (i = 0; i < sec->nsettings; i++) {
		const struct setting *s = &sec->setting[i];

		if (!s->key.text || s->nvalues < 1)
			fuzz_failed("a setting without key or value");
		for (j = 0; j < s->nvalues; j++)
			check_expr(src, s->value[j], 1);
	}
}

void
tree_check(const struct file *f)
{
	const struct source *src = f->src;
	int i, j;

	for (i = 0; i < f->globals.n; i++)
		check_expr(src, f->globals.v[i].value, 1);
	for (i = 0; i < f->blocks.n; i++) {
		for (j = 0; j < f->blocks.v[i]->nformals; j++)
			check_expr(src, f->blocks.v[i]->formal[j].value, 1);
		check_stmts(src, f->blocks.v[i]->stmt, f->blocks.v[i]->nstmts);
	}
	for (i = 0; i < f->networks.n; i++)
		check_stmts(src, f->networks.v[i]->stmt, f->networks.v[i]->nstmts);
	for (i = 0; i < f->sections.n; i++)
		check_section(src, f->sections.v[i]);
	for (i = 0; i < f->suppressions.n; i++)
		if (f->suppressions.v[i].from_line > f->suppressions.v[i].to_line)
			fuzz_failed("a suppression of no lines");
}

void
tree_check_diags(const struct source *src, const struct diags *d)
{
	int i, j;

	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];

		if (strcmp(g->rule, "internal") == 0)
			fuzz_failed(g->message);
		check_loc(src, g->loc);
		for (j = 0; j < g->remarks.n; j++)
			check_loc(src, g->remarks.v[j].loc);
	}
}
