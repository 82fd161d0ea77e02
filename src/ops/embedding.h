/*
 * What the pass that updates rows of a table takes from embedding: the gradient of the table.
 */
#ifndef STOWAGE_OPS_EMBEDDING_H
#define STOWAGE_OPS_EMBEDDING_H

#include "ir/op.h"

/* in: dy, ids; out: the gradient of the table */
extern const struct op op_embedding, op_embedding_grad;

#endif
