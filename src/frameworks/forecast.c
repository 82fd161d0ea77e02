/*
 * The stream of storages made and freed (pytorch_eager.c) is played against an allocator
 * (torch_cache.c, bfc.c): what persists, then the step twice, since the second finds the blocks
 * that the first left, then validation, in what the steps left. Once for the least that this takes,
 * and once for the most.
 *
 * TensorFlow's own order of a graph's operations is not modelled, only its allocator; for Keras, a
 * locally-connected layer's slices (implementation 1) or its masked weight (2) are added, all at
 * once, which is the most they can add. A forecast may be too high, and says so; it must never be
 * too low without saying so.
 *
 * A context differs from card to card and from version to version by more than anything else here,
 * and the driver's share of a card is in no process's figure: the interval takes half the estimate
 * to a quarter more.
 */
#include "frameworks/forecast.h"

#include <string.h>

#include "ir/op.h"
#include "target/target.h"

#define STEPS		2

struct server {			/* an allocator at work */
	const struct allocator *allocator;
	void *state;
	int *block;		/* by storage: its block, or -1 */
	int64_t most;
	bool failed;
};

struct run {			/* what is asked of a framework, and what came of it */
	const struct module *module;
	const struct framework *framework;
	int64_t pool;
	bool most;
	bool bare;		/* no allocator: each tensor takes its own bytes; the lower end where no order is known */
	struct eager eager;	/* of the larger peak */
	bool validating;
	int64_t unrolled, allocated, reserved;
};

/* ---- one stream ---- */

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
play(struct server *s, const struct eager *e, int from, int to)
{
	int i;

	for (i = from; i < to && !s->failed; i++) {
		const struct eager_event *v = &e->events.v[i];

		if (v->bytes > 0 && s->block[v->storage] < 0) {
			s->block[v->storage] = serve(s, v->bytes);
		} else if (v->bytes < 0 && s->block[v->storage] >= 0) {
			s->allocator->release(s->state, s->block[v->storage]);
			s->block[v->storage] = -1;
		}
	}
}

/* Frees what those events made: the inputs, and gradients that do not outlive the step. */
static void
leave(struct server *s, const struct eager *e, int from, int to)
{
	int i;

	for (i = from; i < to && !s->failed; i++) {
		int *block = &s->block[e->events.v[i].storage];

		if (*block >= 0)
			s->allocator->release(s->state, *block);
		*block = -1;
	}
}

static void
number_storages(struct server *s, const struct eager *e, struct arena *a)
{
	int *before = s->block, n = 0, i;

	for (i = 0; i < e->events.n; i++)
		n = e->events.v[i].storage >= n ? e->events.v[i].storage + 1 : n;
	s->block = arena_array(a, (size_t)n + 1, sizeof(*s->block));
	memset(s->block, -1, (size_t)n * sizeof(*s->block));
	for (i = 0; before && i < e->persistent; i++)
		s->block[e->events.v[i].storage] = before[e->events.v[i].storage];
}

/* Counts it, if it is the larger peak. */
static void
count(struct run *r, struct server *s, const struct eager *e, bool validating)
{
	int64_t unrolled = r->framework->unrolled ?
	    r->framework->unrolled(r->module, e->batch, validating) : 0;
	int block;

	if (!s->allocator)	/* of tensors alone, and for the lower end in any order that is not known */
		s->most = !r->bare || r->framework->exact || validating ? e->peak : e->kept;
	if (unrolled == INT64_MAX || s->failed) {
		s->failed = true;
		return;
	}
	if (unrolled && s->allocator) {
		block = s->allocator->alloc(s->state, unrolled);
		if (block < 0)
			s->failed = true;
		else
			s->allocator->release(s->state, block);
	}
	if (s->most + unrolled > r->allocated) {
		r->allocated = s->most + unrolled;
		r->unrolled = unrolled;
		r->eager = *e;
		r->validating = validating;
	}
}

/* ---- a run ---- */

static void
train(struct run *r, struct server *s, const struct eager *e)
{
	int step;

	if (s->allocator) {
		number_storages(s, e, r->module->arena);
		play(s, e, 0, e->before);
		for (step = 0; step < STEPS; step++)
			play(s, e, e->before, e->events.n);
	}
	count(r, s, e, false);
	if (s->allocator)
		leave(s, e, e->persistent, e->before);
}

/* After training, or from the start. */
static void
validate(struct run *r, struct server *s, const struct eager *e)
{
	bool first = !s->block;

	s->most = 0;
	if (s->allocator) {
		number_storages(s, e, r->module->arena);
		play(s, e, first ? 0 : e->persistent, e->events.n);
	}
	count(r, s, e, true);
}

