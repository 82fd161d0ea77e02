/*
 * The last resort of a search (recompute_ladder.c) fits, but may make far more again than it must:
 * it is what got lowest, or stuck, and has a peak that the passes which follow took off. In the
 * order of nodes that they gave it, it is seen as it runs. So from there what need not be made
 * again is struck out, other values are made again, and passes that let values go are tried once
 * more; the cheapest that fits is taken.
 */
#include "schedule/recompute_impl.h"

#define ROUNDS		6	/* of striking out and making other values again */
#define ROUND_SHARE	10	/* of the work of a search, one's */
#define CLIMB_SHARE	40	/* and that of passes */
#define ARENAS		12	/* that are placed to see how much can be struck out */

/* Is that cheaper, and does it fit? Then it is the best. */
static bool
take(struct state_search *s, struct steps *made, struct steps *best)
{
	if (made->cost >= best->cost || !steps_try(s->m, made) || !s->limits->fits(s->m, s->limits->context))
		return false;
	steps_copy(best, made);
	return true;
}

static void
lower_cost(struct state_search *s, struct steps *made, int64_t most)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		steps_strike_out(s, made, 0, most);
		if (!steps_improve(s, made, most, search_share(s, ROUND_SHARE), false))
			break;
	}
}

/* What is struck out of it fits by its peak, but its arena does not: as much of that as does, in
 * halves. */
static bool
strike_while_it_fits(struct state_search *s, struct steps *best, int64_t most)
{
	struct steps made = steps_new(s->m);
	int beg = 0, n = best->n, all = n, arenas = ARENAS;
	bool better = false;

	while (beg < all && arenas > 0) {
		steps_copy(&made, best);
		all = steps_strike_out_part(s, &made, most, beg, n);
		if (made.cost >= best->cost) {
			beg += n;
			continue;
		}
		arenas--;
		if (take(s, &made, best)) {
			better = true;
			n *= 2;		/* what was struck out is no more in the list */
		} else if (n > 1) {
			n /= 2;
		} else {
			beg++;
		}
	}
	return better;
}

bool
search_refine(struct state_search *s, struct steps *steps)
{
	int64_t most = steps->peak > s->limits->budget ? steps->peak : s->limits->budget;
	struct steps made = steps_new(s->m);
	bool better;

	steps_copy(&made, steps);
	lower_cost(s, &made, most);
	better = take(s, &made, steps) || strike_while_it_fits(s, steps, most);
	if (climb_anew(climb_new(s), most, search_share(s, CLIMB_SHARE), &made) && made.peak <= most) {
		lower_cost(s, &made, most);
		better |= take(s, &made, steps);
	}
	return better;
}
