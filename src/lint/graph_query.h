/*
 * What rules ask of a network's graph: who reads a tensor, what made it, which node repeats its
 * operands, where batch normalisation is.
 */
#ifndef STOWAGE_LINT_GRAPH_QUERY_H
#define STOWAGE_LINT_GRAPH_QUERY_H

#include <string.h>

#include "ir/op.h"
#include "lint/rule.h"

static inline bool
node_is(const struct node *n, const char *op)	/* NULL is nothing */
{
	return n && *n->op->name == *op && strcmp(n->op->name, op) == 0;
}

/* Who reads what in the forward graph: found once for all rules. */
struct tensor_readers	readers_of(struct lint *);

/* The only reader of out[0], or NULL. */
struct node	*only_reader(const struct tensor_readers *, const struct node *);

/* The operand's maker, past nodes that give each element a place of its own, unchanged: views and
 * dropout. NULL for inputs and parameters. */
struct node	*tensor_maker(const struct tensor *);

/* Does the node's arithmetic repeat both operands, so that its result is GROWTH times the larger or
 * more? What they were before they were repeated. */
bool	node_repeats(const struct node *, int64_t growth, const struct tensor **x,
	    const struct tensor **y);

/* Of [N, 1, D] and [1, M, D] the result is [N, M, D], and this is true: all pairs of vectors. Of a
 * column and a row, [N, 1] and [1, M], nothing is in both. */
bool	node_pairs_vectors(const struct node *, const struct tensor *x, const struct tensor *y);

/* The first batch normalisation of training that takes its statistics from the batch (a frozen one
 * does not), or NULL; and over how many positions of one sample it takes them. */
const struct node	*first_batchnorm(const struct module *);
int64_t	batchnorm_positions(const struct node *);

#endif
