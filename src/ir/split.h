/*
 * Layers that are split over ranks, as operators see it: op->ranks.split() makes of a node what one
 * rank does of it, with these functions. All ranks run the same graph, on the same samples; what
 * differs is which part of a parameter a rank has.
 *
 * A tensor is whole, alike on all ranks, or its last axis is split: it is so many blocks side by
 * side, mostly one, and of each block a rank has its share, the first rank the first. Where the
 * whole is [.., b n] a rank has [.., b n / ranks]:
 *
 *     whole    | q q q q | k k k k | v v v v |        3 blocks
 *     rank 0   | q q | k k | v v |                    rank 1   | q q | k k | v v |
 *
 * A layer goes from whole to split by the rows of its weights that a rank has, and from split to
 * whole by their columns (Shoeybi and others, Megatron-LM, 2019). What then goes between ranks is
 * one sum forward and one backward:
 *
 *     x -> split_enter -> dense, its rows -> relu -> dense, its columns -> split_sum -> y
 *          (backward: split_sum of dx)                                     (backward: dy as it is)
 *
 * What can do nothing with a split operand gets split_join of it, which brings all columns to all
 * ranks.
 */
#ifndef STOWAGE_IR_SPLIT_H
#define STOWAGE_IR_SPLIT_H

#include "ir/op.h"

struct split {
	struct module *m;
	struct graph *g;	/* as it is so far: nodes are appended */
	int64_t ranks;
	int known;		/* how many tensors there were before; of those made since none is asked for */
	int *blocks;		/* by id: of a split tensor; 0: it is whole */
	int *wanted;		/* by id: the most blocks that a node which splits wants of it */
	struct tensor **entered, **joined;	/* by id: what split_enter() and split_whole() made */
	struct tensor **part;	/* by a parameter's id: a rank's part of it */
};

/* Can layers of that operator say split=ranks? */
bool		 split_can_be_said(const struct op *);
/* Does it, or what it differentiates, say split=ranks; and is it split, as several ranks train the
 * module? */
bool		 split_is_said(const struct node *);
bool		 split_is_done(const struct module *, const struct node *);

/* The first of the graph that says so; NULL: none does. */
const struct node	*split_first(const struct graph *);

/* Of how many blocks the last axis of T is split; 0: it is whole, or absent. */
int		 split_blocks(const struct split *, const struct tensor *);
/* T, of which ranks add up the gradients: each has the part that is through its share of what reads
 * it. */
struct tensor	*split_enter(struct split *, const struct node *, struct tensor *t);
/* All of T. */
struct tensor	*split_whole(struct split *, const struct node *, struct tensor *t);
/* Operand K becomes the rank's part of that parameter along the axis; false after an error. */
bool		 split_parameter(struct split *, struct node *, int k, int axis, int blocks);
/* The attributes of the node, to be changed. */
struct attr	*split_attr(struct split *, struct node *, const char *name);
/* The rank's share of the last axis of a result, which was whole. */
void		 split_result(struct split *, struct tensor *, int blocks);
/* Appends the node. */
void		 split_append(struct split *, struct node *);
/* Appends the node, whose result is now what a rank adds to a sum; and the sum, with BIAS, if that
 * is not NULL. */
void		 split_append_sum(struct split *, struct node *, struct tensor *bias);
/* Reports that so many THINGS of the node cannot be shared out alike, and returns true. */
bool		 split_uneven(struct split *, const struct node *, int64_t n, const char *things);

#endif
