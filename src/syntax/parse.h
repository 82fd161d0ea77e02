/*
 * What the parts of one parse share: scanner, filter and parser. Private to them; all other code
 * uses parse_file() of syntax/ast.h.
 */
#ifndef STOWAGE_SYNTAX_PARSE_H
#define STOWAGE_SYNTAX_PARSE_H

#include "syntax/token.h"

/* Deepest nesting of brackets. */
#define MAX_BRACKETS	200
/* Deepest expression tree, counting a chain a -> b -> c as a tree; so that every later walk may
 * recurse. An expression beyond it is reported and becomes E_BAD. */
#define MAX_EXPR_DEPTH	256
/* Syntax errors reported for one file. */
#define MAX_SYNTAX_ERRORS	50

struct parsed {			/* an expression while it is built */
	struct expr *e;
	int depth;
};

struct comment {		/* a "# stowage:" comment as scanned */
	struct loc loc;
	bool own_line;
};

struct tape {			/* the tokens of a file, the end token included */
	VEC(struct token) all;
};

struct parse {
	struct arena *arena;
	struct arena *tree;		/* for expressions and statements, and their lists */
	struct diags *diags;
	const struct source *src;
	struct file *file;
	struct scanner *scanner;
	struct filter *filter;

	struct token look;		/* the parser's lookahead, and the token before it */
	struct token before;
	/* While the parser throws tokens away: the bracket depth at which the mistake was. Tokens
	 * inside deeper brackets are withheld from it. -1 otherwise. */
	int panic;

	/* Where the scanner last dropped something it reported: that the tokens around it do not
	 * fit together is no second mistake. */
	int dropped;

	int errors;			/* syntax errors, reported or not */
	struct diag unreported;		/* stands for those beyond the limit */
	VEC(struct comment) comments;
	struct tape *tape;			/* takes down every token; or NULL */

	/* Lists being built, as stacks: a finished list is copied out and its part dropped. */
	VEC(struct arg) args;
	VEC(int) arg_depth;
	VEC(struct name) names;
	VEC(struct formal) formals;
	VEC(struct stmt) stmts;
	VEC(struct expr *) values;
	VEC(struct setting) settings;
};

/* Is the file Python? Then that is reported, and nothing in it is read. */
bool		 python_reported(struct parse *);

/* Reports a syntax error; beyond the limit returns a diagnostic that is never shown. */
struct diag	*syntax_error(struct parse *, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 3, 4)));
/* The same for what the scanner drops. */
struct diag	*syntax_drop(struct parse *, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 3, 4)));
/* A diagnostic that is never shown, for remarks that are not wanted. */
struct diag	*syntax_unreported(struct parse *);
/* Was something dropped between these two tokens? */
bool		 syntax_dropped(const struct parse *, const struct token *, const struct token *);
/* The place just after a token, where something is missing. */
struct loc	 loc_after(struct loc);
/* A token as a message names it: "'relu'", "end of file". */
const char	*token_text(struct parse *, const struct token *);

/* What the grammar would have accepted, by token kind; see expect.c. */
#define TOKEN_KINDS	400
void	expect_report(struct parse *, const bool accepted[TOKEN_KINDS]);

/* As parse_file(), and takes down the tokens that the parser saw: where there is a syntax error,
 * made-up ones among them. */
struct file	*parse_tape(struct arena *, struct diags *, const struct source *, struct tape *);

/* The filter: the next token for the parser. */
struct filter	*filter_new(struct parse *);
void		 filter_next(struct filter *, struct token *);

/* Turns the comments into file->suppressions, once the tree is there. */
void	suppress_attach(struct parse *);

#endif
