/*
 * Expressions in layer position: after an arrow, or where a layer value finally gets its operands.
 * Here paths are made: a definition's segment is in where->path already, and each thing applied
 * adds its own (an operator its name, a block or a copy its number, a label nothing else).
 */
#include "lang/expander.h"

#include <string.h>

struct expr **
pipe_arms(struct arena *a, struct expr *e, int *n)
{
	struct expr **arm, *p;
	int i;

	for (*n = 1, p = e; p->kind == E_PIPE; p = p->a)
		++*n;
	arm = arena_array(a, (size_t)*n, sizeof(*arm));
	for (i = *n - 1, p = e; p->kind == E_PIPE; p = p->a)
		arm[i--] = p->b;
	arm[0] = p;
	return arm;
}

struct where *
where_inside(struct where *w, struct where *storage)
{
	if (!w || w->exact == EXACT_NONE)
		return w;
	*storage = (struct where){ .scope = w->path, .path = w->path };
	return storage;
}

const char *
where_segment(struct expander *ex, const struct where *w, const char *name, int count)
{
	if (w->exact == EXACT_ALL)
		return w->path;
	if (count > 1)
		name = arena_printf(ex->a, "%s_%d", name, count);
	return path_join(ex->a, w->path, name);
}

struct loc
where_loc(const struct where *w, struct loc otherwise)
{
	return w->exact == EXACT_ALL && w->loc.src ? w->loc : otherwise;
}

static bool
to_operands(struct expander *ex, const struct value *v, struct operands *ops)
{
	if (!value_is_tensors(v)) {
		struct diag *g = ex_error(ex, "type", v->loc, "only tensors can be piped; this is "
		    "%s", value_text(ex->a, v));

		if (v->kind == V_LAYER)
			diag_help(ex->d, g, "give it its input first");
		else if (v->kind == V_INIT)
			diag_help(ex->d, g, "a tensor of noise or of one number has its shape in brackets, with a comma: "
			    "normal((64,))");
		return false;
	}
	if (v->kind == V_TUPLE)
		*ops = (struct operands){ v->item, v->n };
	else
		*ops = (struct operands){ v, 1 };
	return true;
}

static struct value
from_operands(struct operands ops, struct loc loc)
{
	if (ops.n == 1)
		return ops.v[0];
	return (struct value){ .kind = V_TUPLE, .loc = loc, .n = ops.n,
		.item = (struct value *)ops.v };
}

struct value
apply_arms(struct expander *ex, struct scope *s, struct where *w, struct expr **arm, int narms,
    struct value v)
{
	struct operands ops;
	int i;

	for (i = 0; i < narms; i++) {
		struct value *in = ARENA_NEW(ex->passing, struct value);

		*in = v;
		if (!to_operands(ex, in, &ops))
			return value_poison(v.loc);
		v = apply(ex, s, w, arm[i], ops);
	}
	return v;
}

/* ---- labels and sharing ---- */

/* LAYER applied under a label: binds the label in SCOPE. */
static struct value
apply_label(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct layer *first, struct operands ops)
{
	const char *path = path_join(ex->a, w->scope, e->name);
	struct where under = { .scope = path, .path = path, .exact = EXACT_ALL, .loc = e->head };
	struct shared *shared = ARENA_NEW(ex->passing, struct shared);
	struct value v = first ? apply_layer(ex, &under, first, ops) :
	    apply(ex, s, &under, e->a, ops);
	struct value label;

	*shared = (struct shared){ .expr = e->a, .scope = s, .first = first, .path = path,
		.loc = e->head };
	label = value_layer(ex->a, (struct layer){ .shared = shared }, e->head);
	label.maker = v.maker;
	scope_bind(ex, s, &(struct name){ e->name, e->head }, BIND_LABEL, label);
	return v;
}