static bool
simulate(const struct run *r, int64_t batch, enum eager_run run, struct eager *e)
{
	const struct eager_ask ask = { .batch = batch, .run = run, .most = r->most };

	if (!r->framework->exact && eager_elsewhere(r->module))
		return false;
	return r->framework->simulate(r->module, &ask, e);
}

static struct server
start(struct run *r)
{
	struct server s = { .allocator = r->bare ? NULL : r->framework->allocator };

	r->allocated = 0;
	if (s.allocator)
		s.state = s.allocator->make(r->module->arena, r->pool);
	return s;
}

static bool
finish(struct run *r, const struct server *s)
{
	r->reserved = s->allocator ? s->allocator->reserved(s->state) : r->allocated;
	if (r->reserved < r->allocated)
		r->reserved = r->allocated;
	return !s->failed;
}

/* Training and validation at a micro-batch; false where the pool does not serve all of it. */
static bool
whole_run(struct run *r, int64_t batch)
{
	int64_t validation = forecast_validation_batch(r->module, batch);
	struct eager step, check;
	struct server s;

	if (!simulate(r, batch, EAGER_STEP, &step) ||
	    (validation && !simulate(r, validation, EAGER_VALIDATION, &check)))
		return false;
	s = start(r);
	train(r, &s, &step);
	if (validation && !s.failed)
		validate(r, &s, &check);
	return finish(r, &s);
}

static bool
validation_run(struct run *r, int64_t batch, bool recorded)
{
	struct eager check;
	struct server s;

	if (!simulate(r, batch, recorded ? EAGER_RECORDED : EAGER_VALIDATION, &check))
		return false;
	s = start(r);
	validate(r, &s, &check);
	return finish(r, &s);
}

int64_t
forecast_validation_batch(const struct module *m, int64_t batch)
{
	if (!m->set.validate)
		return 0;
	return m->set.validate_fixed ? m->set.validate_batch : batch;
}

/* ---- the interval ---- */

/* What a process takes of a GPU before its first tensor, as for a program of ours there. What the
 * driver keeps is at least nothing: the memory that a spec names may be what CUDA reports. */
static int64_t
context_bytes(const struct module *m, int64_t memory, bool of_driver)
{
	const struct device *d = &m->set.device;
	const struct reserve *r;
	int64_t sum = 0;
	int i;

	for (i = 0; target_table[i]; i++)
		for (r = target_table[i]->is_gpu ? target_table[i]->reserve : NULL; r && r->what; r++)
			sum += r->reported && !of_driver ? 0 : reserve_bytes(r, 1, d, memory);
	return sum;
}

static int64_t
context_least(int64_t estimate)
{
	return estimate / 2;
}

static int64_t
context_most(int64_t estimate)
{
	return estimate + estimate / 4;
}

static bool
is_simulated(const struct module *m, const struct framework *f, enum eager_run run, int64_t batch)
{
	struct run r = { .module = m, .framework = f };
	struct eager e;

	return simulate(&r, batch, run, &e);
}

static void
say_why_not(const struct module *m, enum eager_run run, int64_t batch, struct forecast *to)
{
	if (precision_is_narrow(m->set.precision))
		to->why_not = "training in half precision is written in several ways there";
	else if (eager_unknown(m))
		to->why_not = eager_unknown(m);
	else if (!to->framework->exact && eager_elsewhere(m))
		to->why_not = eager_elsewhere(m);
	else if (is_simulated(m, to->framework, run, batch))
		to->why_not = "its sizes are beyond 63 bits";
	else
		to->why_not = "there is no training step to speak of, or its sizes are beyond 63 bits";
}

/* What the allocator's blocks are larger than the tensors in them. */
static int64_t
slack(const struct run *r)
{
	return r->allocated - r->eager.peak - r->unrolled;
}

const char *
forecast_without_scores(const struct module *m)
{
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (n->op->torch.scores && n->op->torch.scores(n) > 0)
			return "that attention stores no scores is assumed";
	}
	return NULL;
}

/* What a run may do otherwise than its model. */
static const char *
assumed(const struct module *m, const struct eager *e)
{
	const char *without_scores = forecast_without_scores(m);

	if (!e->reserve)
		return without_scores;
	return without_scores ? "what cuDNN keeps of recurrent layers, and that attention stores no scores, is assumed" :
	    "what cuDNN keeps of recurrent layers is assumed";
}

/* Which blocks are not worth splitting depends on all that came before, so at the upper end the
 * larger slack of the two runs counts. */
