/*
 * Operators that do a formula to what they make before they store it, in place of a node of its own behind them:
 * their attribute `then` (kernels/pointwise/epilogue.cu).
 */
#ifndef STOWAGE_OPS_THEN_H
#define STOWAGE_OPS_THEN_H

#include "calls/emitter.h"

/* The last attribute of such an operator. Its formula is of what the operator makes and, where it has two operands, of
 * a tensor of the same size beside it. */
#define THEN_ATTR	{ "then", ATTR_FORMULA, "what is done to each element", .required = true }

/* The node's attributes with that formula, in place of one that it has. */
struct attr	*then_attrs(struct arena *, const struct node *, const struct formula *then);
/* The node's formula; NULL: it has none. */
const struct formula	*then_of(const struct node *);

/* calls.note and calls.define of such operators */
void		then_note(struct emitter *, const struct node *);
void		then_define(struct emitter *, const struct node *);
/* The argument of their calls: "THEN(SILU)", or "THEN_WITH(SILU_GRAD, F32(1024))"; of a node without one "AS_IS". */
struct call_arg	then_arg(struct emitter *, const struct node *, const struct tensor *beside);

#endif
