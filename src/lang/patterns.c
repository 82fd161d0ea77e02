/*
 * Settings that name parts of the network by path: freeze, recompute, groups, update, place and an
 * optimizer's no_decay. A pattern that matches nothing is an error, because it would silently do
 * nothing. Some settings name layers, some what these keep.
 */
#include "lang/expander.h"

#include <ctype.h>
#include <string.h>

/* The text of a pattern: a name, a path, a string or a lone *; NULL after an error. */
static const char *
pattern_text(struct expander *ex, const struct expr *e, const char *what)
{
	if ((e->kind == E_NAME || e->kind == E_PATH || e->kind == E_STR) && *e->name)
		return e->name;
	if (e->kind == E_STAR)
		return "*";
	if (e->kind != E_BAD)
		ex_error(ex, "settings", e->loc, "%s takes paths such as layer1, layer3.* or "
		    "\"*.bias\", not '%s'", what, ex_text(ex, e->loc));
	return NULL;
}

static void
add_pattern(struct expander *ex, const struct expr *e, const char *what, struct pattern **list,
    int *n)
{
	const char *text = pattern_text(ex, e, what);

	if (!text)
		return;
	if ((*n & (*n - 1)) == 0)	/* room for a power of two of them */
		*list = arena_grow(ex->a, *list, (size_t)*n * sizeof(**list),
		    ((size_t)*n * 2 + 1) * sizeof(**list));
	(*list)[(*n)++] = (struct pattern){ text, e->loc };
}

/* Every path and every beginning of one, to suggest from. */
static void
add_prefixes(struct expander *ex, struct map *seen, struct names *names, const char *path)
{
	const char *dot = path;

	while (dot) {
		const char *prefix;

		dot = strchr(dot, '.');
		prefix = dot ? arena_strndup(ex->a, path, (size_t)(dot - path)) : path;
		if (!map_get(seen, prefix)) {
			map_put(ex->a, seen, prefix, seen);
			names_add(ex->a, names, prefix);
		}
		if (dot)
			dot++;
	}
}

/* The I-th path of what a setting may name. */
static const char *
path_at(const struct expander *ex, bool layers, int i)
{
	if (layers)
		return i < ex->m->forward->nodes.n ? ex->m->forward->nodes.v[i]->path : NULL;
	return i < ex->m->persistent.n ? ex->m->persistent.v[i]->name : NULL;
}

static void
add_segment(struct expander *ex, struct map *seen, struct names *names, const char *from)
{
	const char *segment = arena_strndup(ex->a, from, strcspn(from, "."));

	if (isdigit((unsigned char)*segment) || map_get(seen, segment))
		return;
	map_put(ex->a, seen, segment, seen);
	names_add(ex->a, names, segment);
}

/* With FIRST, what follows in the paths that begin with N letters, up to a dot, of TEXT; with
 * INNER, all segments of paths that stand behind a dot. */
static struct names
next_segments(struct expander *ex, bool layers, const char *text, size_t n, bool first, bool inner)
{
	struct map seen = { NULL, 0, 0, NULL, 0 };
	struct names names = { NULL, 0, 0 };
	const char *path, *dot;
	int i;

	for (i = 0; (path = path_at(ex, layers, i)); i++) {
		if (strncmp(path, text, n) != 0)
			continue;
		if (first)
			add_segment(ex, &seen, &names, path + n);
		for (dot = path; inner && (dot = strchr(dot, '.'));)
			add_segment(ex, &seen, &names, ++dot);
	}
	return names;
}

/* Is it a path's first part, or all of it? */
static bool
begins_path(const struct expander *ex, bool layers, const char *text)
{
	size_t n = strlen(text);
	const char *path;
	int i;

	for (i = 0; (path = path_at(ex, layers, i)); i++)
		if (strncmp(path, text, n) == 0 && (path[n] == '.' || path[n] == '\0'))
			return true;
	return false;
}

/* Of "*.NAME" that is there without the "*." alone. */
static void
tell_begins(struct expander *ex, struct diag *g, const char *name, const struct names *inner)
{
	const char *like = NULL;
	int i;

	for (i = 0; i < inner->n && !like; i++)
		like = strstr(inner->v[i], name) ? inner->v[i] : NULL;
	diag_help(ex->d, g, like ? "'%s' stands at the start, where nothing is before it: write '%s'; further in there is '*.%s'" :
	    "'%s' stands at the start, where nothing is before it: write '%s'", name, name, like);
}

#define MOST_LISTED	12	/* segments in a message */

static const char *
list_of(struct expander *ex, const struct names *names)
{
	const char *list = "";
	int i;

	for (i = 0; i < names->n && i < MOST_LISTED; i++)
		list = arena_printf(ex->a, "%s%s%s", list, i ? ", " : "", names->v[i]);
	return names->n > i ? arena_printf(ex->a, "%s and %d more", list, names->n - i) : list;
}

/* What there is, of a path that is not: behind as much of it as there is, or in place of what
 * stands behind "*.". */
