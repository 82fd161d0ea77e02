/*
 * The syntax tree of a document and of the files that it uses, and what its names stand for. Unlike
 * the compiler's, it is there in spite of mistakes: a name that is not found stands for nothing.
 */
#ifndef STOWAGE_LSP_DOCUMENT_TREE_H
#define STOWAGE_LSP_DOCUMENT_TREE_H

#include "base/map.h"
#include "syntax/ast.h"

struct server;
struct tape;
struct document;

enum symbol_kind {
	SYMBOL_PARAM, SYMBOL_BLOCK, SYMBOL_NETWORK,	/* of the file */
	SYMBOL_FORMAL,					/* of a block */
	SYMBOL_INPUT, SYMBOL_TARGET,			/* of a network, or a block's input */
	SYMBOL_DEF, SYMBOL_LABEL, SYMBOL_RESULT,	/* RESULT: the name of a loss or metric */
	SYMBOL_DEVICE
};

struct symbol {
	enum symbol_kind kind;
	const char *name;
	struct loc loc;		/* of the name where it is defined */
	struct loc whole;	/* of the definition */
	const struct block *block;	/* SYMBOL_BLOCK; else the block it is in, or NULL */
	const struct map *inside;	/* SYMBOL_BLOCK: the names of its body */
	const struct network *network;	/* the same */
	const struct stmt *stmt;	/* SYMBOL_DEF, INPUT, TARGET, RESULT; LABEL: it is in */
	const struct expr *expr;	/* PARAM: its value; DEF, LABEL: what it names; FORMAL: its default */
	const struct formal *formal;
	const struct type *type;
};

struct use {			/* a place where a name stands: a definition, or a reference */
	struct loc loc;
	struct symbol *symbol;
	bool definition;
};

struct body {			/* of a block or network */
	const struct block *block;
	const struct network *network;
	struct loc loc;
	struct map *names;	/* to struct symbol */
};

struct tree_file {
	struct file *file;
	const char *path;	/* absolute, all links resolved */
	struct map *names;	/* that it sees, to struct symbol: its own, then those of what it uses */
};

struct tree {
	struct arena *arena;
	struct diags diags;	/* of syntax; nobody reads them */
	struct file *file;	/* of the document */
	VEC(struct tree_file) files;	/* it, then what it uses, all together */
	struct tape *tape;	/* the tokens of the document; syntax/parse.h */
	VEC(struct symbol *) symbols;	/* of all files; those of the document in their order first */
	VEC(struct use) uses;	/* of the document and of the others */
	VEC(struct body) bodies;
};

struct tree	*tree_make(struct server *, struct document *);
void		 tree_free(struct tree *);

/* The name at that byte of the document (or just before it), and what it stands for; NULL: no known
 * one. */
const struct use	*tree_use_at(const struct tree *, int at);
/* The innermost call or name of an operator at that byte; NULL: none. */
const struct expr	*tree_layer_at(const struct tree *, int at);
/* The block or network around that byte; NULL: none. */
const struct body	*tree_body_at(const struct tree *, int at);
const struct section	*tree_section_at(const struct tree *, int at);
/* The statement, setting or item that begins nearest above that byte and holds it: what a comment
 * above it is about. A place that holds none has no source. */
struct loc	tree_statement_at(const struct tree *, int at);

/* Calls VISIT for each expression, outermost first. */
void	tree_walk(const struct file *, void (*visit)(void *context, const struct expr *),
	    void *context);

void	tree_walk_expr(const struct expr *, void (*visit)(void *context, const struct expr *), void *context);

static inline bool
loc_holds(struct loc l, int at)
{
	return l.src && at >= l.beg && at <= l.end;
}

#endif
