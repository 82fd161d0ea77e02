/*
 * Files and their names. `use` makes the blocks and params of another file visible; the path is
 * relative to the importing file. A file reached twice is read once; one that reaches itself is an
 * error, because file-level names have no order and a cycle would add no meaning.
 */
#include "lang/expander.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FILES	1000

struct chain {			/* files being loaded, innermost first */
	const struct chain *up;
	const char *key;
};

static struct unit *load(struct expander *, const struct source *, const struct chain *,
    const char *key);

/* One spelling for one file, so that it is known again. */
static const char *
file_key(struct expander *ex, const char *path)
{
	char *real = realpath(path, NULL);
	const char *key = arena_strdup(ex->a, real ? real : path);

	free(real);
	return key;
}

static const char *
import_path(struct expander *ex, const struct source *from, const char *path)
{
	const char *slash = strrchr(from->path, '/');

	if (*path == '/' || !slash)
		return path;
	return arena_printf(ex->a, "%.*s/%s", (int)(slash - from->path), from->path, path);
}

static void
add_name(struct expander *ex, struct unit *u, struct global_name *g, struct loc use)
{
	struct global_name *old = map_get(&u->names, g->name);
	struct diag *e;

	if (old == g)
		return;
	if (!old) {
		map_put(ex->a, &u->names, g->name, g);
		return;
	}
	if (use.src)
		e = ex_error(ex, "name", use, "'%s' comes from this file and from elsewhere too",
		    g->name);
	else
		e = ex_error(ex, "name", g->loc, "'%s' is defined twice", g->name);
	diag_place(ex->d, e, old->loc, "first defined here");
	if (use.src)
		diag_place(ex->d, e, g->loc, "and here");
}

static void
add_own(struct expander *ex, struct unit *u, const struct name *name, struct block *block,
    struct expr *expr)
{
	struct global_name *g = ARENA_NEW(ex->a, struct global_name);

	*g = (struct global_name){ .name = name->text, .loc = name->loc, .home = u,
		.block = block, .expr = expr, .expr_home = u };
	if (strcmp(name->text, "in") == 0 || strcmp(name->text, "index") == 0)
		ex_error(ex, "name", name->loc, "'%s' has a meaning of its own and cannot be "
		    "defined", name->text);
	else
		add_name(ex, u, g, (struct loc){ NULL, 0, 0 });
}

static void
load_import(struct expander *ex, struct unit *u, const struct import *use,
    const struct chain *chain)
{
	const char *path = import_path(ex, u->file->src, use->path), *why, *key;
	const struct chain *c;
	struct source *src;
	struct unit *child;
	int i;

	key = file_key(ex, path);
	for (c = chain; c; c = c->up)
		if (strcmp(c->key, key) == 0) {
			ex_error(ex, "name", use->loc, "\"%s\" is being imported already: files "
			    "cannot use each other in a circle", use->path);
			return;
		}
	if (ex->units.n >= MOST_FILES) {
		ex_error(ex, "name", use->loc, "more than %d files are imported", MOST_FILES);
		return;
	}
	src = source_read_below(ex->a, ex->opt->root ? ex->opt->root : "/", path, &why);
	if (!src) {
		struct diag *e = ex_error(ex, "name", use->loc, "cannot read \"%s\": %s", path,
		    why);

		diag_help(ex->d, e, "the path is relative to the file that says `use`");
		return;
	}
	child = load(ex, src, chain, key);
	for (i = 0; i < child->names.n; i++)
		add_name(ex, u, child->names.entry[i].value, use->loc);
}

static struct unit *
load(struct expander *ex, const struct source *src, const struct chain *chain, const char *key)
{
	struct chain here = { chain, key };
	int before = ex->d->errors, i;
	struct unit *u;

	for (i = 0; i < ex->units.n; i++)
		if (strcmp(file_key(ex, ex->units.v[i]->file->src->path), key) == 0)
			return ex->units.v[i];
	u = ARENA_NEW(ex->a, struct unit);
	u->file = parse_file(ex->a, ex->d, src);
	u->bad_syntax = ex->d->errors > before;
	vec_push(ex->a, &ex->units, u);
	if (chain)
		vec_push(ex->a, &ex->spec->imported, u->file);
	for (i = 0; i < u->file->globals.n; i++)
		add_own(ex, u, &u->file->globals.v[i].name, NULL, u->file->globals.v[i].value);
	for (i = 0; i < u->file->blocks.n; i++)
		add_own(ex, u, &u->file->blocks.v[i]->name, u->file->blocks.v[i], NULL);
	for (i = 0; i < u->file->imports.n; i++)
		load_import(ex, u, &u->file->imports.v[i], &here);
	return u;
}

struct unit *
unit_load(struct expander *ex, const struct source *src)
{
	return load(ex, src, NULL, file_key(ex, src->path));
}

struct global_name *
unit_find(const struct unit *u, const char *name)
{
	return map_get(&u->names, name);
}

/* Params are evaluated when first asked for, so their order in the file is free. */
struct value
global_value(struct expander *ex, struct global_name *g)
{
	if (g->state == PARAM_BUSY) {
		ex_error(ex, "value", g->loc, "param '%s' depends on itself", g->name);
		return value_poison(g->loc);
	}
	if (g->state == PARAM_NEW) {
		g->state = PARAM_BUSY;
		g->value = eval_constant(ex, g->expr_home, g->expr);
		g->state = PARAM_DONE;
	}
	return g->value;
}
