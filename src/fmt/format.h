/*
 * The one layout of a spec: `stowage fmt`. Only blanks, line ends and needless commas change; the
 * words, their order and the comments stay, and so does what the spec means.
 */
#ifndef STOWAGE_LANG_LAYOUT_H
#define STOWAGE_LANG_LAYOUT_H

#include "base/diag.h"
#include "base/edit.h"

/* The source laid out, under the same path. NULL when there are syntax errors, which are in the
 * diags: what is not understood is not touched. */
struct source	*layout_source(struct arena *, struct diags *, const struct source *);

/* The edits that make NEW of OLD, of which NEW is the layout: small ones, for a diff to be read. */
void	format_edits(struct edits *, struct arena *, const struct source *old,
	    const struct source *new);

#endif
