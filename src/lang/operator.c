/*
 * One operator into the graph: operands checked and cast, attributes bound, its path made, the
 * parameters of a shared layer found again by that path. Two layers that would own the same path
 * are an error, because checkpoints, freeze and diagnostics name weights by it.
 */
#include "lang/expander.h"

#include <string.h>

static struct tensor *
poison_tensor(struct expander *ex, struct loc loc)
{
	return ir_tensor(ex->m, T_POISON, DT_F32, true, 0, NULL, "", loc);
}

/* Pixels come as bytes; arithmetic wants floats. One cast serves all who read the input. */
static struct tensor *
as_float(struct expander *ex, struct tensor *t, struct loc loc)
{
	const struct op *op = op_find("cast");
	struct build b = { .module = ex->m, .graph = ex->b.graph };
	struct node *n;
	int i;

	if (t->dtype != DT_U8 || t->kind == T_POISON)
		return t;
	for (i = 0; i < ex->casts.n; i++)
		if (ex->casts.v[i].from == t)
			return ex->casts.v[i].to;
	if (!op) {
		ex_error(ex, "type", loc, "no operator makes floats of u8 values");
		return poison_tensor(ex, loc);
	}
	n = op_apply(&b, op, NULL, path_join(ex->a, t->name, "cast"), t->loc, 1, &t);
	vec_push(ex->a, &ex->casts, ((struct cast){ t, n->out[0] }));
	return n->out[0];
}

/* Lengths come after operands that may be left out, so that they may be any but the first. */
static bool
may_be_lengths(const struct op *op, int k)
{
	const char *last = op->operands ? strrchr(op->operands, ' ') : NULL;

	return k > 0 && last && strcmp(last + 1, "lengths") == 0;
}

static bool
takes_integers(const struct op *op, int k)
{
	return may_be_lengths(op, k) || op->kind != OP_LAYER || op_operand_is(op, k, "ids") ||
	    op_operand_is(op, k, "tokens") || op_operand_is(op, k, "classes") || op_operand_is(op, k, "index") ||
	    op_operand_is(op, k, "numbers");
}

/* Losses and metrics read a target of bytes as it is staged; masks are read where they lie, and
 * places. */
static bool
takes_bytes(const struct op *op, int k)
{
	return ((op->kind == OP_LOSS || op->kind == OP_METRIC) && op_operand_is(op, k, "target")) ||
	    op_operand_is(op, k, "masks") || op_operand_is(op, k, "places");
}

static bool
operands_to_tensors(struct expander *ex, const struct op *op, struct operands ops,
    struct loc loc, struct tensor **t)
{
	bool ok = true;
	int i;

	for (i = 0; i < ops.n; i++) {
		if (ops.v[i].kind == V_POISON) {
			t[i] = poison_tensor(ex, loc);
			continue;
		}
		t[i] = takes_bytes(op, i) ? ops.v[i].tensor : as_float(ex, ops.v[i].tensor, loc);
		if (t[i]->dtype == DT_I32 && !takes_integers(op, i)) {
			ex_error(ex, "type", loc, "%s computes with real numbers, and '%s' holds "
			    "class or token numbers", op->name, t[i]->name);
			ok = false;
		}
	}
	return ok;
}

static bool
count_operands(struct expander *ex, const struct op *op, struct operands ops, struct loc loc)
{
	struct diag *g;

	if (op->max_operands == 0 && ops.n > 0) {
		ex_error(ex, "type", loc, "%s makes a tensor of nothing: it takes no input",
		    op->name);
		return false;
	}
	if (ops.n >= op->min_operands && (op->max_operands < 0 || ops.n <= op->max_operands))
		return true;
	g = ex_error(ex, "type", loc, "%s takes %s%d tensor%s%s%s%s and gets %d", op->name,
	    ops.n < op->min_operands && op->max_operands != op->min_operands ? "at least " : "",
	    ops.n < op->min_operands ? op->min_operands : op->max_operands,
	    (ops.n < op->min_operands ? op->min_operands : op->max_operands) == 1 ? "" : "s",
	    op->operands ? " (" : "", op->operands ? op->operands : "", op->operands ? ")" : "",
	    ops.n);
	if (ops.n < op->min_operands)
		diag_help(ex->d, g, "pipe several with (a, b) -> %s, or write %s(a, b)", op->name,
		    op->name);
	return false;
}