struct value
declare_label(struct expander *ex, struct scope *s, const struct where *w, const struct value *v)
{
	const struct expr *e = v->layer->expr;
	struct shared *shared = ARENA_NEW(ex->passing, struct shared);
	struct value label = value_layer(ex->a, (struct layer){ .shared = shared }, e->head);

	*shared = (struct shared){ .expr = e->a, .scope = s, .first = v->layer->first,
		.path = path_join(ex->a, w->scope, e->name), .loc = e->head };
	shared->unused = scope_bind(ex, s, &(struct name){ e->name, e->head }, BIND_LABEL, label);
	label.loc = v->loc;
	return label;
}

/* The layer in a labelled value, `enc: (x -> conv(8, 3))` or `enc: conv(x, 8, 3)`, given others. */
static struct value
apply_stripped(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct operands ops)
{
	struct where group;
	struct actual *actual;
	struct value v;
	int n, nargs;

	if (e->kind == E_PIPE) {
		struct expr **arm = pipe_arms(ex->passing, e, &n);

		v = from_operands(ops, e->loc);
		return apply_arms(ex, s, where_inside(w, &group), arm + 1, n - 1, v);
	}
	if (e->kind == E_IF && eval_if(ex, s, w, e, &e))
		return apply_stripped(ex, s, w, e, ops);
	if (e->kind == E_CALL) {
		struct callee c = callee_find(ex, s, e->name, true);

		actual = eval_actuals(ex, s, where_inside(w, &group), e, c.op);
		leading_operands(&c, 0, actual, e->nargs, &nargs);
		return apply_call(ex, s, w, e, c, actual + nargs, e->nargs - nargs, ops);
	}
	ex_error(ex, "type", w->loc, "this label names a value that is not one layer's, so it "
	    "cannot be applied again");
	return value_poison(e->loc);
}

static struct value
apply_shared(struct expander *ex, struct shared *shared, struct loc use,
    struct operands ops)
{
	struct where w = { .scope = shared->path, .path = shared->path, .exact = EXACT_ALL,
		.loc = use.src ? use : shared->loc };
	struct scope *s = scope_inside(ex, shared->scope);
	struct binding *unused = shared->unused;
	struct value v;

	if (shared->applying) {
		diag_help(ex->d, ex_error(ex, "value", shared->loc, "this label has the name of what it labels, so where it is used again "
		    "it is of itself"), "give the label another name");
		return value_poison(w.loc);
	}
	shared->applying = true;
	shared->unused = NULL;
	ex->sharing += !unused;
	if (shared->first)
		v = apply_layer(ex, &w, shared->first, ops);
	else if (shared->strip)
		v = apply_stripped(ex, s, &w, shared->expr, ops);
	else
		v = apply(ex, s, &w, shared->expr, ops);
	ex->sharing -= !unused;
	shared->applying = false;
	if (unused && !unused->labelled)
		unused->value.maker = v.maker;
	return v;
}

struct value
apply_layer(struct expander *ex, struct where *w, const struct layer *l, struct operands ops)
{
	struct scope *s;
	struct expr *e = l->expr;
	struct value v;

	if (!ex_enter(ex, l->shared ? l->shared->loc : e->loc)) {
		ex_leave(ex);
		return value_poison(w->loc);
	}
	s = l->shared ? NULL : scope_inside(ex, l->scope);
	if (l->shared)
		v = apply_shared(ex, l->shared, w->loc, ops);
	else if (e->kind == E_CALL && l->actual)
		v = apply_call(ex, s, w, e, callee_find(ex, s, e->name, true), l->actual,
		    l->nactuals, ops);
	else if (e->kind == E_PIPE && l->first) {
		struct where group, *in = where_inside(w, &group);
		int n;
		struct expr **arm = pipe_arms(ex->passing, e, &n);

		v = apply_layer(ex, in, l->first, ops);
		v = apply_arms(ex, s, in, arm + 1, n - 1, v);
	} else if (e->kind == E_LABEL && l->first)
		v = apply_label(ex, s, w, e, l->first, ops);
	else
		v = apply(ex, s, w, e, ops);
	ex_leave(ex);
	return v;
}

