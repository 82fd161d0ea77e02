/*
 * The front of the expander: loads the files, has the names checked, and expands each network into
 * a module. Also what all of it shares: errors with their block's place of use, and the bounds
 * that keep a hostile or mistaken spec (a block that calls itself twice, a million copies) from
 * using up stack, time or memory.
 */
#include "lang/expander.h"

#include <string.h>

#define FRAMES_SHOWN	3

/* The innermost use that the user wrote; NULL: LOC itself is the user's. */
static const struct frame *
users_frame(const struct expander *ex, struct loc loc)
{
	const struct frame *f = ex->frame;

	if (!loc.src || !loc.src->shipped)
		return NULL;
	while (f && f->loc.src && f->loc.src->shipped)
		f = f->up;
	return f;
}

struct loc
ex_place(struct expander *ex, struct loc loc)
{
	const struct frame *f = users_frame(ex, loc);
	struct source *s;

	if (!f || !f->loc.src)
		return loc;
	s = map_get(&ex->stand_ins, f->loc.src->path);
	if (!s) {
		s = ARENA_NEW(ex->a, struct source);
		*s = *f->loc.src;
		s->stands_for = f->loc.src;
		map_put(ex->a, &ex->stand_ins, s->path, s);
	}
	return (struct loc){ s, f->loc.beg, f->loc.end };
}

void
ex_frames(struct expander *ex, struct diag *g, struct loc loc)
{
	const struct frame *f = users_frame(ex, loc);
	int shown = 0;

	if (f) {
		diag_place(ex->d, g, loc, "in block '%s', here", ex->frame->block);
		f = f->up;
	} else {
		f = ex->frame;
	}
	for (; f && shown < FRAMES_SHOWN; f = f->up, shown++)
		diag_place(ex->d, g, f->loc, "in block '%s', used here", f->block);
}

struct diag *
ex_error(struct expander *ex, const char *rule, struct loc loc, const char *fmt, ...)
{
	int before = ex->d->all.n;
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = diag_error(ex->d, rule, ex_place(ex, loc), "%s", arena_vprintf(ex->a, fmt, ap));
	va_end(ap);
	if (ex->d->all.n > before)
		ex_frames(ex, g, loc);
	if (ex->m)
		ex->m->broken = true;
	return g;
}

int
ex_most_operators(const struct expander *ex)
{
	return ex->opt->operators ? ex->opt->operators : USUAL_OPERATORS;
}

static bool
too_many_steps(const struct expander *ex)
{
	int nodes = ex->m && ex->m->forward ? ex->m->forward->nodes.n : 0;

	return ex->steps > MOST_STEPS &&
	    ex->steps - MOST_STEPS > STEPS_PER_NODE * nodes + ex->root->file->src->size;
}

bool
ex_enter(struct expander *ex, struct loc loc)
{
	ex->depth++;
	ex->steps++;
	if (ex->stopped)
		return false;
	if (ex->depth > DEEPEST_CALLS) {
		ex->stopped = true;
		ex_error(ex, "value", loc, "blocks and expressions are nested too deeply here");
	} else if (too_many_steps(ex)) {
		ex->stopped = true;
		ex_error(ex, "value", loc, "expanding this takes more than %d steps: does a block "
		    "use itself twice, or a repeat count too far?", MOST_STEPS);
	}
	return !ex->stopped;
}

void
ex_leave(struct expander *ex)
{
	ex->depth--;
}

const char *
ex_text(struct expander *ex, struct loc loc)
{
	int n = loc.end - loc.beg, i;
	char *s;

	if (!loc.src || n <= 0)
		return "this";
	s = arena_strndup(ex->a, loc.src->text + loc.beg, (size_t)(n > 48 ? 45 : n));
	for (i = 0; s[i]; i++)
		if (s[i] == '\n' || s[i] == '\t')
			s[i] = ' ';
	return n > 48 ? arena_printf(ex->a, "%s...", s) : s;
}

static bool
is_identifier(const char *s)
{
	const char *p;

	for (p = s; *p; p++)
		if (!(*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (p > s && *p >= '0' && *p <= '9')))
			return false;
	return *s != '\0';
}

/* -D name=value is read as the file "param name = value". */
static void
define(struct expander *ex, const struct lang_define *def)
{
	struct loc nowhere = { NULL, 0, 0 };
	struct global_name *g = is_identifier(def->name) ? unit_find(ex->root, def->name) : NULL;
	struct names names = { NULL, 0, 0 };
	struct unit *u;
	const char *text;
	int i;

	if (!g || !g->expr) {
		struct diag *e = ex_error(ex, "name", nowhere, "-D %s: the spec has no param of "
		    "this name", def->name);

		for (i = 0; i < ex->root->names.n; i++) {
			g = ex->root->names.entry[i].value;
			if (g->expr)
				names_add(ex->a, &names, g->name);
		}
		names_suggest(ex, e, def->name, &names);
		return;
	}
	text = arena_printf(ex->a, "param %s = %s\n", def->name, def->value);
	u = ARENA_NEW(ex->a, struct unit);
	u->file = parse_file(ex->a, ex->d, source_from_text(ex->a,
	    arena_printf(ex->a, "-D %s", def->name), text, strlen(text)));
	if (u->file->globals.n != 1 || u->file->blocks.n || u->file->networks.n ||
	    u->file->sections.n || u->file->imports.n) {
		ex_error(ex, "value", nowhere, "-D %s: '%s' is not one value", def->name,
		    def->value);
		return;
	}
	u->names = ex->root->names;	/* its expression may use the spec's own names */
	check_unit(ex, u);
	g->expr = u->file->globals.v[0].value;
	g->expr_home = u;
}

static void
forget(struct expander *ex)
{
	int i;

	for (i = 0; i < ex->units.n; i++)
		file_forget(ex->units.v[i]->file);
	arena_free(ex->passing);
}

struct spec *
spec_load(struct arena *a, struct diags *d, const struct source *src,
    const struct lang_options *opt)
{
	static const struct lang_options none = { .device = NULL };
	struct spec *spec = ARENA_NEW(a, struct spec);
	struct expander ex = { .a = a, .d = d, .spec = spec, .opt = opt ? opt : &none };
	int before = d->errors, i;
	bool broken;

	ex.passing = ex.opt->forget ? arena_child(a) : a;
	spec->options = ex.opt;
	ex.root = unit_load(&ex, src);
	spec->file = ex.root->file;
	for (i = 0; i < ex.units.n; i++)
		check_unit(&ex, ex.units.v[i]);
	for (i = 0; i < ex.opt->ndefines; i++)
		define(&ex, &ex.opt->define[i]);
	for (i = 0; i < ex.root->names.n; i++) {
		struct global_name *g = ex.root->names.entry[i].value;

		if (g->expr)
			global_value(&ex, g);
	}
	sections_check(&ex);
	broken = d->errors > before;
	for (i = 0; i < spec->file->networks.n; i++) {
		struct network *n = spec->file->networks.v[i];
		struct module *m;

		if (ex.opt->network && strcmp(ex.opt->network, n->name.text) != 0)
			continue;
		if (ex.opt->known && d->errors == before && ex.opt->known->knows(ex.opt->known, spec, n)) {
			spec->known++;
			continue;
		}
		d->network = n->name.text;
		m = expand_network(&ex, n);
		m->broken |= broken;
		ex.made += m->forward ? m->forward->nodes.n : 0;
		vec_push(a, &spec->modules, m);
	}
	d->network = NULL;
	if (ex.opt->forget)
		forget(&ex);
	return spec;
}
