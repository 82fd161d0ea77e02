/*
 * Bodies: a block at one of its uses, and a network. Both are a list of statements in one scope,
 * evaluated in order. A use of a block is a scope of its own that sees the block's parameters and
 * inputs, its file's names, and nothing of where it is used.
 */
#include "lang/expander.h"

#include "ops/labels.h"

#include <string.h>

static const char *
definition_path(struct expander *ex, const char *scope, const char *name)
{
	return strcmp(name, "out") == 0 ? scope : path_join(ex->a, scope, name);
}

static void
define(struct expander *ex, struct scope *s, const char *path, const struct stmt *st)
{
	struct where w = { .scope = path,
		.path = definition_path(ex, path, st->name->text) };

	struct value v = eval(ex, s, &w, st->expr);

	if (st->expr->kind == E_LABEL && v.kind == V_LAYER && v.layer->first)
		v = declare_label(ex, s, &w, &v);
	scope_bind(ex, s, st->name, BIND_DEF, v);
}

/* ---- blocks ---- */

int
block_inputs(const struct block *b)
{
	int n = 0, i;

	for (i = 0; i < b->nstmts; i++)
		if (b->stmt[i].kind == S_INPUT)
			n += b->stmt[i].nnames;
	return n > 0 ? n : 1;
}

static void
bind_inputs(struct expander *ex, struct scope *s, const struct block *b, struct operands ops)
{
	struct name in = { "in", b->name.loc };
	int i, j, k = 0;

	for (i = 0; i < b->nstmts; i++)
		for (j = 0; b->stmt[i].kind == S_INPUT && j < b->stmt[i].nnames; j++)
			scope_bind(ex, s, &b->stmt[i].name[j], BIND_INPUT, ops.v[k++]);
	if (k == 0)
		scope_bind(ex, s, &in, BIND_INPUT, ops.v[0]);
}

/* The formals of a block by name, made when one is first asked for. */
static struct map *
formals_of(struct expander *ex, const struct block *b, struct map *m)
{
	int i;

	if (m->n > 0)
		return m;
	for (i = 0; i < b->nformals; i++)
		if (!map_get(m, b->formal[i].name.text))
			map_put(ex->a, m, b->formal[i].name.text, &b->formal[i]);
	return m;
}

static int
formal_of(struct expander *ex, const struct block *b, const struct arg *arg, struct map *formals)
{
	const struct formal *f = map_get(formals_of(ex, b, formals), arg->name);
	struct names names = { NULL, 0, 0 };
	struct diag *g;

	if (f)
		return (int)(f - b->formal);
	g = ex_error(ex, "name", arg->name_loc, "block '%s' has no parameter '%s'", b->name.text,
	    arg->name);
	if (names_wanted(ex, b->nformals)) {
		names_add_map(ex->a, &names, formals);
		names_suggest(ex, g, arg->name, &names);
	}
	diag_place(ex->d, g, b->name.loc, "the block is here");
	return -1;
}

/* Which formal each argument fills: an array of arguments by formal; false after an error. */
static bool
match_formals(struct expander *ex, const struct block *b, struct loc loc,
    const struct actual *actual, int n, int from, const struct actual **by_formal)
{
	struct map formals = { NULL, 0, 0, NULL, 0 };
	struct diag *g;
	bool ok = true;
	int i, f, next = 0;

	for (i = from; i < n; i++) {
		f = actual[i].arg->name ? formal_of(ex, b, actual[i].arg, &formals) : next++;
		if (f >= b->nformals) {
			g = ex_error(ex, "type", actual[i].value.loc, "block '%s' has %d "
			    "parameter%s; this is one argument too many", b->name.text,
			    b->nformals, b->nformals == 1 ? "" : "s");
			diag_place(ex->d, g, b->name.loc, "the block is here");
			return false;
		}
		if (f >= 0 && by_formal[f]) {
			ex_error(ex, "name", actual[i].arg->name ? actual[i].arg->name_loc :
			    actual[i].value.loc, "'%s' is given twice", b->formal[f].name.text);
			ok = false;
		} else if (f >= 0)
			by_formal[f] = &actual[i];
		ok &= f >= 0;
	}
	for (f = 0; f < b->nformals; f++)
		if (!by_formal[f] && !b->formal[f].value && ok) {
			g = ex_error(ex, "value", loc, "block '%s' needs '%s'", b->name.text,
			    b->formal[f].name.text);
			diag_place(ex->d, g, b->formal[f].name.loc, "which has no default");
			ok = false;
		}
	return ok;
}

