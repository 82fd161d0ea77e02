/*
 * A block's parts in place of its use. Two forms are tried:
 *
 *     x -> b(8)    where b is   out = in -> A -> B            becomes   x -> A -> B, or x -> (A -> B)
 *     x -> b(8)    where b is   f = in -> A   out = f + in    becomes   f = x -> A above, and f + x
 *
 * The first keeps paths under a label or in a repetition, also where b is   f = in -> A   out = f -> B; the
 * parts of f have their paths then if it becomes a label, and no layer of the same name comes
 * before them. An unlabelled block is numbered, and so are copies of a repetition: 1 * (A -> B)
 * keeps its paths. A repetition has no name for what goes into a copy, so the second is of no use
 * in one.
 */
#include <string.h>

#include "lsp/references.h"
#include "lsp/refactor.h"

#define MOST_NAMES	64

struct inlining {
	struct refactoring x;
	const struct block *block;
	const struct map *names;	/* that the file sees */
	const struct body *body;	/* where it is used */
	const struct stmt *stmt;
	struct loc word;		/* of the use */
	const struct expr *use;
	const struct expr *whole;	/* it with its label */
	const struct expr *pipe;	/* of which it is arm AT; NULL: of none */
	const struct expr **arm;
	int at, narms;
	const char *bound[MOST_NAMES];	/* texts for the block's parameters */
	const char *operand[MOST_NAMES];	/* and for its inputs */
	const char *renamed[MOST_NAMES];	/* names given so far */
	int nrenamed;
	struct text above;		/* statements */
	bool define;			/* each operand, that they are made in the same order */
};

/* ---- the use ---- */

static bool
is_use(const struct inlining *z, const struct expr *e)
{
	struct loc at = e->kind == E_CALL ? e->head : e->kind == E_NAME ? expr_word(e) : (struct loc){ NULL, 0, 0 };

	return at.src == z->word.src && at.beg == z->word.beg;
}

static void
see_use(void *context, const struct expr *e)
{
	struct inlining *z = context;
	int i, n;
	const struct expr **arm;

	if (is_use(z, e)) {
		z->use = e;
		if (!z->whole)
			z->whole = e;
	}
	if (e->kind == E_LABEL && is_use(z, e->a))
		z->whole = e;
	if (e->kind != E_PIPE || z->pipe)
		return;
	arm = written_arms(z->x.arena, e, &n);
	for (i = 0; i < n; i++)
		if (is_use(z, arm[i]) || (arm[i]->kind == E_LABEL && is_use(z, arm[i]->a))) {
			z->pipe = e;
			z->arm = arm;
			z->narms = n;
			z->at = i;
		}
}

static bool
find_use(struct inlining *z)
{
	const struct stmt *stmt;
	int n, i;

	z->body = tree_body_at(z->x.tree, z->word.beg);
	tree_walk(z->x.tree->file, see_use, z);
	if (!z->body || !z->use)
		return false;
	stmt = z->body->block ? z->body->block->stmt : z->body->network->stmt;
	n = z->body->block ? z->body->block->nstmts : z->body->network->nstmts;
	for (i = 0; i < n; i++)
		if (loc_holds(stmt[i].loc, z->word.beg))
			z->stmt = &stmt[i];
	for (i = 0; i < z->x.tree->files.n; i++)
		if (z->x.tree->files.v[i].file == z->x.tree->file)
			z->names = z->x.tree->files.v[i].names;
	return z->stmt != NULL;
}

/* ---- what stands for what ---- */

static bool
is_atom(const struct expr *e)
{
	return e->loc.src->text[e->loc.beg] == '(' || e->kind == E_NUM || e->kind == E_SIZE || e->kind == E_STR ||
	    e->kind == E_BOOL || e->kind == E_NAME || e->kind == E_PATH || e->kind == E_CALL;
}

static const char *
in_brackets(struct arena *a, const char *text, bool needed)
{
	return needed ? arena_printf(a, "(%s)", text) : text;
}

static bool
lies_in(struct loc l, struct loc whole)
{
	return l.src == whole.src && l.beg >= whole.beg && l.end <= whole.end;
}