static void
tell_what_there_is(struct expander *ex, struct diag *g, const char *text, bool layers)
{
	bool anywhere = strncmp(text, "*.", 2) == 0;
	struct names next = next_segments(ex, layers, "", 0, true, anywhere), more = next_segments(ex, layers, "", 0, false, anywhere);
	bool begins = anywhere && begins_path(ex, layers, text + 2);
	const char *near = anywhere && !begins ? names_near(text + 2, &more) : NULL, *dot;
	size_t n = 0;

	for (dot = text; !anywhere && (dot = strchr(dot, '.')); next = more, n = (size_t)(dot - text)) {
		more = next_segments(ex, layers, text, (size_t)(++dot - text), true, false);
		if (more.n == 0)
			break;
	}
	if (near)
		diag_help(ex->d, g, "did you mean '*.%s'?", near);
	else if (begins)
		tell_begins(ex, g, text + 2, &more);
	else if (n == 0 && next.n > 0 && callee_find(ex, ex->body, text, false).kind == CALLEE_BLOCK)
		diag_help(ex->d, g, "paths begin with %s; a use of a block is called as its label, first: %s", list_of(ex, &next), text);
	else if (n > 0)
		diag_help(ex->d, g, "'%.*s' has %s", (int)n - 1, text, list_of(ex, &next));
	else if (next.n > 0)
		diag_help(ex->d, g, anywhere ? "paths are made of %s" : "paths begin with %s", list_of(ex, &next));
}

/* OTHER: it names something, but of the other kind. */
static void
nothing_matches(struct expander *ex, const struct pattern *p, const char *what, bool layers, bool other,
    const struct names *names)
{
	struct diag *g = ex_error(ex, "settings", p->loc, !other ? "nothing in the network is called '%s': %s does nothing" :
	    layers ? "'%s' is no layer: %s does nothing there" : "'%s' has no parameters: %s does nothing there", p->text, what);

	if (!other && names_wanted(ex, names->n) && (strncmp(p->text, "*.", 2) == 0 || !names_suggest(ex, g, p->text, names)))
		tell_what_there_is(ex, g, p->text, layers);
}

/* Reports the patterns that MET nothing, of layers or of what they keep. */
static void
check_met(struct expander *ex, const struct path_set *met, const struct pattern *p, int n,
    const char *what, bool layers)
{
	struct map seen = { NULL, 0, 0, NULL, 0 };
	struct names names = { NULL, 0, 0 };
	struct graph *f = ex->m->forward;
	struct path_set *other = NULL;
	int i, k;

	if (ex->incomplete)	/* what they name may be what could not be made */
		return;
	for (i = 0; i < n; i++) {
		if (path_set_met(met, i))
			continue;
		for (k = 0; !other && k < f->nodes.n; k++)
			add_prefixes(ex, &seen, &names, f->nodes.v[k]->path);
		for (k = 0; !other && !layers && k < ex->m->persistent.n; k++)
			add_prefixes(ex, &seen, &names, ex->m->persistent.v[k]->name);
		if (!other) {
			other = path_set_new(ex->a, p, n);
			for (k = 0; k < (layers ? ex->m->persistent.n : f->nodes.n); k++)
				path_set_first(other, layers ? ex->m->persistent.v[k]->name : f->nodes.v[k]->path);
		}
		nothing_matches(ex, &p[i], what, layers, path_set_met(other, i), &names);
	}
}

/* Patterns that name layers, not what these keep. */
static void
match_layers(struct expander *ex, const struct pattern *p, int n, const char *what)
{
	struct path_set *met = path_set_new(ex->a, p, n);
	int i;

	for (i = 0; i < ex->m->forward->nodes.n; i++)
		path_set_first(met, ex->m->forward->nodes.v[i]->path);
	check_met(ex, met, p, n, what, true);
}

void
freeze_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct path_set *met;
	int i, j;

	for (i = 0; i < st->nvalues; i++)
		add_pattern(ex, st->value[i], "freeze", &set->freeze, &set->nfreeze);
	met = path_set_new(ex->a, set->freeze, set->nfreeze);
	for (j = 0; j < ex->m->persistent.n; j++)
		if (path_set_first(met, ex->m->persistent.v[j]->name) >= 0)
			ex->m->persistent.v[j]->frozen = true;
	check_met(ex, met, set->freeze, set->nfreeze, "freeze", false);
	if (ex->incomplete)
		return;
	for (j = 0; j < ex->m->persistent.n; j++)
		if (ex->m->persistent.v[j]->kind == T_PARAM && !ex->m->persistent.v[j]->frozen)
			return;
	if (ex->m->persistent.n > 0 && set->train)
		ex_error(ex, "settings", st->loc, "every parameter is frozen: nothing is left "
		    "to train");
}

