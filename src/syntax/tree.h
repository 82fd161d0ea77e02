/*
 * Making syntax trees: what the actions of grammar/parser.y call. Expressions come with their
 * depth, so that none deeper than MAX_EXPR_DEPTH is ever made; the marks of unfinished lists are
 * positions in the stacks of struct parse.
 */
#ifndef STOWAGE_SYNTAX_TREE_H
#define STOWAGE_SYNTAX_TREE_H

#include "syntax/parse.h"

struct parsed	build_bad(struct parse *, struct loc);
struct parsed	build_literal(struct parse *, struct expr *);
struct parsed	build_bool(struct parse *, struct loc, bool flag);
struct parsed	build_word(struct parse *, enum expr_kind, const char *name, struct loc);
struct parsed	build_binary(struct parse *, enum expr_op, struct parsed a, struct parsed b,
		    struct loc head);
struct parsed	build_unary(struct parse *, enum expr_op, struct parsed a, struct loc head);
struct parsed	build_pipe(struct parse *, struct parsed a, struct parsed b, struct loc head);
struct parsed	build_label(struct parse *, struct name, struct parsed a);
struct parsed	build_if(struct parse *, struct parsed a, struct parsed b, struct parsed c,
		    struct loc head);
/* a:b:c, at LOC with its colons; parts that are left out have no expr */
struct parsed	build_range(struct parse *, struct parsed a, struct parsed b, struct parsed c, struct loc);
/* The arguments pushed since MARK. */
struct parsed	build_call(struct parse *, struct name, int mark, struct loc);
struct parsed	build_index(struct parse *, struct parsed a, int mark, struct loc);
struct parsed	build_tuple(struct parse *, int mark, struct loc);
struct type	*build_type(struct parse *, struct name, int mark, struct loc);

void	push_arg(struct parse *, const char *name, struct loc name_loc, struct parsed);
void	drop_args(struct parse *, int mark);
void	push_stmt(struct parse *, struct stmt);
/* A statement that defines the names pushed since the last one. */
struct stmt	build_names(struct parse *, enum stmt_kind, struct type *, struct loc);
struct stmt	build_def(struct parse *, struct name, struct parsed, struct loc);

void	file_block(struct parse *, struct name, struct loc);
void	file_network(struct parse *, struct name, struct loc);
void	file_section(struct parse *, int token, struct name, struct loc head, struct loc);
void	push_setting(struct parse *, struct name, struct loc);

#endif
