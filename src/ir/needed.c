/*
 * Who makes what is needed: one walk from the last node to the first, since a node runs after those
 * whose values it reads. A node counts as a whole, even where one of its results alone is needed.
 */
#include "ir/needed.h"

bool
needed_of(const struct node *n, const bool *needed)
{
	int k;

	for (k = 0; k < n->nout; k++)
		if (n->out[k] && needed[n->out[k]->id])
			return true;
	return false;
}

void
needed_mark(struct node *const *node, int count, bool *needed, bool (*leave)(const struct tensor *))
{
	int i, k;

	for (i = count - 1; i >= 0; i--) {
		const struct node *n = node[i];

		if (!needed_of(n, needed))
			continue;
		for (k = 0; k < n->nin; k++)
			if (n->in[k] && (!leave || !leave(n->in[k])))
				needed[n->in[k]->id] = true;
	}
}
