/*
 * One depth-first search for a packing within a capacity, which can be suspended and resumed.
 * See packing_tree.c.
 */
#ifndef STOWAGE_PACK_PACKING_TREE_H
#define STOWAGE_PACK_PACKING_TREE_H

#include "pack/packing_impl.h"

struct tree;

/* Who is alive with whom, for all trees of an instance that cut time alike. */
struct crowd {
	int n, sections;	/* or slices */
	bool fine;
	const struct job **job;	/* by birth */
	int *place;		/* of the instance's jobs among them */
	int *born;		/* by section: how many were born before it */
	uint64_t **within;	/* by section: words [first, end) of the set of those alive in it */
	int *first, *end;
};

/* FINE: slices stand for sections. NULL: it would take too much memory. */
struct crowd	*crowd_new(const struct instance *, bool fine);

#define TREE_KEYS	3

struct tree_key {		/* the largest comes first; the keys count one after the other */
	double key[TREE_KEYS];
	int index;		/* of the job; inside of a tree its rank */
};

/* The jobs' keys, sorted. Key number TOTAL (-1: none) is the fullest section of the job, which
 * the search brings up to date for each part. The crowd must live as long. */
struct tree	*tree_new(const struct instance *, const struct crowd *, const struct tree_key *, int total);
int		 tree_key_order(const void *, const void *);	/* for qsort */
/* Begins anew. */
void		 tree_start(struct tree *, int64_t capacity);
/* The same of one that was started at a higher one. What led to no answer there leads to none here,
 * so it goes on from its choices, as far as they can stay. */
void		 tree_lower(struct tree *, int64_t capacity);
int64_t		 tree_capacity(const struct tree *);
/* Takes the order of FROM, a tree of the same instance, with each key off by a random part, up to
 * AMOUNT of it. Then it must be started. */
void		 tree_shake(struct tree *, const struct tree *from, double amount, uint64_t *seed);
/* Goes on for about that many visits; those used are added to *used. What would take too much
 * memory is given up. */
enum search_end	 tree_run(struct tree *, int64_t visits, int64_t *used);
/* The same, as long as it gets further now and then; and whether it ended since it did not. */
enum search_end	 tree_dive(struct tree *, int64_t visits, int64_t *used);
bool		 tree_is_stuck(const struct tree *);
/* After SEARCH_FOUND: the offsets, into the instance's jobs. */
void		 tree_answer(const struct tree *, struct instance *);

/* ---- inside: packing_tree.c, packing_tree_place.c and packing_tree_new.c ---- */

#define NOWHERE	(-1)

struct raised {			/* log of minimums and floors */
	int64_t was;
	int index;
};

struct pending {
	int64_t minimum, size;
};

struct part {			/* sections [beg, end) with nothing across its borders */
	int beg, end;
	int parent;		/* the frame that made it; -1: none */
	bool last;		/* of its siblings */
	int first, n;		/* in list: its items in their order */
};

struct choice {
	int64_t offset;
	int job;
	int place;		/* in the part's list */
};

struct frame {
	int part;
	int next, end;			/* in choices: what to try next */
	int placed;			/* logs and parts up to here are older than the choice */
	int raised, lifted, parts;
	int64_t highest;		/* before it */
	bool chosen;
};

struct tree {
	int n, sections, words;
	int64_t capacity;
	int64_t padded;		/* the capacity with the padding of the topmost */
	int64_t padding;
	const struct crowd *crowd;
	/* the instance, by birth */
	const struct job **job;
	int64_t *size;
	int *lower, *upper;
	int *rank;		/* in the order of keys */
	int *twin;		/* the one before in that order that is alike; -1: none */
	int *same;		/* the class of those with this lifetime that may be exchanged; -1 */
	int *by_rank;
	/* the state */
	int64_t *offset, *minimum;	/* by birth */
	uint64_t *left;			/* to come */
	int64_t highest;		/* no minimum to come is above it */
	int64_t *floor, *total;		/* by section */
	int *witness;			/* by section: was seen to come, no higher than the floor */
	int *crossing;			/* by section: how many to come live on in the next one */
	int *topmost;			/* by class: the last placed; -1 */
	int *below;			/* by birth: the class's topmost before it */
	struct pending *pending;	/* room for a section's members */
	int *list;			/* of the parts */
	int *waiting;			/* room for places in it */
	struct tree_key *key;		/* by birth; each knows its rank */
	struct tree_key *sorted;	/* room for them */
	int total_key;			/* which of them is the fullest section; -1 */
	struct part *part;
	struct frame *frame;
	struct choice *choice;
	int *placed, *guide;		/* the latter: what to place again first of all, in this order */
	struct raised *raised, *lifted;		/* logs of minimums, of floors */
	int nparts, nframes, nplaced, nguide, nraised, nlifted, maxraised, maxlifted, maxchoices, maxlist;
	struct arena *arena;
	int64_t visits;
	bool dives;			/* hardly a choice is going to be taken back */
	bool stuck;			/* for long none got further */
	enum search_end end;
};

/* Places job I of a part at its minimum; false if that cannot lead to an answer. */
bool		 tree_place(struct tree *, const struct part *, int i);
/* Whatever came after a frame's choice, with it. */
void		 tree_take_back(struct tree *, struct frame *);

static inline bool
has(const uint64_t *set, int i)
{
	return set[i >> 6] >> (i & 63) & 1;
}

static inline void
flip(uint64_t *set, int i)
{
	set[i >> 6] ^= (uint64_t)1 << (i & 63);
}

#endif
