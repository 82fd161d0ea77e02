/*
 * What check.c (definitions and bodies) and check_expr.c (expressions) share. Private to them.
 */
#ifndef STOWAGE_LANG_CHECK_IMPL_H
#define STOWAGE_LANG_CHECK_IMPL_H

#include "lang/expander.h"

struct tally {			/* uses of a name so far in this definition */
	const char *name;
	int uses;
};

struct checker {
	struct expander *ex;
	struct unit *unit;
	struct map known;	/* names of the body defined so far, to their struct name */
	struct map later;	/* all names its statements define */
	VEC(struct tally) tally;
	bool in_block;		/* else a network, or a param */
	bool has_bad;		/* a statement could not be parsed: it may have defined a name */
	int repeats, depth;
};

enum position { POS_VALUE, POS_FIRST, POS_LAYER };	/* POS_FIRST: first arm of a pipe */

/* Looks at an expression, and makes what is wrong in it E_BAD. */
void	check_walk(struct checker *, struct expr *, enum position);
/* Makes a name known from here on. */
void	check_define(struct checker *, const struct name *);

#endif
