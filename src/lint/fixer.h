/*
 * Fixing what lint found: the fixes of findings are applied to the text, the new text is compiled
 * and checked again, and that is repeated until nothing more is fixed. No file is written here.
 *
 * A fix is kept only if the new text has no error that was not there before, and, for a fix that
 * says it is safe, exactly the same graph, paths included. Fixes that touch the same bytes wait for
 * the next round.
 */
#ifndef STOWAGE_LINT_FIXER_H
#define STOWAGE_LINT_FIXER_H

#include "base/diag.h"
#include "ir/ir.h"
#include "lang/expand.h"

struct checked {		/* a text, and what lint says of it */
	struct source *source;
	struct spec *spec;
	struct diags diags;	/* sorted; without what is suppressed */
};

struct fixer {
	struct arena *arena;
	bool unsafe;		/* those too that change what is computed */
	struct checked	*(*check)(struct arena *, struct source *, const void *context);
	const void *context;
	/* Frees what is for the findings alone, which are known by now; NULL: nothing is. */
	void	(*settle)(struct checked *);
};

struct fixed {
	struct checked *last;	/* the text as fixed: the first one where nothing was */
	struct edits *edits;	/* that make it of the first; NULL: nothing was fixed */
	int n;			/* findings fixed */
	bool stopped;		/* no more may be tried: the next time it may go on */
};

/* Findings whose fix is refused say why, and have none any more. */
struct fixed	lint_fix(struct fixer *, struct checked *first);

#endif
