/*
 * One depth-first search for a packing within a capacity, which can be left and taken up again.
 * See packing_tree.c.
 */
#ifndef STOWAGE_PLAN_PACKING_TREE_H
#define STOWAGE_PLAN_PACKING_TREE_H

#include "plan/packing_impl.h"

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

#endif
