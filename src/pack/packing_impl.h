/*
 * What the files of the packer share. An instance is brought into one form first:
 *
 * - Time is cut into *sections*, the maximal sets of items alive together. Two items overlap in
 *   time if and only if they share a section (intervals have the Helly property), and the sections
 *   of an item are consecutive, so the sections stand for time.
 * - Sizes are padded to the common divisor of all alignments, since no byte of the padding can be
 *   used. The topmost item need not have it: `tail` is what its end may lack.
 * - What lies in time between two instants that nothing survives is an instance of its own.
 */
#ifndef STOWAGE_PACK_PACKING_IMPL_H
#define STOWAGE_PACK_PACKING_IMPL_H

#include "pack/packing.h"

struct job {
	int64_t size;		/* padded */
	int64_t tail;		/* padding that need not lie within the capacity */
	int64_t align;		/* 1: whatever sizes add up to is aligned */
	union {
		int64_t offset;
		int64_t fullest;	/* packing_fit.c, before it has its place: the most bytes alive in one of its
					 * sections, or their class */
	};
	int lower, upper;	/* sections */
	int born, dead;		/* slices */
	double life;		/* in the caller's time */
	int index;		/* of its item */
	bool stays;		/* packing_reinsert(): keeps its place among the others */
};

struct instance {
	struct arena *arena;
	struct job *job;
	int n, sections;
	int slices;		/* of sections, which each death cuts; for searches */
	int64_t *live;		/* by section: the sum of sizes */
	int64_t max_live;	/* at least that much is needed: tails subtracted, alignments included */
	int64_t padding;	/* what sizes are padded to, where tails need not be; else 1 */
	int64_t unit;		/* divides all heights that a packed-down answer can have */
};

/* What lies in time between instants that nothing survives. */
struct pieces {
	struct job *job;	/* of all pieces, piece by piece */
	struct instance *v;
	int n, jobs;
};

/* How much may still be done: by one method or part, and by all. A part does the same whatever
 * there is for all, up to where that ends, so more of it never leads to a worse answer. */
struct effort {
	int64_t visits;
	int64_t *all;
	double deadline;	/* of the clock; 0: none */
	int stage;		/* how often the whole chain had its turn before, each with four times as much */
};

void	effort_spend(struct effort *, int64_t visits);
bool	effort_left(const struct effort *);
/* A part of what is left, to be given back as far as it is not used. */
struct effort	effort_share(struct effort *, int parts);
double	effort_clock(void);

static inline int64_t
job_aligned(const struct job *j, int64_t offset)
{
	int64_t over = j->align > 1 ? offset % j->align : 0;

	return over ? offset + j->align - over : offset;
}

/* Is what is left of a height above the target next to nothing, and not worth trying more
 * orders? */
#define NEXT_TO_NOTHING	100000	/* part of the height */

static inline bool
is_near(int64_t height, int64_t target)
{
	return height - target <= height / NEXT_TO_NOTHING;
}

/* packing_padded.c */
int64_t	packing_alignment(const struct packing *, const struct item *);	/* what its offset is a multiple of */
int64_t	packing_divisor(const struct packing *);	/* of all of these */
/* Gives items the places that they would have if the topmost were padded, too, where that is all
 * that is special about them; else false. The effort is taken from *ALL. */
bool	packing_padded(struct arena *, struct packing *, int64_t capacity, int64_t *all);

/* packing_lasting.c: the answer, where some items are alive as long as there are any, and no
 * alignment is said of any. */
bool	packing_lasting(struct arena *, struct packing *, const struct packing_options *, struct packing_result *);

/* packing_form.c: the form above of all items of a packing, with its live bytes and bounds; items
 * without bytes get 0. */
struct pieces	packing_form(struct arena *, struct packing *);
/* Live bytes by section, in the instance's arena; the bound; what divides all heights. PADDING: of
 * the packing, if jobs have tails. */
void	packing_measure(struct instance *, int64_t padding);
/* Have any alignments, or tails? */
bool	packing_is_aligned(const struct instance *);

/* packing_fit.c: the end of the highest. */
int64_t	packing_height(const struct instance *);

/* packing_aligned.c: at least that much is needed, BEST or more. NEED: by section, without
 * alignments. DIVISOR: of all sizes and alignments. Jobs come by birth. */
int64_t	packing_aligned(struct arena *scratch, const struct instance *, int64_t divisor, const int64_t *need, int64_t best);

/* Each method below takes an instance of at least one job, and the height BEST of the offsets
 * that its jobs have (INT64_MAX: none yet). It returns the height of what it leaves there, which is
 * never worse. It stops at TARGET. */

