/*
 * What a sweep that keeps all orders (packing_orders.c), the PQ-tree in which it keeps them
 * (packing_orders_tree.c), the ways to fill what becomes free at an instant
 * (packing_orders_split.c) and the offsets at the end (packing_orders_place.c) share.
 */
#ifndef STOWAGE_PACK_PACKING_ORDERS_H
#define STOWAGE_PACK_PACKING_ORDERS_H

#include "pack/packing_impl.h"

/* What a node is that is not a leaf: its children may come in any order (a P-node), or in this one
 * and its reverse (a Q-node). */
enum { ANY_ORDER = -1, EITHER_WAY = -2 };

/* A tree is its nodes, each before its children. */
struct node {
	int what;		/* the job of a leaf, or one of the above */
	int len;		/* nodes of its subtree, with it */
};

/* Room for trees of so many nodes. */
struct orders {
	int most;
	bool *mark;		/* by job: what is to lie together */
	int *leaves, *marked;	/* by node: of its subtree */
	struct node *made;
	int nmade;
	const struct node *put;	/* in place of what is marked; NULL: that stays */
	int nput;
	int *child;		/* room for all children on one way down */
	int children;
	int64_t looks;		/* nodes that were looked at */
};

void	orders_new(struct orders *, struct arena *, int most, int jobs);
/* orders->made: the tree of those orders in which the COUNT leaves that are marked lie together,
 * and in their place, where it is not NULL, a tree PUT. False: there is none. */
bool	orders_reduce(struct orders *, const struct node *tree, int n, int count, const struct node *put, int nput);

/* The jobs that begin and end at each instant, forward or backward in time. */
struct ends {
	const struct instance *in;
	bool backward;
	int instants;
	int *begin, *end;	/* by job */
	int *born, *first_born;	/* jobs; by instant: its first of these */
	int *dead, *first_dead;
	int *together;		/* by instant: since when all that ends there must lie together; -1: it need not */
};

static inline int
ends_born(const struct ends *e, int at)
{
	return e->first_born[at + 1] - e->first_born[at];
}

static inline int
ends_dead(const struct ends *e, int at)
{
	return e->first_dead[at + 1] - e->first_dead[at];
}

/* Groups that share an instant: of each how many end and how many begin, and which. */
struct groups {
	int *v, n;
};

/* packing_orders_split.c: a search for the groups of one instant. */
struct split;
struct split	*split_new(struct arena *, const struct ends *, struct orders *);
/* Begins an instant. */
void		 split_at(struct split *, int now);
/* All ways that are found for a tree, up to MOST, each given to TAKE. */
void		 split_tree(struct split *, const struct node *tree, int n, int most, uint64_t *seed,
		    void (*take)(void *context, const struct node *, int n, const struct groups *), void *context);

/* packing_orders_place.c */
struct step {
	const struct step *before;
	struct groups groups;	/* of one instant */
	int at;
};

/* The offsets of all that the steps put, of which LAST is the last. */
void	orders_place(struct arena *, const struct ends *, struct orders *, const struct step *last, int64_t *offset);
/* What is known to lie together from NOW on, since the last of it begins. Into TREE of *N; false:
 * it cannot. */
bool	orders_look_ahead(struct orders *, const struct ends *, int now, struct node *tree, int *n);
/* The first tree: all that begins at instant 0, in any order. */
int	orders_begin(const struct ends *, struct node *tree);

#endif
