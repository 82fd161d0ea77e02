/*
 * Sums over ranks that begin one after the other (passes/buckets.c) are one sum where they lie side
 * by side: a range of the arena, added up where backward made it. Here such buckets are placed;
 * exchanges.c finds them.
 *
 *     offset
 *       ^        +-----------------+	a bucket is packed as one block that lives as long as any of its gradients:
 *       |     +--+ dw1 |           |	placed in the order in which backward makes them
 *       |  +--+ dw2    | in flight |
 *       |  | dw3       |           |
 *       +--+-----------+-----------+--> instant
 *
 * The place that a later gradient will need is kept from the first one on. The arena may not grow
 * for that: what backward still holds then may leave no room, so a bucket is divided, its last-made
 * gradients first; if no packing of these is found in the bytes that the plan takes anyway, all are
 * halved, and in the end left as they are. Then as much is one sum as happens to lie side by side.
 *
 * Between two gradients lies less than the alignment, which is added up too, and means nothing.
 */
#include "plan/plan.h"

#include <stdlib.h>

#include "ir/op.h"
#include "ir/pass.h"
#include "pack/packing.h"

#define LEAST_BUCKET	((int64_t)16 << 10)
#define MOST_BUCKET	((int64_t)16 << 20)
#define BUCKETS		32	/* about so many: little is left when backward ends, and few bytes wait for others */
#define HALVINGS	3

int64_t
plan_bucket_bytes(const struct module *m)
{
	const struct graph *const graph[] = { m->train, m->update };
	int64_t bytes = 0;
	int i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; graph[k] && i < graph[k]->nodes.n; i++)
			if (graph[k]->nodes.v[i]->op->ranks.between != BETWEEN_GATHER &&
			    op_begins_between(graph[k]->nodes.v[i]->op))
				bytes += affine_at(tensor_bytes(graph[k]->nodes.v[i]->in[0]), 1);
	bytes /= BUCKETS;
	return bytes < LEAST_BUCKET ? LEAST_BUCKET : bytes > MOST_BUCKET ? MOST_BUCKET : bytes;
}

/* Of which each rank gets but its piece, that piece of each tensor goes by itself, wherever it
 * lies. */
static bool
is_sum(const struct node *n)
{
	return n->op->ranks.between == BETWEEN_SUM && !n->op->ranks.waits;
}

static int64_t
aligned(const struct plan *p, int64_t bytes)
{
	return (bytes + p->alignment - 1) & ~(int64_t)(p->alignment - 1);
}

/* The buffer in which the node adds up in place, and which holds nothing else; NULL: there is
 * none. */
static struct buffer *
added_in_place(const struct plan *p, const struct node *n)
{
	struct buffer *b = plan_buffer(p, n->out[0]);

	return b && b == plan_buffer(p, n->in[0]) && b->bytes == affine_at(tensor_bytes(n->out[0]), 1) ? b : NULL;
}

/* ---- placing ---- */

struct placing {
	struct plan *p;
	struct arena *arena;	/* for scratch */
	int64_t *live;		/* by instant, with what buckets keep free */
	int *block;		/* by buffer: one past its block; 0: it is alone */
	int blocks;
};

/* Puts the buffers, in the order of their making, into blocks: the later ones first, each as long
 * as there is room. */
static void
divide(struct placing *q, struct buffer *const *b, int n)
{
	struct plan *p = q->p;
	int64_t bytes = 0;
	int first = 0, last = 0, i, t;

	for (i = n - 1; i >= 0; i--) {
		int end = b[i]->last > last ? b[i]->last : last;
		bool fits = bytes > 0;

		for (t = b[i]->first; fits && t < first; t++)
			fits = q->live[t] + bytes <= p->arena_bytes;
		for (t = b[i]->last + 1; fits && t <= last; t++)
			fits = q->live[t] + aligned(p, b[i]->bytes) <= p->arena_bytes;
		for (t = last + 1; fits && t <= end; t++)
			fits = q->live[t] + bytes <= p->arena_bytes;
		if (!fits) {
			q->blocks++;
			bytes = 0;
			first = b[i]->first;
			last = end = b[i]->last;
		}
		for (t = b[i]->first; t < first; t++)
			q->live[t] += bytes;
		for (t = b[i]->last + 1; t <= last; t++)
			q->live[t] += aligned(p, b[i]->bytes);
		for (t = last + 1; t <= end; t++)
			q->live[t] += bytes;
		first = b[i]->first;
		last = end;
		bytes += aligned(p, b[i]->bytes);
		q->block[b[i] - p->buffers.v] = q->blocks;
	}
}