static void
bind_formals(struct expander *ex, struct scope *s, const struct block *b, const char *path,
    const struct actual *const *by_formal)
{
	int i;

	for (i = 0; i < b->nformals; i++) {
		struct where w = { .scope = path,
			.path = path_join(ex->a, path, b->formal[i].name.text) };

		scope_bind(ex, s, &b->formal[i].name, BIND_FORMAL, by_formal[i] ?
		    by_formal[i]->value : eval(ex, s, &w, b->formal[i].value));
	}
}

static struct value
run_block(struct expander *ex, struct scope *s, const struct block *b, const char *path)
{
	struct binding *out;
	struct value v;
	int i;

	for (i = 0; i < b->nstmts; i++)
		if (b->stmt[i].kind == S_DEF)
			define(ex, s, path, &b->stmt[i]);
	out = map_get(&s->names, "out");
	if (!out || out->value.kind == V_POISON)
		return value_poison(b->loc);
	v = out->value;
	if (!value_is_tensors(&v)) {
		ex_error(ex, "type", out->loc, "`out` must be a tensor; it is %s",
		    value_text(ex->a, &v));
		return value_poison(b->loc);
	}
	v.maker = s;
	return v;
}

/* Checks how many tensors it gets; leaves the arguments after them from *FROM on. */
static bool
block_operands(struct expander *ex, struct global_name *g, struct loc loc,
    const struct actual *actual, int n, struct operands *ops, int *from)
{
	const struct callee c = { .kind = CALLEE_BLOCK, .block = g };
	const struct block *b = g->block;
	int want = block_inputs(b), nargs, count = ops->n, piped = ops->n;
	struct diag *d;

	leading_operands(&c, piped, actual, n, &nargs);
	for (*from = 0; *from < nargs && count < want; ++*from)
		count += actual[*from].value.kind == V_TUPLE ? actual[*from].value.n : 1;
	*ops = join_operands(ex, &c, *ops, actual, n, want - piped);
	if (ops->n == want)
		return true;
	if (any_poison(actual, n))
		return false;
	d = ex_error(ex, "type", loc, "block '%s' takes %d input%s and gets %d", b->name.text,
	    want, want == 1 ? "" : "s", ops->n);
	diag_place(ex->d, d, b->name.loc, "the block is here");
	return false;
}

static bool
not_too_deep(struct expander *ex, const struct block *b, struct loc loc)
{
	struct diag *g;

	if (ex->nframes < DEEPEST_BLOCKS)
		return true;
	if (!ex->stopped) {
		ex->stopped = true;
		g = ex_error(ex, "value", loc, "blocks are used inside blocks more than %d deep, "
		    "here '%s'", DEEPEST_BLOCKS, b->name.text);
		diag_help(ex->d, g, "what ends a recursion is an `if` on a number that each use "
		    "makes smaller");
	}
	return false;
}

/* Takes the use down, for those who ask; its place among them, or -1. */
static int
begin_run(struct expander *ex, const struct block *b, const struct expr *e)
{
	struct evaluated *s = ex->opt->evaluated;
	struct block_run run = { .use = e->kind == E_CALL ? e->head : expr_word(e), .block = b,
		.module = ex->m };

	if (!s || !ex->m)
		return -1;
	run.first = run.end = ex->m->next_node;
	vec_push(ex->a, &s->blocks, run);
	return s->blocks.n - 1;
}