static void
fill(struct forecast *to, const struct run *least, const struct run *most, const struct run *bare)
{
	const struct framework *f = to->framework;
	int64_t more = slack(least) - slack(most), memory = least->module->set.device.memory;

	to->known = true;
	to->assumes = assumed(least->module, &least->eager);
	to->validating = least->validating;
	to->eager = least->eager;
	to->tensors = least->eager.peak;
	to->unrolled = least->unrolled;
	to->allocated = least->allocated;
	to->low = f->exact ? least->allocated : bare->allocated;
	to->reserved = least->reserved;
	to->most_allocated = most->allocated + (more > 0 ? more : 0);
	to->most_reserved = most->reserved > least->reserved ? most->reserved : least->reserved;
	if (to->most_reserved < to->most_allocated)
		to->most_reserved = to->most_allocated;
	to->blas = f->blas ? f->blas(least->module) : 0;
	to->high = to->most_allocated + to->blas;
	to->context = context_bytes(least->module, memory, true);
	to->context_low = context_least(context_bytes(least->module, memory, false));
	to->context_high = context_most(to->context);
	to->card_low = to->low + to->context_low;
	to->card_high = (f->allocator && f->allocator->pooled ? to->most_allocated :
	    to->most_reserved) + to->blas + to->context_high;
}

void
forecast(const struct module *m, const struct framework *f, int64_t batch, struct forecast *to)
{
	struct run least = { .module = m, .framework = f, .pool = ENDLESS_POOL }, most = least, bare = least;

	*to = (struct forecast){ .framework = f };
	most.most = true;
	bare.bare = true;
	if (whole_run(&least, batch) && whole_run(&most, batch) && (f->exact || whole_run(&bare, batch)))
		fill(to, &least, &most, &bare);
	else
		say_why_not(m, EAGER_STEP, batch, to);
}

void
forecast_validation(const struct module *m, const struct framework *f, int64_t batch, bool recorded,
    struct forecast *to)
{
	struct run least = { .module = m, .framework = f, .pool = ENDLESS_POOL }, most = least, bare = least;

	*to = (struct forecast){ .framework = f };
	most.most = true;
	bare.bare = true;
	if (validation_run(&least, batch, recorded) && validation_run(&most, batch, recorded) &&
	    (f->exact || validation_run(&bare, batch, recorded)))
		fill(to, &least, &most, &bare);
	else
		say_why_not(m, recorded ? EAGER_RECORDED : EAGER_VALIDATION, batch, to);
}

/* ---- the largest batch ---- */

/* A batch, what it takes of the pool, and whether it has that. */
struct point {
	int64_t batch, bytes;	/* INT64_MAX: nobody knows */
	bool fits;
};

/* Tensors alone decide what no run can pass. */
static struct point
at_best(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	struct run r = { .module = m, .framework = f, .pool = pool, .bare = true };
	bool known = pool > 0 && whole_run(&r, batch);

	return (struct point){ batch, known ? r.allocated : INT64_MAX, known && r.allocated <= pool };
}

/* The upper end of the forecast, without what a process takes by itself; some of that where it is
 * more than POOL. */
static int64_t
upper_end(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	struct run most = { .module = m, .framework = f, .pool = ENDLESS_POOL, .most = true }, least = most;
	struct forecast c = { .framework = f };

	if (!whole_run(&most, batch) || most.allocated > pool)
		return most.allocated > pool ? most.allocated : INT64_MAX;
	least.most = false;
	if (!whole_run(&least, batch))
		return INT64_MAX;
	fill(&c, &least, &most, &least);
	return c.card_high - c.context_high;
}

/* To be sure of a batch the upper end of its forecast has to be there; and an allocator that has a
 * pool of its own has to serve it from that, without gaps that are too small. */
static struct point
surely(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	struct run r = { .module = m, .framework = f, .pool = pool, .most = true };
	int64_t bytes = pool > 0 ? upper_end(m, f, batch, pool) : INT64_MAX;

	return (struct point){ batch, bytes, bytes <= pool &&
	    (!f->allocator || !f->allocator->pooled || whole_run(&r, batch)) };
}

typedef struct point point_fn(const struct module *, const struct framework *, int64_t batch, int64_t pool);

/* All that a forecast makes is gone when it is known whether the batch fits: there are several of
 * them. */
static struct point
look_at(const struct module *m, const struct framework *f, int64_t batch, int64_t pool, point_fn *at)
{
	struct module in = *m;
	struct point p;

	in.arena = arena_child(m->arena);
	p = at(&in, f, batch, pool);
	arena_free(in.arena);
	return p;
}

/* What a step takes is nearly a line. */
static double
on_line(struct point lo, struct point hi, int64_t batch)
{
	double slope = ((double)hi.bytes - (double)lo.bytes) / (double)(hi.batch - lo.batch);

	return (double)lo.bytes + slope * (double)(batch - lo.batch);
}