/* The first label among the arms of a layer, or NULL. */
static const struct expr *
label_in(struct expander *ex, struct expr *e)
{
	struct expr **arm = &e;
	int i, n = 1;

	if (e && e->kind == E_PIPE)
		arm = pipe_arms(ex->passing, e, &n);
	for (i = 0; e && i < n; i++)
		if (arm[i]->kind == E_LABEL)
			return arm[i];
	return NULL;
}

/* A label names one instance, and a second use of the layer that it is in would make another. */
static bool
is_first_use(struct expander *ex, struct layer *l, const struct expr *use)
{
	const struct expr *label;
	struct diag *g;

	if (!l->use)
		l->use = use;
	if (l->use == use || !(label = label_in(ex, l->expr)))
		return true;
	g = ex_error(ex, "name", use->loc, "'%s' is applied again, with weights of its own, and '%s' in it names one "
	    "layer", use->name, label->name);
	diag_place(ex->d, g, label->head, "the label is here");
	diag_place(ex->d, g, l->use->loc, "'%s' is applied first here", use->name);
	diag_help(ex->d, g, "to share its weights, label the first use and apply that label; else take the label out");
	return false;
}

/* A layer by a name of the body, its parameters or the file's: the name is its segment. */
static struct value
apply_named(struct expander *ex, struct where *w, struct expr *e, struct layer *l,
    struct operands ops)
{
	struct where under = { .loc = e->head.src ? e->head : e->loc };
	const char *path;

	if (l->shared)
		return apply_layer(ex, &under, l, ops);
	if (!is_first_use(ex, l, e))
		return value_poison(e->loc);
	path = where_segment(ex, w, e->name, e->count);
	under = (struct where){ .scope = path, .path = path, .exact = EXACT_ALL,
		.loc = where_loc(w, under.loc) };
	return apply_layer(ex, &under, l, ops);
}

/* ---- kinds of expressions ---- */

/* What a name that is no layer stands for, or NULL. */
static const struct value *
named_value(struct expander *ex, struct scope *s, const char *name)
{
	struct binding *b = scope_find(s, name);
	struct global_name *g = b ? NULL : unit_find(s->unit, name);
	struct value *v;

	if (b)
		return &b->value;
	if (!g || !g->expr)
		return NULL;
	v = ARENA_NEW(ex->a, struct value);
	*v = global_value(ex, g);
	return v;
}

static struct value
apply_name(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct operands ops)
{
	struct callee c = callee_find(ex, s, e->name, false);
	const struct value *v;

	switch (c.kind) {
	case CALLEE_LAYER:
		return apply_named(ex, w, e, c.layer, ops);
	case CALLEE_BLOCK:
	case CALLEE_OP:
		return apply_call(ex, s, w, e, c, NULL, 0, ops);
	default:
		break;
	}
	v = named_value(ex, s, e->name);
	if (v && v->kind != V_POISON)
		ex_error(ex, "type", e->loc, "'%s' is %s, and only a layer can follow `->`",
		    e->name, value_text(ex->a, v));
	else if (!v)
		ex_error(ex, "name", e->loc, "'%s' is not a layer here: it is inside a repeat, or "
		    "in a branch of an `if` that was not taken", e->name);
	return value_poison(e->loc);
}

