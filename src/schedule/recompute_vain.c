/*
 * Moves that are surely in vain, told without a trial. To keep what is made again changes nothing
 * before it is first made again, but that it is there, and that what is kept for making it alone
 * may not be:
 *
 *     forward ... v ... | ... (u -> v) ...        v is there from its last use in forward on; u may die before
 *
 * Behind, V is there for as long as it was, or longer, and less is alive only of what its making
 * used: what died there, and what was made there and may be made later then. Where as much excess
 * as stands is left by all that, the move is in vain. Of trials of such moves that is nearly all.
 */
#include "schedule/recompute_impl.h"

#include <string.h>

#define ALL		((int64_t)1 << 56)	/* bytes: nothing is left of an event */
#define MOST_AGAIN	48	/* events before one node that are looked at */

void
vain_note(struct state_search *s)
{
	const struct trial *t = s->m->trial;
	int i, k;

	s->nlive = t->nevents;
	memcpy(s->live, t->live, (size_t)t->nevents * sizeof(*s->live));
	for (i = 0; i < s->m->nvalues; i++)
		s->copy[i] = -1;
	for (i = t->nvalues - 1; i >= s->m->nvalues; i--) {
		s->later[i] = s->copy[t->origin[i]];
		s->copy[t->origin[i]] = i;
	}
	for (i = s->m->forward; i < t->nevents; i++)
		for (k = t->event[i].out; t->event[i].again && k < t->event[i].end; k++)
			if (t->operand[k] >= 0)
				s->born[t->operand[k]] = i;
	s->nshorter = 0;
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

static bool
add_shorter(struct state_search *s, int beg, int end, int64_t bytes)
{
	if (s->nshorter == MOST_SHORTER)
		return false;
	s->shorter[s->nshorter++] = (struct shorter){ beg, end, bytes };
	return true;
}

/* What the operand of an event has, which may be gone, may be alive for less time from event BEG
 * on: of what is kept, where it is last used before END. */
static bool
note_shorter(struct state_search *s, int v, int operand, int beg, int end)
{
	const struct trial *t = s->m->trial;
	int of = t->overwrites[t->root[operand]], from = t->times[of].first, to = t->times[of].last;

	return t->origin[of] == v || (of < s->m->nvalues && to >= end) ||
	    add_shorter(s, from > beg ? from : beg, to + 1, t->bytes[of]);
}

/* Each time that V is made again, after an event: all that runs again before the same node may not
 * run then. False where that is too much. */
static bool
note_makings(struct state_search *s, int v, int after)
{
	const struct trial *t = s->m->trial;
	int copy, beg, end, k;

	for (copy = s->copy[v]; copy >= 0; copy = s->later[copy]) {
		for (beg = s->born[copy]; t->event[beg - 1].again && s->born[copy] - beg < MOST_AGAIN;)
			beg--;
		for (end = s->born[copy]; t->event[end].again && end - beg <= MOST_AGAIN;)
			end++;
		if (end - beg > MOST_AGAIN || !add_shorter(s, beg, end, ALL))
			return false;
		for (k = t->event[beg].in; k < t->event[end].in; k++)
			if (t->operand[k] >= 0 && !note_shorter(s, v, t->operand[k], after, end))
				return false;
	}
	return true;
}

struct untouched
vain_untouched(struct state_search *s, int v)
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
	u.shorter = s->nshorter;
	u.end = note_makings(s, v, u.to) ? s->nshorter : 0;
	return u;
}

/* What is left behind the first time that it is made again, at least. */
static double
excess_behind(const struct state_search *s, const struct untouched *u)
{
	int64_t *less = s->less, sum = 0, above;
	double excess = 0;
	int i;

	memset(less, 0, ((size_t)s->nlive + 2) * sizeof(*less));
	for (i = u->shorter; i < u->end; i++) {
		less[s->shorter[i].beg] += s->shorter[i].bytes;
		less[s->shorter[i].end] -= s->shorter[i].bytes;
	}
	for (i = u->to; i < s->nlive; i++) {
		sum += less[i];
		if ((above = s->live[i] - sum - s->aim) > 0)
			excess += (double)above;
	}
	return excess;
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
	if (u->to == 0)
		return false;
	if (excess < s->excess && u->end > 0) {
		excess += excess_behind(s, u);
		if (excess >= s->excess)
			s->m->work += s->nlive;
	}
	return excess >= s->excess;
}
