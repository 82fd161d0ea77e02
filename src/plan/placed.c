/* Packings that were searched for before, the latest first. */
#include "plan/placed.h"

#include <string.h>

#include "base/vec.h"

#define EXPENSIVE	1000000		/* visits */
#define MOST_ITEMS	200000		/* of all that are kept: 8 MB */

struct placing {
	struct packing packing;
	struct packing_result result;
};

struct placed {
	struct arena *arena;
	VEC(struct placing) all;
	int items;
};

struct placed *
placed_new(struct arena *a)
{
	struct placed *p = ARENA_NEW(a, struct placed);

	p->arena = a;
	return p;
}

static bool
same(const struct packing *a, const struct packing *b)
{
	int i;

	if (a->n != b->n || a->alignment != b->alignment)
		return false;
	for (i = 0; i < a->n; i++) {
		const struct item *x = &a->item[i], *y = &b->item[i];

		if (x->size != y->size || x->lower != y->lower || x->upper != y->upper ||
		    x->alignment != y->alignment)
			return false;
	}
	return true;
}

bool
placed_find(const struct placed *p, struct packing *packing, struct packing_result *r)
{
	int i, k;

	for (i = p->all.n - 1; i >= 0; i--) {
		const struct placing *old = &p->all.v[i];

		if (!same(&old->packing, packing))
			continue;
		for (k = 0; k < packing->n; k++)
			packing->item[k].offset = old->packing.item[k].offset;
		*r = old->result;
		return true;
	}
	return false;
}

void
placed_keep(struct placed *p, const struct packing *packing, const struct packing_result *r)
{
	struct placing new = { *packing, *r };
	size_t bytes = (size_t)packing->n * sizeof(*packing->item);

	if (r->visits < EXPENSIVE || packing->n > MOST_ITEMS - p->items)
		return;
	new.packing.item = memcpy(arena_array(p->arena, (size_t)packing->n, sizeof(*packing->item)),
	    packing->item, bytes);
	vec_push(p->arena, &p->all, new);
	p->items += packing->n;
}