static void
end_run(struct expander *ex, int run, const struct value *made)
{
	struct block_run *r;

	if (run < 0)
		return;
	r = &ex->opt->evaluated->blocks.v[run];
	r->end = ex->m->next_node;
	r->out = made->kind == V_TENSOR ? made->tensor : NULL;
}

struct value
apply_block(struct expander *ex, struct where *w, struct global_name *g, struct expr *e,
    const struct actual *actual, int n, struct operands ops)
{
	const struct block *b = g->block;
	struct loc loc = e->head.src ? e->head : e->loc;
	struct frame frame = { ex->frame, b->name.text, loc };
	const struct actual **by_formal =
	    arena_array(ex->passing, (size_t)b->nformals + 1, sizeof(*by_formal));
	const char *path;
	struct scope *s;
	struct value v;
	int from, run;

	path = w->exact != EXACT_NONE ? w->path : path_number(ex->a, w->path, w->next++);
	if (!block_operands(ex, g, loc, actual, n, &ops, &from) ||
	    !match_formals(ex, b, loc, actual, n, from, by_formal) ||
	    !not_too_deep(ex, b, loc))
		return value_poison(loc);
	run = begin_run(ex, b, e);
	s = scope_of_unit(ex, g->home);
	ex->frame = &frame;
	ex->nframes++;
	bind_formals(ex, s, b, path, by_formal);
	bind_inputs(ex, s, b, ops);
	v = run_block(ex, s, b, path);
	ex->nframes--;
	ex->frame = frame.up;
	end_run(ex, run, &v);
	v.loc = loc;
	return v;
}

/* ---- networks ---- */

struct staging {		/* the inputs and targets a network declares */
	VEC(struct tensor *) all;
};

static void
declare(struct expander *ex, struct scope *s, const struct stmt *st, struct staging *staged)
{
	enum tensor_kind kind = st->kind == S_INPUT ? T_INPUT : T_TARGET;
	int i;

	for (i = 0; i < st->nnames; i++) {
		struct tensor *t = input_tensor(ex, kind, &st->name[i], st->type);

		scope_bind(ex, s, &st->name[i], BIND_INPUT, value_tensor(t, st->name[i].loc));
		vec_push(ex->a, &staged->all, t);
	}
}

/* "loss", "loss.depth", "accuracy"; a second one of the same name is told apart by a number. */
static const char *
result_name(struct expander *ex, const struct stmt *st, const struct expr *e)
{
	const char *base = st->kind == S_LOSS ? "loss" : e->kind == E_CALL ? e->name : "metric";
	const char *name;
	int *k;

	if (st->expr->kind == E_LABEL)
		base = st->kind == S_LOSS ? path_join(ex->a, "loss", st->expr->name) :
		    st->expr->name;
	k = map_get(&ex->results, base);
	for (name = base; map_get(&ex->results, name);)
		name = arena_printf(ex->a, "%s_%d", base, ++*k);
	k = ARENA_NEW(ex->a, int);
	*k = 1;
	map_put(ex->a, &ex->results, name, k);
	return name;
}

/* One number a sample is averaged over them; of counts the host makes one. */
static bool
is_one_number(struct expander *ex, struct where *w, struct expr *e, struct value *v, const char *what)
{
	struct diag *g;

	if (v->tensor->def && v->tensor->def->op->counts.of)
		return true;
	if (v->tensor->rank != 0) {
		g = ex_error(ex, "shape", e->loc, "a %s is one number for each sample or for the whole batch, and "
		    "this is %s", what, value_text(ex->a, v));
		diag_help(ex->d, g, tensor_elements_per_sample(v->tensor) == 1 ? "sum(...) of it is that one element, without an axis" :
		    strcmp(what, "loss") == 0 ? "end it with a loss, cross_entropy(logits, target), "
		    "mse(x, y), ..., or with mean(...) or sum(...) of its elements" : "end it with a metric, "
		    "accuracy(logits, target), or with mean(...) or sum(...) of its elements");
		return false;
	}
	if (v->tensor->batched || v->tensor->dtype != v->tensor->dtype->real)
		*v = apply_plain(ex, w, "average", e, (struct operands){ v, 1 }, NULL, 0);
	return v->kind == V_TENSOR;
}

