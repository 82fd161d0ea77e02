/*
 * The filter between scanner and parser: state and helpers shared by filter.c (heads, keywords, the
 * flow of tokens), filter_bracket.c (brackets), filter_word.c (what a name means where it stands)
 * and filter_habit.c (what other languages write). Private to them.
 */
#ifndef STOWAGE_SYNTAX_FILTER_H
#define STOWAGE_SYNTAX_FILTER_H

#include "syntax/parse.h"

#define LOOKAHEAD	4

enum filter_mode { IN_FILE, IN_BODY, IN_SETTINGS };

struct bracket {
	char kind;		/* ( [ { */
	bool list;		/* its contents are separated by commas: a call's or a type's */
	bool nested;		/* a '{' where none belongs */
	bool round;		/* a '[' that the text wrote as '(' */
	int ifs;		/* conditions that were open around it */
	struct loc loc;
};

/* How far the head of a block, network or section has been read. */
enum head_state { HEAD_NONE, HEAD_START, HEAD_NAMED, HEAD_FORMALS };

struct filter {
	struct parse *p;
	struct token ahead[LOOKAHEAD];	/* read from the scanner, not yet looked at */
	int nahead;
	VEC(struct token) out;		/* ready for the parser */
	int taken;			/* of out */
	struct token prev;		/* the last one put out */

	struct bracket open[MAX_BRACKETS];
	int depth;			/* of open */
	int64_t over;			/* brackets beyond MAX_BRACKETS; contents dropped */
	int forgiven[128];		/* by kind: closers a repair made superfluous */
	struct loc statement;		/* the name or keyword the current statement starts with */

	enum filter_mode mode;
	int head;			/* the keyword whose '{' is awaited, or 0 */
	enum head_state head_state;
	bool head_wrong;		/* a mistake in this head has been reported */
	int declares;			/* TOK_INPUT or TOK_TARGET, in such a statement */
	int names;			/* the same while its names are read, or 0 */
	bool type;			/* in an input's or target's type */
	int ifs;			/* if without its then, inside the innermost bracket */
	bool skip_line;			/* drop everything up to the next line */
	bool guessed;			/* a word was left out of this setting: say so only once */
	bool commas;			/* between the settings of this section have been reported */
};

const struct token	*filter_peek(struct filter *, int k);
void			 filter_drop(struct filter *);	/* the next token from the scanner */
void			 filter_put(struct filter *, struct token);
/* The '{' after an item's head, and the '}' that the text lacks. */
void			 filter_enter_body(struct filter *, struct token brace);
void			 filter_leave_body(struct filter *);
/* A token the text lacks, as if it stood just after the last one. */
void			 filter_insert(struct filter *, int kind, const char *text);
void			 filter_begin_statement(struct filter *);
bool			 filter_in_brackets(const struct filter *);
/* Closes round and square brackets, because BEFORE cannot stand inside them. */
void			 filter_close_brackets(struct filter *, const struct token *before);
/* Handles T as the file-level or statement keyword that its kind says. */
void			 filter_keyword(struct filter *, struct token t);
/* Reports, unless the parser is throwing this part of the text away; see syntax_error(). */
struct diag		*filter_error(struct filter *, struct loc, const char *fmt, ...)
			    __attribute__((format(printf, 3, 4)));
/* Reports a word that is not a unit, for which RIGHT was probably meant. */
void			 filter_unknown_unit(struct filter *, const struct token *,
			    const char *right);
/* Reports what is missing before T; not while the parser throws tokens away at all. */
struct diag		*filter_missing(struct filter *, const struct token *t,
			    const char *expected);
/* Says that a comma is missing before T, and puts it out. */
void			 filter_missing_comma(struct filter *, const struct token *t);
/* Is everything before this point a complete value, so that the next name cannot belong to it? */
bool			 filter_complete(const struct filter *);
bool			 filter_begins_value(int kind);

/* ---- filter_bracket.c ---- */

/* Puts out an opening bracket, or the closer of the innermost one. */
void	filter_push(struct filter *, struct token, bool list, bool nested);
void	filter_pop(struct filter *, struct token);
void	filter_open_bracket(struct filter *, struct token);
void	filter_close_bracket(struct filter *, struct token);
void	filter_close_brace(struct filter *, struct token);
/* Closes everything: an item starts, or the file ends. */
void	filter_close_all(struct filter *, const struct token *before);
/* Leaves brackets that are too deep unclosed. */
void	filter_give_up_brackets(struct filter *);

/* ---- filter_word.c ---- */

/* A name, or a keyword where it can only be one. */
void	filter_word(struct filter *, struct token);

/* ---- filter_habit.c ---- */

/* Reports T where it is how another language would write this, and makes it what is meant here.
 * False: it is left out. */
bool	filter_habit(struct filter *, struct token *t);
/* The head of a device section with the card's name NAME, which is a setting. */
void	filter_device(struct filter *, struct token name);

#endif