/* auto, auto(8GiB), cheap, none: false when the value is none of these, but a path. */
static bool
recompute_word(struct expander *ex, const struct setting *st, struct settings *set)
{
	const struct expr *e = st->value[0];
	struct value v;

	if (st->nvalues != 1 || (e->kind != E_NAME && e->kind != E_CALL))
		return false;
	if (strcmp(e->name, "auto") == 0)
		set->recompute = RECOMPUTE_AUTO;
	else if (e->kind == E_NAME && strcmp(e->name, "none") == 0)
		set->recompute = RECOMPUTE_NONE;
	else if (e->kind == E_NAME && strcmp(e->name, "cheap") == 0)
		set->recompute = RECOMPUTE_CHEAP;
	else
		return false;
	if (e->kind != E_CALL)
		return true;
	if (e->nargs != 1 || e->arg[0].name) {
		ex_error(ex, "settings", e->loc, "auto takes one size, the bytes to stay within: "
		    "auto(8GiB)");
		return true;
	}
	v = setting_value(ex, e->arg[0].value);
	want_bytes(ex, &v, "auto", 1, LARGEST_BYTES, &set->recompute_budget);
	return true;
}

/* An auto without a device or a size to stay within is no more than cheap. */
static void
check_budget(struct expander *ex, const struct settings *set)
{
	struct diag *g;

	if (set->recompute != RECOMPUTE_AUTO || set->recompute_budget || set->device.given ||
	    ex->incomplete)
		return;
	g = diag_add(ex->d, SEV_WARNING, "settings", set->recompute_loc, "recompute auto has nothing "
	    "to stay within, so it recomputes only what is cheap");
	diag_help(ex->d, g, "write auto(8GiB), or say what the device has: device { memory 8GiB }");
}

void
recompute_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	int i, errors;

	set->recompute_loc = st->loc;
	errors = ex->d->errors;
	if (recompute_word(ex, st, set)) {
		if (ex->d->errors == errors)
			check_budget(ex, set);
		return;
	}
	set->recompute = RECOMPUTE_PATTERN;
	for (i = 0; i < st->nvalues; i++)
		add_pattern(ex, st->value[i], "recompute", &set->recompute_pattern,
		    &set->nrecompute);
	match_layers(ex, set->recompute_pattern, set->nrecompute, "recompute");
}

void
no_decay_read(struct expander *ex, const struct expr *e, struct settings *set)
{
	int i;

	if (e->kind != E_TUPLE) {
		add_pattern(ex, e, "no_decay", &set->no_decay, &set->nno_decay);
		return;
	}
	for (i = 0; i < e->nargs; i++)
		add_pattern(ex, e->arg[i].value, "no_decay", &set->no_decay, &set->nno_decay);
}

void
group_pattern_read(struct expander *ex, const struct expr *e, struct settings *set)
{
	add_pattern(ex, e, "groups", &set->group_pattern, &set->ngroup_patterns);
}

void
turn_pattern_read(struct expander *ex, const struct expr *e, struct settings *set)
{
	add_pattern(ex, e, "update", &set->turn_pattern, &set->nturn_patterns);
}

void
place_pattern_read(struct expander *ex, const struct expr *e, struct settings *set)
{
	add_pattern(ex, e, "place", &set->place_pattern, &set->nplace_patterns);
}

/* Layers are placed, not what they keep. */
void
places_match(struct expander *ex, const struct settings *set)
{
	match_layers(ex, set->place_pattern, set->nplace_patterns, "place");
}

/* A parameter that several updates name is the first one's. */
void
turns_assign(struct expander *ex, const struct settings *set)
{
	struct path_set *met = path_set_new(ex->a, set->turn_pattern, set->nturn_patterns);
	int i, first;

	for (i = 0; i < ex->m->persistent.n; i++) {
		struct tensor *t = ex->m->persistent.v[i];

		first = t->kind == T_PARAM ? path_set_first(met, t->name) : -1;
		for (t->turn = 0; first >= 0; t->turn++)
			first -= set->turn[t->turn].patterns;
	}
	check_met(ex, met, set->turn_pattern, set->nturn_patterns, "update", false);
}

/* Which group pattern I is of, from 1. */
static int
group_of(const struct settings *set, int i)
{
	int g = 0;

	for (; i >= 0; g++)
		i -= set->group[g].patterns;
	return g;
}

/* A parameter that several groups name is the first one's. */
void
groups_check(struct expander *ex, const struct settings *set)
{
	struct path_set *met = path_set_new(ex->a, set->group_pattern, set->ngroup_patterns);
	int i, first;

	for (i = 0; i < ex->m->persistent.n; i++) {
		struct tensor *t = ex->m->persistent.v[i];

		first = t->kind == T_PARAM ? path_set_first(met, t->name) : -1;
		t->group = first < 0 ? 0 : group_of(set, first);
	}
	check_met(ex, met, set->group_pattern, set->ngroup_patterns, "groups", false);
}

void
no_decay_check(struct expander *ex, const struct settings *set)
{
	struct path_set *met = path_set_new(ex->a, set->no_decay, set->nno_decay);
	int i;

	for (i = 0; i < ex->m->persistent.n; i++) {
		struct tensor *t = ex->m->persistent.v[i];

		if (t->kind == T_PARAM)
			t->undecayed = path_set_first(met, t->name) >= 0;
	}
	check_met(ex, met, set->no_decay, set->nno_decay, "no_decay", false);
}