static void
add_result(struct expander *ex, struct scope *s, const struct stmt *st)
{
	struct expr *e = st->expr->kind == E_LABEL ? st->expr->a : st->expr;
	const char *name = result_name(ex, st, e);
	struct where w = { .scope = name, .path = name };
	struct value v = eval(ex, s, &w, e);
	const char *what = st->kind == S_LOSS ? "loss" : "metric";
	struct tensor *count;

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_TENSOR) {
		ex_error(ex, "type", e->loc, "a %s must be computed from tensors; this is %s", what,
		    value_text(ex->a, &v));
		return;
	}
	if (!is_one_number(ex, &w, e, &v, what))
		return;
	vec_push(ex->a, &ex->m->forward->results, ((struct result){ .name = name,
	    .tensor = v.tensor, .loc = e->loc, .is_loss = st->kind == S_LOSS }));
	if ((count = labels_count(v.tensor)))
		vec_push(ex->a, &ex->m->forward->results, ((struct result){ .name = count->name,
		    .tensor = count, .loc = e->loc, .weighs = true }));
}

/* The losses' sum is what is differentiated. */
static void
sum_losses(struct expander *ex)
{
	struct graph *g = ex->m->forward;
	struct expr *e = ARENA_NEW(ex->a, struct expr);
	struct where w = { .scope = "loss", .path = "loss" };
	struct value sum = { .kind = V_POISON };
	int i;

	for (i = 0; i < g->results.n; i++) {
		const struct result *r = &g->results.v[i];
		struct value *pair = arena_array(ex->a, 2, sizeof(*pair));

		if (!r->is_loss)
			continue;
		pair[0] = sum;
		pair[1] = value_tensor(r->tensor, r->loc);
		if (!g->loss)
			sum = pair[1];
		else {
			e->kind = E_BINARY;
			e->loc = e->head = r->loc;
			e->count++;
			sum = apply_plain(ex, &w, "add", e, (struct operands){ pair, 2 }, NULL, 0);
		}
		if (sum.kind != V_TENSOR)
			return;
		g->loss = sum.tensor;
	}
}

/* Which of the tensors that nothing reads have a name in the network? By tensor id; false: none
 * has. */
static bool
find_named(const struct scope *s, const struct network *net, const bool *read, bool *named)
{
	bool any = false;
	int i;

	for (i = 0; i < net->nstmts; i++) {
		const struct stmt *st = &net->stmt[i];
		const struct binding *b = st->kind == S_DEF ? scope_find(s, st->name->text) : NULL;

		if (!b || b->value.kind != V_TENSOR || b->value.tensor->kind == T_POISON || read[b->value.tensor->id])
			continue;
		named[b->value.tensor->id] = any = true;
	}
	return any;
}

/* A layer of which a named result is read, such as states.last, or has a name of its own, is read:
 * these come behind what it is itself, as results of its node or in nodes of their own. */
static void
read_by_part(const struct graph *g, const bool *named, bool *read)
{
	int i, k;

	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i], *before = i > 0 ? g->nodes.v[i - 1] : NULL;

		for (k = 1; k < n->nout && n->out[0] && strcmp(n->out[0]->name, n->path) == 0; k++)
			if (n->out[k] && (read[n->out[k]->id] || named[n->out[k]->id]))
				read[n->out[0]->id] = true;
		for (k = 0; before && n->part_of && n->part_of == before->part_of && k < n->nout && before->out[0]; k++)
			if (n->out[k] && (read[n->out[k]->id] || named[n->out[k]->id]))
				read[before->out[0]->id] = true;
	}
}

