/* What the callee of a call takes. */
#ifndef STOWAGE_LSP_SIGNATURE_H
#define STOWAGE_LSP_SIGNATURE_H

#include "ir/op.h"
#include "lsp/call_site.h"
#include "lsp/document_tree.h"

/* The arguments of an operator or a reader; NULL: it is none, or has none. */
const struct attr_spec	*call_attrs(const struct call_site *);
/* The block of that name, where the document sees one; else NULL. */
const struct block	*call_block(const struct tree *, const struct call_site *);

#endif
