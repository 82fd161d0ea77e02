/*
 * scan, a layer at each step of sequences, with states that it hands on; and its gradient. What the
 * operands and results of their nodes are:
 *
 *     scan       sequences, states before the first step, what the cell reads of the graph around it, parameters
 *                -> what it makes at all steps, states after the last, states kept for backward
 *     scan_grad  the same operands, states kept, gradients of what it made at all steps, of states after the last
 *                -> gradients of the operands
 */
#ifndef STOWAGE_OPS_SCAN_H
#define STOWAGE_OPS_SCAN_H

#include "ir/rounds.h"

struct scan {
	const struct graph *body;
	int sequences, states;
	int operands;		/* of the body: these, what is around it, parameters */
	int made;		/* at each step; the states themselves, where the cell makes nothing else */
	int axis;		/* of time, in sequences and in what is made */
	bool reverse;
	int64_t steps, segment;	/* states are kept once in so many steps */
};

struct scan	scan_of(const struct node *);

/* Where its operands and results are: of scan, */
#define SCAN_LAST(s)	((s)->made)
#define SCAN_KEPT(s)	((s)->made + (s)->states)
/* and of scan_grad */
#define SCAN_BACK_KEPT(s)	((s)->operands)
#define SCAN_BACK_MADE(s)	((s)->operands + (s)->states)
#define SCAN_BACK_LAST(s)	((s)->operands + (s)->states + (s)->made)

/* Of the results of the body, which is state J's next; and which of what is made is the same, so
 * that nothing else is kept, -1: none. */
int	scan_next(const struct scan *, int j);
int	scan_shown(const struct scan *, int j);

/* How many segments there are. */
int64_t	scan_segments(const struct scan *);

/* scan_rounds.c: what one step runs; made[] is what is made, then the states; of scan_grad, the
 * gradients of the operands: of states and sequences at that step, of others the sums so far.
 * given[] of scan_grad goes on with the gradients of what is made and of the states after the step.
 * Where states are not kept of every step, it has a second kind of step, which makes the next
 * states alone: made[] is as of scan. */
int	scan_kinds(const struct node *);
bool	scan_make(struct rounds *, const struct node *);
bool	scan_make_grad(struct rounds *, const struct node *);

/* scan_loop.c */
struct affine	scan_work(const struct node *, const struct room *);
void	scan_define(struct emitter *, const struct node *);

/* scan_torch.c */
void	scan_torch(struct tape *, const struct node *);
int64_t	scan_torch_rounds(const struct node *);

/* scan_emit.c */
void	scan_emit(struct emitter *, const struct node *);
void	scan_emit_grad(struct emitter *, const struct node *);

#endif
