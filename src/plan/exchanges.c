/*
 * exchanges: what goes between ranks, as the calls that a program makes. Nodes that begin one after
 * the other, and run in the same steps, are one call where that can be: sums, where they lie side
 * by side, are one range of the arena (buckets.c); of what is shared out in pieces the call goes by
 * a table of its tensors, so any that follow one another are one, up to a bucket's bytes.
 *
 * Between two gradients of a range lies less than the alignment, which is added up too, and means
 * nothing.
 */
#include "plan/plan.h"

#include <stdlib.h>

#include "ir/due.h"
#include "ir/op.h"
#include "ir/pass.h"

struct finding {
	struct module *m;
	struct plan *p;
	const int *waited;	/* by a tensor's id: the instant at which it is waited for */
	const unsigned *due;	/* by a node of the graph; NULL: each runs in every step */
	int64_t most;		/* bytes of a bucket without its last tensor */
};

static struct plan_sum
one(const struct finding *f, const struct graph *g, int at, int start)
{
	const struct node *n = g->nodes.v[at];
	const struct tensor *t = n->out[0];
	int64_t offset = plan_offset(f->p, t), bytes = affine_at(tensor_bytes(t), 1);

	return (struct plan_sum){ .between = n->op->ranks.between, .first = t, .added = n->in[0], .offset = offset,
		.bytes = bytes, .begin = start + at, .wait = f->waited[t->id], .tensors = 1, .gradients = bytes,
		.due = f->due ? f->due[at] : EVERY_STEP,
		.in_place = offset == plan_offset(f->p, n->in[0]) };
}

static int
by_offset(const void *x, const void *y)
{
	const struct plan_sum *a = x, *b = y;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Can they be one call? Sums only where they lie side by side. */
static bool
go_together(const struct finding *f, const struct plan_sum *a, const struct plan_sum *b)
{
	int64_t gap = b->offset - (a->offset + a->bytes);

	if (a->first->dtype != b->first->dtype || a->due != b->due || a->bytes >= f->most)
		return false;
	return a->between != BETWEEN_SUM || (a->in_place && b->in_place && gap >= 0 && gap < f->p->alignment);
}

/* B goes with A. */
static void
join(struct plan_sum *a, const struct plan_sum *b)
{
	a->bytes = a->between == BETWEEN_SUM ? b->offset + b->bytes - a->offset : a->bytes + b->bytes;
	a->begin = b->begin > a->begin ? b->begin : a->begin;
	a->wait = b->wait < a->wait ? b->wait : a->wait;
	a->gradients += b->gradients;
	a->tensors++;
}

/* Does another of these calls, which begin one after the other, begin behind S whenever that
 * does? */
static bool
begins_behind(const struct plan_sum *calls, int count, const struct plan_sum *s)
{
	int i;

	for (i = 0; i < count; i++)
		if (calls[i].begin > s->begin && calls[i].due == s->due)
			return true;
	return false;
}

/* The calls of COUNT nodes of one operator that begin one after the other. */
static void
find_calls(struct finding *f, struct plan_sum *s, int count)
{
	int i, k = 0;

	if (s->between == BETWEEN_SUM)
		qsort(s, (size_t)count, sizeof(*s), by_offset);
	for (i = 1; i < count; i++)
		if (go_together(f, &s[k], &s[i]))
			join(&s[k], &s[i]);
		else
			s[++k] = s[i];
	for (i = 0; i <= k; i++) {
		s[i].more = begins_behind(s, k + 1, &s[i]);
		vec_push(f->m->arena, &f->p->sums, s[i]);
	}
}

static void
find_in(struct finding *f, const struct graph *g, int start)
{
	int *waited = arena_array(f->m->arena, (size_t)f->m->next_tensor + 1, sizeof(*waited)), i, n;
	struct plan_sum *s = arena_array(f->m->arena, (size_t)g->nodes.n + 1, sizeof(*s));

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->ranks.waits)
			waited[g->nodes.v[i]->in[0]->id] = start + i;
	f->waited = waited;
	for (i = 0; i < g->nodes.n; i += n > 0 ? n : 1) {
		const struct op *op = g->nodes.v[i]->op;

		for (n = 0; op_begins_between(op) && i + n < g->nodes.n && g->nodes.v[i + n]->op == op; n++)
			s[n] = one(f, g, i + n, start);
		if (n > 0)
			find_calls(f, s, n);
	}
}

void
plan_find_sums(struct module *m, struct plan *p)
{
	struct finding f = { .m = m, .p = p };

	if (!m->train || m->set.ranks <= 1)
		return;
	f.most = plan_bucket_bytes(m);
	f.due = module_due(m);
	find_in(&f, m->train, 0);
	f.due = NULL;
	if (m->update)
		find_in(&f, m->update, m->train->nodes.n);
	if (m->validate)
		find_in(&f, m->validate, m->train->nodes.n + (m->update ? m->update->nodes.n : 0));
}

/* Of one tensor, in its half of a ring: all pieces but one, in the first half the rank's own, in
 * the second that of the next. */
static int64_t
sent_of(enum between between, int64_t n, int64_t rank, int64_t ranks)
{
	return n - rank_piece_of(n, between == BETWEEN_SCATTER ? rank : (rank + 1) % ranks, ranks).n;
}

static int64_t
sent_of_pieces(const struct plan *p, const struct plan_sum *s, int64_t rank, int64_t ranks)
{
	int64_t bytes = 0;
	int i;

	for (i = s->begin - s->tensors + 1; i <= s->begin; i++) {
		const struct tensor *t = p->at[i].node->out[0];

		bytes += sent_of(s->between, tensor_elements_per_sample(t), rank, ranks) * dtype_bytes(t->dtype);
	}
	return bytes;
}

int64_t
plan_times(const struct module *m, const struct plan_sum *s)
{
	int train = m->train->nodes.n, update = m->update ? m->update->nodes.n : 0;

	if (s->begin < train)
		return s->due == EVERY_STEP ? m->set.accumulate : 1;
	return s->begin < train + update;
}

int64_t
plan_split_bytes(const struct module *m)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++)
		if (m->train->nodes.v[i]->op->ranks.sums)
			bytes += affine_at(tensor_bytes(m->train->nodes.v[i]->out[0]), m->train->batch);
	return m->set.accumulate * bytes;
}

/* Around a ring of N, each rank sends 2 (N - 1) pieces of 1 / N of the sum: less is impossible
 * (Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, 2009). Pieces are not all as long:
 * the first, which is the smallest, is not sent by the first rank in the one half, and by the last
 * in the other. */
int64_t
plan_sent(const struct module *m, const struct plan *p)
{
	int64_t ranks = settings_ranks(&m->set), sums = plan_split_bytes(m), first = 0, last = 0;
	int i;

	if (settings_stages(&m->set) > 1)
		return plan_sent_on(m, p, false) + plan_sent_on(m, p, true);
	for (i = 0; i < p->sums.n; i++) {
		const struct plan_sum *s = &p->sums.v[i];
		int64_t times = plan_times(m, s);

		if (s->between == BETWEEN_SUM) {
			sums += times * s->bytes;
			continue;
		}
		first += times * sent_of_pieces(p, s, 0, ranks);
		last += times * sent_of_pieces(p, s, ranks - 1, ranks);
	}
	return (first > last ? first : last) + (int64_t)(2 * (double)sums * (double)(ranks - 1) / (double)ranks);
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
	.doc = "find what goes between ranks in one call",
	.run = run,
};
