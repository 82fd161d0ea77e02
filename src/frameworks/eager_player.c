/* References to storages; see eager_player.h. */
#include "frameworks/eager_player.h"

#include <assert.h>
#include <string.h>

static void
event(struct player *p, int b, int64_t bytes)
{
	if (!p->peak_alone)
		vec_push_moving(p->t->arena, &p->e->events, ((struct eager_event){ b, bytes }));
}

void
eager_hold(struct player *p, int b)
{
	struct block *u = &p->blocks.v[b];

	if (u->refs++ > 0 || p->overflow)
		return;
	if (__builtin_add_overflow(p->live, u->bytes, &p->live)) {
		p->overflow = true;
		return;
	}
	p->by_kind[u->kind] += u->bytes;
	event(p, b, u->bytes);
	if (p->live <= p->e->peak)
		return;
	p->e->peak = p->live;
	p->e->at = p->node;
	p->e->phase = p->phase;
	memcpy(p->e->at_peak, p->by_kind, sizeof(p->by_kind));
}

void
eager_drop(struct player *p, int b)
{
	struct block *u = &p->blocks.v[b];

	assert(u->refs > 0);
	if (--u->refs > 0 || p->overflow)
		return;
	p->live -= u->bytes;
	p->by_kind[u->kind] -= u->bytes;
	event(p, b, -u->bytes);
}

int
eager_make(struct player *p, enum tensor_kind kind, int64_t bytes)
{
	struct block u = { .bytes = bytes, .kind = kind };

	vec_push_moving(p->t->arena, &p->blocks, u);
	eager_hold(p, p->blocks.n - 1);
	return p->blocks.n - 1;
}

void
eager_add_share(struct player *p, int64_t *sum, int64_t bytes, int up, int down)
{
	if (__builtin_mul_overflow(bytes, up, &bytes) ||
	    __builtin_add_overflow(*sum, bytes / down, sum))
		p->overflow = true;
}

enum tensor_kind
eager_gradient_kind(const struct tape *t, const struct tape_value *x)
{
	return t->storages.v[x->storage].kind == T_PARAM ? T_GRADIENT : T_DELTA;
}

bool
eager_waits(const struct player *p, int value)
{
	int i;

	for (i = 0; i < p->waiting.n; i++)
		if (p->waiting.v[i].whole == value)
			return true;
	return false;
}

void
eager_forget_waiting(struct player *p, int value)
{
	int i, kept = 0;

	for (i = 0; i < p->waiting.n; i++) {
		struct waiting part = p->waiting.v[i];

		if (part.whole == value)
			eager_drop(p, part.block);
		else
			p->waiting.v[kept++] = part;
	}
	p->waiting.n = kept;
}
