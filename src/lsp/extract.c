/*
 * A part of a body as a block of its own: arms of a pipe, a whole expression, or whole statements.
 * What it reads of the body around it becomes its inputs and parameters; which of the two a
 * definition is, a tensor or not, is found by trying.
 */
#include <ctype.h>
#include <string.h>

#include "lsp/refactor.h"

#define MOST_READ	64	/* names */
#define BLOCK_NAME	"part"

enum role { ROLE_PIPED, ROLE_INPUT, ROLE_PARAM };

struct outside {		/* a name that the selection reads of what is around it */
	const char *name;	/* there */
	const char *inner;	/* in the block */
	const struct symbol *symbol;	/* NULL: `in`, `index` */
	enum role role;
};

struct extraction {
	struct refactoring x;
	struct loc all;			/* the selection */
	const struct body *body;
	const char *name;		/* of the block */
	/* arms, or an expression: */
	const struct expr *pipe;	/* whose arms FIRST to LAST are selected; or NULL */
	const struct expr **arm;
	int first, last;
	const struct expr *expr;	/* all of it is selected; or NULL */
	/* statements: */
	int from, to;			/* -1: none */
	struct outside out[MOST_READ];
	int n;
	bool possible;
};

/* ---- what is selected ---- */

static bool
blank(char c)
{
	return isspace((unsigned char)c);
}

static void
trim(const struct source *src, int *beg, int *end)
{
	int before;

	do {
		before = *end - *beg;
		while (*beg < *end && blank(src->text[*beg]))
			++*beg;
		while (*end > *beg && blank(src->text[*end - 1]))
			--*end;
		if (*end - *beg > 2 && memcmp(src->text + *beg, "->", 2) == 0)
			*beg += 2;
		if (*end - *beg > 2 && memcmp(src->text + *end - 2, "->", 2) == 0)
			*end -= 2;
	} while (*end - *beg < before);
}

/* Where an arm is written: with its label, and without what precedes it. */
static void
see_pipe(void *context, const struct expr *e)
{
	struct extraction *z = context;
	int n, i, first = -1, last = -1;
	const struct expr **arm;

	if (z->pipe || e->loc.beg > z->all.beg || e->loc.end < z->all.end)
		return;
	if (e->kind != E_PIPE) {
		if (e->loc.beg == z->all.beg && e->loc.end == z->all.end)
			z->expr = e;
		return;
	}
	arm = written_arms(z->x.arena, e, &n);
	for (i = 0; i < n; i++) {
		if (arm[i]->loc.beg == z->all.beg)
			first = i;
		if (arm[i]->loc.end == z->all.end)
			last = i;
	}
	if (first < 0 || last < first)
		return;
	z->pipe = e;
	z->arm = arm;
	z->first = first;
	z->last = last;
}

static bool
find_statements(struct extraction *z)
{
	const struct stmt *stmt = z->body->block ? z->body->block->stmt : z->body->network->stmt;
	int n = z->body->block ? z->body->block->nstmts : z->body->network->nstmts, i;

	z->from = z->to = -1;
	for (i = 0; i < n; i++) {
		if (stmt[i].loc.beg == z->all.beg)
			z->from = i;
		if (stmt[i].loc.end == z->all.end)
			z->to = i;
	}
	for (i = z->from; i >= 0 && i <= z->to; i++)
		if (stmt[i].kind != S_DEF)
			return false;
	return z->from >= 0 && z->to >= z->from;
}

/* ---- what it reads ---- */

static bool
inside(struct loc whole, struct loc l)
{
	return l.src == whole.src && l.beg >= whole.beg && l.end <= whole.end;
}

static void
read_name(struct extraction *z, const char *name, const struct symbol *symbol)
{
	int i;

	for (i = 0; i < z->n; i++)
		if (strcmp(z->out[i].name, name) == 0)
			return;
	if (z->n == MOST_READ)
		z->possible = false;
	else
		z->out[z->n++] = (struct outside){ .name = name, .inner = name, .symbol = symbol,
			.role = ROLE_INPUT };
}

