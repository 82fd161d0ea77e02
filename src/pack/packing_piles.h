/*
 * packing_piles: of items that have their place, what lies on what in each section, and how high
 * that is from either end. packing_elastic.c decides what lies where.
 *
 * Below and above are the same seen from two sides. Seen from a side, the *reach* of an item is how
 * far its end there is from the bottom, or from the limit, at least; so lows are reaches of one
 * side, and highs follow from those of the other. Reaches are lengths of longest paths, and are
 * kept up to date as items come and go. An item lies next to many others in turn, but in most
 * sections next to the same few, so of each it is counted in how many sections.
 */
#ifndef STOWAGE_PACK_PACKING_PILES_H
#define STOWAGE_PACK_PACKING_PILES_H

#include "pack/packing_impl.h"

#define NONE	(-1)

enum side { BELOW, ABOVE };

/* What lies next to an item on one side, in so many sections. */
struct beside {
	int job, sections;
};

struct piles {
	struct job *job;
	int n, sections;
	int64_t limit;			/* the height to stay within */
	int *node;			/* by job: its sections are nodes from there on */
	int *next[2];			/* by side and node: the next job in the section; NONE */
	int *end[2];			/* by side and section: the job that lies there first; NONE */
	struct beside *beside[2];	/* by side: a job's are at its first node and on, */
	int *besides[2];		/* so many */
	int64_t *reach[2];		/* by side and job */
	bool *placed, *waiting;		/* by job; in the heap of those whose reach may change */
	int *changed, nchanged;		/* that heap, the least reach on top */
	struct effort *effort;
};

static inline int64_t
low_of(const struct piles *p, int i)
{
	return p->reach[BELOW][i];
}

static inline int64_t
high_of(const struct piles *p, int i)
{
	return p->limit - p->reach[ABOVE][i] - p->job[i].size;
}

/* Jobs must come by birth, and stay. False: there is too much of it. */
bool	piles_new(struct arena *, struct instance *, struct effort *, struct piles *);
/* These N jobs and no others, the lowest first, one on the other. */
void	piles_begin(struct piles *, const int *order, int n);
/* Reaches of others stay what they were until piles_sink(), which must come next. */
void	piles_take_out(struct piles *, int job);
/* What lay on the N jobs that were taken out lies lower, if it can; from both sides. */
void	piles_sink(struct piles *, const int *out, int n);
/* Above all of each section whose low and size reach no higher than X. */
void	piles_put_in(struct piles *, int job, int64_t x);
/* Of all where they lie lowest. */
int64_t	piles_height(const struct piles *);

#endif
