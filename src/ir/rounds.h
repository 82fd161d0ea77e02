/*
 * Bodies: a node may run a graph of its own many times, as scan does for each step of a sequence.
 * The graph is what its attribute of type ATTR_BODY holds, made once when the spec was expanded:
 *
 *     inputs    one for each operand: T_INPUT, of which each round gets a copy of its own, such as a step of it; then
 *               T_ACTIVATION, what the layer reads of the graph around it, which stays where it is
 *     nodes     which read these, persistent tensors, and one another
 *     results   what a round makes
 *
 * The node's operands are those of the inputs, then the persistent tensors in the order in which
 * nodes read them. A body is never changed. What is run of it is a copy, a module of its own with
 * one graph, `train`: passes plan it as they plan any other (passes/bodies.c), and the node's
 * scratch memory is as large as that plan. There what lies outside is a parameter, which takes no
 * part of it.
 */
#ifndef STOWAGE_IR_ROUNDS_H
#define STOWAGE_IR_ROUNDS_H

#include "ir/op.h"

struct rounds {			/* what a node runs many times */
	int which;		/* of those that its operator has, from 0 on */
	struct rounds *next;	/* of these; all use the same scratch memory */
	struct module *m;
	struct tensor **given;	/* of the copy: what each operand of the node is there; op->rounds.make() may add to it */
	struct tensor **made;	/* and what a round makes, as the operator has them; NULL: nothing is made */
	int ngiven, nmade;
	/* once it is planned: */
	int64_t bytes;		/* of scratch memory */
	int64_t *place;		/* by the id of a tensor that has bytes of its own: where in these; -1: outside */
};

/* What the body's nodes read that is persistent: *LIST has each once; how many. */
int	body_params(struct arena *, const struct graph *body, struct tensor ***list);
/* Multiply-adds of a run of the graph's nodes. */
struct affine	graph_macs(const struct graph *);
/* Makes a copy of the node's body in M, for one batch. */
struct rounds	*rounds_new(struct module *m, const struct node *, int which, int64_t batch);
/* Those of the node, once they are planned; else NULL. */
const struct rounds	*rounds_of(const struct node *);

#endif
