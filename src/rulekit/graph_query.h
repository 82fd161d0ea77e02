/*
 * What rules ask of a network's graph: who reads a tensor, what made it, which node repeats its
 * operands, where weights and batch normalisation are; and of its optimizer.
 */
#ifndef STOWAGE_RULEKIT_GRAPH_QUERY_H
#define STOWAGE_RULEKIT_GRAPH_QUERY_H

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

/*
 * All readers of a tensor, in the graph's order; a node that reads it twice comes twice:
 *
 *	struct reader_walk w = readers_from(&readers, t, 0);
 *	while (next_reader(&w))
 *		... w.node, the graph's node w.at, reads it as its operand w.operand
 *
 * Nodes ahead of the one it begins at are passed over: none of them reads what that one makes.
 */
struct reader_walk {
	const struct node *node;
	int at, operand;
	const struct tensor_readers *readers;
	const struct tensor *of;
	int left;
};

struct reader_walk	readers_from(const struct tensor_readers *, const struct tensor *, int at);
bool	next_reader(struct reader_walk *);

/* Is all that N makes passed over by where() where it is not finite, perhaps past functions of one
 * element; or, of what is INFINITE at worst, brought back between bounds? */
bool	node_is_guarded(const struct tensor_readers *, const struct node *, bool infinite);

/* The node that made a tensor, looking through views and dropout, which leave each element in a
 * place of its own. NULL for inputs and parameters. */
struct node	*tensor_maker(const struct tensor *);

/* Is it a layer that multiplies its input by weights? Does a node read parameters that are trained?
 * How many layers are both. */
bool	node_has_weights(const struct node *);
bool	node_is_trained(const struct node *);
int	trained_layers(const struct module *);

/* A number that the optimizer was given, or its default; 0 where it has no such argument. */
double	optimizer_real(const struct settings *, const char *name);

/* A number of an optimizer's, as "lr", that the spec says somewhere; and what a rule has to say of
 * one. */
struct optimizer_number {
	double value;
	const struct op *optimizer;
	const struct attr *attr;	/* all of its arguments */
	struct loc loc;
	bool part;			/* of a group of parameters alone, whose share may be next to nothing */
};
typedef void	judge_number(const struct rule *, struct lint *, const struct optimizer_number *);

/* Each "lr" or "weight_decay" of a network that is trained: its optimizer's, that of groups with
 * one of their own, and of updates with an optimizer of their own. */
void	each_optimizer_number(const struct rule *, struct lint *, const char *name, judge_number *);

/* Does an arithmetic node repeat both operands, so that its result is at least GROWTH times the
 * larger? Then X and Y are the operands before they were repeated. */
bool	node_repeats(const struct node *, int64_t growth, const struct tensor **x,
	    const struct tensor **y);

/* True of [N, 1, D] and [1, M, D], whose result [N, M, D] has all pairs of vectors; false of a
 * column and a row, [N, 1] and [1, M], which share no axis. */
bool	node_pairs_vectors(const struct node *, const struct tensor *x, const struct tensor *y);

#define FEWEST_SAMPLES	16	/* of a batch normalisation: of fewer its statistics are noisy (Group normalization, table 2) */

/* The first batch normalisation of training that takes its statistics from the batch (a frozen one
 * does not), or NULL: where ranks train together, one of a rank's share, if there is any; how many
 * samples of a batch, which is B on each rank, it averages over, and how many positions of one
 * sample. */
const struct node	*first_batchnorm(const struct module *);
int64_t	batchnorm_samples(const struct module *, const struct node *, int64_t b);
int64_t	batchnorm_positions(const struct node *);

/* The first, by the same order, that averages over one position, so that a batch of one gives it a
 * single number. */
const struct node	*first_batchnorm_of_vectors(const struct module *);

#endif
