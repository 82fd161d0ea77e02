/*
 * What the pass table-rows takes from embedding: the gradient of its table, and what it makes of
 * that.
 */
#ifndef STOWAGE_OPS_EMBEDDING_H
#define STOWAGE_OPS_EMBEDDING_H

#include "ir/op.h"

/* in: dy, ids; out: the gradient of the table */
extern const struct op op_embedding_grad;
/* in: the table, dy, ids, its master copy in f32 where there is one; out: the table after a step of
 * sgd without momentum and decay, and its copy */
extern const struct op op_embedding_sgd;

#endif
