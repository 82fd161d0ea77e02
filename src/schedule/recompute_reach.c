/*
 * How many samples a step has room for where much of it is made again: one pass that lets values go
 * (recompute_evict.c) tells, at any batch, in as long as a trial or a few. Its peak is not the
 * arena, which is placed by those that follow and may be larger, and a search makes less again.
 */
#include "schedule/recompute_reach.h"

#include "schedule/recompute_evict.h"

#define OPEN	32	/* that part of the answer may be missing */

struct reaching {
	struct model *m;
	int64_t budget;
	double *weight;		/* all alike */
	struct steps made;
};

static bool
pass_fits(struct reaching *r)
{
	struct evicting e = { .m = r->m, .a = arena_child(r->m->arena), .aim = r->budget, .reach = -1, .lies_on = -1,
	    .most_looks = RECOMPUTE_WORK };
	bool fits;

	evict_begin(&e);
	fits = evict_pass(&e, evict_reach[0], r->weight, &r->made) && steps_try(r->m, &r->made) && r->made.peak <= r->budget;
	arena_free(e.a);
	return fits;
}

static bool
has_room(struct reaching *r, int64_t batch)
{
	struct model *m = r->m;

	if (!step_price(m, batch))
		return false;
	step_keep_all(m);
	if (step_try(m) && m->trial->peak <= r->budget)
		return true;
	return step_least(m) <= r->budget && pass_fits(r);
}

int64_t
recompute_reach(struct model *m, int64_t budget, int64_t from, int64_t most)
{
	struct reaching r = { m, budget, arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(double)), steps_new(m) };
	int64_t lo = 0, hi = most + 1, at = from;
	int i;

	for (i = 0; i < m->nvalues; i++)
		r.weight[i] = 1;
	while (hi - lo > 1 + lo / OPEN && m->work < RECOMPUTE_WORK) {
		if (has_room(&r, at))
			lo = at;
		else
			hi = at;
		at = hi > most && lo < most / 2 ? 2 * lo : lo + (hi - lo) / 2;
	}
	return lo;
}
