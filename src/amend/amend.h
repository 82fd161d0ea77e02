/*
 * Changing what a spec says, in its own style: a setting given another value, or added where it
 * reads well; a literal replaced, in the param that holds it if there is one. The result is edits
 * of the spec's own file (base/edit.h). Files it uses are not touched, and nothing is checked:
 * callers compile the result.
 */
#ifndef STOWAGE_AMEND_AMEND_H
#define STOWAGE_AMEND_AMEND_H

#include "base/edit.h"
#include "syntax/ast.h"
#include "lang/expand.h"

struct amend_setting {		/* of a section that is not there yet */
	enum section_kind kind;
	const char *key, *value;
};

struct amend {
	struct arena *arena;
	const struct file *file;
	const struct network *network;	/* whose settings they are */
	const struct lang_options *options;	/* a param set by -D is not edited */
	struct edits edits;
	VEC(struct amend_setting) fresh;
	const char *left;	/* which param was not edited, and why; NULL: none */
};

/* FILE parsed without errors. OPTIONS may be NULL. */
void	amend_init(struct amend *, struct arena *, const struct file *, const char *network,
	    const struct lang_options *);

/* The section that counts for the network, and a setting of it; NULL when not there. */
const struct section	*amend_section(const struct amend *, enum section_kind);
const struct setting	*amend_find(const struct amend *, enum section_kind, const char *key);

/* Makes the setting say VALUE. A new one comes behind the setting AFTER, or else at the end. False
 * when the place is taken by another change. */
bool	amend_set(struct amend *, enum section_kind, const char *key, const char *value,
	    const char *after);
/* Adds a value to a setting of several: freeze stem, layer1. */
bool	amend_append(struct amend *, enum section_kind, const char *key, const char *value);

/* Replaces an expression of the file. Where it is the name of a param, that param's literal is
 * replaced instead: if it is used nowhere else, or EVERYWHERE is asked for. */
bool	amend_value(struct amend *, const struct expr *, const char *text, bool everywhere);

/* All of it as edits. */
struct edits	*amend_done(struct amend *);

#endif
