/*
 * Expressions in value position. What turns out to lack its tensor operands is returned as a layer,
 * to be expanded where it is applied; everything else is computed at once. Nothing is evaluated
 * twice that could make a node: a pipe that is a layer keeps its evaluated first arm, a call its
 * arguments.
 */
#include "lang/expander.h"

#include <stdlib.h>
#include <string.h>

/* The checker knew the name, so its binding is out of reach. */
static void
not_here(struct expander *ex, struct loc loc, const char *name)
{
	ex_error(ex, "name", loc, "'%s' has no value here: it is inside a repeat, or in a branch "
	    "of an `if` that was not taken", name);
}

static struct value
eval_name(struct expander *ex, struct scope *s, struct expr *e)
{
	struct binding *b = scope_find(s, e->name);
	const struct scope *copy = strcmp(e->name, "index") == 0 ? scope_with_index(s) : NULL;
	struct global_name *g;
	struct value v;

	if (copy && !b) {
		if (copy->index_read && !*copy->index_read)
			*copy->index_read = e;
		v = *copy->index;
		v.loc = e->loc;
		return v;
	}
	if (b) {
		v = b->value;
		v.loc = e->loc;
		return v;
	}
	g = unit_find(s->unit, e->name);
	if (g && g->expr) {
		v = global_value(ex, g);
		v.loc = e->loc;
		return v;
	}
	if (is_plain_init(e->name) && callee_find(ex, s, e->name, false).kind == CALLEE_OP)
		return eval_init(ex, s, NULL, e);
	if (callee_find(ex, s, e->name, false).kind != CALLEE_NONE)
		return value_layer(ex->a, (struct layer){ .expr = e, .scope = s }, e->loc);
	not_here(ex, e->loc, e->name);
	return value_poison(e->loc);
}

static void
take_down(struct expander *ex, struct loc use, struct loc def)
{
	struct evaluated *s = ex->opt->evaluated;
	const struct field_read *last = s && s->reads.n ? &s->reads.v[s->reads.n - 1] : NULL;

	if (!s || (last && last->use.src == use.src && last->use.beg == use.beg &&
	    last->def.src == def.src && last->def.beg == def.beg))
		return;
	vec_push(ex->a, &s->reads, ((struct field_read){ use, def }));
}

/* s.1 is s[1]. */
static bool
select_part(struct expander *ex, struct value *v, const char *field, struct loc loc)
{
	size_t digits = strspn(field, "0123456789");
	long k = digits < 4 ? strtol(field, NULL, 10) : v->n;

	if (digits == 0 || field[digits] || k >= v->n) {
		ex_error(ex, "name", loc, "this is a tuple of %d: it has parts .0 to .%d, and no '%s'", v->n, v->n - 1,
		    field);
		return false;
	}
	*v = v->item[k];
	return true;
}

/* A layer of several parts has named results, which come behind its result N: the node of the next
 * one behind node AT, and what it is called. NULL: there is none. */
static const struct node *
next_part(const struct graph *g, const struct node *n, int *at, const char **name)
{
	const char *end = strrchr(n->path, '.');
	size_t len = end ? (size_t)(end - n->path) + 1 : 0;

	while (n->part_of && ++*at < g->nodes.n && g->nodes.v[*at]->part_of == n->part_of) {
		const char *path = g->nodes.v[*at]->path;

		*name = path + len;
		if (strncmp(path, n->path, len) == 0 && path[len] && !strchr(path + len, '.'))
			return g->nodes.v[*at];
	}
	return NULL;
}

static int
place_of(const struct graph *g, const struct node *n)
{
	int i = g->nodes.n - 1;

	while (i > 0 && g->nodes.v[i] != n)
		i--;
	return i;
}

/* The part FIELD of the layer whose result N is, in that same use of it; NULL: it has none. */
static struct tensor *
part_of_layer(struct expander *ex, const struct node *n, const char *field)
{
	int at = place_of(ex->b.graph, n);
	const struct node *part;
	const char *name;

	while ((part = next_part(ex->b.graph, n, &at, &name)))
		if (strcmp(name, field) == 0)
			return part->out[0];
	return NULL;
}

