/*
 * The stream of storages made and freed is played against an allocator: what persists, then the
 * step twice, since the second finds the blocks that the first has left.
 *
 * TensorFlow's own order of a graph's operations is not modelled, only its allocator; for Keras, a
 * locally-connected layer's slices (implementation 1) or its masked weight (2) come on top, all at
 * once, which is the most they can add.
 */
#include "frameworks/forecast.h"

#include <string.h>

#include "frameworks/bfc.h"
#include "frameworks/keras.h"
#include "frameworks/torch_cache.h"
#include "ir/op.h"

#define STEPS		2
#define ENDLESS		((int64_t)1 << 61)	/* the pool: what is asked for is counted */
#define BLAS_THREADS	2
#define BLAS_BYTES	((int64_t)8320 << 10)
#define BLAS_HOPPER	((int64_t)32 << 20)
#define ARCH_HOPPER	90

const char *
framework_name(int i)
{
	static const char *const name[] = {
		[FRAMEWORK_PYTORCH] = "pytorch", [FRAMEWORK_TF] = "tf",
		[FRAMEWORK_KERAS1] = "keras1", [FRAMEWORK_KERAS2] = "keras2",
	};

	return i < FRAMEWORKS ? name[i] : NULL;
}

struct server {			/* one of the two allocators */
	bool torch;
	struct torch_cache cache;
	struct bfc bfc;
	int64_t most;
	bool failed;
};

static int
serve(struct server *s, int64_t bytes)
{
	int block = s->torch ? torch_cache_alloc(&s->cache, bytes) : bfc_alloc(&s->bfc, bytes);
	int64_t now = s->torch ? s->cache.allocated : s->bfc.in_use;

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
				if (s->torch)
					torch_cache_free(&s->cache, block[v->storage]);
				else
					bfc_free(&s->bfc, block[v->storage]);
				block[v->storage] = -1;
			}
		}
}

/* The most that one locally-connected layer adds; INT64_MAX beyond 63 bits. */
static int64_t
unrolled(const struct module *m, enum framework f, int64_t batch)
{
	int64_t most = 0, bytes;
	struct keras_local k;
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		if (!keras_local(m, m->train->nodes.v[i], &k))
			continue;
		bytes = affine_at(f == FRAMEWORK_KERAS2 ? k.masked :
		    affine_sum(k.slices_forward, k.slices_backward), batch);
		if (__builtin_add_overflow(bytes, k.positions * BFC_GRAIN, &bytes))
			return INT64_MAX;	/* each slice may be rounded up */
		most = bytes > most ? bytes : most;
	}
	return most;
}

static int64_t
blas_workspaces(const struct module *m)
{
	int i;

	for (i = 0; i < m->forward->nodes.n; i++)
		if (m->forward->nodes.v[i]->op->torch.blas)
			return BLAS_THREADS * (m->set.device.arch >= ARCH_HOPPER ? BLAS_HOPPER :
			    BLAS_BYTES);
	return 0;
}

static bool
is_keras(enum framework f)
{
	return f == FRAMEWORK_KERAS1 || f == FRAMEWORK_KERAS2;
}

/* The step in a pool; false where its allocator could not serve all of it. TensorFlow takes a pool
 * whole unless it was told to grow; what it would take of an endless one, only growing tells. */
static bool
run(const struct module *m, enum framework f, int64_t pool, struct forecast *to)
{
	struct server s = { .torch = f == FRAMEWORK_PYTORCH };

	torch_cache_init(&s.cache, m->arena);
	bfc_init(&s.bfc, m->arena, pool);
	if (pool != ENDLESS)
		s.bfc.next_region = pool;
	play(&s, &to->eager, m->arena);
	if (is_keras(f))
		to->unrolled = unrolled(m, f, to->eager.batch);
	if (to->unrolled && !s.failed)
		s.failed = to->unrolled == INT64_MAX || bfc_alloc(&s.bfc, to->unrolled) < 0;
	if (s.failed)
		return false;
	to->allocated = s.most + to->unrolled;
	to->reserved = s.torch ? s.cache.reserved : s.bfc.regions;
	if (to->reserved < to->allocated)
		to->reserved = to->allocated;
	to->blas = s.torch ? blas_workspaces(m) : 0;
	return true;
}

void
forecast(const struct module *m, enum framework f, int64_t batch, struct forecast *to)
{
	*to = (struct forecast){ .framework = f };
	if (!eager_simulate(m, batch, &to->eager)) {
		to->why_not = m->set.precision == PREC_BF16 || m->set.precision == PREC_F16 ?
		    "training in half precision is written in several ways there" :
		    "there is no training step to speak of, or its sizes are beyond 63 bits";
		return;
	}
	to->tensors = to->eager.peak;
	to->known = run(m, f, ENDLESS, to);
	if (!to->known)
		to->why_not = "its sizes are beyond 63 bits";
}

/* PyTorch gives back what it caches before it gives up, so that blocks in use decide there. */
bool
forecast_fits(const struct module *m, enum framework f, int64_t batch, int64_t pool)
{
	struct forecast c = { .framework = f };

	return eager_simulate(m, batch, &c.eager) && run(m, f, pool, &c) &&
	    (f != FRAMEWORK_PYTORCH || c.allocated + c.blas <= pool);
}
