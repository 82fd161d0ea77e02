/*
 * Making syntax trees. An expression that would grow beyond MAX_EXPR_DEPTH is reported once, where
 * it crosses the limit; from there up to its statement everything becomes E_BAD in silence, so a
 * chain of a million arms costs one message and no deep tree.
 */
#include "syntax/tree.h"

#include <string.h>

#include "grammar/parser.h"

#define TOO_DEEP	(MAX_EXPR_DEPTH + 1)

struct parsed
build_bad(struct parse *p, struct loc loc)
{
	struct expr *e = ARENA_NEW(p->tree, struct expr);

	e->kind = E_BAD;
	e->loc = e->head = loc;
	return (struct parsed){ e, 1 };
}

static struct parsed
leaf(struct parse *p, enum expr_kind kind, struct loc loc)
{
	struct parsed v = build_bad(p, loc);

	v.e->kind = kind;
	return v;
}

/* A node over parts of at most DEPTH; its kind is E_BAD where it would be too deep. */
static struct parsed
node(struct parse *p, enum expr_kind kind, int depth, struct loc loc, struct loc head)
{
	struct parsed v = leaf(p, kind, loc);

	v.e->head = head;
	v.depth = depth + 1;
	if (v.depth < TOO_DEEP)
		return v;
	v.e->kind = E_BAD;
	if (depth < TOO_DEEP)
		diag_help(p->diags, syntax_error(p, head, "expression with more than %d steps",
		    MAX_EXPR_DEPTH), "name a part of it in a definition of its own");
	v.depth = TOO_DEEP;
	return v;
}

static int
deeper(int a, int b)
{
	return a > b ? a : b;
}

struct parsed
build_literal(struct parse *p, struct expr *e)
{
	(void)p;
	return (struct parsed){ e, 1 };
}

struct parsed
build_bool(struct parse *p, struct loc loc, bool flag)
{
	struct parsed v = leaf(p, E_BOOL, loc);

	v.e->flag = flag;
	return v;
}

struct parsed
build_word(struct parse *p, enum expr_kind kind, const char *name, struct loc loc)
{
	struct parsed v = leaf(p, name || kind == E_STAR || kind == E_ELLIPSIS ? kind : E_BAD, loc);

	v.e->name = name;
	return v;
}

struct loc
expr_word(const struct expr *e)
{
	struct loc at = e->loc;

	while (at.src && at.beg < at.end && strchr("( \t\r\n#", at.src->text[at.beg])) {
		if (at.src->text[at.beg] == '#')	/* a comment */
			while (at.beg < at.end && at.src->text[at.beg] != '\n')
				at.beg++;
		else
			at.beg++;
	}
	if (at.src && at.end - at.beg > (int)strlen(e->name))
		at.end = at.beg + (int)strlen(e->name);
	return at;
}

struct parsed
build_binary(struct parse *p, enum expr_op op, struct parsed a, struct parsed b, struct loc head)
{
	struct parsed v = node(p, E_BINARY, deeper(a.depth, b.depth),
	    loc_join(a.e->loc, b.e->loc), head);

	if (v.e->kind == E_BAD)
		return v;
	v.e->op = op;
	v.e->a = a.e;
	v.e->b = b.e;
	return v;
}

struct parsed
build_unary(struct parse *p, enum expr_op op, struct parsed a, struct loc head)
{
	struct parsed v = node(p, E_UNARY, a.depth, loc_join(head, a.e->loc), head);

	if (v.e->kind == E_BAD)
		return v;
	v.e->op = op;
	v.e->a = a.e;
	return v;
}

struct parsed
build_pipe(struct parse *p, struct parsed a, struct parsed b, struct loc head)
{
	struct parsed v = node(p, E_PIPE, deeper(a.depth, b.depth), loc_join(a.e->loc, b.e->loc),
	    head);

	if (v.e->kind == E_BAD)
		return v;
	v.e->a = a.e;
	v.e->b = b.e;
	return v;
}

struct parsed
build_label(struct parse *p, struct name name, struct parsed a)
{
	struct parsed v = node(p, E_LABEL, a.depth, loc_join(name.loc, a.e->loc), name.loc);

	if (v.e->kind == E_BAD)
		return v;
	v.e->name = name.text;
	v.e->a = a.e;
	return v;
}

