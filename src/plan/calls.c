/*
 * calls: the instants of a plan as the calls that its program makes, and what of them is one after
 * the other. A view is none, and one call does many updates.
 *
 * Calls depend on one another by their tensors alone: on what wrote what they read, and on all that
 * touched what they write. Read from the end, that is the same of those after them, so one scan
 * serves both ways.
 */
#include "plan/calls.h"

#include <string.h>

#include "ir/op.h"
#include "ops/optimizers.h"

int
plan_graph_end(const struct plan *p, int start)
{
	int end = start;

	while (end < p->instants && p->at[end].graph == p->at[start].graph)
		end++;
	return end;
}

int64_t
plan_peak_of(const struct plan *p, const struct graph *g)
{
	int64_t most = 0;
	int i;

	for (i = 0; g && i < p->instants; i++)
		if (p->at[i].graph == g && p->at[i].live > most)
			most = p->at[i].live;
	return most;
}

static bool
is_born(const struct plan *p, const struct tensor *t, int instant)
{
	const struct buffer *b = t ? plan_buffer(p, t) : NULL;

	return b && !b->persistent && b->first == instant;
}

/* Does any buffer begin there, in whose bytes what is read before may lie? */
static bool
begins_any(const struct plan *p, int instant)
{
	const struct node *n = p->at[instant].node;
	int k;

	for (k = 0; k < n->nout; k++)
		if (is_born(p, n->out[k], instant))
			return true;
	return is_born(p, n->work, instant);
}

bool
plan_joins(const struct plan *p, int first, int instant)
{
	return instant < p->instants && p->at[instant].graph == p->at[first].graph &&
	    optimizer_joins(p->at[first].node, p->at[instant].node) && !begins_any(p, instant);
}

int
plan_together(const struct plan *p, int first)
{
	int n = 1;

	while (plan_joins(p, first, first + n))
		n++;
	return n;
}

void
chains_init(struct chains *c, const struct plan *p, struct arena *a)
{
	c->p = p;
	c->written = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*c->written));
	c->read = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*c->read));
}

static int
waits_for(const struct chains *c, const struct touch *t)
{
	ptrdiff_t b = t->buffer ? t->buffer - c->p->buffers.v : -1;

	return b < 0 ? 0 : t->writes && c->read[b] > c->written[b] ? c->read[b] : c->written[b];
}

static void
longer(int *chain, int than)
{
	if (than > *chain)
		*chain = than;
}

int
chains_before(const struct chains *c, int first, int count)
{
	struct touch t;
	int most = 0, i, k;

	for (i = first; i < first + count; i++)
		for (k = 0; plan_touches(c->p, c->p->at[i].node, k, &t); k++)
			longer(&most, waits_for(c, &t));
	return most;
}

static void
note_touched(struct chains *c, const struct touch *t, int length)
{
	ptrdiff_t b = t->buffer ? t->buffer - c->p->buffers.v : -1;

	if (b < 0)
		return;
	if (t->writes) {
		c->written[b] = length;
		c->read[b] = 0;
	} else {
		longer(&c->read[b], length);
	}
}

void
chains_over(struct chains *c, int first, int count, int length)
{
	struct touch t;
	int i, k;

	for (i = first; i < first + count; i++)
		for (k = 0; plan_touches(c->p, c->p->at[i].node, k, &t); k++)
			note_touched(c, &t, length);
}

int
plan_chain(const struct plan *p, struct arena *parent)
{
	struct arena *a = arena_child(parent);
	struct chains c;
	int end = plan_graph_end(p, 0), most = 0, count, i;

	chains_init(&c, p, a);
	for (i = 0; i < end; i += count) {
		int length;

		count = plan_together(p, i);
		if (op_is_view(p->at[i].node->op))
			continue;
		length = chains_before(&c, i, count) + 1;
		chains_over(&c, i, count, length);
		longer(&most, length);
	}
	arena_free(a);
	return most;
}

int
plan_longest(const struct plan *p, struct arena *parent, int *calls)
{
	struct arena *a = arena_child(parent);
	int *chain = arena_array(a, (size_t)p->instants + 1, sizeof(*chain)), last[BRANCHES] = { 0 };
	int end = plan_graph_end(p, 0), most = 0, count, i, j, k;

	*calls = 0;
	for (i = 0; i < end; i += count) {
		int length = chain[last[p->at[i].branch]];

		count = plan_together(p, i);
		if (op_is_view(p->at[i].node->op))
			continue;
		for (j = i; j < i + count; j++)
			for (k = 0; k < BRANCHES; k++)
				longer(&length, chain[p->at[j].after[k]]);
		length++;
		for (j = i; j < i + count; j++)
			chain[j + 1] = length;
		longer(&most, length);
		last[p->at[i].branch] = i + count;
		++*calls;
	}
	arena_free(a);
	return most;
}
