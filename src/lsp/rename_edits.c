/* The edits of a renaming. */
#include "lsp/rename.h"

#include <string.h>

#include "ir/dotted_path.h"
#include "lsp/references.h"
#include "readers/reader.h"

#define MOST_STEPS	50	/* from one definition to the next, to see what made a value */

/* ---- names ---- */

static void
replace(struct renaming *r, struct loc at, const char *text)
{
	if (at.src && !edits_add(changes_of(r->arena, &r->changes, at.src), at.beg, at.end, text) && !r->why)
		r->why = "two of the changes would be of the same bytes";
}

static void
replace_word(struct renaming *r, struct loc at)
{
	const char *old = r->symbol->name;

	if (at.src && at.end - at.beg == (int)strlen(old) &&
	    memcmp(at.src->text + at.beg, old, strlen(old)) == 0)
		replace(r, at, r->name);
}

static void
rename_uses(struct renaming *r, const struct related *spec)
{
	int i;

	for (i = 0; i < spec->tree->uses.n; i++)
		if (loc_same(spec->tree->uses.v[i].symbol->loc, r->symbol->loc))
			replace_word(r, spec->tree->uses.v[i].loc);
}

/* ---- v.f ---- */

static bool
is_evaluated(const struct renaming *r, struct loc at)
{
	int i, k;

	for (i = 0; i < r->specs.all.n; i++)
		for (k = 0; k < r->specs.all.v[i].evaluated.reads.n; k++)
			if (loc_same(r->specs.all.v[i].evaluated.reads.v[k].use, at))
				return true;
	return false;
}

/* The names that a file sees. */
static const struct map *
names_of(const struct tree *t, const struct source *src)
{
	int i;

	for (i = 0; i < t->files.n; i++)
		if (t->files.v[i].file->src == src)
			return t->files.v[i].names;
	return NULL;
}

struct body_names {
	const struct map *inner, *outer;
};

static const struct symbol *
look_up(struct body_names n, const char *name)
{
	const struct symbol *s = n.inner ? map_get(n.inner, name) : NULL;

	return s || !n.outer ? s : map_get(n.outer, name);
}

/* The block that makes the value of an expression, as far as can be told without evaluating it. */
static const struct symbol *
maker_of(struct body_names names, const struct expr *e)
{
	const struct symbol *s;
	int steps;

	for (steps = 0; e && steps < MOST_STEPS; steps++) {
		if (e->kind == E_PIPE || e->kind == E_IF || (e->kind == E_BINARY && e->op == OPR_MUL)) {
			e = e->b;
		} else if (e->kind == E_LABEL) {
			e = e->a;
		} else if (e->kind == E_CALL || e->kind == E_NAME) {
			s = look_up(names, e->name);
			if (!s || s->kind == SYMBOL_BLOCK)
				return s;
			e = s->kind == SYMBOL_DEF || s->kind == SYMBOL_LABEL ? s->expr : NULL;
		} else {
			e = NULL;
		}
	}
	return NULL;
}

struct path_walk {
	struct renaming *r;
	const struct tree *tree;
};

static const struct body *
body_around(const struct tree *t, struct loc at)
{
	int i;

	for (i = 0; i < t->bodies.n; i++)
		if (t->bodies.v[i].loc.src == at.src && loc_holds(t->bodies.v[i].loc, at.beg))
			return &t->bodies.v[i];
	return NULL;
}

/* A path in a block that no network uses. */
static void
rename_path(void *context, const struct expr *e)
{
	struct path_walk *w = context;
	const struct body *b = e->kind == E_PATH ? body_around(w->tree, e->loc) : NULL;
	const char *step = e->name;
	struct body_names names;
	const struct symbol *s, *block;
	struct loc at;
	size_t n;

	if (!b)
		return;
	names = (struct body_names){ b->names, names_of(w->tree, e->loc.src) };
	at = expr_word(e);
	n = strcspn(step, ".");
	s = look_up(names, arena_strndup(w->r->arena, step, n));
	for (; s && step[n] && s->expr && (block = maker_of(names, s->expr)) && block->inside;) {
		step += n + 1;
		at.beg += (int)n + 1;
		n = strcspn(step, ".");
		at.end = at.beg + (int)n;
		s = map_get(block->inside, arena_strndup(w->r->arena, step, n));
		if (s && s->kind == SYMBOL_DEF && loc_same(s->loc, w->r->symbol->loc) &&
		    !is_evaluated(w->r, at))
			replace_word(w->r, at);
		names = (struct body_names){ block->inside, names_of(w->tree, block->loc.src) };
	}
}

static void
rename_selections(struct renaming *r, const struct related *spec)
{
	struct path_walk w = { r, spec->tree };
	int i;

	for (i = 0; i < spec->evaluated.reads.n; i++)
		if (loc_same(spec->evaluated.reads.v[i].def, r->symbol->loc))
			replace_word(r, spec->evaluated.reads.v[i].use);
	for (i = 0; i < spec->tree->files.n; i++)
		tree_walk(spec->tree->files.v[i].file, rename_path, &w);
}

/* ---- data of an input ---- */

static bool
is_for(const struct file *f, const struct section *s, const struct network *n)
{
	int i;

	if (s->kind != SEC_TRAIN && s->kind != SEC_VALIDATE)
		return false;
	if (s->name.text)
		return strcmp(s->name.text, n->name.text) == 0;
	for (i = 0; i < f->sections.n; i++)
		if (f->sections.v[i]->kind == s->kind && f->sections.v[i]->name.text &&
		    strcmp(f->sections.v[i]->name.text, n->name.text) == 0)
			return false;
	return true;
}

