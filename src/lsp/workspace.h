/* All specs that the open documents may have to do with. */
#ifndef STOWAGE_LSP_WORKSPACE_H
#define STOWAGE_LSP_WORKSPACE_H

#include "lsp/server.h"
#include "lsp/document_tree.h"

/* Calls VISIT with each spec that is not open, by its file: those below the FOLDER; NULL: below the
 * folders of the projects of all open documents. */
void	workspace_files(struct server *, struct arena *, const char *folder,
	    void (*visit)(void *context, const char *path, const struct source *), void *context);

/* Calls VISIT with the tree of each open document, and of each other spec below their projects'
 * folders that has WORD in its text; NULL: of all. A tree is gone afterwards where its file is not
 * open. */
void	workspace_each(struct server *, struct arena *, const char *word,
	    void (*visit)(void *context, const struct tree *), void *context);

#endif
