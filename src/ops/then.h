/*
 * Operators that do a formula to what they make before they store it, in place of a node of its own
 * behind them: their attribute `then` (kernels/pointwise/epilogue.cu).
 */
#ifndef STOWAGE_OPS_THEN_H
#define STOWAGE_OPS_THEN_H

#include "calls/emitter.h"
#include "calls/sizes.h"

/* The last attribute of such an operator. Its formula is of what the operator makes and, where it
 * has two operands, of a tensor of the same size beside it. */
#define THEN_ATTR	{ "then", ATTR_FORMULA, "what is done to each element", .required = true }

/* The node's attributes with that formula, in place of one that it has. */
struct attr	*then_attrs(struct arena *, const struct node *, const struct formula *then);
/* The node's formula; NULL: it has none. */
const struct formula	*then_of(const struct node *);

/* What passes back to the value before that formula: of dy and of the value itself, or where it
 * reads a tensor beside of dy and the result; to that tensor passes the same. NULL: it is not so,
 * or there is none. */
const struct formula	*then_passed(struct arena *, const struct formula *then);
/* then.can of operators whose backward makes the value, and that of it, twice for each element. */
bool		then_is_passed(struct arena *, const struct node *, const struct formula *then);
/* Does its operator take such a formula behind what the node does, of that many operands, all as
 * large as its result? */
bool		then_takes(const struct node *, int operands);
/* What it is to do then: what it does so far, and the formula of READER, whose operand K is its
 * result. */
const struct formula	*then_both(struct arena *, const struct node *, const struct node *reader, int k);
/* Makes it do that, and read what the reader reads beside; its result is the caller's to name. Its
 * attributes lie in that arena. */
void		then_join(struct module *, struct arena *, struct node *, const struct formula *, const struct node *reader, int k);
/* What its formula reads beside, its last operand; NULL: nothing. How many others it has. (Of nodes
 * that were joined so.) */
struct tensor	*then_beside(const struct node *);
int		then_operands(const struct node *);

/* Formulas, each once: kernels of a program take so many. */
struct then_set {
	const struct formula *of[EPILOGUES_MOST];
	int n;
};

/* Those of a module's graphs. */
void		then_gather(struct then_set *, const struct module *);
/* Is it among them, or are there fewer than MOST, so that it is now? Of another it keeps the
 * address. */
bool		then_admits(struct then_set *, const struct formula *, int most);

/* calls.note and calls.define of such operators */
void		then_note(struct emitter *, const struct node *);
void		then_define(struct emitter *, const struct node *);
/* The argument of their calls: "THEN(SILU)", or "THEN_WITH(SILU_GRAD, F32(1024))"; of a node
 * without one "AS_IS". */
struct call_arg	then_arg(struct emitter *, const struct node *, const struct tensor *beside);

#endif
