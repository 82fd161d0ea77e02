/*
 * Edits of a text: ranges of a source, and their replacements. They are collected, then applied all
 * at once or shown as a unified diff for patch(1) and git apply. Everything between the ranges is
 * copied byte for byte: comments, blanks, line ends and all.
 */
#ifndef STOWAGE_BASE_EDIT_H
#define STOWAGE_BASE_EDIT_H

#include "base/source.h"
#include "base/text.h"
#include "base/vec.h"

struct edit {
	int beg, end;		/* bytes [beg, end) of the source; empty: an insertion */
	const char *text;	/* in their place */
};

struct edits {
	struct arena *arena;
	const struct source *src;
	VEC(struct edit) all;	/* by place; insertions at one place in the order they came */
};

void	edits_init(struct edits *, struct arena *, const struct source *);
struct edits	*edits_new(struct arena *, const struct source *);

/* Adds one; false, and nothing is added, when it would change bytes that another one changes. The
 * same replacement a second time is no other one. */
bool	edits_add(struct edits *, int beg, int end, const char *text);

/* The source as edited, under the same path. */
struct source	*edits_apply(const struct edits *);

/* What is the same as both: FIRST, and SECOND, which are edits of what the first one made. */
struct edits	*edits_then(const struct edits *first, const struct edits *second);

/* Appends the unified diff from the source to what edits_apply() gives; nothing when they are the
 * same. */
void	edits_diff(const struct edits *, struct text *);

#endif
