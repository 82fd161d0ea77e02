/*
 * The syntax tree of a .nn file, as parsed: no name is looked up, no number folded. The parser
 * (grammar/parser.y) makes it; lang/expand.c and the source rules read it. All of it lives in the
 * compilation's arena. Grammar and meaning: stowage(5).
 */
#ifndef STOWAGE_SYNTAX_AST_H
#define STOWAGE_SYNTAX_AST_H

#include "base/diag.h"
#include "base/map.h"
#include "syntax/number.h"

enum expr_kind {
	E_BAD,		/* stands where a syntax error was reported; evaluates to a poisoned value */
	E_NUM,		/* num */
	E_SIZE,		/* num, in bytes: 8GiB */
	E_DURATION,	/* num, name is "epochs" or "steps" */
	E_STR,		/* name is the text without quotes */
	E_BOOL,		/* flag */
	E_NAME,		/* name */
	E_PATH,		/* name is the whole dotted path: layer3.*, *.bias, body.0.conv */
	E_STAR,		/* a lone * as a setting's value */
	E_CALL,		/* name(args) */
	E_TUPLE,	/* (a, b), args; at least two unless written (a,) */
	E_IF,		/* if a then b else c */
	E_PIPE,		/* a -> b */
	E_LABEL,	/* name: a */
	E_BINARY,	/* a op b */
	E_UNARY,	/* op a */
	E_INDEX,	/* a[args] */
	E_RANGE,	/* a:b:c, each of which may be NULL: in an index alone */
	E_ELLIPSIS	/* ...: in an index alone */
};

enum expr_op {
	OPR_ADD, OPR_SUB, OPR_MUL, OPR_DIV, OPR_MOD, OPR_POW, OPR_EQ, OPR_NE, OPR_LT, OPR_LE, OPR_GT, OPR_GE,
	OPR_AND, OPR_OR, OPR_NOT, OPR_NEG
};

struct arg {
	const char *name;	/* NULL when positional */
	struct loc name_loc;
	struct expr *value;
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	struct loc loc;		/* the whole expression */
	struct loc head;	/* its operator, name or label: where a caret points */
	const char *name;
	struct number num;
	bool flag;
	struct expr *a, *b, *c;
	struct arg *arg;
	int nargs;
	int count;		/* set by lang/check.c: it is the k-th use of its name as a layer in
				 * its definition; 0: not one */
};

/* Where the name of an E_NAME or E_PATH stands: its loc, without the brackets around it. */
struct loc	expr_word(const struct expr *);

struct type {			/* f32[1, 28, 28], class[10], tokens[T, vocab=V] */
	const char *name;
	struct loc loc, name_loc;
	struct arg *arg;
	int nargs;
};

struct name {
	const char *text;
	struct loc loc;
};

enum stmt_kind { S_BAD, S_DEF, S_INPUT, S_TARGET, S_LOSS, S_METRIC };

struct stmt {
	enum stmt_kind kind;
	struct loc loc;
	struct name *name;	/* S_DEF: one; S_INPUT, S_TARGET: one or more; S_LOSS, S_METRIC: none
				 * (a name given to a loss is an E_LABEL in its expr) */
	int nnames;
	struct type *type;	/* S_INPUT in a network, S_TARGET; NULL for a block's inputs */
	struct expr *expr;	/* S_DEF, S_LOSS, S_METRIC */
};

struct formal {			/* a parameter of a block */
	struct name name;
	struct expr *value;	/* its default, or NULL */
};

struct block {
	struct name name;
	struct loc loc;
	struct formal *formal;
	int nformals;
	struct stmt *stmt;
	int nstmts;
};

struct network {
	struct name name;
	struct loc loc;
	struct stmt *stmt;
	int nstmts;
};

struct setting {
	struct name key;	/* "batch", "optimizer", "metric", ... */
	struct loc loc;
	struct expr **value;
	int nvalues;
};

enum section_kind { SEC_TRAIN, SEC_VALIDATE, SEC_DEVICE, SEC_LINT };

#define SECTION_KINDS	(SEC_LINT + 1)

struct section {
	enum section_kind kind;
	/* the network or device it is for, the pattern of paths of a lint section; text NULL when
	 * unnamed */
	struct name name;
	struct loc loc, head;
	struct setting *setting;
	int nsettings;
};

struct global {			/* param classes = 1000 */
	struct name name;
	struct expr *value;
};

struct import {			/* use "blocks.nn" */
	const char *path;	/* as written */
	struct loc loc;
};

struct suppression {		/* # stowage: allow(rule, rule) reason */
	struct loc loc;
	struct name *rule;
	int nrules;
	bool own_line;
	const char *reason;	/* "" when none is given */
	int from_line, to_line;	/* the lines it covers, inclusive; allow-file covers all */
};

struct file {
	const struct source *src;
	VEC(struct import) imports;
	VEC(struct global) globals;
	VEC(struct block *) blocks;
	VEC(struct network *) networks;
	VEC(struct section *) sections;
	VEC(struct suppression) suppressions;
	/* the first of each name, so that what is asked of every network takes no walk over all */
	struct map network_named;		/* to struct network */
	struct map section_named[SECTION_KINDS];	/* to struct section */
	struct section *section_unnamed[SECTION_KINDS];
	bool has_loss;		/* one of the networks does */
};

/* The first section of that kind and name (NULL: the one without), or NULL. */
const struct section	*file_first_section(const struct file *, enum section_kind, const char *name);

/* Parses a whole file, reporting every syntax error to the diags; never returns NULL. */
struct file	*parse_file(struct arena *, struct diags *, const struct source *);
/* The same, with all that is inside statements in the arena TREE: once that is freed, file_forget()
 * must have been called. */
struct file	*parse_file_apart(struct arena *, struct arena *tree, struct diags *, const struct source *);
/* From now on definitions and sections have nothing inside. */
void		 file_forget(struct file *);

#endif
