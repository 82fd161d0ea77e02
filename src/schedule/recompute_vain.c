/*
 * Moves that are surely in vain, told without a trial. To keep what is made again changes nothing
 * before it is first made again, but that it is there, and that what is kept for making it alone
 * may not be:
 *
 *     forward ... v ... | ... (u -> v) ...        v is there from its last use in forward on; u may die before
 *
 * Where what that adds to the excess before is as much as all the excess that stands, nothing
 * behind can make up for it. Of trials of such moves that is most.
 */
#include "schedule/recompute_impl.h"

#include <string.h>

void
vain_note(struct state_search *s)
{
	const struct trial *t = s->m->trial;
	int i;

	s->nlive = t->nevents;
	memcpy(s->live, t->live, (size_t)t->nevents * sizeof(*s->live));
	for (i = t->nvalues - 1; i >= s->m->nvalues; i--)
		s->copy[t->origin[i]] = i;
}

/* Is what an event from FIRST on reads there before, and might it not be, were it not read up to
 * the node HOST? */
static bool
may_be_freed(const struct state_search *s, int v, int first, int host)
{
	const struct trial *t = s->m->trial;
	int root = t->root[v], origin = t->origin[root];

	return t->times[t->overwrites[root]].first < first && (s->last[origin] < host || s->m->state[origin] == EACH);
}

struct untouched
vain_untouched(const struct state_search *s, int v)
{
	const struct trial *t = s->m->trial;
	struct untouched u = { .from = t->left[v] + 1, .to = t->times[t->overwrites[t->root[s->copy[v]]]].first };
	int host, i, k;

	while (u.to > s->m->forward && t->event[u.to - 1].again)
		u.to--;
	for (host = u.to; t->event[host].again;)
		host++;
	for (i = u.to; i < host; i++)
		for (k = t->event[i].in; k < t->event[i].out; k++)
			if (t->operand[k] >= 0 && may_be_freed(s, t->operand[k], u.to, t->event[host].node))
				u.freed += t->bytes[t->root[t->operand[k]]];
	return u;
}

bool
vain_is(const struct state_search *s, const struct move *move)
{
	const struct untouched *u = &move->untouched;
	int64_t bytes = s->m->value[move->value].bytes, above;
	double excess = 0;
	int i;

	for (i = 0; i < u->to; i++) {
		above = s->live[i] - u->freed + (i >= u->from ? bytes : 0) - s->aim;
		if (above > 0)
			excess += (double)above;
	}
	return u->to > 0 && excess >= s->excess;
}