/* `in` and `index`, which are no symbols. */
static void
see_word(void *context, const struct expr *e)
{
	struct extraction *z = context;

	if (e->kind == E_NAME && inside(z->all, e->loc) &&
	    (strcmp(e->name, "in") == 0 || strcmp(e->name, "index") == 0))
		read_name(z, e->name, NULL);
}

static void
find_reads(struct extraction *z)
{
	const struct tree *t = z->x.tree;
	int i;

	tree_walk(t->file, see_word, z);
	for (i = 0; i < t->uses.n; i++) {
		const struct use *u = &t->uses.v[i];
		const struct symbol *s = u->symbol;

		if (!inside(z->all, u->loc) || u->definition || inside(z->all, s->loc) ||
		    s->block != z->body->block || s->network != z->body->network || s->kind == SYMBOL_BLOCK)
			continue;
		if (s->kind == SYMBOL_LABEL)	/* its layer would be another one in the block */
			z->possible = false;
		read_name(z, s->name, s);
	}
}

/* ---- the block ---- */

/* Says what each name is: DEFS, definitions that are no tensors, are parameters. */
static void
give_roles(struct extraction *z, bool defs)
{
	int i, inputs = 0;

	for (i = 0; i < z->n; i++) {
		struct outside *o = &z->out[i];

		o->role = !o->symbol ? strcmp(o->name, "in") == 0 ? ROLE_INPUT : ROLE_PARAM :
		    o->symbol->kind == SYMBOL_FORMAL || (o->symbol->kind == SYMBOL_DEF && defs) ?
		    ROLE_PARAM : ROLE_INPUT;
		o->inner = strcmp(o->name, "in") == 0 ? fresh_name(z->x.arena, z->x.tree, "given") :
		    strcmp(o->name, "index") == 0 ? fresh_name(z->x.arena, z->x.tree, "copy") : o->name;
		inputs += o->role == ROLE_INPUT;
	}
	for (i = 0; inputs == 1 && i < z->n; i++)	/* the only one is called `in` */
		if (z->out[i].role == ROLE_INPUT)
			z->out[i].inner = "in";
}

static const struct outside *
outside_of(const struct extraction *z, const char *name)
{
	int i;

	for (i = 0; i < z->n; i++)
		if (strcmp(z->out[i].name, name) == 0)
			return &z->out[i];
	return NULL;
}

struct respelling {
	struct extraction *z;
	struct edits *edits;
};

static void
respell(struct respelling *r, struct loc at, const char *name)
{
	const struct outside *o = outside_of(r->z, name);

	if (o && strcmp(o->inner, o->name) != 0 && inside(r->z->all, at))
		edits_add(r->edits, at.beg, at.end, o->inner);
}

static void
respell_word(void *context, const struct expr *e)
{
	if (e->kind == E_NAME && (strcmp(e->name, "in") == 0 || strcmp(e->name, "index") == 0))
		respell(context, expr_word(e), e->name);
}

/* The edits of the selection's own text. */
static struct edits *
respellings(struct extraction *z)
{
	struct respelling r = { z, edits_new(z->x.arena, z->x.src) };
	const struct tree *t = z->x.tree;
	int i;

	tree_walk(t->file, respell_word, &r);
	for (i = 0; i < t->uses.n; i++) {
		const struct use *u = &t->uses.v[i];
		const struct outside *o = u->symbol->name ? outside_of(z, u->symbol->name) : NULL;

		if (o && o->symbol == u->symbol && !u->definition)
			respell(&r, u->loc, o->name);
	}
	return r.edits;
}

static void
put_list(struct text *t, const struct extraction *z, enum role role, const char *between, bool inner)
{
	int i, n = 0;

	for (i = 0; i < z->n; i++)
		if (z->out[i].role == role)
			text_printf(t, "%s%s", n++ ? between : "", inner ? z->out[i].inner : z->out[i].name);
}

static int
count(const struct extraction *z, enum role role)
{
	int i, n = 0;

	for (i = 0; i < z->n; i++)
		n += z->out[i].role == role;
	return n;
}

