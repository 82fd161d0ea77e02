/*
 * pace_c.c - whether steps are worth all threads. Threads meet at the end of each loop, so where
 * other processes take processors away, a step of many short loops can be slower on all threads
 * than on one. Once the system has interrupted threads oftener than it does at rest, steps are
 * timed on all threads and on one in turns, and what was faster is kept, the longer the oftener
 * that was so. As nothing interrupts a single thread, one that was chosen is held against all of
 * them again. Results do not depend on it (team.h).
 */
#include <sys/resource.h>

#define PACE_LOOK	20000000	/* nanoseconds between two looks at interruptions */
#define PACE_QUIET	4000000		/* at rest there are at least so many between two interruptions */
#define PACE_TURN	20000000	/* nanoseconds that a turn takes at least */
#define PACE_TURNS	4		/* by turns all threads and one */
#define PACE_GAIN	1.08		/* all threads must be so much faster: they were rested */
#define PACE_KEEP	16		/* times what its trial took: a choice is kept so long at first, */
#define PACE_LONGEST	5000000000	/* and twice as long each time that it is the same, up to this */

struct pace {
	bool narrow;		/* steps run on one thread */
	bool chosen;		/* which is so by the last trial */
	int turn;		/* of a trial; PACE_TURNS: there is none */
	int which;		/* steps of this kind and batch are compared */
	int64_t b;
	int64_t turn_spent;	/* on this turn's steps */
	int64_t spent[2];	/* on the trial's steps on all threads, and on one */
	int64_t steps[2];
	int64_t keep;		/* nanoseconds for which the last choice was kept */
	int64_t looked, look;	/* when it looked last, and looks next */
	int64_t interruptions;	/* until it looked last */
};

/* It begins with all threads, at time NOW. */
static struct pace
pace_new(int64_t now, int64_t interruptions)
{
	struct pace p = { .turn = PACE_TURNS, .looked = now, .look = now + PACE_LOOK,
		.interruptions = interruptions };

	return p;
}

/* The trial of which this was the last turn ended at NOW. */
static void
pace_choose(struct pace *p, int64_t now)
{
	double all = (double)p->spent[0] / (double)p->steps[0];
	double one = (double)p->spent[1] / (double)p->steps[1];
	bool narrow = one < PACE_GAIN * all;
	int64_t least = (p->spent[0] + p->spent[1]) * PACE_KEEP;
	int64_t most = least > PACE_LONGEST ? least : PACE_LONGEST;

	p->keep = narrow == p->chosen && 2 * p->keep > least ? 2 * p->keep : least;
	p->keep = p->keep < most ? p->keep : most;
	p->chosen = p->narrow = narrow;
	p->look = now + p->keep;
}

/* A step ended at NOW, after TOOK nanoseconds; INTERRUPTIONS of the process so far. */
static void
pace_took(struct pace *p, int which, int64_t b, int64_t took, int64_t now, int64_t interruptions)
{
	if (p->turn < PACE_TURNS) {
		if (which != p->which || b != p->b)
			return;
		p->turn_spent += took;
		p->spent[p->narrow] += took;
		p->steps[p->narrow]++;
		if (p->turn_spent < PACE_TURN)
			return;
		p->turn_spent = 0;
		p->narrow = !p->narrow;
		if (++p->turn == PACE_TURNS)
			pace_choose(p, now);
	} else if (now >= p->look) {
		if (p->narrow || interruptions - p->interruptions > (now - p->looked) / PACE_QUIET) {
			p->turn = 0;
			p->which = which;
			p->b = b;
			p->turn_spent = p->spent[0] = p->spent[1] = p->steps[0] = p->steps[1] = 0;
		} else {
			p->look = now + PACE_LOOK;
		}
	} else if (now - p->looked < PACE_LOOK) {
		return;
	}
	p->looked = now;
	p->interruptions = interruptions;
}

static int64_t
pace_interruptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}
