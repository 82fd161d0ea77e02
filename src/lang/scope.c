/*
 * Names while expanding. In layer position a name is looked up as local layer, label, block, then
 * operator; in value position (eval.c) as value, then layer. So `dropout(dropout)` works where a
 * block has a parameter called dropout, and a new operator never breaks a file.
 */
#include "lang/expander.h"

#include <string.h>

struct binding *
scope_find(const struct scope *s, const char *name)
{
	struct binding *b;

	for (; s; s = s->outer)
		if ((b = map_get(&s->names, name)))
			return b;
	return NULL;
}

const struct scope *
scope_with_index(const struct scope *s)
{
	while (s && !s->index)
		s = s->outer;
	return s;
}

struct diag *
scope_no_index(struct expander *ex, struct loc loc)
{
	return ex_error(ex, "name", loc, "'index' counts the copies of a repeat; there is none around it here");
}

struct binding *
scope_bind(struct expander *ex, struct scope *s, const struct name *name,
    enum binding_kind kind, struct value value)
{
	struct binding *b = map_get(&s->names, name->text);

	if (b && b->kind == BIND_LABEL && kind == BIND_DEF) {
		b->labelled = b->value.layer;
		b->kind = kind;
		b->value = value;
	}
	if (b)
		return b;
	b = ARENA_NEW(ex->passing, struct binding);
	*b = (struct binding){ .kind = kind, .loc = name->loc, .value = value };
	map_put(ex->passing, &s->names, name->text, b);
	return b;
}

struct scope *
scope_inside(struct expander *ex, struct scope *outer)
{
	struct scope *s = ARENA_NEW(ex->passing, struct scope);

	s->outer = outer;
	s->unit = outer->unit;
	return s;
}

struct scope *
scope_of_unit(struct expander *ex, struct unit *u)
{
	struct scope *s = ARENA_NEW(ex->passing, struct scope);

	s->unit = u;
	return s;
}

bool
op_visible(const struct op *op)
{
	return op->kind == OP_LAYER || op->kind == OP_LOSS || op->kind == OP_METRIC;
}

static const char *const functions[] = {
	"min", "max", "divisible", "channels", "height", "width", "dim", "rank",
};

bool
is_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(functions[i], name) == 0)
			return true;
	return false;
}

bool
is_plain_init(const char *name)
{
	return strcmp(name, "zeros") == 0 || strcmp(name, "ones") == 0;
}

bool
is_init_word(const char *name)
{
	static const char *const word[] = { "zeros", "ones", "constant", "uniform", "normal" };
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (strcmp(word[i], name) == 0)
			return true;
	return false;
}

struct callee
callee_find(struct expander *ex, struct scope *s, const char *name, bool call)
{
	struct binding *b = scope_find(s, name);
	struct global_name *g = unit_find(s->unit, name);
	const struct op *op;
	struct value v;

	if (b && b->labelled)
		return (struct callee){ .kind = CALLEE_LAYER, .layer = b->labelled };
	if (b && b->value.kind == V_LAYER)
		return (struct callee){ .kind = CALLEE_LAYER, .layer = b->value.layer };
	if (g && g->expr) {
		v = global_value(ex, g);
		if (v.kind == V_LAYER)
			return (struct callee){ .kind = CALLEE_LAYER, .layer = v.layer };
	}
	if (g && g->block)
		return (struct callee){ .kind = CALLEE_BLOCK, .block = g };
	op = op_find(name);
	if (op && !op_visible(op))
		op = NULL;
	if (call && is_function(name))
		return (struct callee){ .kind = CALLEE_FUNCTION, .op = op };
	return (struct callee){ .kind = op ? CALLEE_OP : CALLEE_NONE, .op = op };
}