/* The text of a part of the block, with the arguments that are known for its parameters. */
static void
put_arguments(struct inlining *z, struct loc part, struct edits *e)
{
	const struct tree *t = z->x.tree;
	int i;

	for (i = 0; i < t->uses.n; i++) {
		const struct use *u = &t->uses.v[i];
		ptrdiff_t f = u->symbol->formal ? u->symbol->formal - z->block->formal : -1;

		if (u->definition || !lies_in(u->loc, part) || u->symbol->kind != SYMBOL_FORMAL ||
		    u->symbol->block != z->block || f < 0 || f >= z->block->nformals || !z->bound[f])
			continue;
		edits_add(e, u->loc.beg, u->loc.end, z->bound[f]);
	}
}

/* Which argument each parameter gets, SKIP leading ones being tensors; false: one gets none. */
static bool
bind(struct inlining *z, int skip)
{
	const struct block *b = z->block;
	int i, k, next = 0;

	memset(z->bound, 0, sizeof(z->bound));
	if (b->nformals > MOST_NAMES)
		return false;
	for (i = 0; z->use->kind == E_CALL && i < z->use->nargs; i++) {
		const struct arg *arg = &z->use->arg[i];

		if (!arg->name && skip-- > 0)
			continue;
		for (k = 0; arg->name && k < b->nformals && strcmp(b->formal[k].name.text, arg->name) != 0; k++)
			;
		if (!arg->name)
			k = next++;
		if (k >= b->nformals || z->bound[k])
			return false;
		z->bound[k] = in_brackets(z->x.arena, loc_text(z->x.arena, arg->value->loc),
		    !is_atom(arg->value));
	}
	for (k = 0; k < b->nformals; k++) {
		const struct expr *preset = b->formal[k].value;
		struct edits *e;

		if (z->bound[k])
			continue;
		if (!preset)
			return false;
		e = edits_new(z->x.arena, preset->loc.src);
		put_arguments(z, preset->loc, e);
		z->bound[k] = in_brackets(z->x.arena, loc_edited(z->x.arena, preset->loc, e), !is_atom(preset));
	}
	return true;
}

/* ---- a block that is one pipe ---- */

struct words {
	struct loc within;
	struct edits *edits;	/* NULL: they are only counted */
	const char *text;
	int n;
};

static void
see_in(void *context, const struct expr *e)
{
	struct words *w = context;

	if (e->kind != E_NAME || strcmp(e->name, "in") != 0 || !lies_in(e->loc, w->within))
		return;
	w->n++;
	if (w->edits)
		edits_add(w->edits, expr_word(e).beg, expr_word(e).end, w->text);
}

static void
walk_files(const struct inlining *z, void (*visit)(void *, const struct expr *), void *context)
{
	int i;

	for (i = 0; i < z->x.tree->files.n; i++)
		tree_walk(z->x.tree->files.v[i].file, visit, context);
}

static int
inputs_of(const struct block *b)
{
	int n = 0, i;

	for (i = 0; i < b->nstmts; i++)
		n += b->stmt[i].kind == S_INPUT ? b->stmt[i].nnames : 0;
	return n ? n : 1;
}

static const char *
input_name(const struct block *b, int k)
{
	int i;

	for (i = 0; i < b->nstmts; i++) {
		if (b->stmt[i].kind != S_INPUT)
			continue;
		if (k < b->stmt[i].nnames)
			return b->stmt[i].name[k].text;
		k -= b->stmt[i].nnames;
	}
	return NULL;
}

static int
times_read(const struct inlining *z, const char *input)
{
	struct words w = { .within = z->block->loc };
	const struct tree *t = z->x.tree;
	int n = 0, i;

	if (!input) {
		walk_files(z, see_in, &w);
		return w.n;
	}
	for (i = 0; i < t->uses.n; i++)
		n += !t->uses.v[i].definition && t->uses.v[i].symbol->kind == SYMBOL_INPUT &&
		    t->uses.v[i].symbol->block == z->block && strcmp(t->uses.v[i].symbol->name, input) == 0;
	return n;
}

