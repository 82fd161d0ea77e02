/* Sets of places: a byte for each byte of the spec's own file. */
#include "rulekit/place_set.h"

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
	const struct source *src = l->module->src;

	if (!loc.src || loc.src != src)
		return;
	if (!set->has)
		set->has = arena_array(l->module->arena, (size_t)src->size + 1, sizeof(*set->has));
	set->has[loc.beg] = true;
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
	return set->has && set->has[loc.beg];
}
