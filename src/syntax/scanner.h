/*
 * The scanner's own state, and what grammar/lexer.l and scan_number.c share. Private to them;
 * everybody else calls scanner_next() of syntax/token.h.
 */
#ifndef STOWAGE_SYNTAX_SCANNER_H
#define STOWAGE_SYNTAX_SCANNER_H

#include "syntax/parse.h"

struct scanner {
	struct parse *p;
	const char *base;	/* the buffer; places are distances from it */
	void *flex;
	struct token *tok;	/* the one being scanned */
	bool line_start;	/* no token yet on this line */
	bool no_comment_end;	/* no star-slash from here on */
	bool lone_return;	/* one was reported */
	int stray_end;		/* where the last run of bytes that are no text ended */
};

/* ---- grammar/lexer.l ---- */

struct loc	scanner_place(const struct scanner *, const char *text, int length);
/* Fills the token that is being scanned; returns its kind. */
int		scanner_token(struct scanner *, int kind, struct loc);
int		scanner_literal(struct scanner *, enum expr_kind, struct loc);

/* ---- scan_number.c: each returns the token's kind ---- */

int	scanner_number(struct scanner *, const char *text, int length);
/* A number and a word: a size, or a number that happens to stand before a word (then *LENGTH
 * becomes that of the number alone), or a mistake. */
int	scanner_number_word(struct scanner *, const char *text, int *length);
int	scanner_bad_number(struct scanner *, const char *text, int length);

#endif
