/*
 * The stream of storages made and freed (pytorch_eager.c) is played against an allocator (torch_cache.c,
 * bfc.c): what persists, then the step twice, since the second finds the blocks that the first left.
 *
 * TensorFlow's own order of a graph's operations is not modelled, only its allocator; for Keras, a
 * locally-connected layer's slices (implementation 1) or its masked weight (2) are added, all at once,
 * which is the most they can add. A forecast may be too high, and says so; it must never be too low
 * without saying so.
 */
#include "frameworks/forecast.h"

#include <string.h>

#define STEPS	2

struct server {			/* an allocator at work */
	const struct allocator *allocator;
	void *state;
	int64_t most;
	bool failed;
};

static int
serve(struct server *s, int64_t bytes)
{
	int block = s->allocator->alloc(s->state, bytes);
	int64_t now = s->allocator->in_use(s->state);

	s->failed |= block < 0;
	s->most = now > s->most ? now : s->most;
	return block;
}

static void
play(struct server *s, const struct eager *e, struct arena *a)
{
	int *block, storages = 0, i, step;

	for (i = 0; i < e->events.n; i++)
		if (e->events.v[i].storage >= storages)
			storages = e->events.v[i].storage + 1;
	block = arena_array(a, (size_t)storages + 1, sizeof(*block));
	memset(block, -1, (size_t)storages * sizeof(*block));
	for (step = 0; step < STEPS; step++)
		for (i = step ? e->before : 0; i < e->events.n && !s->failed; i++) {
			const struct eager_event *v = &e->events.v[i];

			if (v->bytes > 0 && block[v->storage] < 0) {
				block[v->storage] = serve(s, v->bytes);
			} else if (v->bytes < 0 && block[v->storage] >= 0) {
				s->allocator->release(s->state, block[v->storage]);
				block[v->storage] = -1;
			}
		}
}

/* The step in a pool; false where its allocator could not serve all of it. */
static bool
run(const struct module *m, const struct framework *f, int64_t pool, struct forecast *to)
{
	struct server s = { .allocator = f->allocator, .most = to->eager.peak };

	if (s.allocator) {
		s.state = s.allocator->make(m->arena, pool);
		s.most = 0;
		play(&s, &to->eager, m->arena);
	}
	to->unrolled = f->unrolled ? f->unrolled(m, to->eager.batch) : 0;
	if (to->unrolled && !s.failed)
		s.failed = to->unrolled == INT64_MAX ||
		    (s.allocator && s.allocator->alloc(s.state, to->unrolled) < 0);
	if (s.failed)
		return false;
	to->allocated = s.most + to->unrolled;
	to->reserved = s.allocator ? s.allocator->reserved(s.state) : to->allocated;
	if (to->reserved < to->allocated)
		to->reserved = to->allocated;
	to->blas = f->blas ? f->blas(m) : 0;
	return true;
}

void
forecast(const struct module *m, const struct framework *f, int64_t batch, struct forecast *to)
{
	*to = (struct forecast){ .framework = f };
	if (!f->simulate(m, batch, &to->eager)) {
		to->why_not = precision_is_narrow(m->set.precision) ?
		    "training in half precision is written in several ways there" :
		    "there is no training step to speak of, or its sizes are beyond 63 bits";
		return;
	}
	to->tensors = to->eager.peak;
	to->known = run(m, f, ENDLESS_POOL, to);
	if (!to->known)
		to->why_not = "its sizes are beyond 63 bits";
}

/* What an allocator without a pool of its own caches it gives back before it gives up, so that blocks
 * in use decide there. */
bool
forecast_fits(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	struct forecast c = { .framework = f };

	return f->simulate(m, batch, &c.eager) && run(m, f, pool, &c) &&
	    ((f->allocator && f->allocator->pooled) || c.allocated + c.blas <= pool);
}
