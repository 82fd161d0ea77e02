/* Walks over the expressions of a spec's tree, and a file's calls by what they name; see cut.h. */
#include "amend/cut.h"

void
cut_walk(const struct expr *e, void (*f)(void *, const struct expr *), void *context)
{
	int i;

	if (!e)
		return;
	f(context, e);
	cut_walk(e->a, f, context);
	cut_walk(e->b, f, context);
	cut_walk(e->c, f, context);
	for (i = 0; i < e->nargs; i++)
		cut_walk(e->arg[i].value, f, context);
}

void
cut_walk_stmts(const struct stmt *s, int n, void (*f)(void *, const struct expr *), void *context)
{
	int i, j;

	for (i = 0; i < n; i++) {
		cut_walk(s[i].expr, f, context);
		for (j = 0; s[i].type && j < s[i].type->nargs; j++)
			cut_walk(s[i].type->arg[j].value, f, context);
	}
}

static void
walk_file(const struct file *file, void (*f)(void *, const struct expr *), void *context)
{
	int i, j, k;

	for (i = 0; i < file->globals.n; i++)
		cut_walk(file->globals.v[i].value, f, context);
	for (i = 0; i < file->blocks.n; i++) {
		const struct block *b = file->blocks.v[i];

		for (j = 0; j < b->nformals; j++)
			cut_walk(b->formal[j].value, f, context);
		cut_walk_stmts(b->stmt, b->nstmts, f, context);
	}
	for (i = 0; i < file->networks.n; i++)
		cut_walk_stmts(file->networks.v[i]->stmt, file->networks.v[i]->nstmts, f, context);
	for (i = 0; i < file->sections.n; i++)
		for (j = 0; j < file->sections.v[i]->nsettings; j++)
			for (k = 0; k < file->sections.v[i]->setting[j].nvalues; k++)
				cut_walk(file->sections.v[i]->setting[j].value[k], f, context);
}

static void
note_call(void *context, const struct expr *e)
{
	struct cut_calls *c = context;
	struct cut_call *new, *first;

	if (e->kind != E_CALL || !e->name)
		return;
	new = ARENA_NEW(c->arena, struct cut_call);
	new->call = e;
	first = map_get(&c->by_name, e->name);
	if (first) {
		new->next = first->next;
		first->next = new;
	} else {
		map_put(c->arena, &c->by_name, e->name, new);
	}
}

void
cut_calls_init(struct cut_calls *c, struct arena *a, const struct file *f)
{
	*c = (struct cut_calls){ .arena = a };
	walk_file(f, note_call, c);
}
