/*
 * Which arguments of a call are the tensors that it is applied to, and which fill what it takes
 * besides: conv(x, 16, 3) and x -> conv(16, 3) are the same. What the tree alone cannot tell stays
 * untold.
 */
#ifndef STOWAGE_LSP_CALL_SHAPE_H
#define STOWAGE_LSP_CALL_SHAPE_H

#include "ir/op.h"
#include "lsp/document_tree.h"

struct call_shape {
	const struct expr *call;	/* NULL: the tree has none there */
	bool piped;		/* it is a step of a pipe, from which its first tensors come */
	int tensors;		/* leading arguments that are some, or may be */
	bool sure;		/* that it is so many */
};

/* Does the name surely stand for a tensor, which is no layer? */
bool	is_tensor_symbol(const struct tree *, const struct symbol *);
/* How many inputs a block names; of one that names none, `in` is the only one. */
int	block_inputs_named(const struct block *);
/* Of the call whose name begins at that byte of the document; of OP, or else of BLOCK. */
struct call_shape	call_shape_at(const struct tree *, int head, const struct op *, const struct block *);

#endif
