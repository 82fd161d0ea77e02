/* Names of a document and what they stand for. */
#include "lsp/document_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "ir/op.h"
#include "lang/expand.h"
#include "lang/library.h"
#include "lang/project.h"
#include "lsp/server.h"
#include "syntax/parse.h"

#define MOST_FILES	1000
#define DEEPEST		400	/* expressions within expressions; the parser makes none that are deeper */

struct maker {			/* while the names of one file are looked up */
	struct server *server;
	struct tree *tree;
	const char *root;
	struct map *names;	/* that the file sees */
	struct body *body;	/* NULL: at file level */
};

/* ---- files ---- */

static struct symbol *
add_symbol(struct tree *t, struct map *names, enum symbol_kind kind, struct name name, struct loc whole)
{
	struct symbol *s = ARENA_NEW(t->arena, struct symbol);

	*s = (struct symbol){ .kind = kind, .name = name.text, .loc = name.loc, .whole = whole };
	vec_push(t->arena, &t->symbols, s);
	vec_push(t->arena, &t->uses, ((struct use){ name.loc, s, true }));
	if (name.text && !map_get(names, name.text))
		map_put(t->arena, names, name.text, s);
	return s;
}

static void
add_file_names(struct tree *t, struct tree_file *f)
{
	const struct file *file = f->file;
	int i;

	for (i = 0; i < file->globals.n; i++) {
		const struct global *g = &file->globals.v[i];
		struct loc whole = g->value ? loc_join(g->name.loc, g->value->loc) : g->name.loc;

		add_symbol(t, f->names, SYMBOL_PARAM, g->name, whole)->expr = g->value;
	}
	for (i = 0; i < file->blocks.n; i++)
		add_symbol(t, f->names, SYMBOL_BLOCK, file->blocks.v[i]->name,
		    file->blocks.v[i]->loc)->block = file->blocks.v[i];
}

static struct source *
file_source(struct maker *m, const char *path)
{
	const struct document *open = document_at(m->server, path);
	const char *why;

	if (open)
		return source_from_text(m->tree->arena, open->path, open->text.text, open->text.n);
	return source_read_below(m->tree->arena, m->root, path, &why);
}

static struct map	*add_file(struct maker *, struct source *, const char *path, struct tape *);

/* The names of the file that F uses there; NULL: it cannot be read, or uses F. */
static struct map *
used_names(struct maker *m, const char *from, const char *path)
{
	struct tree *t = m->tree;
	const char *file = filename_join(t->arena, filename_folder(t->arena, from), path);
	struct source *src = *from == '/' ? library_in_place_of(t->arena, path, file) :
	    library_source(t->arena, path);
	char *real = realpath(file, NULL);
	const char *key = src ? path : real ? arena_strdup(t->arena, real) : NULL;
	int i;

	free(real);
	for (i = 0; key && i < t->files.n; i++)
		if (strcmp(t->files.v[i].path, key) == 0)
			return t->files.v[i].names;
	if (!key || t->files.n >= MOST_FILES || (!src && !(src = file_source(m, key))))
		return NULL;
	return add_file(m, src, key, NULL);
}

/* Of another file. What comes with Stowage gives way, as it does when networks are made. */
static void
see_name(struct tree *t, struct map *names, struct symbol *s)
{
	const struct symbol *old = map_get(names, s->name);

	if (!old)
		map_put(t->arena, names, s->name, s);
	else if (old->loc.src->shipped && !s->loc.src->shipped)
		map_set(names, s->name, s);
}

static struct map *
add_file(struct maker *m, struct source *src, const char *path, struct tape *tape)
{
	struct tree *t = m->tree;
	struct tree_file f = { .path = path, .names = ARENA_NEW(t->arena, struct map) };
	int i, k;

	f.file = tape ? parse_tape(t->arena, &t->diags, src, tape) : parse_file(t->arena, &t->diags, src);
	vec_push(t->arena, &t->files, f);
	add_file_names(t, &f);
	for (i = 0; i < f.file->imports.n; i++) {
		struct map *used = used_names(m, path, f.file->imports.v[i].path);

		for (k = 0; used && used != f.names && k < used->n; k++)
			see_name(t, f.names, used->entry[k].value);
	}
	return f.names;
}

/* ---- uses ---- */

static struct symbol *
find(struct maker *m, const char *name)
{
	struct symbol *s = m->body && name ? map_get(m->body->names, name) : NULL;

	return s || !name ? s : map_get(m->names, name);
}

static bool
is_number(const struct expr *e)
{
	return e && (e->kind == E_NUM || e->kind == E_SIZE || e->kind == E_BOOL || e->kind == E_STR ||
	    e->kind == E_UNARY || (e->kind == E_BINARY && e->op != OPR_MUL));
}

