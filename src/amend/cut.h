/*
 * Small changes of a spec's text that fixes are made of: a layer taken out of its pipe, an argument
 * given or taken away, a statement removed with its line, a name changed. What comes of them is
 * edits (base/edit.h) of the spec's own file; settings are amend/amend.h's.
 *
 * Nothing is checked: code that applies a fix compiles the result. All functions return false, and
 * add nothing, if the text does not have a form they know, or if a comment would be lost; then
 * there is no fix, and the finding is reported without one.
 */
#ifndef STOWAGE_AMEND_CUT_H
#define STOWAGE_AMEND_CUT_H

#include "base/edit.h"
#include "syntax/ast.h"
#include "base/map.h"

/* Where a layer stands in the syntax tree: found by the place that nodes of the graph and findings
 * have, which is its name, or its label's. */
struct cut_place {
	const struct file *file;
	const struct block *block;	/* NULL: it is in a network's body */
	const struct network *network;	/* NULL: it is in a block's */
	const struct stmt *stmt;
	struct arena *arena;
	VEC(const struct expr *) up;	/* from the statement's expression down to the layer */
};

/* False where it is in another file, in a setting, or where several networks share its block: what
 * is right for one of them need not be for another. */
bool	cut_find(struct cut_place *, struct arena *, const struct file *, struct loc);

/* The layer itself: a call, or a bare name. */
const struct expr	*cut_layer(const struct cut_place *);

/* Takes the layer out: the arm with its arrow, and its line where that holds nothing else; of
 * LAYER(x) the x stays. */
bool	cut_out(struct edits *, const struct cut_place *);

/* Adds a layer behind it: x -> LAYER -> relu. */
bool	cut_behind(struct edits *, const struct cut_place *, const char *layer);

/* Gives the call the argument NAME=VALUE; one that is there and written as a literal changes. */
bool	cut_argument(struct edits *, const struct expr *call, const char *name, const char *value);

/* Removes a statement, block or setting: with its lines, where nothing else is on them. A comment
 * behind it stays; of empty lines before and after one goes too. */
bool	cut_lines(struct edits *, struct loc);
bool	cut_param(struct edits *, const struct global *);

/* ---- parameters of blocks ---- */

struct cut_call {
	const struct expr *call;
	const struct cut_call *next;
};

struct cut_calls {		/* all calls of a file, by what they name */
	struct arena *arena;
	struct map by_name;	/* to struct cut_call, the first of them */
};

void	cut_calls_init(struct cut_calls *, struct arena *, const struct file *);

/* Takes the I-th parameter away, and what calls in this file give it. */
bool	cut_drop_formal(struct edits *, const struct cut_calls *, const struct block *, int i);

/* Gives it another name: where it is declared and used, and where calls in this file name it. */
bool	cut_rename_formal(struct edits *, const struct cut_calls *, const struct block *, int i,
	    const char *to);

/* ---- walks ---- */

/* Calls F with each expression of the tree, parents first. The parser bounds its depth. */
void	cut_walk(const struct expr *, void (*f)(void *, const struct expr *), void *);
void	cut_walk_stmts(const struct stmt *, int n, void (*f)(void *, const struct expr *), void *);

#endif
