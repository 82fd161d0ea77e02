/* Nodes that run as early as they may; see early.h. Linear: they are dealt into buckets by the
 * place that each goes behind. */
#include "passes/early.h"

#include <string.h>

/* Whose bytes are meant: a parameter may be read under another name, as a value. */
static int
bytes_of(const struct tensor *t)
{
	const struct tensor *root = tensor_root(t);

	return tensor_persistent(root) ? root->id : t->id;
}

void
early_nodes(struct graph *g, int first)
{
	struct arena *scratch = arena_child(g->module->arena);
	int *place = arena_array(scratch, (size_t)g->module->next_tensor + 1, sizeof(*place));
	int *head = arena_array(scratch, (size_t)first + 1, sizeof(*head));
	int *next = arena_array(scratch, (size_t)g->nodes.n + 1, sizeof(*next));
	int *bucket = arena_array(scratch, (size_t)g->nodes.n + 1, sizeof(*bucket));
	int total = g->nodes.n, i, j;
	struct node **old = arena_array(scratch, (size_t)total + 1, sizeof(struct node *));

	if (total > 0)
		memcpy(old, g->nodes.v, (size_t)total * sizeof(*old));
	for (i = 0; i < first; i++) {
		for (j = 0; j < old[i]->nin; j++)
			if (old[i]->in[j])
				place[bytes_of(old[i]->in[j])] = i;
		for (j = 0; j < old[i]->nout; j++)
			if (old[i]->out[j])
				place[bytes_of(old[i]->out[j])] = i;
	}
	for (i = first; i < total; i++) {
		for (j = 0; j < old[i]->nin; j++)
			if (old[i]->in[j] && place[bytes_of(old[i]->in[j])] > bucket[i])
				bucket[i] = place[bytes_of(old[i]->in[j])];
		for (j = 0; j < old[i]->nout; j++)
			if (old[i]->out[j])
				place[bytes_of(old[i]->out[j])] = bucket[i];
	}
	for (i = total - 1; i >= first; i--) {	/* backwards, so that each bucket is in order */
		next[i] = head[bucket[i]];
		head[bucket[i]] = i;
	}
	g->nodes.n = 0;
	for (i = 0; i < first; i++) {
		g->nodes.v[g->nodes.n++] = old[i];
		for (j = head[i]; j; j = next[j])
			g->nodes.v[g->nodes.n++] = old[j];
	}
	arena_free(scratch);
}
