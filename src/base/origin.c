/* Places in a text that was made of a model, by the model's names. */
#include "base/source.h"

#include "base/print.h"

static bool
contains(int beg, int end, int inner_beg, int inner_end)
{
	return beg <= inner_beg && inner_end <= end;
}

const struct origins *
origins_new(struct arena *a, int n, const struct origin *v)
{
	struct origins *all = ARENA_NEW(a, struct origins);
	int i;

	*all = (struct origins){ .n = n, .v = v };
	for (i = 0; i < n; i++)
		if (v[i].end - v[i].beg > all->longest)
			all->longest = v[i].end - v[i].beg;
	return all;
}

/* The first of them that begins there or behind. */
static int
first_from(const struct origins *all, int beg)
{
	int low = 0, high = all->n;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (all->v[mid].beg < beg)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Words lie in one another, as an argument in a call; the least that say all of the place tell most
 * of it. None that do begin farther before it than the longest is long. */
const struct origin *
loc_origin(struct loc l)
{
	const struct origins *all = l.src ? l.src->origins : NULL;
	const struct origin *around = NULL, *inside = NULL;
	int i;

	for (i = all ? first_from(all, l.beg - all->longest) : 0; all && i < all->n && all->v[i].beg < l.end; i++) {
		const struct origin *o = &all->v[i];

		if (contains(o->beg, o->end, l.beg, l.end)) {
			if (!around || o->end - o->beg < around->end - around->beg)
				around = o;
		} else if (!inside && contains(l.beg, l.end, o->beg, o->end))
			inside = o;
	}
	return around ? around : inside;
}

const char *
loc_shown(struct arena *a, struct loc l, const struct source *home)
{
	const struct origin *o = loc_origin(l);

	if (o)
		return o->more ? arena_printf(a, "node '%s' and %d more", visible_text(a, o->node), o->more) :
		    arena_printf(a, "node '%s'", visible_text(a, o->node));
	if (l.src && l.src->origins)
		return "what import adds";
	if (l.src && l.src != home && loc_seen(l).src != home)
		return arena_printf(a, "%s:%d", visible_text(a, l.src->path), loc_line(l));
	return arena_printf(a, "line %d", loc_line(l));
}
