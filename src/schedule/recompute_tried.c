/*
 * What trials have shown: the excess and the cost of a choice, found again by the choice. Descents
 * to one rung go partly the same way, and one that has come to its end looks at everything once
 * more, so every other trial or so was made before. A choice is known by 64 bits, in which its aim
 * counts too: what is above another aim is another excess. Of two choices with one place, the later
 * one stays.
 */
#include "schedule/recompute_impl.h"

#define PLACES	(1u << 14)	/* a power of two */

struct tried {
	uint64_t choice;
	double excess;
	int64_t macs, traffic;
	int events;		/* 0: nothing is here */
	bool good;
};

struct tried_choices {
	uint64_t choice;	/* that stands in the model's states, without its aim */
	struct tried at[PLACES];
};

/* Steele and others' splitmix64: as good as chance. */
static uint64_t
mixed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t
mark(int value, int state)
{
	return mixed((uint64_t)value << 2 | (uint64_t)state);
}

struct tried_choices *
tried_new(struct arena *a)
{
	return ARENA_NEW(a, struct tried_choices);
}

void
tried_change(struct state_search *s, int value, int from, int to)
{
	if (s->tried)
		s->tried->choice ^= mark(value, from) ^ mark(value, to);
}

void
tried_anew(struct state_search *s)
{
	int i;

	if (!s->tried)
		return;
	s->tried->choice = 0;
	for (i = 0; i < s->m->nvalues; i++)
		s->tried->choice ^= mark(i, s->m->state[i]);
}

/* Runs the step under the choice that stands. */
static struct tried
run(struct state_search *s, uint64_t choice)
{
	bool good = step_try(s->m) && search_allowed(s);
	const struct trial *t = s->m->trial;

	return (struct tried){ .choice = choice, .excess = good ? search_excess(s) : 0, .macs = t->macs,
	    .traffic = t->traffic, .events = t->nevents, .good = good };
}

/* The same, unless that was done. */
static struct tried
look_up(struct state_search *s)
{
	uint64_t choice = s->tried->choice ^ mixed(~(uint64_t)s->aim);
	struct tried *t = &s->tried->at[choice & (PLACES - 1)];

	if (t->events && t->choice == choice)
		s->m->effort += t->events;
	else
		*t = run(s, choice);
	return *t;
}

bool
tried_look_up(struct state_search *s, double *excess, double *cost)
{
	const struct tried t = s->tried ? look_up(s) : run(s, 0);

	*excess = t.excess;
	*cost = (double)t.macs + s->traffic * (double)t.traffic;
	return t.good;
}
