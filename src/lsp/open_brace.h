/*
 * Bodies and sections that are being written: they have no end yet, so the syntax tree has none of
 * them. They are found in the text itself.
 */
#ifndef STOWAGE_LSP_OPEN_BRACE_H
#define STOWAGE_LSP_OPEN_BRACE_H

#include "lsp/document.h"

enum brace_owner {
	BRACE_NONE,
	BRACE_BODY,		/* a block's or a network's */
	BRACE_SECTION		/* a train, validate, device or lint section's */
};

/* Whose is the innermost brace that is open before that byte? */
enum brace_owner	open_brace(const struct text_lines *, int at);

#endif
