/*
 * What descents that began anew came to. A search that begins where that for a smaller budget does
 * (recompute.c) comes to the same stations, mostly, and in one order of the step, with the same
 * shares of work, a rung is all that such a descent depends on. It counts as work the second time,
 * too: what is found does not depend on what is known.
 */
#include "schedule/recompute_impl.h"

const struct known_descent *
known_descent(const struct state_search *s, int rung)
{
	const struct known_descent *k = s->m->descents;

	while (k && (k->rung != rung || k->share != s->limits->work))
		k = k->next;
	return k;
}

static struct steps
kept(struct model *m, const struct steps *s)
{
	struct steps copy = { .event = arena_array(m->arena, (size_t)s->n + 1, sizeof(*s->event)) };

	steps_copy(&copy, s);
	return copy;
}

void
known_descent_keep(struct state_search *s, const struct known_descent *now)
{
	struct model *m = s->m;
	struct known_descent *k = ARENA_NEW(m->arena, struct known_descent);

	*k = *now;
	k->share = s->limits->work;
	k->made = kept(m, &now->made);
	k->lowest = kept(m, &now->lowest);
	k->next = m->descents;
	m->descents = k;
}
