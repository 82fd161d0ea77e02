/* What the pass transposed takes from the product of matrices. */
#ifndef STOWAGE_OPS_MATMUL_H
#define STOWAGE_OPS_MATMUL_H

#include "ir/op.h"

extern const struct op op_matmul;
/* Can the node, if it is a product, read operand K with its last two axes exchanged? */
bool	matmul_can_transpose(const struct node *, int k);
/* Reads operand K, which is what a transpose of its last two axes makes, as the transpose's input
 * lies. */
void	matmul_read_transposed(struct module *, struct node *, int k, struct tensor *from);
/* Does the node only exchange the last two axes of its input? */
bool	permute_is_transpose(const struct node *);

#endif