/* Without a loss or a metric, what nothing reads is what the network is for: of what has a name in
 * it, since a layer may make more than is asked of it. */
static void
keep_outputs(struct expander *ex, const struct scope *s, const struct network *net)
{
	struct graph *g = ex->m->forward;
	size_t count = (size_t)ex->m->next_tensor + 1;
	bool *read = arena_array(ex->a, count, sizeof(*read)), *named = arena_array(ex->a, count, sizeof(*named));
	bool any;
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j])
				read[g->nodes.v[i]->in[j]->id] = true;
	any = find_named(s, net, read, named);
	read_by_part(g, named, read);
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++) {
			struct tensor *t = g->nodes.v[i]->out[j];

			if (t && t->kind != T_POISON && (any ? named[t->id] : j == 0) && !read[t->id])
				vec_push(ex->a, &g->results, ((struct result){ .name = t->name,
				    .tensor = t, .loc = t->loc }));
		}
}

/* Only what is read is staged; the rest is a finding, unless its reader may be what is wrong. */
static void
stage(struct expander *ex, const struct staging *s)
{
	struct graph *g = ex->m->forward;
	bool *read = arena_array(ex->a, (size_t)ex->m->next_tensor + 1, sizeof(*read));
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin; j++)
			if (g->nodes.v[i]->in[j])
				read[g->nodes.v[i]->in[j]->id] = true;
	for (i = 0; i < s->all.n; i++) {
		struct tensor *t = s->all.v[i];

		if (read[t->id])
			vec_push(ex->a, &g->inputs, t);
		else if (t->kind != T_POISON && ex->d->errors == 0)
			diag_add(ex->d, SEV_WARNING, "data", t->loc, "%s '%s' is never used, and "
			    "is not staged", tensor_kind_name(t->kind), t->name);
	}
}

struct module *
expand_network(struct expander *ex, struct network *net)
{
	struct module *m = ir_module(ex->a, ex->d, net->name.text);
	struct scope *s = scope_of_unit(ex, ex->root);
	struct staging staged = { .all = { NULL, 0, 0 } };
	bool train = false, wrong_settings;
	int i;

	m->src = ex->root->file->src;
	m->loc = net->name.loc;
	m->forward = ir_graph(m, "forward", true);
	ex->m = m;
	ex->body = s;
	ex->b = (struct build){ .module = m, .graph = m->forward };
	ex->owners = ex->results = (struct map){ NULL, 0, 0, NULL, 0 };
	ex->casts.n = 0;
	ex->steps = ex->depth = ex->sharing = ex->nframes = 0;
	ex->stopped = false;
	settings_read(ex, net, &m->set);
	wrong_settings = m->broken;
	m->broken = false;
	for (i = 0; i < net->nstmts; i++) {
		struct stmt *st = &net->stmt[i];

		train |= st->kind == S_LOSS;
		if (st->kind == S_INPUT || st->kind == S_TARGET)
			declare(ex, s, st, &staged);
		else if (st->kind == S_DEF)
			define(ex, s, "", st);
		else if (st->kind != S_BAD)
			add_result(ex, s, st);
		else
			m->broken = true;
	}
	m->set.train = train;
	sum_losses(ex);
	if (!train && m->forward->results.n == 0)
		keep_outputs(ex, s, net);
	stage(ex, &staged);
	ex->incomplete = m->broken;
	m->broken |= wrong_settings;
	settings_bind(ex, net, &m->set, staged.all.v, staged.all.n);
	m->forward->batch = settings_micro_batch(&m->set);
	ex->m = NULL;
	ex->body = NULL;
	ex->b.graph = NULL;
	return m;
}