/* What a name in layer position stands for. There an operator or function is meant in spite of a
 * value of its name; a parameter of that name is taken for such a value, as in dropout(dropout). */
static struct symbol *
find_layer(struct maker *m, const char *name)
{
	struct symbol *s = find(m, name);
	bool other = name && (op_find(name) || is_function(name));

	if (!s || !other || s->kind == SYMBOL_BLOCK || s->kind == SYMBOL_LABEL)
		return s;
	if (s->kind == SYMBOL_FORMAL || s->kind == SYMBOL_INPUT || s->kind == SYMBOL_TARGET ||
	    is_number(s->expr))
		return NULL;
	return s;
}

static void
add_use(struct maker *m, struct loc at, struct symbol *s)
{
	if (s && at.src)
		vec_push(m->tree->arena, &m->tree->uses, ((struct use){ at, s, false }));
}

/* The parameter or input of a block that an argument names. */
static struct symbol *
formal_of(const struct symbol *block, const char *name)
{
	struct symbol *s = block->kind == SYMBOL_BLOCK && block->inside ? map_get(block->inside, name) : NULL;

	return s && (s->kind == SYMBOL_FORMAL || s->kind == SYMBOL_INPUT) ? s : NULL;
}

/* The first step of a dotted path. */
static void
use_path(struct maker *m, const struct expr *e)
{
	size_t n = strcspn(e->name, ".");
	struct loc at = expr_word(e);

	at.end = at.beg + (int)n;
	add_use(m, at, find(m, arena_strndup(m->tree->arena, e->name, n)));
}

static void use_expr(struct maker *, const struct expr *);

static void
use_args(struct maker *m, const struct arg *arg, int n, const struct symbol *callee)
{
	int i;

	for (i = 0; i < n; i++) {
		if (arg[i].name && callee)
			add_use(m, arg[i].name_loc, formal_of(callee, arg[i].name));
		use_expr(m, arg[i].value);
	}
}

static void
use_expr(struct maker *m, const struct expr *e)
{
	struct symbol *callee = NULL;

	if (!e)
		return;
	if (e->kind == E_NAME)
		add_use(m, expr_word(e), find(m, e->name));
	else if (e->kind == E_PATH)
		use_path(m, e);
	else if (e->kind == E_CALL)
		add_use(m, e->head, callee = find_layer(m, e->name));
	use_args(m, e->arg, e->nargs, callee);
	use_expr(m, e->a);
	if (e->kind == E_PIPE && e->b && e->b->kind == E_NAME)
		add_use(m, expr_word(e->b), find_layer(m, e->b->name));
	else
		use_expr(m, e->b);
	use_expr(m, e->c);
}

/* ---- definitions ---- */

struct labels {
	struct maker *m;
	const struct stmt *stmt;
};

static void
add_body_symbol(struct maker *m, enum symbol_kind kind, struct name name, struct loc whole,
    const struct stmt *stmt, const struct expr *expr)
{
	struct map none = { NULL, 0, 0, NULL, 0 };	/* a result's name is no name of the body */
	struct symbol *twin = kind == SYMBOL_DEF || kind == SYMBOL_LABEL ? map_get(m->body->names, name.text) : NULL;
	struct symbol *s;

	if (twin && (twin->kind == SYMBOL_DEF || twin->kind == SYMBOL_LABEL) && twin->stmt == stmt) {
		add_use(m, name.loc, twin);	/* a label in the right side of a definition that is called so: one name */
		return;
	}
	s = add_symbol(m->tree, kind == SYMBOL_RESULT ? &none : m->body->names, kind, name,
	    whole);

	s->block = m->body->block;
	s->network = m->body->network;
	s->stmt = stmt;
	s->expr = expr;
	s->type = stmt ? stmt->type : NULL;
}

void
tree_walk_expr(const struct expr *e, void (*visit)(void *, const struct expr *), void *context)
{
	int i;

	if (!e)
		return;
	visit(context, e);
	for (i = 0; i < e->nargs; i++)
		tree_walk_expr(e->arg[i].value, visit, context);
	tree_walk_expr(e->a, visit, context);
	tree_walk_expr(e->b, visit, context);
	tree_walk_expr(e->c, visit, context);
}

static void
add_label(void *context, const struct expr *e)
{
	struct labels *l = context;

	if (e->kind == E_LABEL)
		add_body_symbol(l->m, e == l->stmt->expr && l->stmt->kind != S_DEF ?
		    SYMBOL_RESULT : SYMBOL_LABEL, (struct name){ e->name, e->head }, e->loc, l->stmt, e->a);
}