/* "block part(width) {\n  input a, b\n" ; PIPED: the name of what comes along the pipe, or NULL */
static void
put_head(struct text *t, const struct extraction *z, const char *piped)
{
	int inputs = count(z, ROLE_INPUT);

	text_printf(t, "block %s", z->name);
	if (count(z, ROLE_PARAM)) {
		text_puts(t, "(");
		put_list(t, z, ROLE_PARAM, ", ", true);
		text_puts(t, ")");
	}
	text_puts(t, " {\n");
	if (inputs + (piped != NULL) < 2)
		return;
	text_puts(t, "  input ");
	if (piped)
		text_printf(t, "%s%s", piped, inputs ? ", " : "");
	put_list(t, z, ROLE_INPUT, ", ", true);
	text_puts(t, "\n");
}

/* "part(a, b, width)"; without TENSORS, "part(width)" or "part" */
static const char *
call_text(struct extraction *z, bool tensors)
{
	struct text t;
	bool some = tensors && count(z, ROLE_INPUT);

	text_init(&t, z->x.arena);
	text_puts(&t, z->name);
	if (!some && !count(z, ROLE_PARAM))
		return t.s;
	text_puts(&t, "(");
	if (some)
		put_list(&t, z, ROLE_INPUT, ", ", false);
	if (some && count(z, ROLE_PARAM))
		text_puts(&t, ", ");
	put_list(&t, z, ROLE_PARAM, ", ", false);
	text_puts(&t, ")");
	return t.s;
}

/* Puts the block above the body, and the call where the selection is. */
static struct edits *
with_block(struct extraction *z, const char *block, struct loc instead, const char *call)
{
	struct edits *e = edits_new(z->x.arena, z->x.src);
	int at = item_start(z->x.src, z->body->loc.beg);

	edits_add(e, at, at, arena_printf(z->x.arena, "%s\n", block));
	edits_add(e, instead.beg, instead.end, call);
	return e;
}

/* ---- arms and expressions ---- */

/* The arms as a layer: "in -> ARMS"; other tensors come as arguments. */
static void
try_arms(struct extraction *z, bool defs)
{
	const char *piped = "in";
	struct text t;
	int i;

	give_roles(z, defs);
	if (count(z, ROLE_INPUT)) {
		piped = fresh_name(z->x.arena, z->x.tree, "x");
		for (i = 0; i < z->n; i++)
			if (strcmp(z->out[i].inner, "in") == 0)
				z->out[i].inner = strcmp(z->out[i].name, "in") == 0 ?
				    fresh_name(z->x.arena, z->x.tree, "given") : z->out[i].name;
	}
	text_init(&t, z->x.arena);
	put_head(&t, z, strcmp(piped, "in") == 0 ? NULL : piped);
	text_printf(&t, "  out = %s -> %s\n}\n", piped, loc_edited(z->x.arena, z->all, respellings(z)));
	refactor_try(&z->x, with_block(z, t.s, z->all, call_text(z, true)));
}

/* A whole expression that is a tensor: what it reads is piped in, or given. */
static void
try_value(struct extraction *z, bool defs)
{
	struct text t;
	const char *call;

	give_roles(z, defs);
	if (!count(z, ROLE_INPUT))
		return;
	text_init(&t, z->x.arena);
	put_head(&t, z, NULL);
	text_printf(&t, "  out = %s\n}\n", loc_edited(z->x.arena, z->all, respellings(z)));
	call = call_text(z, true);
	refactor_try(&z->x, with_block(z, t.s, z->all, call));
}

/* "x -> A -> B" keeps its x. */
static void
try_rest(struct extraction *z, bool defs)
{
	struct extraction rest = *z;

	if (!z->pipe || z->first > 0 || z->last == 0 || z->arm[0]->kind != E_NAME)
		return;
	rest.all.beg = z->arm[1]->loc.beg;
	rest.n = 0;
	find_reads(&rest);
	try_arms(&rest, defs);
	z->x.best = rest.x.best;
	z->x.same = rest.x.same;
}

/* ---- statements ---- */