static void
too_many(struct expander *ex, struct loc loc)
{
	struct diag *g = ex_error(ex, "value", loc, ex->made ? "the networks of this file have more than %d operators "
	    "together" : "the network has more than %d operators", ex_most_operators(ex));

	diag_help(ex->d, g, "--operators sets how many there may be; what a command takes grows with them");
}

/* May this node be made here and now? */
static bool
has_room(struct expander *ex, const struct op *op, struct loc loc)
{
	if (!ex->b.graph) {
		ex_error(ex, "type", loc, "%s makes a tensor, which only a network or a block can "
		    "do", op->name);
		return false;
	}
	if (ex->made + ex->b.graph->nodes.n >= ex_most_operators(ex)) {
		if (!ex->stopped && !ex->full)
			too_many(ex, loc);
		ex->stopped = ex->full = ex->m->broken = true;
	}
	return !ex->stopped;
}

/* Remarks on what shape() reported: the error is inside a block, whose use explains it. */
static void
explain(struct expander *ex, int before, struct loc loc)
{
	for (; before < ex->d->all.n; before++)
		ex_frames(ex, ex->d->all.v[before], loc);
}

static void
remember(struct expander *ex, const char *path, const struct op *op, struct loc loc)
{
	struct owner *o = ARENA_NEW(ex->passing, struct owner);
	int n = ex->b.params.n;

	*o = (struct owner){ .op = op, .nparams = n, .loc = loc,
		.param = arena_array(ex->passing, (size_t)n + 1, sizeof(*o->param)) };
	memcpy(o->param, ex->b.params.v, (size_t)n * sizeof(*o->param));
	map_put(ex->passing, &ex->owners, path, o);
}

static void
clash(struct expander *ex, const char *path, struct loc loc, const struct owner *first)
{
	struct diag *g = ex_error(ex, "name", loc, "two layers would be called '%s'", path);

	diag_place(ex->d, g, first->loc, "the first is here");
	diag_help(ex->d, g, "give one a label: `name: %s(...)`", first->op->name);
}

static struct value
tuple_of(struct expander *ex, const struct node *n, struct loc loc)
{
	struct value v = { .kind = V_TUPLE, .loc = loc, .n = n->nout };
	int k;

	v.item = arena_array(ex->passing, (size_t)n->nout, sizeof(*v.item));
	for (k = 0; k < n->nout; k++)
		v.item[k] = value_tensor(n->out[k], loc);
	return v;
}

/* No parameter has its name. */
static void
not_taken(struct expander *ex, const struct op *op, const struct tie *tie)
{
	struct names names = { NULL, 0, 0 };
	const char *s;
	int i;

	for (s = op->operands; s && *s; s += strcspn(s, " "), s += *s == ' ')
		names_add(ex->a, &names, arena_strndup(ex->a, s, strcspn(s, " ")));
	for (i = 0; i < op_nattrs(op); i++)
		names_add(ex->a, &names, op->attrs[i].name);
	for (i = 0; i < ex->b.params.n; i++) {
		const char *dot = strrchr(ex->b.params.v[i]->name, '.');

		if (dot && ex->b.params.v[i]->kind == T_PARAM && strcmp(dot + 1, tie->name) != 0)
			names_add(ex->a, &names, dot + 1);
	}
	names_suggest(ex, ex_error(ex, "name", tie->loc, "%s has no parameter '%s' for which a tensor could stand",
	    op->name, tie->name), tie->name, &names);
}

static bool
ties_are_taken(struct expander *ex, const struct op *op, const struct binding_result *r)
{
	bool ok = true;
	int i;

	for (i = 0; i < r->nties; i++)
		if (!r->tie[i].taken) {
			not_taken(ex, op, &r->tie[i]);
			ok = false;
		}
	return ok;
}