struct parsed
build_if(struct parse *p, struct parsed a, struct parsed b, struct parsed c, struct loc head)
{
	struct parsed v = node(p, E_IF, deeper(a.depth, deeper(b.depth, c.depth)),
	    loc_join(head, c.e->loc), head);

	if (v.e->kind == E_BAD)
		return v;
	v.e->a = a.e;
	v.e->b = b.e;
	v.e->c = c.e;
	return v;
}

struct parsed
build_range(struct parse *p, struct parsed a, struct parsed b, struct parsed c, struct loc colons)
{
	struct loc loc = a.e ? loc_join(a.e->loc, colons) : colons;
	struct parsed v = node(p, E_RANGE, deeper(a.depth, deeper(b.depth, c.depth)),
	    c.e ? loc_join(loc, c.e->loc) : b.e ? loc_join(loc, b.e->loc) : loc, colons);

	if (v.e->kind == E_BAD)
		return v;
	v.e->a = a.e;
	v.e->b = b.e;
	v.e->c = c.e;
	return v;
}

void
push_arg(struct parse *p, const char *name, struct loc name_loc, struct parsed v)
{
	vec_push(p->tree, &p->args, ((struct arg){ name, name_loc, v.e }));
	vec_push(p->arena, &p->arg_depth, v.depth);
}

void
drop_args(struct parse *p, int mark)
{
	p->args.n = p->arg_depth.n = mark;
}

/* Copies out the arguments since MARK and drops them; tells the deepest. */
static struct arg *
take_args(struct parse *p, int mark, int *n, int *depth)
{
	struct arg *arg;
	int i;

	*n = p->args.n - mark;
	*depth = 0;
	for (i = mark; i < p->args.n; i++)
		*depth = deeper(*depth, p->arg_depth.v[i]);
	arg = arena_array(p->tree, (size_t)*n, sizeof(*arg));
	if (*n)
		memcpy(arg, p->args.v + mark, (size_t)*n * sizeof(*arg));
	drop_args(p, mark);
	return arg;
}

struct parsed
build_call(struct parse *p, struct name name, int mark, struct loc loc)
{
	int n, depth;
	struct arg *arg = take_args(p, mark, &n, &depth);
	struct parsed v = node(p, E_CALL, depth, loc, name.loc);

	v.e->name = name.text;
	v.e->arg = arg;
	v.e->nargs = n;
	return v;
}

struct parsed
build_index(struct parse *p, struct parsed a, int mark, struct loc loc)
{
	int n, depth;
	struct arg *arg = take_args(p, mark, &n, &depth);
	struct parsed v = node(p, E_INDEX, deeper(a.depth, depth), loc,
	    (struct loc){ loc.src, a.e->loc.end, loc.end });

	if (v.e->kind == E_BAD)
		return v;
	v.e->a = a.e;
	v.e->arg = arg;
	v.e->nargs = n;
	return v;
}

struct parsed
build_tuple(struct parse *p, int mark, struct loc loc)
{
	int n, depth;
	struct arg *arg = take_args(p, mark, &n, &depth);
	struct parsed v = node(p, E_TUPLE, depth, loc, loc);

	v.e->arg = arg;
	v.e->nargs = n;
	return v;
}

struct type *
build_type(struct parse *p, struct name name, int mark, struct loc loc)
{
	struct type *t = ARENA_NEW(p->tree, struct type);
	int depth;

	t->name = name.text;
	t->name_loc = name.loc;
	t->loc = loc;
	if (p->args.n > mark)
		t->arg = take_args(p, mark, &t->nargs, &depth);
	return t;
}

struct stmt
build_def(struct parse *p, struct name name, struct parsed v, struct loc loc)
{
	struct stmt s = { .kind = S_DEF, .loc = loc, .expr = v.e };

	if (!name.text)		/* the filter made it up to read its value */
		return (struct stmt){ .kind = S_BAD, .loc = loc };
	s.name = ARENA_NEW(p->tree, struct name);
	*s.name = name;
	s.nnames = 1;
	return s;
}

