/*
 * place: gives each buffer its offset. Persistent buffers lie at the start of the arena in the
 * order in which the network makes them; the others are packed above, by lifetime.
 *
 * Reads: buffers with lifetimes. Writes: offsets, arena_bytes, transient_bytes.
 * Invariants after: 1. offsets are aligned; 2. buffers alive at the same instant do not overlap;
 * 3. arena_bytes >= lower_bound_bytes. plan/verify.c proves 1 and 2 on every plan.
 */
#include "plan/plan.h"

#include "passes/pass.h"
#include "plan/packing.h"

void
plan_place(struct module *m, struct plan *p)
{
	/* any height will do, so the first placement that is found does */
	static const struct packing_options quick = { .capacity = LARGEST_BYTES };
	struct packing pack = { .alignment = p->alignment };
	struct packing_result r;
	int64_t mask = p->alignment - 1, top = 0;
	int i, k = 0;

	pack.item = arena_array(m->arena, (size_t)p->buffers.n + 1, sizeof(*pack.item));
	for (i = 0; i < p->buffers.n; i++) {
		struct buffer *b = &p->buffers.v[i];

		if (b->persistent) {
			b->offset = top;
			top += (b->bytes + mask) & ~mask;
		} else {
			pack.item[pack.n++] = (struct item){ .size = b->bytes,
			    .lower = b->first, .upper = b->last + 1 };
		}
	}
	p->persistent_bytes = top;
	r = packing_solve(m->arena, &pack, p->sketch ? &quick : NULL);
	p->transient_bytes = r.height;
	p->arena_bytes = top + r.height;
	p->proved_bytes = top + r.bound;
	p->optimal = r.optimal;
	for (i = 0; i < p->buffers.n; i++)
		if (!p->buffers.v[i].persistent)
			p->buffers.v[i].offset = top + pack.item[k++].offset;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	m->plan->sketch = o->sketch;
	plan_place(m, m->plan);
	return true;
}

const struct pass pass_place = {
	.name = "place",
	.doc = "give each buffer its offset in the arena",
	.run = run,
};