static void
rename_source(struct renaming *r, const struct expr *e)
{
	const struct reader *reader = e->kind == E_CALL ? reader_find(e->name) : NULL;
	int i, k;

	for (i = 0; reader && i < e->nargs; i++) {
		for (k = 0; e->arg[i].name && reader->attrs[k].name; k++)
			if (strcmp(reader->attrs[k].name, e->arg[i].name) == 0)
				break;
		if (e->arg[i].name && !reader->attrs[k].name)
			replace_word(r, e->arg[i].name_loc);
	}
}

static void
rename_data(struct renaming *r, const struct file *f)
{
	int i, k, j;

	for (i = 0; i < f->sections.n; i++) {
		const struct section *s = f->sections.v[i];

		for (k = 0; is_for(f, s, r->symbol->network) && k < s->nsettings; k++)
			for (j = 0; strcmp(s->setting[k].key.text, "data") == 0 &&
			    j < s->setting[k].nvalues; j++)
				rename_source(r, s->setting[k].value[j]);
	}
}

/* ---- paths of settings ---- */

/* The pattern for what was called OLD and is now NEW; NULL where it does not name that. Its own
 * segments are those of the new path, and its stars stay. */
static const char *
pattern_after(struct arena *a, const char *pattern, const char *old, const char *new)
{
	size_t named = path_match(pattern, old), n;
	int stars = 1, here = 0;	/* segments that a leading star stands for */
	struct text t;
	const char *s;

	if (!named)
		return NULL;
	for (s = old; s < old + named; s++)
		here += *s == '.';
	for (s = pattern; *s; s++)
		here -= *s == '.';
	stars += here;
	text_init(&t, a);
	for (s = pattern; *s; s += n, s += *s == '.') {
		n = strcspn(s, ".");
		if (t.n)
			text_puts(&t, ".");
		if (n == 1 && *s == '*') {
			text_puts(&t, "*");
			for (; stars > 1; stars--)
				new += strcspn(new, "."), new += *new == '.';
		} else {
			text_add(&t, new, strcspn(new, "."));
		}
		new += strcspn(new, "."), new += *new == '.';
	}
	return t.s;
}

/* What the pattern is to be: one, or several where it names things that go by different names
 * now. */
static void
rename_pattern(struct renaming *r, const struct pattern *p, const struct form *old, const struct form *new,
    int from, int to)
{
	struct map seen = { NULL, 0, 0, NULL, 0 };
	const char *quote = p->loc.src->text[p->loc.beg] == '"' ? "\"" : "", *after;
	const char *before = p->loc.src->text + p->loc.beg;
	struct text t;
	int i;

	for (i = from; i < to; i++)
		if ((after = pattern_after(r->arena, p->text, old->paths.v[i], new->paths.v[i])) &&
		    !map_get(&seen, after))
			map_put(r->arena, &seen, after, r);
	if (seen.n == 0 || (seen.n == 1 && map_get(&seen, p->text)))
		return;
	text_init(&t, r->arena);
	for (i = 0; i < seen.n; i++)
		text_printf(&t, "%s%s%s%s", i ? ", " : "", quote, seen.entry[i].key, quote);
	while (before > p->loc.src->text && strchr(" \t\r\n", before[-1]))
		before--;
	if (seen.n > 1 && before > p->loc.src->text && before[-1] == '=')	/* no_decay=... */
		replace(r, p->loc, arena_printf(r->arena, "(%s)", t.s));
	else
		replace(r, p->loc, t.s);
}

static void
rename_patterns(struct renaming *r, const struct module *m, const struct form *old, const struct form *new)
{
	int i;

	if (old->paths.n != new->paths.n || old->weights != new->weights)
		return;
	for (i = 0; i < m->set.nfreeze; i++)
		rename_pattern(r, &m->set.freeze[i], old, new, 0, old->weights);
	for (i = 0; i < m->set.nno_decay; i++)
		rename_pattern(r, &m->set.no_decay[i], old, new, 0, old->weights);
	for (i = 0; i < m->set.ngroup_patterns; i++)
		rename_pattern(r, &m->set.group_pattern[i], old, new, 0, old->weights);
	for (i = 0; i < m->set.nturn_patterns; i++)
		rename_pattern(r, &m->set.turn_pattern[i], old, new, 0, old->weights);
	for (i = 0; i < m->set.nrecompute; i++)
		rename_pattern(r, &m->set.recompute_pattern[i], old, new, old->weights, old->paths.n);
}

/* How the paths change is seen when all else is renamed. */
static void
rename_settings(struct renaming *r)
{
	struct server *changed = changed_server(r->server, r->arena, &r->changes);
	int i, k;

	related_forms(r->arena, &r->specs);
	for (i = 0; i < r->specs.all.n; i++) {
		struct related *s = &r->specs.all.v[i];
		struct diags quiet;
		struct spec *new = s->spec && s->spec->modules.n ?
		    spec_at(changed, r->arena, &quiet, s->path, NULL) : NULL;

		for (k = 0; new && k < s->spec->modules.n && k < new->modules.n; k++) {
			struct form f = form_of(r->arena, new->modules.v[k]);

			rename_patterns(r, s->spec->modules.v[k], &s->form[k], &f);
		}
	}
}

void
rename_edits(struct renaming *r)
{
	bool staged = r->symbol->kind == SYMBOL_INPUT || r->symbol->kind == SYMBOL_TARGET;
	int i;

	for (i = 0; i < r->specs.all.n; i++) {
		rename_uses(r, &r->specs.all.v[i]);
		rename_selections(r, &r->specs.all.v[i]);
	}
	if (staged && r->symbol->network)
		rename_data(r, r->specs.all.v[0].tree->file);
	rename_settings(r);
}
