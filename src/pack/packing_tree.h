/*
 * One depth-first search for a packing within a capacity, which can be suspended and resumed.
 * See packing_tree.c.
 */
#ifndef STOWAGE_PACK_PACKING_TREE_H
#define STOWAGE_PACK_PACKING_TREE_H

#include "pack/packing_impl.h"

struct tree;

#define TREE_KEYS	3

struct tree_key {		/* the largest comes first; the keys count one after the other */
	double key[TREE_KEYS];
	int index;		/* of the job */
};

/* The jobs' keys, sorted. Key number TOTAL (-1: none) is the fullest section of the job, which
 * the search brings up to date for each part. */
struct tree	*tree_new(const struct instance *, const struct tree_key *, int total);
int		 tree_key_order(const void *, const void *);	/* for qsort */
/* Begins anew. */
void		 tree_start(struct tree *, int64_t capacity);
/* Takes the order of FROM, a tree of the same instance, with each key off by a random part, up to
 * AMOUNT of it. Then it must be started. */
void		 tree_shake(struct tree *, const struct tree *from, double amount, uint64_t *seed);
/* Goes on for about that many visits; those used are added to *used. */
enum search_end	 tree_run(struct tree *, int64_t visits, int64_t *used);
/* After SEARCH_FOUND: the offsets, into the instance's jobs. */
void		 tree_answer(const struct tree *, struct instance *);

/* ---- inside: packing_tree.c and packing_tree_new.c ---- */

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
	/* the instance, by rank */
	const struct job **job;
	int64_t *size;
	int *lower, *upper;
	int *twin;		/* the one before that is alike; -1: none */
	int *same;		/* the class of those with this lifetime that may be exchanged; -1 */
	uint64_t *overlap;	/* words each */
	uint64_t *within;	/* by section: words of those alive in it */
	/* the state */
	int64_t *offset, *minimum;	/* by rank */
	uint64_t *left;			/* to come */
	int64_t highest;		/* no minimum to come is above it */
	int64_t *floor, *total;		/* by section */
	int *witness;			/* by section: was seen to come, no higher than the floor */
	int *crossing;			/* by section: how many to come live on in the next one */
	int *topmost;			/* by class: the last placed; -1 */
	int *below;			/* by rank: the class's topmost before it */
	struct pending *pending;	/* room for a section's members */
	int *list;			/* of the parts */
	int *waiting;			/* room for places in it */
	struct tree_key *key;		/* by rank */
	struct tree_key *sorted;	/* room for them */
	int total_key;			/* which of them is the fullest section; -1 */
	struct part *part;
	struct frame *frame;
	struct choice *choice;
	int *placed;
	struct raised *raised, *lifted;		/* logs of minimums, of floors */
	int nparts, nframes, nplaced, nraised, nlifted, maxraised, maxlifted, maxchoices, maxlist;
	struct arena *arena;
	int64_t visits;
	enum search_end end;
};

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
