/*
 * A layer as an operator's argument, which the operator runs many times: it is expanded once, into
 * a graph of its own (ir/rounds.h). What it reads of the graph around it becomes one more operand.
 */
#include "lang/expander.h"

#include <string.h>

struct making {
	struct expander *ex;
	struct graph *g;
	const struct op *op;
	const char *path;
	struct tensor **inside;	/* by the id of a tensor from outside: what stands for it */
	bool *made;		/* by id: in the body */
	VEC(struct tensor *) operands;
};

static struct tensor *
add_input(struct making *b, enum tensor_kind kind, const struct tensor *like, const char *name, struct loc loc)
{
	struct tensor *t = ir_tensor_like(b->ex->m, kind, like, name, loc);

	t->classes = like->classes;
	t->tokens = like->tokens;
	vec_push(b->ex->a, &b->g->inputs, t);
	return t;
}

/* The operator's node, as far as there is one. */
static struct node
probe_of(struct making *b, struct binding_result *r, struct loc loc)
{
	return (struct node){ .op = b->op, .path = b->path, .loc = ex_place(b->ex, loc), .in = b->operands.v,
		.nin = b->operands.n, .attr = r->attr };
}

/* What the operator says of a mistake in its body, beside the first. */
static void
advise(struct making *b, struct binding_result *r, struct loc loc, int before)
{
	struct node probe = probe_of(b, r, loc);
	struct expander *ex = b->ex;
	const char *text;

	if (ex->d->all.n > before && b->op->rounds.advice && (text = b->op->rounds.advice(&ex->b, &probe)))
		diag_help(ex->d, ex->d->all.v[before], "%s", text);
}

static bool
add_operands(struct making *b, struct binding_result *r, struct loc loc, struct value *v)
{
	struct expander *ex = b->ex;
	struct node probe = probe_of(b, r, loc);
	int before = ex->d->all.n, k;
	bool good = true;
	struct tensor x;

	ex->b.module = ex->m;
	for (k = 0; k < b->operands.n && good; k++) {
		good = b->op->rounds.operand(&ex->b, &probe, k, &x);
		if (good)
			v[k] = value_tensor(add_input(b, T_INPUT, &x, arena_printf(ex->a, k ? "%s.in_%d" : "%s.in", b->path,
			    k), loc), loc);
	}
	for (; before < ex->d->all.n; before++)
		ex_frames(ex, ex->d->all.v[before], loc);
	return good;
}

/* The layer, as if the body were all there is. */
static struct value
expand(struct making *b, struct layer *l, struct loc loc, struct operands ops)
{
	struct expander *ex = b->ex;
	struct expander outside = *ex;
	struct where w = { .scope = b->path, .path = b->path, .exact = EXACT_BLOCK, .loc = loc };
	struct value v;

	ex->made += outside.b.graph->nodes.n;
	ex->b.graph = b->g;
	memset(&ex->casts, 0, sizeof(ex->casts));
	v = apply_layer(ex, &w, l, ops);
	ex->casts.v = outside.casts.v;
	ex->casts.n = outside.casts.n;
	ex->casts.cap = outside.casts.cap;
	ex->b.graph = outside.b.graph;
	ex->made = outside.made + b->g->nodes.n;
	return v;
}

/* The tensor, as the body has it. */
static struct tensor *
inside(struct making *b, struct tensor *t)
{
	if (!t || b->made[t->id] || tensor_kind_persistent(t->kind))
		return t;
	if (!b->inside[t->id]) {
		b->inside[t->id] = add_input(b, T_ACTIVATION, t, arena_join(b->ex->a, b->path, ".", t->name), t->loc);
		vec_push(b->ex->a, &b->operands, t);
	}
	return b->inside[t->id];
}

static void
close_body(struct making *b)
{
	struct graph *g = b->g;
	size_t ids = (size_t)b->ex->m->next_tensor + 1;
	int inputs = g->inputs.n, i, k;

	b->inside = arena_array(b->ex->a, ids, sizeof(*b->inside));
	b->made = arena_array(b->ex->a, ids, sizeof(*b->made));
	for (i = 0; i < inputs; i++)
		b->made[g->inputs.v[i]->id] = true;
	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nout; k++)
			if (g->nodes.v[i]->out[k])
				b->made[g->nodes.v[i]->out[k]->id] = true;
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin; k++)
			n->in[k] = inside(b, n->in[k]);
		for (k = 0; k < n->nout; k++)
			if (n->out[k] && n->out[k]->alias_of)
				tensor_alias(n->out[k], inside(b, n->out[k]->alias_of));
	}
	for (i = 0; i < g->results.n; i++)
		g->results.v[i].tensor = inside(b, g->results.v[i].tensor);
}

static bool
take_results(struct making *b, struct layer *l, struct loc loc, const struct value *v)
{
	struct loc at = l->expr ? l->expr->loc : loc;
	int i, n = v->kind == V_TUPLE ? v->n : 1;

	if (v->kind == V_POISON)
		return false;
	if (!value_is_tensors(v)) {
		ex_error(b->ex, "type", at, "%s's cell must make tensors; it makes %s", b->op->name,
		    value_text(b->ex->a, v));
		return false;
	}
	for (i = 0; i < n; i++) {
		const struct value *item = v->kind == V_TUPLE ? &v->item[i] : v;

		if (item->kind != V_TENSOR)	/* its mistake was reported */
			return false;
		vec_push(b->ex->a, &b->g->results, ((struct result){ .name = item->tensor->name,
		    .tensor = item->tensor, .loc = at }));
	}
	return true;
}

bool
make_body(struct expander *ex, const struct op *op, const char *path, struct loc loc, struct binding_result *r,
    int *noperands, struct tensor ***operand)
{
	struct making b = { .ex = ex, .op = op, .path = path, .g = ir_graph(ex->m, "body", true) };
	struct value *v = arena_array(ex->a, (size_t)*noperands + 1, sizeof(*v)), made;
	int i, before;

	for (i = 0; i < *noperands; i++) {
		if ((*operand)[i]->kind == T_POISON)
			return true;	/* of which it makes poison */
		vec_push(ex->a, &b.operands, (*operand)[i]);
	}
	if (!add_operands(&b, r, loc, v))
		return false;
	before = ex->d->all.n;
	made = expand(&b, r->body, loc, (struct operands){ v, *noperands });
	advise(&b, r, loc, before);
	if (!take_results(&b, r->body, loc, &made))
		return false;
	close_body(&b);
	for (i = 0; op->attrs[i].type != ATTR_BODY; i++)
		;
	r->attr[i].body = b.g;
	vec_push(ex->a, &ex->m->bodies, b.g);
	*noperands = b.operands.n;
	*operand = b.operands.v;
	return true;
}
