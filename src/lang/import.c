/*
 * Files and their names. `use` makes the blocks and params of another file visible; the path is
 * relative to the importing file. A file reached twice is read once; one that reaches itself is an
 * error, because file-level names have no order and a cycle would add no meaning.
 *
 * Files that come with Stowage (lang/library.h) are where no file of the user's is. Their names
 * give way to any other of the same name, so that a block added to them in a later release breaks
 * no spec.
 */
#include "lang/expander.h"

#include <stdlib.h>
#include <string.h>

#include "lang/library.h"

#define MOST_FILES	1000

static struct unit *load(struct expander *, const struct source *, const char *key);

/* One spelling for one file, so that it is known again. The system is asked once for each path. */
static const char *
file_key(struct expander *ex, const char *path)
{
	char *key = map_get(&ex->file_keys, path), *real;

	if (key)
		return key;
	real = realpath(path, NULL);
	key = arena_strdup(ex->a, real ? real : path);
	free(real);
	map_put(ex->a, &ex->file_keys, path, key);
	return key;
}

/* In a file that came with Stowage, names are those of such files. */
static const char *
import_path(struct expander *ex, const struct source *from, const char *path)
{
	const char *slash = strrchr(from->path, '/');

	if (*path == '/' || !slash || from->shipped)
		return path;
	return arena_printf(ex->a, "%.*s/%s", (int)(slash - from->path), from->path, path);
}

static void
add_name(struct expander *ex, struct unit *u, struct global_name *g, struct loc use)
{
	struct global_name *old = map_get(&u->names, g->name);
	struct diag *e;

	if (old == g || (old && g->loc.src->shipped))
		return;
	if (!old) {
		map_put(ex->a, &u->names, g->name, g);
		return;
	}
	if (old->loc.src->shipped) {
		map_set(&u->names, g->name, g);
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

/* Of the file that is used as USED, if it comes with Stowage and the user has none at PATH; else
 * NULL. */
static struct source *
shipped(struct expander *ex, const struct source *from, const char *used, const char *path)
{
	if (from->shipped)
		return library_source(ex->a, used);
	if (unsaved_find(ex->opt->unsaved, file_key(ex, path)))
		return NULL;
	return library_in_place_of(ex->a, used, path);
}

static struct source *
read_import(struct expander *ex, const char *path, const char *key, const char **why)
{
	const struct unsaved *t = unsaved_find(ex->opt->unsaved, key);

	if (t)
		return source_from_text(ex->a, path, t->text, t->size);
	return source_read_below(ex->a, ex->opt->root ? ex->opt->root : "/", path, why);
}

static void
cannot_read(struct expander *ex, const struct import *use, const char *path, const char *why)
{
	struct diag *e = ex_error(ex, "name", use->loc, "cannot read \"%s\": %s", path, why);

	if (strncmp(use->path, LIBRARY_FOLDER, strlen(LIBRARY_FOLDER)) == 0)
		library_suggest(ex->d, e, use->path);
	else
		diag_help(ex->d, e, "the path is relative to the file that says `use`");
}

/* The file that U uses there, read now or before; NULL after an error. */
static struct unit *
import_unit(struct expander *ex, struct unit *u, const struct import *use)
{
	const char *path = import_path(ex, u->file->src, use->path), *why;
	struct source *src = shipped(ex, u->file->src, use->path, path);
	const char *key = src ? use->path : file_key(ex, path);
	struct unit *child = map_get(&ex->loaded, key);

	if (child && child->loading) {
		ex_error(ex, "name", use->loc, "\"%s\" is being imported already: files cannot use "
		    "each other in a circle", use->path);
		return NULL;
	}
	if (child)
		return child;
	if (ex->units.n >= MOST_FILES) {
		ex_error(ex, "name", use->loc, "more than %d files are imported", MOST_FILES);
		return NULL;
	}
	if (!src && !(src = read_import(ex, path, key, &why))) {
		cannot_read(ex, use, path, why);
		u->names_missing = true;
		return NULL;
	}
	return load(ex, src, key);
}

static void
load_import(struct expander *ex, struct unit *u, const struct import *use)
{
	struct unit *child = import_unit(ex, u, use);
	int i;

	u->names_missing |= child && (child->bad_syntax || child->names_missing);
	for (i = 0; child && i < child->names.n; i++)
		add_name(ex, u, child->names.entry[i].value, use->loc);
}

static struct unit *
load(struct expander *ex, const struct source *src, const char *key)
{
	struct unit *u = ARENA_NEW(ex->a, struct unit);
	int before = ex->d->errors, i;

	u->file = parse_file_apart(ex->a, ex->passing, ex->d, src);
	u->bad_syntax = ex->d->errors > before;
	u->loading = true;
	if (ex->units.n > 0)	/* it is not the spec itself */
		vec_push(ex->a, &ex->spec->imported, u->file);
	vec_push(ex->a, &ex->units, u);
	map_put(ex->a, &ex->loaded, key, u);
	for (i = 0; i < u->file->globals.n; i++)
		add_own(ex, u, &u->file->globals.v[i].name, NULL, u->file->globals.v[i].value);
	for (i = 0; i < u->file->blocks.n; i++)
		add_own(ex, u, &u->file->blocks.v[i]->name, u->file->blocks.v[i], NULL);
	for (i = 0; i < u->file->imports.n; i++)
		load_import(ex, u, &u->file->imports.v[i]);
	u->loading = false;
	return u;
}

struct unit *
unit_load(struct expander *ex, const struct source *src)
{
	return load(ex, src, file_key(ex, src->path));
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
