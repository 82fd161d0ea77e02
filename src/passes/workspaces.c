/*
 * workspaces: gives each node the scratch memory its operator asks for on the target, as a tensor
 * of bytes that is alive at that node alone.
 *
 * Reads: op->memory.workspace(). Writes: node->work. It runs after prune, since what an operator
 * needs can depend on which of its outputs are wanted.
 */
#include "ir/pass.h"

#include "ir/op.h"

static void
give(struct module *m, struct node *n, const struct room *room)
{
	struct affine size;

	if (!n->op->memory.workspace)
		return;
	size = n->op->memory.workspace(n, room);
	if (size.fixed == 0 && size.per_sample == 0)
		return;
	n->work = ir_tensor(m, T_WORKSPACE, DT_U8, false, 0, NULL,
	    arena_join(m->arena, n->path, ".", "workspace"), n->loc);
	n->work->def = n;
	n->work->workspace = size;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->update, m->validate };
	struct room room = op_room(m, o->target, o->threads);
	size_t i;
	int j;

	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		for (j = 0; graph[i] && j < graph[i]->nodes.n; j++)
			give(m, graph[i]->nodes.v[j], &room);
	return true;
}

const struct pass pass_workspaces = {
	.name = "workspaces",
	.doc = "give each node its scratch memory on the target",
	.in_bodies = true,
	.run = run,
};
