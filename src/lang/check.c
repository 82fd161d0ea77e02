/*
 * Names, before anything is expanded: every block is looked at, used or not, so that all unknown
 * names of a file are reported in one run and once each. An expression found wrong here becomes
 * E_BAD, which later evaluates to poison without another message.
 *
 * The same walk counts layers for their paths: within one definition the k-th textual use of an
 * operator's name gets the segment name_k. Both branches of an `if` start equal, so choosing the
 * other branch renames nothing after it.
 */
#include "lang/expander.h"

#include <string.h>

static void
start_definition(struct checker *c)
{
	c->tally.n = 0;
}

static bool
belongs(struct checker *c, const struct stmt *s)
{
	static const char *const name[] = {
		[S_INPUT] = "input", [S_TARGET] = "target", [S_LOSS] = "loss",
		[S_METRIC] = "metric",
	};
	struct diag *g;

	if (c->in_block && s->kind == S_INPUT && s->type) {
		ex_error(c->ex, "type", s->type->loc, "a block's input has no type: its shape is "
		    "that of what is piped in");
		return true;
	}
	if (c->in_block && (s->kind == S_TARGET || s->kind == S_LOSS || s->kind == S_METRIC)) {
		g = ex_error(c->ex, "type", s->loc, "a block has no %s", name[s->kind]);
		diag_help(c->ex->d, g, "move it to the network, and pass what it reads in or out");
		return false;
	}
	return true;
}

/* A label in its right side has the definition's name: that of a layer there, of a value here. */
static bool
is_label_of(struct checker *c, const struct stmt *s)
{
	const struct name *old = map_get(&c->known, s->name->text);

	return old && s->expr && old->loc.src == s->expr->loc.src && old->loc.beg >= s->expr->loc.beg &&
	    old->loc.end <= s->expr->loc.end;
}

static void
check_stmt(struct checker *c, const struct stmt *s)
{
	int i;

	if (s->kind == S_BAD) {
		c->has_bad = true;
		return;
	}
	if (!belongs(c, s))
		return;
	if (s->expr) {
		struct expr *e = s->expr;

		start_definition(c);
		if (s->kind != S_DEF && e->kind == E_LABEL)
			e = e->a;	/* names the result: no label */
		check_walk(c, e, POS_FIRST);
	}
	if (s->type)
		for (i = 0; i < s->type->nargs; i++)
			check_expr(c->ex, c->unit, s->type->arg[i].value);
	for (i = 0; i < s->nnames; i++)
		if (s->kind != S_DEF || !is_label_of(c, s))
			check_define(c, &s->name[i]);
}

static void
note_name(struct checker *c, const struct name *name)
{
	if (!map_get(&c->later, name->text))
		map_put(c->names, &c->later, name->text, (struct name *)name);
}

#define DEEPEST_LABEL	64	/* labels further inside are not looked for */

static void
note_labels(struct checker *c, const struct expr *e, int depth)
{
	struct name *label;
	int i;

	for (; e && depth < DEEPEST_LABEL; e = e->a) {	/* the arms of a pipe go this way */
		if (e->kind == E_LABEL) {
			label = ARENA_NEW(c->ex->a, struct name);
			*label = (struct name){ e->name, e->head };
			note_name(c, label);
		}
		note_labels(c, e->b, depth + 1);
		note_labels(c, e->c, depth + 1);
		for (i = 0; i < e->nargs; i++)
			note_labels(c, e->arg[i].value, depth + 1);
	}
}

/* What a body names, wherever that is: definitions, and labels where no definition is called so. */
static void
note_later(struct checker *c, const struct stmt *s, int n)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < s[i].nnames; j++)
			note_name(c, &s[i].name[j]);
	for (i = 0; i < n; i++)
		if (s[i].kind == S_DEF)
			note_labels(c, s[i].expr, 0);
}

static void
check_block(struct expander *ex, struct unit *u, const struct block *b)
{
	struct checker c = { .ex = ex, .unit = u, .names = arena_child(ex->a), .in_block = true };
	struct name *in = ARENA_NEW(ex->a, struct name);
	bool inputs = false, out = false;
	int i;

	for (i = 0; i < b->nformals; i++) {
		if (b->formal[i].value) {
			start_definition(&c);
			check_walk(&c, b->formal[i].value, POS_FIRST);
		}
		check_define(&c, &b->formal[i].name);
	}
	for (i = 0; i < b->nstmts; i++) {
		inputs |= b->stmt[i].kind == S_INPUT;
		c.has_bad |= b->stmt[i].kind == S_BAD;
		out |= b->stmt[i].kind == S_DEF && strcmp(b->stmt[i].name->text, "out") == 0;
	}
	if (!inputs) {
		*in = (struct name){ "in", b->name.loc };
		map_put(c.names, &c.known, "in", in);
	}
	note_later(&c, b->stmt, b->nstmts);
	for (i = 0; i < b->nstmts; i++)
		check_stmt(&c, &b->stmt[i]);
	if (!out && !c.has_bad)
		ex_error(ex, "name", b->name.loc, "block '%s' has no `out`: what it gives back "
		    "must be defined by that name", b->name.text);
	arena_free(c.names);
}

static void
check_network(struct expander *ex, struct unit *u, const struct network *n)
{
	struct checker c = { .ex = ex, .unit = u, .names = arena_child(ex->a) };
	bool inputs = false;
	int i;

	for (i = 0; i < n->nstmts; i++) {
		inputs |= n->stmt[i].kind == S_INPUT;
		c.has_bad |= n->stmt[i].kind == S_BAD;
	}
	note_later(&c, n->stmt, n->nstmts);
	for (i = 0; i < n->nstmts; i++)
		check_stmt(&c, &n->stmt[i]);
	if (!inputs && !c.has_bad)
		ex_error(ex, "type", n->name.loc, "network '%s' has no input", n->name.text);
	arena_free(c.names);
}

void
check_unit(struct expander *ex, struct unit *u)
{
	struct file *f = u->file;
	int i;

	for (i = 0; i < f->globals.n; i++) {
		struct checker c = { .ex = ex, .unit = u, .names = ex->a };

		check_walk(&c, f->globals.v[i].value, POS_FIRST);
	}
	for (i = 0; i < f->blocks.n; i++)
		check_block(ex, u, f->blocks.v[i]);
	for (i = 0; i < f->networks.n; i++) {
		const struct network *n = f->networks.v[i];
		const struct network *first = map_get(&f->network_named, n->name.text);

		check_network(ex, u, n);
		if (first != n)
			diag_place(ex->d, ex_error(ex, "name", n->name.loc,
			    "network '%s' is defined twice", n->name.text), first->name.loc,
			    "first defined here");
	}
}

void
check_expr(struct expander *ex, struct unit *u, struct expr *e)
{
	struct checker c = { .ex = ex, .unit = u, .names = ex->a };

	check_walk(&c, e, POS_VALUE);
}