/* The definitions of the selection that are read elsewhere; the last of them is the block's
 * `out`. */
static int
find_results(const struct extraction *z, const struct symbol *result[MOST_READ])
{
	const struct tree *t = z->x.tree;
	int n = 0, i, k;

	for (i = 0; i < t->symbols.n; i++) {
		const struct symbol *s = t->symbols.v[i];
		bool read = s->name && strcmp(s->name, "out") == 0;

		if (s->kind != SYMBOL_DEF || !inside(z->all, s->loc))
			continue;
		for (k = 0; k < t->uses.n && !read; k++)
			read = t->uses.v[k].symbol == s && !inside(z->all, t->uses.v[k].loc);
		if (read && n < MOST_READ)
			result[n++] = s;
	}
	return n;
}

/* Elsewhere, what is no longer a definition is read inside the last one. */
static void
read_inside(struct extraction *z, struct edits *e, const struct symbol *s, const char *last)
{
	const struct tree *t = z->x.tree;
	int i;

	for (i = 0; i < t->uses.n; i++) {
		const struct use *u = &t->uses.v[i];

		if (u->symbol == s && !inside(z->all, u->loc))
			edits_add(e, u->loc.beg, u->loc.end, arena_printf(z->x.arena, "%s.%s", last, s->name));
	}
}

static void
try_statements(struct extraction *z, bool defs)
{
	const struct symbol *result[MOST_READ], *last;
	struct edits *own, *e;
	const struct tree *t = z->x.tree;
	int n = find_results(z, result), i;
	struct text block;
	const char *call;

	give_roles(z, defs);
	if (!n || !count(z, ROLE_INPUT))
		return;
	last = result[n - 1];
	own = respellings(z);
	for (i = 0; i < t->uses.n; i++)
		if (t->uses.v[i].symbol == last && inside(z->all, t->uses.v[i].loc))
			edits_add(own, t->uses.v[i].loc.beg, t->uses.v[i].loc.end, "out");
	text_init(&block, z->x.arena);
	put_head(&block, z, NULL);
	text_printf(&block, "  %s\n}\n", loc_edited(z->x.arena, z->all, own));
	call = call_text(z, count(z, ROLE_INPUT) > 1);
	if (count(z, ROLE_INPUT) == 1)
		for (i = 0; i < z->n; i++)
			if (z->out[i].role == ROLE_INPUT)
				call = arena_printf(z->x.arena, "%s -> %s", z->out[i].name, call);
	e = with_block(z, block.s, z->all, arena_printf(z->x.arena, "%s = %s", last->name, call));
	for (i = 0; i < n - 1; i++)
		read_inside(z, e, result[i], last->name);
	refactor_try(&z->x, e);
}

/* ---- the action ---- */

static json_t *
extract(struct extraction *z)
{
	bool statements = find_statements(z), defs = false;

	if (!statements)
		tree_walk(z->x.tree->file, see_pipe, z);
	z->name = fresh_name(z->x.arena, z->x.tree, BLOCK_NAME);
	find_reads(z);
	if (!z->possible || (!statements && !z->pipe && !z->expr))
		return NULL;
	do {
		if (statements) {
			try_statements(z, defs);
			continue;
		}
		try_arms(z, defs);
		try_rest(z, defs);
		try_value(z, defs);
	} while ((defs = !defs));
	return refactor_action(&z->x, "extract block", "refactor.extract");
}

json_t *
extract_action(struct server *s, struct document *d, struct arena *a, size_t beg, size_t end)
{
	struct extraction z = { .possible = true };
	struct tree *t = document_tree(s, d);
	int from = (int)beg, to = (int)end;
	json_t *action = NULL;

	if (!t)
		return NULL;
	trim(t->file->src, &from, &to);
	if (from >= to || !(z.body = tree_body_at(t, from)) || z.body->loc.end < to)
		return NULL;
	z.all = (struct loc){ t->file->src, from, to };
	if (refactor_begin(&z.x, s, d, a, z.all, z.body->block != NULL))
		action = extract(&z);
	refactor_end(&z.x);
	return action;
}