static const struct stmt *
definition_of(const struct block *b, const char *name)
{
	int i;

	for (i = 0; i < b->nstmts; i++)
		if (b->stmt[i].kind == S_DEF && strcmp(b->stmt[i].name->text, name) == 0)
			return &b->stmt[i];
	return NULL;
}

/* Is that what the block is given, which it reads there alone? */
static bool
is_only_input(const struct inlining *z, const char *name)
{
	const char *input = input_name(z->block, 0);

	return inputs_of(z->block) == 1 && strcmp(name, input ? input : "in") == 0 && times_read(z, input) == 1;
}

static bool
is_read_once(const struct inlining *z, const struct stmt *s)
{
	const struct tree *t = z->x.tree;
	int n = 0, i;

	for (i = 0; i < t->uses.n; i++)
		n += !t->uses.v[i].definition && loc_same(t->uses.v[i].symbol->loc, s->name->loc);
	return n == 1;
}

/*
 * The layers that the input goes through, one after the other, if the block is no more than that;
 * else NULL. Definitions on the way, each read once by the next, may become LABELS, which keeps
 * paths of their parts.
 */
static const char *
arms_text(struct inlining *z, bool labels)
{
	struct arena *a = z->x.arena;
	const struct stmt *s = definition_of(z->block, "out");
	const char *text = NULL;
	int left = 0, i;

	for (i = 0; i < z->block->nstmts; i++)
		left += z->block->stmt[i].kind == S_DEF;
	while (s && left-- > 0 && s->expr && s->expr->kind == E_PIPE) {
		int n;
		const struct expr **arm = written_arms(a, s->expr, &n);
		struct loc l = { arm[1]->loc.src, arm[1]->loc.beg, arm[n - 1]->loc.end };
		struct edits *e = edits_new(a, l.src);
		const char *part;

		put_arguments(z, l, e);
		part = loc_edited(a, l, e);
		if (labels && strcmp(s->name->text, "out") != 0)
			part = arena_printf(a, "%s: (%s)", s->name->text, part);
		text = text ? arena_printf(a, "%s -> %s", part, text) : part;
		if (arm[0]->kind != E_NAME)
			return NULL;
		if (is_only_input(z, arm[0]->name))
			return left == 0 ? text : NULL;
		if ((s = definition_of(z->block, arm[0]->name)) && !is_read_once(z, s))
			return NULL;
	}
	return NULL;
}

static void
try_text(struct inlining *z, struct loc instead, const char *text)
{
	struct edits *e = edits_new(z->x.arena, z->x.src);

	edits_add(e, instead.beg, instead.end, text);
	refactor_try(&z->x, e);
}

/* In place of the use, whose first argument may be what is piped. */
static void
try_layers(struct inlining *z, bool labels)
{
	struct arena *a = z->x.arena;
	const char *text, *first;

	if (bind(z, 0) && (text = arms_text(z, labels))) {
		if (z->pipe && z->whole == z->use)
			try_text(z, z->use->loc, text);
		try_text(z, z->use->loc, arena_printf(a, "(%s)", text));
		if (z->pipe && z->whole == z->use)
			try_text(z, z->use->loc, arena_printf(a, "1 * (%s)", text));
	}
	if (z->use->kind == E_CALL && z->use->nargs && !z->use->arg[0].name && bind(z, 1) &&
	    (text = arms_text(z, labels))) {
		first = loc_text(a, z->use->arg[0].value->loc);
		try_text(z, z->use->loc, arena_printf(a, "(%s -> %s)", first, text));
		try_text(z, z->use->loc, arena_printf(a, "(%s -> 1 * (%s))", first, text));
	}
}

static void
try_arms(struct inlining *z)
{
	try_layers(z, false);
	if (definition_of(z->block, "out") && z->block->nstmts > 1)
		try_layers(z, true);
}

/* ---- any block ---- */