static void
add_statement(struct maker *m, const struct stmt *s)
{
	struct labels labels = { m, s };
	enum symbol_kind kind = s->kind == S_INPUT ? SYMBOL_INPUT :
	    s->kind == S_TARGET ? SYMBOL_TARGET : SYMBOL_DEF;
	int i;

	for (i = 0; i < s->nnames; i++)
		add_body_symbol(m, kind, s->name[i], s->loc, s, s->expr);
	tree_walk_expr(s->expr, add_label, &labels);
}

static void
add_body(struct maker *m, struct body body, const struct stmt *stmt, int n)
{
	struct symbol *s;
	int i;

	m->body = &body;
	body.names = ARENA_NEW(m->tree->arena, struct map);
	if (body.block && (s = map_get(m->names, body.block->name.text)) && s->block == body.block)
		s->inside = body.names;
	for (i = 0; body.block && i < body.block->nformals; i++) {
		struct formal *f = &body.block->formal[i];

		add_body_symbol(m, SYMBOL_FORMAL, f->name, f->value ?
		    loc_join(f->name.loc, f->value->loc) : f->name.loc, NULL, f->value);
		m->tree->symbols.v[m->tree->symbols.n - 1]->formal = f;
	}
	for (i = 0; i < n; i++)
		add_statement(m, &stmt[i]);
	vec_push(m->tree->arena, &m->tree->bodies, body);
	m->body = NULL;
}

static void
add_bodies(struct maker *m, const struct file *file)
{
	int i;

	for (i = 0; i < file->blocks.n; i++)
		add_body(m, (struct body){ .block = file->blocks.v[i], .loc = file->blocks.v[i]->loc },
		    file->blocks.v[i]->stmt, file->blocks.v[i]->nstmts);
	for (i = 0; i < file->networks.n; i++)
		add_body(m, (struct body){ .network = file->networks.v[i], .loc = file->networks.v[i]->loc },
		    file->networks.v[i]->stmt, file->networks.v[i]->nstmts);
}

static void
use_body(struct maker *m, struct body *b)
{
	const struct stmt *stmt = b->block ? b->block->stmt : b->network->stmt;
	int n = b->block ? b->block->nstmts : b->network->nstmts, i;

	m->body = b;
	for (i = 0; b->block && i < b->block->nformals; i++)
		use_expr(m, b->block->formal[i].value);
	for (i = 0; i < n; i++) {
		if (stmt[i].type)
			use_args(m, stmt[i].type->arg, stmt[i].type->nargs, NULL);
		use_expr(m, stmt[i].expr);
	}
	m->body = NULL;
}

/* Paths of the network, which are no names of the file. */
static bool
is_pattern(const char *key)
{
	return strcmp(key, "freeze") == 0 || strcmp(key, "recompute") == 0;
}

/* All but the paths of its no_decay. */
static void
use_optimizer(struct maker *m, const struct expr *e)
{
	int k;

	for (k = 0; k < e->nargs; k++)
		if (!e->arg[k].name || strcmp(e->arg[k].name, "no_decay") != 0)
			use_expr(m, e->arg[k].value);
}

/* What is no path. */
static void
use_group(struct maker *m, const struct expr *e)
{
	int k;

	for (k = 0; k < e->nargs; k++)
		if (e->arg[k].name)
			use_expr(m, e->arg[k].value);
}

/* Of a network, a result (a loss or a metric) or a definition, which a setting names by the first N
 * letters of NAME; of any network where the section names none. */
static struct symbol *
find_of_network(const struct maker *m, const struct symbol *network, enum symbol_kind kind, const char *name, size_t n)
{
	const struct tree *t = m->tree;
	int i;

	for (i = 0; i < t->symbols.n; i++) {
		struct symbol *s = t->symbols.v[i];

		if (s->kind == kind && s->network && strlen(s->name) == n && strncmp(s->name, name, n) == 0 &&
		    (!network || s->network == network->network))
			return s;
	}
	return NULL;
}

static void
use_losses(struct maker *m, const struct symbol *network, const struct expr *e)
{
	int k;

	if (e->kind == E_NAME)
		add_use(m, expr_word(e), find_of_network(m, network, SYMBOL_RESULT, e->name, strlen(e->name)));
	for (k = 0; e->kind == E_TUPLE && k < e->nargs; k++)
		use_losses(m, network, e->arg[k].value);
}

