/*
 * Two formulas of elements that become one, where the second alone reads what the first makes: what
 * the passes join-formulas and join-gradients share.
 */
#ifndef STOWAGE_PASSES_JOINED_H
#define STOWAGE_PASSES_JOINED_H

#include "formula/formula.h"
#include "ir/ir.h"

#define JOINED_DEAREST	400	/* multiplications of a joined formula, for each element */

/* What both read together, each once: at most FORMULA_OPERANDS; -1: there are more. */
int	joined_operands(const struct node *maker, const struct node *reader, struct tensor **in);
/* Their formula, and what it is of. */
struct formula	*joined_formula(struct arena *, const struct node *maker, const struct node *reader, struct tensor **in);
/* The reader becomes both. */
void	joined_make(struct module *, const struct node *maker, struct node *reader);
/* Operands of a node that have their own bytes, about as many as the result. */
int	joined_whole(const struct node *);

#endif
