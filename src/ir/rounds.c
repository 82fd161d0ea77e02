/* Copies of bodies; see rounds.h. */
#include "ir/rounds.h"

#include <string.h>

int
body_params(struct arena *a, const struct graph *body, struct tensor ***list)
{
	struct arena *scratch = arena_child(a);	/* bodies are many, and so are the tensors around them */
	bool *seen = arena_array(scratch, (size_t)body->module->next_tensor + 1, sizeof(*seen));
	VEC(struct tensor *) found = { NULL, 0, 0 };
	int i, k;

	for (i = 0; i < body->nodes.n; i++)
		for (k = 0; k < body->nodes.v[i]->nin; k++) {
			struct tensor *t = body->nodes.v[i]->in[k];

			if (!t || !tensor_kind_persistent(t->kind) || seen[t->id])
				continue;
			seen[t->id] = true;
			vec_push(a, &found, t);
		}
	arena_free(scratch);
	*list = found.v;
	return found.n;
}

struct affine
graph_macs(const struct graph *g)
{
	struct affine sum = { 0, 0 };
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->macs)
			sum = affine_sum(sum, g->nodes.v[i]->op->macs(g->nodes.v[i]));
	return sum;
}

/* T lies outside of the round. */
static void
stay_outside(struct module *m, struct tensor *t)
{
	t->kind = T_PARAM;
	vec_push(m->arena, &m->persistent, t);
}

/* In place of persistent tensors, which are the node's operands from FIRST on. */
static void
stand_in(struct rounds *r, const struct graph *body, int first)
{
	struct module *m = r->m;
	struct arena *scratch = arena_child(m->arena);
	struct tensor **param, **by_id = arena_array(scratch, (size_t)body->module->next_tensor + 1,
	    sizeof(*by_id));
	int n = body_params(m->arena, body, &param), i, k;

	for (i = 0; i < n; i++) {
		by_id[param[i]->id] = r->given[first + i] = ir_tensor_like(m, T_PARAM, param[i], param[i]->name,
		    param[i]->loc);
		r->given[first + i]->frozen = param[i]->frozen;
	}
	for (i = 0; i < m->train->nodes.n; i++) {
		struct node *node = m->train->nodes.v[i];

		for (k = 0; k < node->nin; k++) {
			const struct tensor *t = body->nodes.v[i]->in[k];

			if (t && tensor_kind_persistent(t->kind))
				node->in[k] = by_id[t->id];
		}
		for (k = 0; k < node->nout; k++) {	/* views, whose roots are others now */
			struct tensor *of = node->out[k] ? node->out[k]->alias_of : NULL;
			const struct tensor *was = of ? body->nodes.v[i]->out[k]->alias_of : NULL;

			if (of)
				tensor_alias(node->out[k], tensor_kind_persistent(was->kind) ? by_id[was->id] : of);
		}
	}
	arena_free(scratch);
}

struct rounds *
rounds_new(struct module *m, const struct node *n, int which, int64_t batch)
{
	const struct graph *body = op_body(n)->body;
	struct rounds *r = ARENA_NEW(m->arena, struct rounds);
	struct tensor **param;
	struct graph *g;
	int copied = 0, i;

	r->which = which;
	r->m = m;
	g = m->train = ir_clone(m, body, "train", n->training, NULL);
	g->batch = batch;
	r->ngiven = body->inputs.n + body_params(m->arena, body, &param);
	r->given = arena_array(m->arena, (size_t)r->ngiven + 1, sizeof(*r->given));
	memcpy(r->given, g->inputs.v, (size_t)g->inputs.n * sizeof(*r->given));
	for (i = 0; i < g->inputs.n; i++)
		if (g->inputs.v[i]->kind == T_INPUT)
			g->inputs.v[copied++] = g->inputs.v[i];
		else
			stay_outside(m, g->inputs.v[i]);
	g->inputs.n = copied;
	stand_in(r, body, body->inputs.n);
	return r;
}

const struct rounds *
rounds_of(const struct node *n)
{
	const struct attr *a = op_body(n);

	return a ? a->rounds : NULL;
}
