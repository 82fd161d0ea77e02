/* Things that are kept once; see intern.h. */
#include "base/intern.h"

#define FEWEST	64

static void
grow(struct intern *s, struct arena *a)
{
	struct intern old = *s;
	size_t i, k;

	s->room = old.room ? 2 * old.room : FEWEST;
	s->v = arena_array(a, s->room, sizeof(*s->v));
	for (i = 0; i < old.room; i++) {
		if (!old.v[i].thing)
			continue;
		for (k = old.v[i].hash & (s->room - 1); s->v[k].thing; k = (k + 1) & (s->room - 1))
			;
		s->v[k] = old.v[i];
	}
}

void **
intern_place(struct intern *s, struct arena *a, const void *key, uint64_t hash, intern_same *same)
{
	size_t i;

	if (2 * (s->n + 1) > s->room)
		grow(s, a);
	for (i = hash & (s->room - 1); s->v[i].thing; i = (i + 1) & (s->room - 1))
		if (s->v[i].hash == hash && same(s->v[i].thing, key))
			return &s->v[i].thing;
	s->v[i].hash = hash;
	s->n++;
	return &s->v[i].thing;
}