/* A name of the body for what the block calls NAME. */
static const char *
new_name(struct inlining *z, const char *name)
{
	const char *base = z->stmt->nnames ? z->stmt->name[0].text : "it", *try = name;
	int k, i;

	for (k = 1;; k++) {
		for (i = 0; i < z->nrenamed && strcmp(z->renamed[i], try) != 0; i++)
			;
		if (i == z->nrenamed && !map_get(z->body->names, try) && !map_get(z->names, try))
			break;
		try = k == 1 ? arena_printf(z->x.arena, "%s_%s", base, name) :
		    arena_printf(z->x.arena, "%s_%s%d", base, name, k);
	}
	if (z->nrenamed < MOST_NAMES)
		z->renamed[z->nrenamed++] = try;
	return try;
}

/* The K-th input is that text: a name as it is, what is read once in its place, else a
 * definition. */
static void
give_operand(struct inlining *z, int k, const char *input, const char *text, bool is_name)
{
	struct arena *a = z->x.arena;
	const char *name;

	if (is_name || (!z->define && times_read(z, input) == 1)) {
		z->operand[k] = in_brackets(a, text, !is_name);
		return;
	}
	name = new_name(z, input ? input : "given");
	text_printf(&z->above, "%s = %s\n", name, text);
	z->operand[k] = name;
}

/* Finds the texts of all inputs, and how many leading arguments are among them; -1: they are not to
 * be had. */
static int
give_operands(struct inlining *z, bool piped)
{
	const struct expr *first = piped ? z->arm[0] : NULL;
	int n = inputs_of(z->block), k = 0, i, skip = 0;

	if (n > MOST_NAMES)
		return -1;
	if (piped && z->at == 1 && first->kind == E_TUPLE) {
		for (; k < first->nargs && k < n; k++)
			give_operand(z, k, input_name(z->block, k), loc_text(z->x.arena,
			    first->arg[k].value->loc), first->arg[k].value->kind == E_NAME);
	} else if (piped) {
		struct loc l = { first->loc.src, first->loc.beg, z->arm[z->at - 1]->loc.end };

		give_operand(z, k++, input_name(z->block, 0), loc_text(z->x.arena, l),
		    z->at == 1 && first->kind == E_NAME);
	}
	for (i = 0; k < n && z->use->kind == E_CALL && i < z->use->nargs && !z->use->arg[i].name; i++, skip++) {
		give_operand(z, k, input_name(z->block, k), loc_text(z->x.arena, z->use->arg[i].value->loc),
		    z->use->arg[i].value->kind == E_NAME);
		k++;
	}
	return k == n ? skip : -1;
}

struct renames {
	struct inlining *z;
	struct edits *edits;	/* of the block's text */
	struct edits *uses;	/* of the document: where `v.f` reads inside it */
	const struct symbol *old;
	const char *new;
};

/* v.f, where v was what the block made. */
static void
see_field(void *context, const struct expr *e)
{
	struct renames *r = context;
	const struct stmt *s = r->z->stmt;
	size_t n = e->kind == E_PATH ? strcspn(e->name, ".") : 0, m;
	struct loc at;

	if (!n || !s->nnames || strlen(s->name[0].text) != n || strncmp(e->name, s->name[0].text, n) != 0 ||
	    !lies_in(e->loc, r->z->body->loc))
		return;
	m = strcspn(e->name + n + 1, ".");
	if (strlen(r->old->name) != m || strncmp(e->name + n + 1, r->old->name, m) != 0)
		return;
	at = expr_word(e);
	edits_add(r->uses, at.beg, at.beg + (int)(n + 1 + m), r->new);
}

/* The block's definitions and labels, called as its new body has room for them. */
static void
put_names(struct inlining *z, struct edits *e, struct edits *uses)
{
	const struct tree *t = z->x.tree;
	struct words w = { z->block->loc, e, z->operand[0], 0 };
	int i, k, inputs = 0;

	walk_files(z, see_in, &w);
	for (i = 0; i < t->symbols.n; i++) {
		const struct symbol *s = t->symbols.v[i];
		struct renames r = { z, e, uses, s, NULL };

		if (s->block != z->block || !lies_in(s->loc, z->block->loc) || !s->name)
			continue;
		if (s->kind == SYMBOL_INPUT)
			r.new = z->operand[inputs++];
		else if ((s->kind == SYMBOL_DEF && strcmp(s->name, "out") != 0) || s->kind == SYMBOL_LABEL)
			r.new = new_name(z, s->name);
		else
			continue;
		for (k = 0; k < t->uses.n; k++)
			if (t->uses.v[k].symbol == s && (s->kind != SYMBOL_INPUT || !t->uses.v[k].definition))
				edits_add(e, t->uses.v[k].loc.beg, t->uses.v[k].loc.end, r.new);
		if (s->kind == SYMBOL_DEF)
			tree_walk(t->file, see_field, &r);
	}
}