/* What its parts are called, as a list; NULL: it has none. */
static const char *
parts_of_layer(struct expander *ex, const struct node *n)
{
	int at = place_of(ex->b.graph, n);
	const char *name, *list = NULL;

	while (next_part(ex->b.graph, n, &at, &name))
		list = list ? arena_join(ex->a, list, ", ", name) : name;
	return list;
}

/* What v.f reads: a definition of the block that made v, or an operator's named result. */
static bool
select_one(struct expander *ex, struct value *v, const char *field, struct loc word, struct loc loc)
{
	struct binding *b = v->maker ? map_get(&v->maker->names, field) : NULL;
	const struct node *n = v->kind == V_TENSOR ? v->tensor->def : NULL;
	struct names names = { NULL, 0, 0 };
	struct tensor *part = n && !v->maker ? part_of_layer(ex, n, field) : NULL;
	const char *list;
	struct diag *g;
	size_t len;
	int i;

	if (v->kind == V_TUPLE)
		return select_part(ex, v, field, loc);
	if (part) {
		*v = value_tensor(part, loc);
		return true;
	}
	if (b && b->kind == BIND_DEF) {
		take_down(ex, word, b->loc);
		*v = b->value;
		return true;
	}
	for (i = 1; n && !v->maker && i < n->nout; i++) {
		len = strlen(n->path);
		if (n->out[i] && n->out[i]->kind == T_ACTIVATION &&
		    strncmp(n->out[i]->name, n->path, len) == 0 && n->out[i]->name[len] == '.' &&
		    strcmp(n->out[i]->name + len + 1, field) == 0) {
			*v = value_tensor(n->out[i], loc);
			return true;
		}
	}
	if (!v->maker) {
		g = ex_error(ex, "name", loc, "%s was not made by a block: it has no '%s'",
		    value_text(ex->a, v), field);
		if (n && (list = parts_of_layer(ex, n)))
			diag_help(ex->d, g, "it has: %s", list);
		return false;
	}
	g = ex_error(ex, "name", loc, "the block that made this has no definition '%s'", field);
	if (!names_wanted(ex, v->maker->names.n))
		return false;
	for (i = 0; i < v->maker->names.n; i++) {
		b = v->maker->names.entry[i].value;
		if (b->kind == BIND_DEF)
			names_add(ex->a, &names, v->maker->names.entry[i].key);
	}
	names_suggest(ex, g, field, &names);
	return false;
}

static struct value
eval_path(struct expander *ex, struct scope *s, struct expr *e)
{
	const char *rest = e->name;
	struct binding *b;
	struct global_name *g;
	struct value v;
	struct loc whole = expr_word(e), at = whole;
	const char *word;
	size_t n = strcspn(rest, ".");

	word = arena_strndup(ex->a, rest, n);
	b = scope_find(s, word);
	g = b ? NULL : unit_find(s->unit, word);
	if (!b && !(g && g->expr)) {
		not_here(ex, e->loc, word);
		return value_poison(e->loc);
	}
	v = b ? b->value : global_value(ex, g);
	for (rest += n; *rest && v.kind != V_POISON; rest += n) {
		rest++;
		n = strcspn(rest, ".");
		at.beg = whole.beg + (int)(rest - e->name);
		at.end = at.beg + (int)n;
		if (!select_one(ex, &v, arena_strndup(ex->a, rest, n), at, e->loc))
			return value_poison(e->loc);
	}
	v.loc = e->loc;
	return v;
}

static struct value
eval_tuple(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct value v = { .kind = V_TUPLE, .loc = e->loc, .n = e->nargs };
	struct where group;
	int i;

	w = where_inside(w, &group);
	v.item = arena_array(ex->a, (size_t)e->nargs + 1, sizeof(*v.item));
	for (i = 0; i < e->nargs; i++) {
		if (e->arg[i].name)
			ex_error(ex, "type", e->arg[i].name_loc, "a tuple has no named parts");
		v.item[i] = eval(ex, s, w, e->arg[i].value);
	}
	return v;
}

bool
eval_if(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct expr **branch)
{
	struct where group;
	struct value c = eval(ex, s, where_inside(w, &group), e->a);

	if (c.kind == V_TENSOR)
		ex_error(ex, "type", e->a->loc, "`if` chooses while the network is built; a "
		    "tensor has no value yet");
	else if (c.kind != V_BOOL && c.kind != V_POISON)
		ex_error(ex, "type", e->a->loc, "the condition of `if` must be true or false, "
		    "not %s", value_text(ex->a, &c));
	*branch = c.kind == V_BOOL && c.flag ? e->b : e->c;
	return c.kind == V_BOOL;
}