static int
by_making(const void *x, const void *y)
{
	const struct buffer *a = *(struct buffer *const *)x, *b = *(struct buffer *const *)y;

	return a->first != b->first ? (a->first < b->first ? -1 : 1) : a < b ? -1 : a > b;
}

/* The buckets of a graph: none has more than MOST bytes without its last gradient. */
static void
gather(struct placing *q, const struct graph *g, int64_t most)
{
	struct buffer **member = arena_array(q->arena, (size_t)g->nodes.n + 1, sizeof(*member));
	const struct dtype *dtype = NULL;
	int64_t bytes = 0;
	int i, n = 0;

	for (i = 0; i <= g->nodes.n; i++) {
		const struct node *at = i < g->nodes.n && is_sum(g->nodes.v[i]) ? g->nodes.v[i] : NULL;
		struct buffer *b = at ? added_in_place(q->p, at) : NULL;

		if (n > 0 && (!at || bytes >= most || at->out[0]->dtype != dtype)) {
			qsort(member, (size_t)n, sizeof(*member), by_making);
			divide(q, member, n);
			n = 0;
			bytes = 0;
		}
		if (!b || b->persistent)
			continue;
		dtype = at->out[0]->dtype;
		member[n++] = b;
		bytes += b->bytes;
	}
}

/* Packs the blocks, each as one item, and what is alone, in the bytes that the plan takes. */
static bool
pack(struct placing *q)
{
	struct plan *p = q->p;
	struct packing pack = { .alignment = p->alignment };
	struct packing_options within = { .capacity = p->transient_bytes };
	struct packing_result r;
	int *item = arena_array(q->arena, (size_t)q->blocks + 1, sizeof(*item)), i, k;
	int64_t *inside = arena_array(q->arena, (size_t)p->buffers.n + 1, sizeof(*inside));
	int *of = arena_array(q->arena, (size_t)p->buffers.n + 1, sizeof(*of));

	pack.item = arena_array(q->arena, (size_t)p->buffers.n + 1, sizeof(*pack.item));
	for (i = 0; i < p->buffers.n; i++) {	/* which are in the order of their making */
		const struct buffer *b = &p->buffers.v[i];
		struct item *t;

		if (b->persistent)
			continue;
		if (!q->block[i] || !item[q->block[i]]) {
			pack.item[pack.n++] = (struct item){ .lower = b->first, .upper = b->last + 1 };
			if (q->block[i])
				item[q->block[i]] = pack.n;
		}
		of[i] = q->block[i] ? item[q->block[i]] - 1 : pack.n - 1;
		t = &pack.item[of[i]];
		inside[i] = aligned(p, t->size);
		t->size = inside[i] + b->bytes;
		t->lower = b->first < t->lower ? b->first : t->lower;
		t->upper = b->last + 1 > t->upper ? b->last + 1 : t->upper;
	}
	r = packing_solve(q->arena, &pack, &within);
	p->visits += r.visits;
	for (i = 0, k = r.height <= p->transient_bytes; i < p->buffers.n && k; i++)
		if (!p->buffers.v[i].persistent)
			p->buffers.v[i].offset = p->persistent_bytes + pack.item[of[i]].offset + inside[i];
	return k;
}

void
plan_place_buckets(struct module *m, struct plan *p)
{
	int64_t most = plan_bucket_bytes(m);
	bool placed = !m->train || m->set.ranks <= 1 || settings_shards(&m->set) > 1;
	int tries, i;

	for (tries = 0; tries <= HALVINGS && !placed; tries++, most /= 2) {
		struct placing q = { .p = p, .arena = arena_child(m->arena) };

		q.live = arena_array(q.arena, (size_t)p->instants + 1, sizeof(*q.live));
		q.block = arena_array(q.arena, (size_t)p->buffers.n + 1, sizeof(*q.block));
		for (i = 0; i < p->instants; i++)
			q.live[i] = p->at[i].live;
		gather(&q, m->train, most);
		placed = pack(&q);
		arena_free(q.arena);
	}
}
