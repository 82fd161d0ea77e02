/*
 * Tokens on their way from the scanner (grammar/lexer.l) through the filter (syntax/filter.c) to
 * the parser (grammar/parser.y). Kinds are the parser's own numbers, TOK_... of grammar/parser.h,
 * and the characters themselves for one-character tokens. Everything a token points to is in the
 * compilation's arena.
 */
#ifndef STOWAGE_SYNTAX_TOKEN_H
#define STOWAGE_SYNTAX_TOKEN_H

#include "syntax/ast.h"

struct parse;
struct scanner;

struct token {
	int kind;
	int depth;		/* brackets and braces around it; set by the filter */
	bool line_start;	/* nothing but blanks before it on its line */
	struct loc loc;
	const char *text;	/* a word's spelling; NULL for a name that is missing */
	struct expr *expr;	/* a literal's value */
};

/* Scans p->src. Mistakes inside a token are reported, and a token that lets the parser go on is
 * returned in its place. At the end of the text every call gives the end token (kind 0). */
struct scanner	*scanner_new(struct parse *p);
void		 scanner_next(struct scanner *, struct token *);

#endif
