/*
 * What a node runs many times, inside the step of its graph: the nodes of a round are written like
 * those of any graph, but their tensors lie in the scratch memory of the node, or outside of the
 * round, where the operator says.
 */
#include "calls/emitter.h"

#include "ir/rounds.h"

struct outside {		/* of a round, while it is written */
	const struct module *module;
	const struct graph *graph;
	const int64_t *offset;
};

static struct outside
enter(struct emitter *e, const struct rounds *r, const int64_t *place)
{
	struct outside o = { e->module, e->graph, e->offset };

	e->module = r->m;
	e->graph = r->m->train;
	e->offset = place;
	return o;
}

static void
leave(struct emitter *e, struct outside o)
{
	e->module = o.module;
	e->graph = o.graph;
	e->offset = o.offset;
}

int64_t *
emit_round_places(struct emitter *e, const struct rounds *r, int64_t base)
{
	int n = r->m->next_tensor, i;
	int64_t *place = arena_array(e->module->arena, (size_t)n + 1, sizeof(*place));

	for (i = 0; i < n; i++)
		place[i] = r->place[i] < 0 ? -1 : base + r->place[i];
	return place;
}

void
emit_round_kernels(struct emitter *e, const struct rounds *r)
{
	struct outside o = enter(e, r, NULL);
	const struct graph *g = r->m->train;
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->calls.define)
			g->nodes.v[i]->op->calls.define(e, g->nodes.v[i]);
	leave(e, o);
}

void
emit_round(struct emitter *e, const struct rounds *r, const int64_t *place)
{
	struct outside o = enter(e, r, place);
	const struct graph *g = r->m->train;
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (!n->op->calls.emit)
			continue;
		emit_line(e, "/* %s: %s */", n->path, n->op->name);
		n->op->calls.emit(e, n);
	}
	leave(e, o);
}