struct stmt
build_names(struct parse *p, enum stmt_kind kind, struct type *type, struct loc loc)
{
	struct stmt s = { .kind = kind, .loc = loc, .type = type, .nnames = p->names.n };

	s.name = arena_array(p->tree, (size_t)s.nnames, sizeof(*s.name));
	memcpy(s.name, p->names.v, (size_t)s.nnames * sizeof(*s.name));
	p->names.n = 0;
	return s;
}

/* Each token thrown away arrives as a bad statement; a run of them is one. */
void
push_stmt(struct parse *p, struct stmt s)
{
	if (s.kind == S_BAD && p->stmts.n && p->stmts.v[p->stmts.n - 1].kind == S_BAD)
		return;
	vec_push(p->tree, &p->stmts, s);
}

static struct stmt *
take_stmts(struct parse *p, int *n)
{
	struct stmt *s = arena_array(p->tree, (size_t)p->stmts.n, sizeof(*s));

	*n = p->stmts.n;
	if (*n)
		memcpy(s, p->stmts.v, (size_t)*n * sizeof(*s));
	p->stmts.n = 0;
	return s;
}

void
file_block(struct parse *p, struct name name, struct loc loc)
{
	struct block *b = ARENA_NEW(p->arena, struct block);

	b->name = name;
	b->loc = loc;
	b->nformals = p->formals.n;
	b->formal = arena_array(p->tree, (size_t)b->nformals, sizeof(*b->formal));
	if (b->nformals)
		memcpy(b->formal, p->formals.v, (size_t)b->nformals * sizeof(*b->formal));
	p->formals.n = 0;
	b->stmt = take_stmts(p, &b->nstmts);
	vec_push(p->arena, &p->file->blocks, b);
}

static void
note_name(struct parse *p, struct map *m, const char *name, void *of)
{
	if (name && !map_get(m, name))
		map_put(p->arena, m, name, of);
}

void
file_network(struct parse *p, struct name name, struct loc loc)
{
	struct network *n = ARENA_NEW(p->arena, struct network);
	int i;

	n->name = name;
	n->loc = loc;
	n->stmt = take_stmts(p, &n->nstmts);
	for (i = 0; i < n->nstmts; i++)
		p->file->has_loss |= n->stmt[i].kind == S_LOSS;
	vec_push(p->arena, &p->file->networks, n);
	note_name(p, &p->file->network_named, name.text, n);
}

void
push_setting(struct parse *p, struct name key, struct loc loc)
{
	struct setting s = { .key = key, .loc = loc, .nvalues = p->values.n };

	s.value = arena_array(p->tree, (size_t)s.nvalues, sizeof(*s.value));
	if (s.nvalues)
		memcpy(s.value, p->values.v, (size_t)s.nvalues * sizeof(*s.value));
	p->values.n = 0;
	vec_push(p->arena, &p->settings, s);
}

void
file_section(struct parse *p, int token, struct name name, struct loc head, struct loc loc)
{
	struct section *s = ARENA_NEW(p->arena, struct section);

	s->kind = token == TOK_TRAIN ? SEC_TRAIN : token == TOK_VALIDATE ? SEC_VALIDATE :
	    token == TOK_DEVICE ? SEC_DEVICE : SEC_LINT;
	s->name = name;
	s->head = head;
	s->loc = loc;
	s->nsettings = p->settings.n;
	s->setting = arena_array(p->arena, (size_t)s->nsettings, sizeof(*s->setting));
	if (s->nsettings)
		memcpy(s->setting, p->settings.v, (size_t)s->nsettings * sizeof(*s->setting));
	p->settings.n = 0;
	vec_push(p->arena, &p->file->sections, s);
	if (name.text)
		note_name(p, &p->file->section_named[s->kind], name.text, s);
	else if (!p->file->section_unnamed[s->kind])
		p->file->section_unnamed[s->kind] = s;
}

const struct section *
file_first_section(const struct file *f, enum section_kind kind, const char *name)
{
	return name ? map_get(&f->section_named[kind], name) : f->section_unnamed[kind];
}
