/*
 * Sums over ranks that begin one after the other (passes/buckets.c) are one sum where they lie side by side: a range of
 * the arena, added up where backward made it. Here such buckets are placed, and found.
 *
 *     offset
 *       ^        +-----------------+	a bucket is packed as one block that lives as long as any of its gradients:
 *       |     +--+ dw1 |           |	placed in the order in which backward makes them
 *       |  +--+ dw2    | in flight |
 *       |  | dw3       |           |
 *       +--+-----------+-----------+--> instant
 *
 * The place that a later gradient will need is kept from the first one on. The arena may not grow for that: what backward
 * still holds then may leave no room, so a bucket is divided, its last-made gradients first; if no packing of
 * these is found in the bytes that the plan takes anyway, all are halved, and in the end left as they are. Then as much
 * is one sum as happens to lie side by side.
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

extern const struct op op_all_reduce, op_all_reduced;

int64_t
plan_bucket_bytes(const struct module *m)
{
	const struct graph *const graph[] = { m->train, m->update };
	int64_t bytes = 0;
	int i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; graph[k] && i < graph[k]->nodes.n; i++)
			if (graph[k]->nodes.v[i]->op == &op_all_reduce)
				bytes += affine_at(tensor_bytes(graph[k]->nodes.v[i]->in[0]), 1);
	bytes /= BUCKETS;
	return bytes < LEAST_BUCKET ? LEAST_BUCKET : bytes > MOST_BUCKET ? MOST_BUCKET : bytes;
}

static int64_t
aligned(const struct plan *p, int64_t bytes)
{
	return (bytes + p->alignment - 1) & ~(int64_t)(p->alignment - 1);
}

/* The buffer in which the node adds up in place, and which holds nothing else; NULL: there is none. */
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

/* Puts the buffers, in the order of their making, into blocks: the later ones first, each as long as there is room. */
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
		const struct node *at = i < g->nodes.n && g->nodes.v[i]->op == &op_all_reduce ? g->nodes.v[i] : NULL;
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
	bool placed = !m->train || m->set.ranks <= 1;
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

/* ---- finding ---- */

static int
by_offset(const void *x, const void *y)
{
	const struct plan_sum *a = x, *b = y;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Can they be one sum? */
static bool
joins(const struct plan *p, const struct plan_sum *a, const struct plan_sum *b, int64_t most)
{
	int64_t gap = b->offset - (a->offset + a->bytes);

	return a->in_place && b->in_place && a->first->dtype == b->first->dtype && gap >= 0 && gap < p->alignment &&
	    a->bytes < most;
}

/* The sums of COUNT nodes that begin one after the other, at instant START. */
static void
find_sums(struct module *m, struct plan *p, struct node *const *n, int count, const int *waited, int start, int64_t most)
{
	struct plan_sum *s = arena_array(m->arena, (size_t)count + 1, sizeof(*s));
	int i, k = 0;

	for (i = 0; i < count; i++) {
		const struct tensor *t = n[i]->out[0];

		s[i] = (struct plan_sum){ .first = t, .added = n[i]->in[0], .offset = plan_offset(p, t),
			.bytes = affine_at(tensor_bytes(t), 1), .begin = start + i, .wait = waited[t->id], .tensors = 1,
			.gradients = affine_at(tensor_bytes(t), 1), .in_place = plan_offset(p, t) == plan_offset(p, n[i]->in[0]) };
	}
	qsort(s, (size_t)count, sizeof(*s), by_offset);
	for (i = 1; i < count; i++)
		if (joins(p, &s[k], &s[i], most)) {
			s[k].bytes = s[i].offset + s[i].bytes - s[k].offset;
			s[k].begin = s[i].begin > s[k].begin ? s[i].begin : s[k].begin;
			s[k].wait = s[i].wait < s[k].wait ? s[i].wait : s[k].wait;
			s[k].gradients += s[i].gradients;
			s[k].tensors++;
		} else {
			s[++k] = s[i];
		}
	for (i = 0; i <= k; i++)
		vec_push(m->arena, &p->sums, s[i]);
}

static void
find_in(struct module *m, struct plan *p, const struct graph *g, int start, int64_t most)
{
	int *waited = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*waited)), i, n;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op == &op_all_reduced)
			waited[g->nodes.v[i]->in[0]->id] = start + i;
	for (i = 0; i < g->nodes.n; i += n > 0 ? n : 1) {
		for (n = 0; i + n < g->nodes.n && g->nodes.v[i + n]->op == &op_all_reduce; n++)
			;
		if (n > 0)
			find_sums(m, p, &g->nodes.v[i], n, waited, start + i, most);
	}
}

void
plan_find_sums(struct module *m, struct plan *p)
{
	int64_t most;

	if (!m->train || m->set.ranks <= 1)
		return;
	most = plan_bucket_bytes(m);
	find_in(m, p, m->train, 0, most);
	if (m->update)
		find_in(m, p, m->update, m->train->nodes.n, most);
}

/* Around a ring of N, each rank sends 2 (N - 1) pieces of 1 / N of the sum: less is impossible (Patarasuk and Yuan,
 * Bandwidth optimal all-reduce algorithms, 2009). */
int64_t
plan_sent(const struct module *m, const struct plan *p)
{
	int64_t ranks = settings_ranks(&m->set), bytes = 0;
	int i;

	for (i = 0; i < p->sums.n; i++)
		bytes += p->sums.v[i].bytes;
	return (int64_t)(2 * (double)bytes * (double)(ranks - 1) / (double)ranks);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	plan_find_sums(m, m->plan);
	return true;
}

const struct pass pass_sums = {
	.name = "sums",
	.doc = "find which sums over ranks are one range of the arena",
	.run = run,
};