static const char *
indent_of(const struct inlining *z)
{
	int beg = z->stmt->loc.beg;

	while (beg > 0 && (z->x.src->text[beg - 1] == ' ' || z->x.src->text[beg - 1] == '\t'))
		beg--;
	return arena_strndup(z->x.arena, z->x.src->text + beg, (size_t)(z->stmt->loc.beg - beg));
}

/* The statements for above, each line as far in as the one that they stand before. */
static const char *
indented(struct inlining *z)
{
	const char *line = z->above.s, *next;
	struct text t;

	text_init(&t, z->x.arena);
	for (; *line; line = next) {
		next = strchr(line, '\n') + 1;
		text_add(&t, line, (size_t)(next - line));
		text_puts(&t, indent_of(z));
	}
	return t.s;
}

static void
try_statements(struct inlining *z, bool piped)
{
	struct arena *a = z->x.arena;
	struct edits *e = edits_new(a, z->block->loc.src), *all = edits_new(a, z->x.src);
	struct loc instead = z->whole->loc;
	const struct expr *out = NULL;
	bool first = piped || instead.beg == z->stmt->expr->loc.beg || (z->pipe && z->at == 0);
	int skip, i;

	z->nrenamed = 0;
	text_init(&z->above, a);
	if ((skip = give_operands(z, piped)) < 0 || !bind(z, skip))
		return;
	put_arguments(z, z->block->loc, e);
	put_names(z, e, all);
	for (i = 0; i < z->block->nstmts; i++) {
		const struct stmt *s = &z->block->stmt[i];

		if (s->kind == S_DEF && strcmp(s->name->text, "out") == 0)
			out = s->expr;
		else if (s->kind == S_DEF)
			text_printf(&z->above, "%s\n", loc_edited(a, s->loc, e));
	}
	if (!out)
		return;
	if (piped)
		instead.beg = z->arm[0]->loc.beg;
	if (z->above.n)
		edits_add(all, z->stmt->loc.beg, z->stmt->loc.beg, indented(z));
	edits_add(all, instead.beg, instead.end, in_brackets(a, loc_edited(a, out->loc, e),
	    out->kind == E_IF || !first));
	refactor_try(&z->x, all);
}

/* ---- one use ---- */

/* Fills Z->x.best. */
static void
inline_here(struct inlining *z, struct server *s, struct document *d, struct arena *a, struct loc word)
{
	const struct tree *t = document_tree(s, d);
	const struct use *u = t ? tree_use_at(t, word.beg) : NULL;
	struct refactoring first = { .server = s, .document = d, .arena = a, .tree = document_tree(s, d) };
	int i;

	if (!u || u->symbol->kind != SYMBOL_BLOCK)
		return;
	first.src = t->file->src;
	*z = (struct inlining){ .x = first, .block = u->symbol->block, .word = u->loc };
	if (!find_use(z) || lies_in(z->word, z->block->loc))
		return;
	if (refactor_begin(&z->x, s, d, a, z->use->loc, z->body->block != NULL)) {
		try_arms(z);
		for (i = 0; i < 2 && !z->x.best; i++) {
			z->define = i > 0;
			if (z->pipe && z->at > 0)
				try_statements(z, true);
			if (!z->x.best)
				try_statements(z, false);
		}
	}
	refactor_end(&z->x);
}

struct refactoring
inline_use(struct server *s, struct document *d, struct arena *a, struct loc word)
{
	struct inlining z = { .word = word };

	inline_here(&z, s, d, a, word);
	return z.x;
}
