/*
 * The one layout of a spec: `stowage fmt`. Only blanks, line ends and needless commas change; the
 * words, their order, the comments and the meaning of the spec stay the same.
 */
#ifndef STOWAGE_FMT_FORMAT_H
#define STOWAGE_FMT_FORMAT_H

#include "base/diag.h"
#include "base/edit.h"

/* The source laid out, under the same path. NULL when there are syntax errors, which are in the
 * diags: what is not understood is not touched. */
struct source	*fmt_source(struct arena *, struct diags *, const struct source *);

/* The edits that make NEW of OLD, of which NEW is the layout: small ones, for a diff to be read. */
void	fmt_edits(struct edits *, struct arena *, const struct source *old,
	    const struct source *new);

#endif
