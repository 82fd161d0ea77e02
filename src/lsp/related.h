/*
 * The specs that what a file says counts for: its own, and those that use the file. They are
 * compiled as they are, and again with changes, and compared.
 */
#ifndef STOWAGE_LSP_RELATED_H
#define STOWAGE_LSP_RELATED_H

#include "lsp/same.h"
#include "lsp/document_tree.h"

struct related {
	const char *path;	/* absolute, all links resolved */
	struct document *document;
	struct tree *tree;
	struct spec *spec;	/* as it is; NULL: it cannot be read */
	struct diags diags;
	struct evaluated evaluated;
	struct form *form;	/* by module; NULL until related_forms() */
};

struct relations {
	VEC(struct related) all;	/* the document first */
};

/* The document, and, if what it or a file that it uses says is SHARED by all that use the file at
 * PATH, these: what is open, and all specs of the project. */
void	related_find(struct server *, struct arena *, struct document *, const char *path, bool shared,
	    struct relations *);
void	related_free(struct relations *);
/* Is a layer or a block made of those bytes of the file in any of them? Not after
 * related_forms(). */
bool	related_covers(struct arena *, const struct relations *, struct loc);
/* Takes the modules apart. */
void	related_forms(struct arena *, struct relations *);
/* The least sameness of all of them with what another server has open; SAME_NOT where the document
 * has errors, or one gets some. Others that have errors do not count. */
enum sameness	related_compare(struct server *changed, struct arena *, const struct relations *);

#endif
