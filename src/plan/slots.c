/*
 * slots: what of a pipeline's stage outlives one run of its forward or backward (passes/stages.c).
 *
 * A stage goes forward with the next micro-batches while the last stages work on earlier ones, and
 * backward with one of them as soon as its gradient arrives: one forward, one backward in turns
 * (1F1B; Narayanan and others, PipeDream-Flush, 2021). The stage of rank r of S then has up to S -
 * r micro-batches that have been through its forward alone, and keeps what backward reads of each.
 * So a buffer that is alive where backward begins is as many slots, side by side, of which a
 * micro-batch has one:
 *
 *     rank 0 of 3:   F0 F1 F2 B0 F3 B1 F4 B2 ...     slots 0 1 2 0 1 ...
 *     arena          | slot 0 | slot 1 | slot 2 |    alive throughout the graph
 *
 * All else is made and read within one forward, or within one backward, and shares its bytes as
 * ever. Where backward begins is the first receive of a gradient: forward is what stands before it.
 * The last stage receives none, and runs both together.
 *
 * What is received of the next micro-batch comes while this one is worked on: one place more than
 * the micro-batches that read it at once. So it is alive throughout its graph. (A C program takes
 * these places in turns; on a GPU, where a step of each slot is a graph of its own, what is
 * received lands in the last one, and is moved to where it is read when its step begins.)
 *
 * What is sent is read from its bytes until the program has waited for it, before the next forward,
 * or backward, that may write there: it is alive throughout its graph, too. Within its own run
 * nothing takes its place before pipe_hold. It may lie in an input's bytes, where the next batch is
 * written before the forward begins: the program waits before that. In backward what forward sent
 * has arrived, since its gradient has.
 */
#include "plan/plan.h"

static int
find_turn(const struct graph *g)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->flags & OP_RECEIVES && g->nodes.v[i]->phase == PHASE_BACKWARD)
			return i;
	return 0;
}

static void
live_throughout(struct buffer *b, int start, const struct graph *g)
{
	int end = start + g->nodes.n - 1;

	b->kept = true;
	b->first = start < b->first ? start : b->first;
	b->last = end > b->last ? end : b->last;
}

static void
make_places(const struct plan *p, struct buffer *b, int places)
{
	int64_t up = p->alignment - 1;

	b->places = places;
	if (__builtin_add_overflow(b->bytes, up, &b->stride))
		b->stride = INT64_MAX;
	b->stride = b->stride / p->alignment * p->alignment;
	if (__builtin_mul_overflow(b->stride, places, &b->bytes))
		b->bytes = INT64_MAX;
}

/* What is sent, and what is received. */
static void
keep_under_way(const struct plan *p, const struct graph *g, int start)
{
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->op->flags & OP_SENDS)
			live_throughout(plan_buffer(p, n->in[0]), start, g);
		if (n->op->flags & OP_RECEIVES) {
			live_throughout(plan_buffer(p, n->out[0]), start, g);
			plan_buffer(p, n->out[0])->received = true;
		}
	}
}

/* Of a buffer of train. */
static void
find_places(const struct module *m, const struct plan *p, struct buffer *b, bool crosses)
{
	int places = crosses ? p->slots : 1;

	b->between = crosses && places > 1;
	places += b->received && m->set.accumulate > 1;
	if (places > 1)
		make_places(p, b, places);
	if (b->between)
		live_throughout(b, 0, m->train);
}

void
plan_slots(const struct module *m, struct plan *p)
{
	int i, update = m->update ? m->update->nodes.n : 0;

	p->slots = 1;
	if (module_stages(m) == 1)
		return;
	p->turn = find_turn(m->train);
	p->slots = p->turn ? settings_slots(&m->set) : 1;
	for (i = 0; i < p->buffers.n; i++) {
		struct buffer *b = &p->buffers.v[i];

		b->between = p->turn && !b->persistent && b->first < p->turn && b->last >= p->turn &&
		    !tensor_lands(m->train, b->root);	/* the next batch is no micro-batch's yet */
	}
	keep_under_way(p, m->train, 0);
	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].between || p->buffers.v[i].received)
			find_places(m, p, &p->buffers.v[i], p->buffers.v[i].between);
	if (m->validate)
		keep_under_way(p, m->validate, m->train->nodes.n + update);
}

int64_t
plan_sent_on(const struct module *m, const struct plan *p, bool back)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (n->op->flags & OP_SENDS && (n->phase == PHASE_BACKWARD) == back)
			bytes += affine_at(tensor_bytes(n->in[0]), p->batch) * m->set.accumulate;
	}
	return bytes;
}