/* A label on a value: later uses apply the same layer again, without its operands. */
static struct value
eval_label(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	const char *path = path_join(ex->a, w->scope, e->name);
	struct where under = { .scope = path, .path = path, .exact = EXACT_ALL, .loc = e->head };
	struct value v = eval(ex, s, &under, e->a);
	struct shared *shared;
	struct value label;

	if (v.kind == V_LAYER)
		return value_layer(ex->a, (struct layer){ .expr = e, .scope = s,
		    .first = v.layer }, e->loc);
	shared = ARENA_NEW(ex->a, struct shared);
	*shared = (struct shared){ .expr = e->a, .scope = s, .path = path, .loc = e->head,
		.strip = true };
	label = value_layer(ex->a, (struct layer){ .shared = shared }, e->head);
	label.maker = v.maker;
	scope_bind(ex, s, &(struct name){ e->name, e->head }, BIND_LABEL, label);
	return v;
}

static struct value
eval_pipe(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	int n;
	struct expr **arm = pipe_arms(ex->passing, e, &n);
	struct where group;
	struct value first;

	w = where_inside(w, &group);
	first = eval(ex, s, w, arm[0]);
	if (first.kind == V_LAYER && arm[0]->kind == E_NAME)	/* its segment is that name */
		first = value_layer(ex->a, (struct layer){ .expr = arm[0], .scope = s }, e->loc);
	if (first.kind == V_LAYER)
		return value_layer(ex->a, (struct layer){ .expr = e, .scope = s,
		    .first = first.layer }, e->loc);
	return apply_arms(ex, s, w, arm + 1, n - 1, first);
}

static int
positional(const struct expr *e)
{
	int i, n = 0;

	for (i = 0; i < e->nargs; i++)
		n += !e->arg[i].name;
	return n;
}

static struct value
eval_call(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct callee c = callee_find(ex, s, e->name, true);
	struct operands none = { NULL, 0 };
	struct actual *actual;
	int need = 1, have, nargs;
	struct where group;
	struct value number;

	if (c.kind == CALLEE_FUNCTION && (!c.op || positional(e) > 1))
		return eval_function(ex, s, w, e);
	actual = eval_actuals(ex, s, where_inside(w, &group), e, c.op);
	if (c.kind == CALLEE_NONE) {
		struct binding *b = scope_find(s, e->name);

		if (!b || b->value.kind != V_POISON)
			ex_error(ex, "type", e->head, "'%s' is %s, and cannot be called", e->name,
			    b ? value_text(ex->a, &b->value) : "not a layer");
		return value_poison(e->loc);
	}
	if (c.kind == CALLEE_OP && is_init_word(e->name) && is_init_call(e, actual))
		return eval_init(ex, s, w, e);
	if (c.op && eval_of_number(ex, c.op, e, actual, e->nargs, &number))
		return number;
	have = leading_operands(&c, 0, actual, e->nargs, &nargs);
	if (c.kind == CALLEE_OP)
		need = c.op->min_operands;
	if (c.kind == CALLEE_BLOCK)
		need = block_inputs(c.block->block);
	if (have >= need)
		return apply_call(ex, s, w, e, c, actual, e->nargs, none);
	if (any_poison(actual, e->nargs))
		return value_poison(e->loc);
	return value_layer(ex->a, (struct layer){ .expr = e, .scope = s, .actual = actual,
	    .nactuals = e->nargs }, e->loc);
}

