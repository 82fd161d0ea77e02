/* Where a symbol stands, in all files that can see it. */
#ifndef STOWAGE_LSP_REFERENCES_H
#define STOWAGE_LSP_REFERENCES_H

#include "lsp/server.h"
#include "lsp/document_tree.h"

struct place {
	struct loc loc;
	bool definition;
};

struct places {
	VEC(struct place) all;	/* each once */
};

/* Do both mean the same bytes of the same file, whatever its path is written like? */
bool	loc_same(struct loc, struct loc);

/* In the files of the documents that are open, and of all specs below the project's folder. What
 * the places refer to lives as long as the arena. */
void	references_find(struct server *, struct arena *, const struct symbol *, struct places *);

#endif