static struct value
place_node(struct expander *ex, const struct op *op, const char *path, struct loc loc,
    struct binding_result *r, int n, struct tensor *const *t)
{
	struct owner *o = map_get(&ex->owners, path);
	int before = ex->d->all.n;
	struct node *node;

	ex->b.module = ex->m;
	ex->b.tie = r->tie;
	ex->b.nties = r->nties;
	ex->b.reuse = NULL;
	ex->b.nreuse = 0;
	if (o && ex->sharing && o->op == op) {
		ex->b.reuse = o->param;
		ex->b.nreuse = o->nparams;
	}
	node = op_apply(&ex->b, op, r->attr, path, ex_place(ex, loc), n, t);
	explain(ex, before, loc);
	if (node->out[0]->kind == T_POISON || !ties_are_taken(ex, op, r))
		return value_poison(loc);
	if (ex->b.params.n > 0) {
		if (o && !ex->b.reuse)
			clash(ex, path, loc, o);
		else if (!o && ex->sharing)
			ex_error(ex, "type", loc, "this shared layer would need new weights here "
			    "('%s'): its first use took another branch", path);
		else if (!o)
			remember(ex, path, op, loc);
	}
	return op->flags & OP_TUPLE ? tuple_of(ex, node, loc) : value_tensor(node->out[0], loc);
}

struct value
apply_operator(struct expander *ex, struct where *w, const struct op *op, struct expr *e,
    const struct actual *actual, int n, struct operands ops)
{
	struct loc loc = where_loc(w, e->head.src ? e->head : e->loc);
	struct callee c = { .kind = CALLEE_OP, .op = op };
	struct binding_result r;
	const char *path;
	struct tensor **t;
	bool ok;
	int nargs;

	actual = tensors_first(ex, op, ops.n, actual, n);
	leading_operands(&c, ops.n, actual, n, &nargs);
	ops = join_operands(ex, &c, ops, actual, n, INT32_MAX);
	ok = bind_attrs(ex, op, e->head.src ? e->head : e->loc, actual, n, nargs, ops.n, &r);
	if (ok || !any_poison(actual, n))
		ok &= count_operands(ex, op, ops, loc);
	if (!ok || !has_room(ex, op, loc))
		return value_poison(loc);
	t = arena_array(ex->passing, (size_t)ops.n + 1, sizeof(*t));
	if (!operands_to_tensors(ex, op, ops, loc, t))
		return value_poison(loc);
	path = where_segment(ex, w, op->name, e->count);
	if (r.body && !make_body(ex, op, path, loc, &r, &ops.n, &t))
		return value_poison(loc);
	return place_node(ex, op, path, loc, &r, ops.n, t);
}

struct value
apply_with(struct expander *ex, struct where *w, const struct op *op, struct expr *e, struct operands ops,
    struct binding_result *r)
{
	struct loc loc = where_loc(w, e->head.src ? e->head : e->loc);
	struct tensor **t;

	if (!has_room(ex, op, loc))
		return value_poison(loc);
	t = arena_array(ex->passing, (size_t)ops.n + 1, sizeof(*t));
	if (!operands_to_tensors(ex, op, ops, loc, t))
		return value_poison(loc);
	return place_node(ex, op, where_segment(ex, w, op->name, e->count), loc, r, ops.n, t);
}

struct value
apply_plain(struct expander *ex, struct where *w, const char *name, struct expr *e,
    struct operands ops, const double *real, int nreals)
{
	const struct op *op = op_find(name);
	struct binding_result r;
	int i;

	if (!op) {
		ex_error(ex, "type", where_loc(w, e->head.src ? e->head : e->loc),
		    "the operator '%s' that this needs is not built in", name);
		return value_poison(e->loc);
	}
	memset(&r, 0, sizeof(r));
	for (i = 0; i < op_nattrs(op); i++) {
		op_attr_preset(&op->attrs[i], &r.attr[i]);
		if (i < nreals) {
			r.attr[i].given = true;
			r.attr[i].r = real[i];
		}
	}
	return apply_with(ex, w, op, e, ops, &r);
}
