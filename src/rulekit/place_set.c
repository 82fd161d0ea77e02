/* Sets of places: where each begins, in a table of hashes. */
#include "rulekit/place_set.h"

#define FIRST_ROOM	32

struct place {
	const struct source *src;	/* NULL: free */
	int beg;
};

struct place_table {
	int n, room;		/* a power of two, more than twice as many */
	struct place *slot;
	bool knows_others;	/* what the rule has found in imported files is here too */
};

/* Where the place is, or the free slot where it would be. */
static struct place *
slot_of(const struct place_table *t, const struct source *src, int beg)
{
	unsigned i = (unsigned)beg * 2654435761u, mask = (unsigned)t->room - 1;
	const struct place *p;

	for (i ^= i >> 15; (p = &t->slot[i & mask])->src && (p->src != src || p->beg != beg); i++)
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
		if (old.slot[i].src)
			*slot_of(t, old.slot[i].src, old.slot[i].beg) = old.slot[i];
}

/* False if it is there already. */
static bool
add(struct place_set *set, struct arena *a, struct loc loc)
{
	struct place *slot;

	if (!set->has)
		set->has = ARENA_NEW(a, struct place_table);
	if (2 * (set->has->n + 1) > set->has->room)
		make_room(set->has, a);
	slot = slot_of(set->has, loc.src, loc.beg);
	if (slot->src)
		return false;
	*slot = (struct place){ loc.src, loc.beg };
	set->has->n++;
	return true;
}

/* Networks of one file share the blocks of others. */
static void
add_found_elsewhere(struct place_set *set, struct lint *l, const struct rule *rule)
{
	const struct diags *d = l->diags;
	int i;

	for (i = 0; i < d->all.n; i++)
		if (d->all.v[i]->rule == rule->name && d->all.v[i]->loc.src &&
		    d->all.v[i]->loc.src != l->module->src)
			add(set, l->module->arena, d->all.v[i]->loc);
}

bool
place_is_new(struct place_set *set, struct lint *l, const struct rule *rule, struct loc loc)
{
	bool new;

	if (l->asked && l->diags->all.n > 0)
		return false;
	if (!loc.src)
		return true;
	if (loc.src != l->module->src && !(set->has && set->has->knows_others)) {
		add_found_elsewhere(set, l, rule);
		new = add(set, l->module->arena, loc);
		set->has->knows_others = true;
		return new;
	}
	return add(set, l->module->arena, loc);
}

void
place_add(struct place_set *set, struct lint *l, struct loc loc)
{
	if (loc.src && loc.src == l->module->src)
		add(set, l->module->arena, loc);
}

void
place_add_unfound(struct place_set *set, struct lint *l,
    const struct tensor *(*found)(const struct node *, const void *), const void *context)
{
	const struct graph *g = l->module->forward;
	bool *is_found = arena_array(l->module->arena, (size_t)l->module->next_tensor + 1, sizeof(*is_found));
	const struct tensor *t;
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if ((t = found(g->nodes.v[i], context)))
			is_found[t->id] = true;
	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->nout > 0 && (t = g->nodes.v[i]->out[0]) && !is_found[t->id])
			place_add(set, l, g->nodes.v[i]->loc);
}

bool
place_has(const struct place_set *set, struct loc loc)
{
	return set->has && slot_of(set->has, loc.src, loc.beg)->src;
}
