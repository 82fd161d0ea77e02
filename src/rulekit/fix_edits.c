/* What rules' fixes share. */
#include "rulekit/fix_edits.h"

#include <stdlib.h>
#include <string.h>

static bool
find_layer(struct lint *l, struct cut_place *p, struct loc loc)
{
	return loc.src && cut_find(p, l->diags->arena, l->file, loc);
}

void
fix_take_out(struct lint *l, struct diag *g, struct loc loc, const char *title)
{
	struct edits *e = edits_new(l->diags->arena, loc.src);
	struct cut_place p;

	if (find_layer(l, &p, loc) && cut_out(e, &p))
		diag_fix(l->diags, g, false, e, "%s", title);
}

void
fix_argument(struct lint *l, struct diag *g, struct loc loc, const char *name, const char *value,
    const char *title)
{
	struct edits *e = edits_new(l->diags->arena, loc.src);
	struct cut_place p;

	if (find_layer(l, &p, loc) && cut_argument(e, cut_layer(&p), name, value))
		diag_fix(l->diags, g, false, e, "%s", title);
}

/* Is the place all of one number of the file's text? */
static bool
is_number(struct loc loc)
{
	char *end;

	strtod(loc.src->text + loc.beg, &end);
	return end == loc.src->text + loc.end;
}

void
fix_number(struct lint *l, struct diag *g, struct loc loc, struct loc number, const char *value,
    const char *title)
{
	struct edits *e = edits_new(l->diags->arena, loc.src);
	struct cut_place p;
	struct loc call;

	if (number.src != loc.src || !find_layer(l, &p, loc))
		return;
	call = cut_layer(&p)->loc;
	if (number.beg >= call.beg && number.end <= call.end && is_number(number) &&
	    edits_add(e, number.beg, number.end, value))
		diag_fix(l->diags, g, false, e, "%s", title);
}

void
fix_behind(struct lint *l, struct diag *g, struct loc loc, const char *layer, const char *title)
{
	struct edits *e = edits_new(l->diags->arena, loc.src);
	struct cut_place p;

	if (find_layer(l, &p, loc) && cut_behind(e, &p, layer))
		diag_fix(l->diags, g, false, e, "%s", title);
}

bool
fix_amend(struct lint *l, struct amend *m)
{
	if (!l->file || l->file->src != l->module->src || l->file->networks.n != 1)
		return false;
	amend_init(m, l->diags->arena, l->file, l->module->name, NULL);
	return m->network != NULL;
}

void
fix_amended(struct lint *l, struct diag *g, bool safe, struct amend *m, const char *title)
{
	struct edits *e = ARENA_NEW(l->diags->arena, struct edits);

	*e = *amend_done(m);	/* the amend may be on the stack */
	diag_fix(l->diags, g, safe, e, "%s", title);
}

void
fix_setting(struct lint *l, struct diag *g, bool safe, enum section_kind kind, const char *key,
    const char *value, const char *after, const char *title)
{
	struct amend m;

	if (fix_amend(l, &m) && amend_set(&m, kind, key, value, after))
		fix_amended(l, g, safe, &m, title);
}

/* The layer that a name begins with. */
static const char *
layer_of(struct arena *a, const char *name)
{
	return arena_strndup(a, name, strcspn(name, "."));
}

void
fix_freeze(struct lint *l, struct diag *g, const struct fix_names *names,
    const struct fix_names *except, const char *title)
{
	struct map spared = { NULL, 0, 0, NULL, 0 }, frozen = spared;
	const char *layer;
	struct amend m;
	struct text t;
	int i;

	if (!fix_amend(l, &m))
		return;
	for (i = 0; except && i < except->n; i++)
		if (!map_get(&spared, (layer = layer_of(m.arena, except->v[i]))))
			map_put(m.arena, &spared, layer, l);
	text_init(&t, m.arena);
	for (i = 0; i < names->n; i++) {
		layer = layer_of(m.arena, names->v[i]);
		if (map_get(&spared, layer))
			return;
		if (map_get(&frozen, layer))
			continue;
		map_put(m.arena, &frozen, layer, l);
		text_printf(&t, "%s%s", t.n ? ", " : "", layer);
	}
	if (t.n > 0 && amend_append(&m, SEC_TRAIN, "freeze", t.s))
		fix_amended(l, g, false, &m, arena_printf(m.arena, "%s: %s", title, t.s));
}
