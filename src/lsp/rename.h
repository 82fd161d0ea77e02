/*
 * Renaming: the places that a new name goes to, which are more than the uses of a symbol: paths of
 * settings have its name as a segment, `v.f` reads a definition inside a block, and data are given
 * to inputs by name.
 */
#ifndef STOWAGE_LSP_RENAME_H
#define STOWAGE_LSP_RENAME_H

#include "lsp/related.h"

struct renaming {
	struct server *server;
	struct arena *arena;
	const struct symbol *symbol;
	const char *name;	/* the new one */
	struct relations specs;
	struct changes changes;
	const char *why;	/* it cannot be done; NULL: it can */
};

/* Fills the changes. */
void	rename_edits(struct renaming *);

#endif