static struct value
eval_kind(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct value v = { .loc = e->loc };
	struct expr *branch;

	switch (e->kind) {
	case E_NUM:
	case E_SIZE:
		v = value_number(e->num, e->loc);
		v.size = e->kind == E_SIZE;
		return v;
	case E_STR:
		v.kind = V_STRING;
		v.text = e->name;
		return v;
	case E_BOOL:
		return value_bool(e->flag, e->loc);
	case E_NAME:
		return eval_name(ex, s, e);
	case E_PATH:
		return eval_path(ex, s, e);
	case E_CALL:
		return eval_call(ex, s, w, e);
	case E_TUPLE:
		return eval_tuple(ex, s, w, e);
	case E_IF:
		if (!eval_if(ex, s, w, e, &branch))
			return value_poison(e->loc);
		return eval(ex, s, w, branch);
	case E_PIPE:
		return eval_pipe(ex, s, w, e);
	case E_LABEL:
		return eval_label(ex, s, w, e);
	case E_BINARY:
		return eval_binary(ex, s, w, e);
	case E_UNARY:
		return eval_unary(ex, s, w, e);
	case E_INDEX:
		return eval_index(ex, s, w, e);
	case E_RANGE: case E_ELLIPSIS:	/* eval_index() has them */
		break;
	case E_DURATION:
		ex_error(ex, "type", e->loc, "a number of %s has a meaning only in the train "
		    "section", e->name);
		break;
	case E_STAR:
	case E_BAD:
		break;
	}
	return value_poison(e->loc);
}

struct value
eval(struct expander *ex, struct scope *s, struct where *w, struct expr *e)
{
	struct value v;

	if (!e)
		return value_poison((struct loc){ NULL, 0, 0 });
	v = value_poison(e->loc);
	if (ex_enter(ex, e->loc))
		v = eval_kind(ex, s, w, e);
	ex_leave(ex);
	return v;
}

/* At file level: params, and the numbers in types and settings. No tensor can be made there. */
struct value
eval_constant(struct expander *ex, struct unit *u, struct expr *e)
{
	struct where w = { .scope = "", .path = "" };
	struct graph *graph = ex->b.graph;
	struct value v;

	ex->b.graph = NULL;
	v = eval(ex, scope_of_unit(ex, u), &w, e);
	ex->b.graph = graph;
	return v;
}

bool
want_plain(struct expander *ex, const struct value *v, const char *what)
{
	char buf[SIZE_TEXT];

	if (v->kind != V_NUMBER || !v->size)
		return true;
	diag_help(ex->d, ex_error(ex, "value", v->loc, "%s is a plain number, not a size in bytes", what),
	    "written without a unit: %s", number_text(buf, v->num));
	return false;
}

static bool
want_whole(struct expander *ex, const struct value *v, const char *what, int64_t min, int64_t max,
    int64_t *out)
{
	char buf[SIZE_TEXT];
	struct diag *g;

	if (v->kind == V_POISON)
		return false;
	if (v->kind != V_NUMBER) {
		ex_error(ex, "type", v->loc, "%s must be a whole number, not %s", what,
		    value_text(ex->a, v));
		return false;
	}
	if (!number_is_int(v->num, out)) {
		const char *text = ex_text(ex, v->loc);

		if (strpbrk(text, "+-*/%")) {
			g = ex_error(ex, "value", v->loc, "%s must be a whole number, and %s is "
			    "%.10g", what, text, v->num.real);
			diag_help(ex->d, g, "floor(%s) rounds down", text);
		} else
			ex_error(ex, "value", v->loc, "%s must be a whole number, not %s", what,
			    number_text(buf, v->num));
		return false;
	}
	if (*out < min || *out > max) {
		ex_error(ex, "value", v->loc, "%s is %s; it must be %s%lld%s", what,
		    number_text(buf, v->num), max == INT64_MAX || max == LARGEST_EXTENT ?
		    "at least " : "from ", (long long)min, max == INT64_MAX ? "" :
		    max == LARGEST_EXTENT ? " and at most 2^40" :
		    arena_printf(ex->a, " to %lld", (long long)max));
		return false;
	}
	return true;
}

bool
want_int(struct expander *ex, const struct value *v, const char *what, int64_t min, int64_t max,
    int64_t *out)
{
	return want_plain(ex, v, what) && want_whole(ex, v, what, min, max, out);
}

bool
want_bytes(struct expander *ex, const struct value *v, const char *what, int64_t min, int64_t max,
    int64_t *out)
{
	if (!want_whole(ex, v, what, min, max, out))
		return false;
	if (v->size || *out == 0)
		return true;
	ex_error(ex, "settings", v->loc, "%s needs a unit, such as %lldMiB or %lldGiB", what,
	    (long long)*out, (long long)*out);
	return false;
}
