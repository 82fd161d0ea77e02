/*
 * The settings there are, one record each: whose section it stands in, what it may look like, and
 * who reads it. Checks of sections, the filter's words and the reading itself go by this table,
 * whose rows stand beside the readers, in lang/setting_values.c.
 */
#ifndef STOWAGE_SYNTAX_SETTING_H
#define STOWAGE_SYNTAX_SETTING_H

#include "syntax/ast.h"

struct expander;
struct settings;
struct device;
struct tensor;

struct staged {			/* a network's inputs, then its targets */
	struct tensor *const *tensor;
	int n;
};

struct setting_kind {
	enum section_kind section;
	const char *key;
	bool many;		/* may have several values */
	bool again;		/* may stand there several times */
	bool size;		/* where it is wrong, the sizes of batches are not known */
	const char *doc;	/* one phrase: its meaning, unit, default; stowage(5) says more */
	const char *values;	/* some that people write, "a|b(1)"; NULL: a number, or names of a table */
	/* Exactly one of these, or none where the linter reads it: before the network is expanded;
	 * after it, once there are paths and tensors; as part of a device. */
	void (*read)(struct expander *, const struct setting *, struct settings *);
	void (*bind)(struct expander *, const struct setting *, struct settings *,
	    const struct staged *);
	void (*device)(struct expander *, const struct setting *, struct device *);
};

extern const struct setting_kind setting_kinds[];	/* the last has no key */

/* NULL: that section has no such setting. */
const struct setting_kind	*setting_kind(enum section_kind, const char *key);

#endif
