/*
 * Edits that leave a network what it is: a part of it becomes a block, a block its parts. Paths are
 * made of the names of definitions and blocks, so most such edits give weights other paths, and a
 * checkpoint would not match. That is found out by compiling the edited text, and said in the
 * title; what is no longer the same graph, or has an error, is not offered at all.
 */
#ifndef STOWAGE_LSP_REFACTOR_H
#define STOWAGE_LSP_REFACTOR_H

#include "lsp/related.h"

/* A CodeAction for those bytes of the document; NULL: there is none. */
json_t	*extract_action(struct server *, struct document *, struct arena *, size_t beg, size_t end);
json_t	*inline_action(struct server *, struct document *, struct arena *, size_t beg, size_t end);

/* ---- what they share ---- */

struct refactoring {
	struct server *server;
	struct document *document;
	struct arena *arena;
	struct tree *tree;	/* of the document */
	const struct source *src;	/* its text, as the tree has it */
	struct relations specs;
	struct edits *best;	/* of the document; NULL: nothing is found yet */
	enum sameness same;	/* with these */
	bool drops;		/* comments may go with what they are about */
};

/* False: there is nothing to work on. WITHIN: the bytes that are changed, of which something must
 * be made, or nothing is known of the change. It is freed in either case. */
bool	refactor_begin(struct refactoring *, struct server *, struct document *, struct arena *,
	    struct loc within, bool shared);
/* Tries edits, and keeps them if none that are as good are found yet. */
void	refactor_try(struct refactoring *, struct edits *);
void	refactor_end(struct refactoring *);
/* The best edits that inline the block whose use is there. */
struct refactoring	inline_use(struct server *, struct document *, struct arena *, struct loc word);
/* The action for the best edits; NULL: there are none. */
json_t	*refactor_action(struct refactoring *, const char *title, const char *kind);

const char	*loc_text(struct arena *, struct loc);
/* The same with some of its bytes replaced: those of the edits that lie in it. */
const char	*loc_edited(struct arena *, struct loc, const struct edits *);
/* A name like that one which nothing of the file has, nor an operator. */
const char	*fresh_name(struct arena *, const struct tree *, const char *like);
/* The arms of a pipe as it is written, first to last; a pipe in brackets is one arm. */
const struct expr	**written_arms(struct arena *, const struct expr *, int *n);
/* Where the lines begin that a definition at file level stands on, comments above it included. */
int	item_start(const struct source *, int at);

#endif