struct value
apply_call(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct callee c, const struct actual *actual, int n, struct operands ops)
{
	const struct value *v;
	int nargs;

	if (c.op && is_function(c.op->name))
		return apply_extreme(ex, w, c.op, e, actual, n, ops);
	switch (c.kind) {
	case CALLEE_OP:
		return apply_operator(ex, w, c.op, e, actual, n, ops);
	case CALLEE_BLOCK:
		return apply_block(ex, w, c.block, e, actual, n, ops);
	case CALLEE_LAYER:
		leading_operands(&c, ops.n, actual, n, &nargs);
		if (nargs < n) {
			if (!any_poison(actual, n))
				ex_error(ex, "type", actual[nargs].value.loc, "'%s' is a layer "
				    "with its arguments already: it takes tensors only", e->name);
			return value_poison(e->loc);
		}
		return apply_named(ex, w, e, c.layer, join_operands(ex, &c, ops, actual, n, INT32_MAX));
	case CALLEE_FUNCTION:
		ex_error(ex, "type", e->head, "'%s' is a function of numbers, not a layer",
		    e->name);
		break;
	case CALLEE_NONE:
		v = named_value(ex, s, e->name);
		if (!v || v->kind != V_POISON)
			ex_error(ex, "type", e->head, "'%s' is %s, not a layer", e->name,
			    v ? value_text(ex->a, v) : "a word");
		break;
	}
	return value_poison(e->loc);
}

static struct value
apply_repeat(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct operands ops)
{
	struct where group, *in = where_inside(w, &group);
	struct value times = eval(ex, s, in, e->a), v = from_operands(ops, e->loc), *index;
	int64_t n, i;

	if (times.kind == V_TENSOR || times.kind == V_LAYER) {
		ex_error(ex, "type", e->loc, "this pipes into '%s': parenthesise the pipeline",
		    ex_text(ex, e->loc));
		return value_poison(e->loc);
	}
	if (!want_int(ex, &times, "the number of copies", 0, MOST_OPERATORS, &n))
		return value_poison(e->loc);
	for (i = 0; i < n && !ex->stopped; i++) {
		const char *path = path_number(ex->a, in->path, in->next++);
		struct where copy = { .scope = path, .path = path, .exact = EXACT_BLOCK };
		struct scope *inner = scope_inside(ex, s);
		struct expr *arm[] = { e->b };

		index = ARENA_NEW(ex->passing, struct value);
		*index = value_number(number_int(i), e->loc);
		inner->index = index;
		v = apply_arms(ex, inner, &copy, arm, 1, v);
	}
	return v;
}

static struct value
apply_value(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct operands ops)
{
	struct value v = eval(ex, s, w, e);

	if (v.kind == V_LAYER)
		return apply_layer(ex, w, v.layer, ops);
	if (v.kind != V_POISON)
		ex_error(ex, "type", e->loc, "only a layer can follow `->`; this is %s",
		    value_text(ex->a, &v));
	return value_poison(e->loc);
}

static struct value
apply_kind(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    struct operands ops)
{
	struct where group, *in = where_inside(w, &group);
	struct expr *branch, **arm;
	struct callee c;
	struct value v;
	int n;

	switch (e->kind) {
	case E_BAD:
		return value_poison(e->loc);
	case E_NAME:
		return apply_name(ex, s, w, e, ops);
	case E_CALL:
		c = callee_find(ex, s, e->name, true);
		return apply_call(ex, s, w, e, c, eval_actuals(ex, s, in, e, c.op), e->nargs, ops);
	case E_PIPE:
		arm = pipe_arms(ex->passing, e, &n);
		v = apply(ex, s, in, arm[0], ops);
		return apply_arms(ex, s, in, arm + 1, n - 1, v);
	case E_LABEL:
		return apply_label(ex, s, w, e, NULL, ops);
	case E_IF:
		if (!eval_if(ex, s, w, e, &branch))
			return value_poison(e->loc);
		return apply(ex, s, w, branch, ops);
	case E_BINARY:
		if (e->op == OPR_MUL)
			return apply_repeat(ex, s, w, e, ops);
		break;
	default:
		break;
	}
	return apply_value(ex, s, w, e, ops);
}

struct value
apply(struct expander *ex, struct scope *s, struct where *w, struct expr *e, struct operands ops)
{
	struct value v = value_poison(e->loc);

	if (ex_enter(ex, e->loc))
		v = apply_kind(ex, s, w, e, ops);
	ex_leave(ex);
	return v;
}
