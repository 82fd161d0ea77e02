/* Sets of places: where each begins, in a table of hashes. */
#include "rulekit/place_set.h"

#define FIRST_ROOM	32

struct place_table {
	int n, room;		/* a power of two, more than twice as many */
	int *slot;		/* the byte it begins at, plus 1; 0: free */
};

/* Where the place is, or the free slot where it would be. */
static int *
slot_of(const struct place_table *t, int beg)
{
	unsigned i = (unsigned)beg * 2654435761u, mask = (unsigned)t->room - 1;

	for (i ^= i >> 15; t->slot[i & mask] && t->slot[i & mask] != beg + 1; i++)
		;
	return &t->slot[i & mask];
}

static void
make_room(struct place_table *t, struct arena *a)
{
	const struct place_table old = *t;
	int i;

	t->room = old.room ? 2 * old.room : FIRST_ROOM;
	t->slot = arena_array(a, (size_t)t->room, sizeof(*t->slot));
	for (i = 0; i < old.room; i++)
		if (old.slot[i])
			*slot_of(t, old.slot[i] - 1) = old.slot[i];
}

bool
place_is_new(struct place_set *set, struct lint *l, const struct rule *rule, struct loc loc)
{
	const struct source *src = l->module->src;
	int i;

	if (!loc.src)
		return true;
	if (loc.src != src) {
		for (i = 0; i < l->diags->all.n; i++)
			if (l->diags->all.v[i]->rule == rule->name &&
			    l->diags->all.v[i]->loc.src == loc.src &&
			    l->diags->all.v[i]->loc.beg == loc.beg)
				return false;
		return true;
	}
	if (place_has(set, loc))
		return false;
	place_add(set, l, loc);
	return true;
}

void
place_add(struct place_set *set, struct lint *l, struct loc loc)
{
	struct arena *a = l->module->arena;
	int *slot;

	if (!loc.src || loc.src != l->module->src)
		return;
	if (!set->has)
		set->has = ARENA_NEW(a, struct place_table);
	if (2 * (set->has->n + 1) > set->has->room)
		make_room(set->has, a);
	slot = slot_of(set->has, loc.beg);
	set->has->n += !*slot;
	*slot = loc.beg + 1;
}

void
place_add_unmarked(struct place_set *set, struct lint *l, const bool *marked)
{
	const struct graph *g = l->module->forward;
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->nout > 0 && g->nodes.v[i]->out[0] &&
		    !marked[g->nodes.v[i]->out[0]->id])
			place_add(set, l, g->nodes.v[i]->loc);
}

bool
place_has(const struct place_set *set, struct loc loc)
{
	return set->has && *slot_of(set->has, loc.beg);
}
