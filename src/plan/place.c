/*
 * place: gives each buffer its offset. Persistent buffers lie at the start of the arena in the
 * order in which the network makes them; the others are packed above, by lifetime. For speed, what
 * branches of the step would wait for is kept longer (apart.c), if the arena has room for it.
 *
 * Reads: buffers with lifetimes. Writes: offsets, arena_bytes, transient_bytes; for speed, the
 * branch that each instant is meant for.
 * Invariants after: 1. offsets are aligned; 2. buffers alive at the same instant do not overlap;
 * 3. arena_bytes >= lower_bound_bytes. plan/verify.c proves 1 and 2 on every plan.
 */
#include "plan/plan.h"

#include <string.h>

#include "target/target.h"
#include "ir/pass.h"
#include "plan/placed.h"

/* One on top of the other, whenever they live: where even that fits the device, a sketch has said
 * what it is for. */
static bool
stack(struct plan *p, int64_t memory, int64_t top)
{
	int64_t mask = p->alignment - 1, end = top;
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		struct buffer *b = &p->buffers.v[i];

		if (b->persistent)
			continue;
		b->offset = end;
		end += (b->bytes + mask) & ~mask;
	}
	p->transient_bytes = end - top;
	p->arena_bytes = end;
	p->proved_bytes = p->lower_bound_bytes;
	return memory <= 0 || end <= memory;
}

/* At the start of the arena; returns where they end. */
static int64_t
place_persistent(struct plan *p)
{
	int64_t mask = p->alignment - 1, top = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		struct buffer *b = &p->buffers.v[i];

		if (!b->persistent)
			continue;
		b->offset = top;
		top += (b->bytes + mask) & ~mask;
	}
	return top;
}

/* O: NULL for the thorough search, THOROUGH has what it may use: time by the clock, which goes
 * beyond what every machine finds, or else answers that are known. */
static struct packing_result
solve(struct arena *a, struct packing *pack, const struct packing_options *o, const struct pass_options *thorough)
{
	struct placed *known = thorough ? thorough->placed : NULL;
	struct packing_result r;

	if (!o && thorough && thorough->seconds > 0)
		return packing_solve(a, pack, &(struct packing_options){ .visits = INT64_MAX / 2,
		    .seconds = thorough->seconds });
	if (o || !known)
		return packing_solve(a, pack, o);
	if (!placed_find(known, pack, &r)) {
		r = packing_solve(a, pack, NULL);
		placed_keep(known, pack, &r);
	}
	return r;
}

/* What is not persistent. LAST: by buffer, how long it is kept; NULL: as long as it lives. */
static struct packing
items_of(const struct plan *p, struct arena *a, const int *last)
{
	struct packing pack = { .alignment = p->alignment };
	int i;

	pack.item = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*pack.item));
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (!b->persistent)
			pack.item[pack.n++] = (struct item){ .size = b->bytes,
			    .lower = b->first, .upper = (last ? last[i] : b->last) + 1 };
	}
	return pack;
}

static void
take_places(struct plan *p, const struct packing *pack, const struct packing_result *r)
{
	int i, k = 0;

	p->transient_bytes = r->height;
	p->arena_bytes = p->persistent_bytes + r->height;
	p->proved_bytes = p->persistent_bytes + r->bound;
	p->optimal = r->optimal;
	p->visits = r->visits;
	for (i = 0; i < p->buffers.n; i++)
		if (!p->buffers.v[i].persistent)
			p->buffers.v[i].offset = p->persistent_bytes + pack->item[k++].offset;
}

/* O and THOROUGH as of solve(), LAST as of items_of(). */
static void
pack(struct plan *p, struct arena *parent, const struct packing_options *o, const struct pass_options *thorough,
    const int *last)
{
	struct arena *a = arena_child(parent);
	struct packing pack = items_of(p, a, last);
	struct packing_result r = solve(a, &pack, o, thorough);

	take_places(p, &pack, &r);
	arena_free(a);
}

/* any height will do, so the first placement that is found does */
static const struct packing_options quick = { .capacity = LARGEST_BYTES };

/* By buffer, for how long it is kept apart from what other branches have: of those that a step has
 * where no two buffers share bytes. */
static int *
keep_apart(struct module *m, struct plan *p, struct arena *a)
{
	int *last, i;

	stack(p, 0, p->persistent_bytes);
	plan_branches(m, p);
	last = plan_apart(p, a);
	for (i = 0; i < p->instants; i++) {
		struct instant *at = &p->at[i];

		at->meant = at->branch;
		at->branch = 0;
		at->awaited = false;
		memset(at->after, 0, sizeof(at->after));
	}
	return last;
}

/* For speed: apart what need not wait, where MOST bytes (0: any) are enough for that. */
static bool
place_apart(struct module *m, struct plan *p, int64_t most)
{
	struct arena *a;
	struct packing_options within = quick;

	p->apart = APART_NO_ROOM;
	p->persistent_bytes = place_persistent(p);
	if (most)
		within.capacity = most - p->persistent_bytes;
	if (within.capacity <= 0 || (most && p->lower_bound_bytes > most))
		return false;
	a = arena_child(m->arena);
	pack(p, a, &within, NULL, keep_apart(m, p, a));
	if (!most || p->arena_bytes <= most)
		p->apart = APART;
	p->proved_bytes = p->lower_bound_bytes;
	p->optimal = false;
	arena_free(a);
	return p->apart == APART;
}

void
plan_place(struct module *m, struct plan *p, const struct pass_options *o)
{
	p->persistent_bytes = place_persistent(p);
	if (p->sketch && stack(p, m->set.device.given ? m->set.device.memory : 0,
	    p->persistent_bytes))
		return;
	pack(p, m->arena, p->sketch ? &quick : NULL, p->sketch ? NULL : o, NULL);
	if (!p->sketch)
		plan_place_buckets(m, p);
}

int64_t
plan_place_on(struct module *m, struct plan *p, int times)
{
	struct arena *a = arena_child(m->arena);
	struct packing pack = items_of(p, a, NULL);
	struct packing_result r = packing_solve(a, &pack, &(struct packing_options){
	    .visits = times * packing_turn(pack.n) });
	bool lower = p->persistent_bytes + r.height < p->arena_bytes;
	int64_t visits = r.visits;

	if (lower)
		take_places(p, &pack, &r);
	arena_free(a);
	if (lower)
		plan_place_buckets(m, p);
	return visits;
}

/* For speed, on a target that runs calls side by side. Ranks do not: a step of theirs has one
 * branch, in which nothing waits in vain, and buckets. */
static void
place_for_speed(struct module *m, const struct pass_options *o)
{
	struct plan *p = m->plan;

	if (module_ranks(m) <= 1 && place_apart(m, p, o->most_bytes))
		return;
	plan_place(m, p, o);
	if (module_ranks(m) > 1)
		p->apart = !o->most_bytes || p->arena_bytes <= o->most_bytes ? APART : APART_NO_ROOM;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	m->plan->sketch = o->sketch;
	if (o->speed && o->target->concurrent && !o->sketch)
		place_for_speed(m, o);
	else
		plan_place(m, m->plan, o);
	return true;
}

const struct pass pass_place = {
	.name = "place",
	.doc = "give each buffer its offset in the arena",
	.in_bodies = true,
	.run = run,
};
