/*
 * Which comment allows which finding. Covers and findings are sorted by file, rule and line, and
 * gone through together: the covers that have begun wait in a heap, the narrowest on top. One that
 * has ended is over for all later findings too, so it leaves the heap when it comes to the top. N
 * findings and M covers take O((N + M) log (N + M)).
 *
 *      line  1         4    5    6         9
 *            |-----------------------------|     allow-file(r)
 *                      |---------|               allow(r) above a block
 *                           |                    allow(r) on the line: this one is used for a
 *                                                finding here, the wider ones are not
 */
#ifndef STOWAGE_LINT_COMMENT_MATCH_H
#define STOWAGE_LINT_COMMENT_MATCH_H

#include "base/diag.h"
#include "base/vec.h"
#include "syntax/ast.h"

struct comment_cover {		/* one name in one comment */
	const struct suppression *by;
	int file, rule, name;
	int from, to;		/* lines */
	bool used;		/* set by comment_match(): a finding is allowed by it */
};

struct comment_covers {
	VEC(struct comment_cover) all;
};

struct suppressible {		/* a finding that can be suppressed */
	int file, rule, line;
	struct diag *finding;	/* NULL: one that is only possible */
	const struct comment_cover *by;	/* set by comment_match(); NULL: none allows it */
};

struct suppressibles {
	VEC(struct suppressible) all;
};

void	comment_covers_sort(struct comment_covers *);

/* Sorts the findings; the covers are sorted already. May be called again for other findings. */
void	comment_match(struct arena *scratch, struct comment_covers *, struct suppressibles *);

#endif
