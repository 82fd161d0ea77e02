/* What lies at a place of a document. */
#include "lsp/document_tree.h"

const struct use *
tree_use_at(const struct tree *t, int at)
{
	int i;

	for (i = 0; i < t->uses.n; i++)
		if (t->uses.v[i].loc.src == t->file->src && loc_holds(t->uses.v[i].loc, at))
			return &t->uses.v[i];
	return NULL;
}

void
tree_walk(const struct file *f, void (*visit)(void *, const struct expr *),
    void *context)
{
	int i, k, j;

	for (i = 0; i < f->globals.n; i++)
		tree_walk_expr(f->globals.v[i].value, visit, context);
	for (i = 0; i < f->blocks.n; i++) {
		for (k = 0; k < f->blocks.v[i]->nformals; k++)
			tree_walk_expr(f->blocks.v[i]->formal[k].value, visit, context);
		for (k = 0; k < f->blocks.v[i]->nstmts; k++)
			tree_walk_expr(f->blocks.v[i]->stmt[k].expr, visit, context);
	}
	for (i = 0; i < f->networks.n; i++)
		for (k = 0; k < f->networks.v[i]->nstmts; k++)
			tree_walk_expr(f->networks.v[i]->stmt[k].expr, visit, context);
	for (i = 0; i < f->sections.n; i++)
		for (k = 0; k < f->sections.v[i]->nsettings; k++)
			for (j = 0; j < f->sections.v[i]->setting[k].nvalues; j++)
				tree_walk_expr(f->sections.v[i]->setting[k].value[j], visit, context);
}

struct search {
	int at;
	const struct expr *found;
};

static void
see_layer(void *context, const struct expr *e)
{
	struct search *s = context;

	if ((e->kind == E_CALL || e->kind == E_NAME || e->kind == E_LABEL) &&
	    loc_holds(e->kind == E_NAME ? e->loc : e->head, s->at))
		s->found = e;
}

const struct expr *
tree_layer_at(const struct tree *t, int at)
{
	struct search s = { .at = at };

	tree_walk(t->file, see_layer, &s);
	return s.found;
}

const struct body *
tree_body_at(const struct tree *t, int at)
{
	int i;

	for (i = 0; i < t->bodies.n; i++)
		if (t->bodies.v[i].loc.src == t->file->src && loc_holds(t->bodies.v[i].loc, at))
			return &t->bodies.v[i];
	return NULL;
}

const struct section *
tree_section_at(const struct tree *t, int at)
{
	int i;

	for (i = 0; i < t->file->sections.n; i++)
		if (loc_holds(t->file->sections.v[i]->loc, at))
			return t->file->sections.v[i];
	return NULL;
}

static struct loc
innermost(struct loc best, struct loc l, int at)
{
	return loc_holds(l, at) && (!best.src || l.beg >= best.beg) ? l : best;
}

struct loc
tree_statement_at(const struct tree *t, int at)
{
	const struct file *f = t->file;
	struct loc best = { NULL, 0, 0 };
	int i, k;

	for (i = 0; i < f->imports.n; i++)
		best = innermost(best, f->imports.v[i].loc, at);
	for (i = 0; i < f->globals.n; i++)
		if (f->globals.v[i].value)
			best = innermost(best, loc_join(f->globals.v[i].name.loc, f->globals.v[i].value->loc), at);
	for (i = 0; i < f->blocks.n; i++) {
		best = innermost(best, f->blocks.v[i]->loc, at);
		for (k = 0; k < f->blocks.v[i]->nstmts; k++)
			best = innermost(best, f->blocks.v[i]->stmt[k].loc, at);
	}
	for (i = 0; i < f->networks.n; i++) {
		best = innermost(best, f->networks.v[i]->loc, at);
		for (k = 0; k < f->networks.v[i]->nstmts; k++)
			best = innermost(best, f->networks.v[i]->stmt[k].loc, at);
	}
	for (i = 0; i < f->sections.n; i++) {
		best = innermost(best, f->sections.v[i]->loc, at);
		for (k = 0; k < f->sections.v[i]->nsettings; k++)
			best = innermost(best, f->sections.v[i]->setting[k].loc, at);
	}
	return best;
}