/* An update of several: its losses and its optimizer. */
static void
use_update(struct maker *m, const struct symbol *network, const struct expr *e)
{
	int k;

	for (k = 0; k < e->nargs; k++)
		if (!e->arg[k].name)
			continue;
		else if (strcmp(e->arg[k].name, "loss") == 0)
			use_losses(m, network, e->arg[k].value);
		else
			use_optimizer(m, e->arg[k].value);
}

/* What predict names: a definition, or one in the block that made it. */
static void
use_definition(struct maker *m, const struct symbol *network, const struct expr *e)
{
	struct loc word = expr_word(e);
	size_t n = strcspn(e->name, ".");

	word.end = word.beg + (int)n;
	add_use(m, word, find_of_network(m, network, SYMBOL_DEF, e->name, n));
}

static void
use_setting(struct maker *m, const struct symbol *network, const struct setting *s)
{
	int i;

	for (i = 0; !is_pattern(s->key.text) && i < s->nvalues; i++) {
		const struct expr *e = s->value[i];

		if (strcmp(s->key.text, "update") == 0)
			use_update(m, network, e);
		else if (strcmp(s->key.text, "predict") == 0 && (e->kind == E_NAME || e->kind == E_PATH))
			use_definition(m, network, e);
		else if (strcmp(s->key.text, "groups") == 0)
			use_group(m, e);
		else if (e->kind == E_CALL && strcmp(s->key.text, "optimizer") == 0)
			use_optimizer(m, e);
		else
			use_expr(m, e);
	}
}

/* A train, validate or lint section may name a network, a device section names itself. */
static void
use_section(struct maker *m, struct map *networks, const struct section *s)
{
	int i;

	if (s->name.text && s->kind == SEC_DEVICE)
		add_symbol(m->tree, networks, SYMBOL_DEVICE, s->name, s->loc);
	else if (s->name.text && s->kind != SEC_LINT)
		add_use(m, s->name.loc, map_get(networks, s->name.text));
	for (i = 0; s->kind != SEC_LINT && i < s->nsettings; i++)
		use_setting(m, s->name.text ? map_get(networks, s->name.text) : NULL, &s->setting[i]);
}

static void
use_file(struct maker *m, const struct tree_file *f, int first_body)
{
	struct tree *t = m->tree;
	struct map networks = { NULL, 0, 0, NULL, 0 };
	int i;

	m->names = f->names;
	for (i = 0; i < f->file->networks.n; i++)
		add_symbol(t, &networks, SYMBOL_NETWORK, f->file->networks.v[i]->name,
		    f->file->networks.v[i]->loc)->network = f->file->networks.v[i];
	for (i = 0; i < f->file->globals.n; i++)
		use_expr(m, f->file->globals.v[i].value);
	for (i = first_body; i < first_body + f->file->blocks.n + f->file->networks.n; i++)
		use_body(m, &t->bodies.v[i]);
	for (i = 0; i < f->file->sections.n; i++)
		use_section(m, &networks, f->file->sections.v[i]);
}

static int
by_place(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->loc.src != y->loc.src)
		return strcmp(x->loc.src->path, y->loc.src->path);
	return (x->loc.beg > y->loc.beg) - (x->loc.beg < y->loc.beg);
}

static void
fill(struct maker *m, struct source *src)
{
	struct tree *t = m->tree;
	char *real = realpath(src->path, NULL);
	int i, body;

	add_file(m, src, arena_strdup(t->arena, real ? real : src->path), t->tape);
	free(real);
	t->file = t->files.v[0].file;
	for (i = 0; i < t->files.n; i++) {
		m->names = t->files.v[i].names;
		add_bodies(m, t->files.v[i].file);
	}
	for (i = body = 0; i < t->files.n; i++) {
		use_file(m, &t->files.v[i], body);
		body += t->files.v[i].file->blocks.n + t->files.v[i].file->networks.n;
	}
	if (t->uses.n)
		qsort(t->uses.v, (size_t)t->uses.n, sizeof(*t->uses.v), by_place);
}

struct tree *
tree_make(struct server *server, struct document *d)
{
	struct arena *a = arena_new();
	struct tree *t;
	struct maker m = { .server = server };
	jmp_buf failed;

	if (!a)
		return NULL;
	if (setjmp(failed)) {
		arena_free(a);
		return NULL;
	}
	arena_on_failure(a, &failed);
	t = m.tree = ARENA_NEW(a, struct tree);
	t->arena = a;
	diags_init(&t->diags, a);
	t->tape = ARENA_NEW(a, struct tape);
	m.root = project_root(a, filename_absolute(a, d->path));
	fill(&m, source_from_text(a, d->path, d->text.text, d->text.n));
	return t;
}

void
tree_free(struct tree *t)
{
	if (t)
		arena_free(t->arena);
}
