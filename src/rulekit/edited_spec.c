/* Edits of a spec's text, and their plans. */
#include "rulekit/edited_spec.h"

#include <ctype.h>
#include <string.h>

#include "fit/whatif.h"

void
edited_begin(struct lint *l, struct amend *m)
{
	amend_init(m, l->module->arena, l->file, l->module->name, l->options);
}

static int
back_over_blanks(const struct source *src, int at)
{
	while (at > 0 && isspace((unsigned char)src->text[at - 1]))
		at--;
	return at;
}

static bool
is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

int
edited_arm(const struct lint *l, struct loc layer)
{
	const struct source *src = l->file->src;
	int beg = layer.beg, at;

	if (layer.src != src || src != l->module->src)
		return -1;
	at = back_over_blanks(src, beg);
	if (at > 0 && src->text[at - 1] == ':') {	/* a label */
		at = back_over_blanks(src, at - 1);
		while (at > 0 && is_word(src->text[at - 1]))
			at--;
		beg = at;
		at = back_over_blanks(src, at);
	}
	return at > 1 && memcmp(src->text + at - 2, "->", 2) == 0 ? beg : -1;
}

bool
edited_before(const struct lint *l, struct amend *m, struct loc layer, const char *text)
{
	int at = edited_arm(l, layer);

	return at >= 0 && edits_add(&m->edits, at, at, arena_printf(m->arena, "%s -> ", text));
}

bool
edited_results(const struct lint *l, struct amend *m, const char *text)
{
	int i;

	for (i = 0; m->network && i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];
		const struct expr *e = st->expr;

		if (st->kind != S_LOSS && st->kind != S_METRIC)
			continue;
		if (e && e->kind == E_LABEL)
			e = e->a;
		if (!e || e->kind != E_CALL || e->nargs < 1 || e->arg[0].name ||
		    e->arg[0].value->loc.src != l->file->src)
			return false;
		e = e->arg[0].value;
		if (!edits_add(&m->edits, e->loc.end, e->loc.end,
		    arena_printf(m->arena, " -> %s", text)))
			return false;
	}
	return true;
}

bool
edited_type(struct amend *m, const char *name, const char *type)
{
	int i;

	for (i = 0; m->network && i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];

		if ((st->kind == S_INPUT || st->kind == S_TARGET) && st->type && st->nnames == 1 &&
		    strcmp(st->name[0].text, name) == 0)
			return edits_add(&m->edits, st->type->name_loc.beg, st->type->name_loc.end, type);
	}
	return false;
}

struct loc
edited_setting(struct lint *l, enum section_kind kind, const char *key, struct loc otherwise)
{
	const struct setting *st;
	struct amend m;

	edited_begin(l, &m);
	st = amend_find(&m, kind, key);
	return st ? st->loc : otherwise;
}

#define MOST_TEXT	((int64_t)4 << 20)	/* bytes read again, were each network edited once */
#define MOST_PLANS	4
#define MOST_NODES	8000	/* in total, not counting the first plan */

bool
edited_affords(const struct lint *l, int plans)
{
	const struct graph *g = l->module->train ? l->module->train : l->module->forward;

	return plans == 0 || (plans < MOST_PLANS && plans * (int64_t)g->nodes.n <= MOST_NODES);
}

struct module *
edited_plan(struct lint *l, struct amend *m)
{
	struct edits *e = amend_done(m);

	if (e->all.n == 0 || (int64_t)l->file->src->size * l->file->networks.n > MOST_TEXT)
		return NULL;
	return whatif_edited(l->module, e, l->options);
}