/* Where the line meets the pool, or in the middle. */
static int64_t
between(struct point lo, struct point hi, int64_t pool, bool middle)
{
	int64_t range = hi.batch - lo.batch, at = lo.batch + range / 2;

	if (!middle && lo.bytes < pool && pool < hi.bytes && hi.bytes < INT64_MAX)
		at = lo.batch + (int64_t)(((double)pool - (double)lo.bytes) / ((double)hi.bytes - (double)lo.bytes) * (double)range);
	return at <= lo.batch ? lo.batch + 1 : at >= hi.batch ? hi.batch - 1 : at;
}

#define FURTHER		8	/* times: some streams have events of each sample, so a batch far too large takes long */

/* Beyond both, of which the greater fits, too. */
static int64_t
beyond(struct point a, struct point b, int64_t pool)
{
	double slope = ((double)b.bytes - (double)a.bytes) / (double)(b.batch - a.batch);
	int64_t next = a.batch ? FURTHER * b.batch : 2 * b.batch;
	double at = slope > 0 ? (double)b.batch + ((double)pool - (double)b.bytes) / slope + 1 : (double)next;

	next = a.batch && at < (double)next ? (int64_t)at : next;
	next = next > b.batch ? next : b.batch + 1;
	return next < FORECAST_MOST ? next : FORECAST_MOST;
}

/* The largest batch whose tensors alone have room. */
static int64_t
largest_at_best(const struct module *m, const struct framework *f, int64_t pool)
{
	struct point lo = { 0 }, hi = look_at(m, f, 1, pool, at_best), mid;
	bool middle = false;

	while (hi.fits) {
		if (hi.batch == FORECAST_MOST)
			return hi.batch;
		mid = lo;
		lo = hi;
		hi = look_at(m, f, beyond(mid, lo, pool), pool, at_best);
	}
	while (hi.batch - lo.batch > 1) {
		int64_t range = hi.batch - lo.batch;

		mid = look_at(m, f, between(lo, hi, pool, middle), pool, at_best);
		if (mid.fits)
			lo = mid;
		else
			hi = mid;
		middle = hi.batch - lo.batch > range / 2;
	}
	return lo.batch;
}

#define NEAR_POOL	1.5	/* times: an allocator's segments make stairs of the line, which are lower than that */

/* Is it surely in the pool? Far from where the line meets it that is not looked at. */
static struct point
surely_near(const struct module *m, const struct framework *f, int64_t batch, int64_t pool, struct point first, struct point last)
{
	struct point p = { .batch = batch };
	double bytes = last.bytes < INT64_MAX ? on_line(first, last, batch) : (double)pool;

	if (batch > last.batch)
		return p;
	if (bytes < (double)pool * NEAR_POOL && bytes > (double)pool / NEAR_POOL)
		return look_at(m, f, batch, pool, surely);
	p.fits = bytes < (double)pool;
	return p;
}

/* The largest batch, up to MOST, that surely has room: by doubling and halves, since one that has
 * may have a smaller one that has not. */
static int64_t
largest_surely(const struct module *m, const struct framework *f, int64_t pool, int64_t most)
{
	struct point first, last, lo, hi, mid;

	if (most == 0)
		return 0;
	first = look_at(m, f, 1, pool, surely);
	if (!first.fits || most == 1)
		return first.fits;
	if ((last = look_at(m, f, most, pool, surely)).fits)
		return most;
	do {
		lo = (struct point){ 0 };
		hi = first;
		while (hi.fits) {
			lo = hi;
			hi = surely_near(m, f, 2 * lo.batch, pool, first, last);
		}
		while (hi.batch - lo.batch > 1) {
			mid = surely_near(m, f, lo.batch + (hi.batch - lo.batch) / 2, pool, first, last);
			if (mid.fits)
				lo = mid;
			else
				hi = mid;
		}
		last.bytes = INT64_MAX;
	} while (!lo.bytes);	/* it was taken for granted */
	return lo.batch;
}

bool
forecast_may_fit(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	return look_at(m, f, batch, pool, at_best).fits;
}

bool
forecast_fits(const struct module *m, const struct framework *f, int64_t batch, int64_t pool)
{
	return look_at(m, f, batch, pool, surely).fits;
}

void
forecast_largest(const struct module *m, const struct framework *f, int64_t pool, int64_t *low,
    int64_t *high)
{
	*high = largest_at_best(m, f, pool);
	*low = largest_surely(m, f, pool, *high);
}

void
forecast_largest_on(const struct module *m, const struct framework *f, int64_t memory, int64_t *low,
    int64_t *high)
{
	int64_t least = context_least(context_bytes(m, memory, false));
	int64_t most = context_most(context_bytes(m, memory, true));

	*high = largest_at_best(m, f, memory - least);
	*low = largest_surely(m, f, memory - most, *high);
}