/* packing_fit.c: as many fits, in several orders; O(n) an item. */
int64_t	packing_fit(struct instance *, int64_t best, int64_t target, int fits, struct effort *);
/* The same again and again, each time first of all with those that stuck out the time before. */
int64_t	packing_complain(struct instance *, int64_t best, int64_t target, struct effort *);
/* Of items without alignments or tails: small ones beside LARGE, an instance of all others, which
 * stay where they are; their index is their place in the instance. The jobs' order stays. */
int64_t	packing_fit_beside(struct instance *, const struct instance *large, struct job *small, int64_t best, int64_t target,
	    struct effort *);
/* packing_coarse.c: items that are large or take much room, as an instance of their own in that
 * arena, with sections of its own; their index is their place in the other, and *SMALL gets the
 * rest. PART: of all room, what is much. TIGHT: those that are alive at only one of the two fullest
 * instants are large, too, and stay. False: there are few others, or some have alignments or tails;
 * or TIGHT adds none, as where the two are not nearly as full. */
bool	packing_coarse(const struct instance *, struct arena *, double part, bool tight, struct instance *large, struct job **small);
/* packing_fit_beside() where there is little room: small ones make others move, but for those that
 * stay. */
int64_t	packing_fit_tightly(struct instance *, const struct instance *large, struct job *small, int64_t best, int64_t target,
	    struct effort *);
/* packing_lanes.c: where many items can have one place in turn, but not all is
 * full nearly all the time; else nothing is done. */
int64_t	packing_lanes(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_full.c: where all is full nearly all the time; else nothing is done. */
bool	packing_is_full(const struct instance *);
/* Is any byte free at any time, of as many as are needed at most? */
bool	packing_has_waste(const struct instance *);
int64_t	packing_full(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_sweep.c: the same, of instances without alignments or tails, by way of time. */
int64_t	packing_sweep(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_orders.c: of instances that are full all the time, without alignments or tails, without a
 * gap; else nothing is done. */
int64_t	packing_orders(struct instance *, int64_t best, int64_t target, struct effort *);
/* One sweep, of an instance that is full all the time: from the end for odd numbers. Are all jobs
 * placed without a gap? */
bool	packing_orders_once(struct instance *, int number, struct effort *);
/* packing_dissect.c: of instances that are full all the time, without alignments or tails, by what
 * can be joined to larger rectangles; what is left, broken up again, is swept as by
 * packing_orders(). Few that are left are solved as they are, or, DEEP, broken up again, with half
 * of the effort, and sweeps may leave a little room free. */
int64_t	packing_dissect(struct instance *, int64_t best, int64_t target, bool deep, struct effort *);
/* packing_large.c: O(log n) an item, for very many. */
int64_t	packing_large(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_eject.c: makes an answer lower, as long as the effort lasts. */
int64_t	packing_eject(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_reinsert.c: the same of instances without alignments or tails, item by item of what
 * determines the height. */
int64_t	packing_reinsert(struct instance *, int64_t best, int64_t target, struct effort *);
/* packing_elastic.c: the same of not too many, where what has its place makes room for others. */
int64_t	packing_elastic(struct instance *, int64_t best, int64_t target, struct effort *);
/* And where that comes to rest, others wander meanwhile, as long as the effort lasts. */
int64_t	packing_wander(struct instance *, int64_t best, int64_t target, struct effort *);

/* packing_search.c: all packings, in the limits of the effort. What it needs is made once; a search
 * at another capacity starts anew. */
enum search_end { SEARCH_FOUND, SEARCH_IMPOSSIBLE, SEARCH_GIVEN_UP };

/* NULL: too many that live together. LIKE, or NULL, is another of the instance, which must live as
 * long. */
struct search_turns	*packing_search_new(struct instance *, const struct search_turns *like);
/* The same, to be asked just below what others have found. */
struct search_turns	*packing_search_below(struct instance *, const struct search_turns *like);
/* Visits of one way down, which on networks often leads to an answer. */
int64_t		 packing_search_dive(const struct instance *);
/* The K-th, from 1, of capacities that fill [low, high) ever more densely: a half, a quarter, three
 * quarters, an eighth, ... of the way (van der Corput 1935). */
int64_t		 packing_search_between(int64_t low, int64_t high, int k);
enum search_end	 packing_search(struct search_turns *, int64_t capacity, struct effort *);
/* The first way down alone, of one order, given up where it does not get further. A search goes on
 * from there. */
enum search_end	 packing_dive(struct search_turns *, int64_t capacity, struct effort *);
/* The same of all orders, until one leads to an answer. */
enum search_end	 packing_dives(struct search_turns *, int64_t capacity, struct effort *);

#endif
