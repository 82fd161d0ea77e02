/*
 * Lint sections, of project files and of specs, as the linter takes them.
 *
 *     lint {                              # in .stowage
 *       ignore   "last-batch", hygiene
 *       error    "no-downsampling"
 *       as       pytorch
 *       exclude  "third_party"
 *       baseline "stowage.baseline"
 *     }
 *     lint "legacy" { ignore all }
 *
 * A spec's own section has the keys about rules, and `as`.
 */
#ifndef STOWAGE_LINT_CONFIG_H
#define STOWAGE_LINT_CONFIG_H

#include "lang/project.h"
#include "lint/levels.h"

struct config_word {
	const char *text;
	struct loc loc;
};

struct config_words {
	VEC(struct config_word) all;
};

struct config_flag {
	bool on;
	struct loc loc;		/* NULL source: not set */
};

struct config_part {		/* a lint section of a project file */
	const char *pattern;	/* of the files it is for; NULL: all */
	struct level_layer layer;
};

struct lint_config {
	const struct project *project;	/* NULL: there is none, and all below is unset */
	VEC(struct config_part) parts;	/* the one for all files first */
	struct config_words as, exclude;
	struct config_flag require_reason, inline_suppressions;
	int fail_on;		/* the least severity that fails the run; SEV_ERROR + 1: none */
	struct loc fail_on_loc;
	struct config_word baseline;	/* an absolute path; text NULL: none */
};

/* Reads the lint sections of a project file (NULL: nothing is set); mistakes go to its own
 * diags. */
struct lint_config	*config_read(struct arena *, struct project *);

/* The lint section of a spec, if it has one: its layer, and the frameworks it names. */
void	config_of_spec(struct arena *, struct diags *, const struct file *, struct level_layer *,
	    struct config_words *as);

/* The levels that hold for the file at the absolute PATH. OWN, what its own section says, and
 * OPTIONS may be NULL. */
struct levels	*config_levels(struct arena *, const struct lint_config *, const char *path,
		    const struct level_layer *own, const struct level_layer *options);

/* Is the absolute PATH left out where folders are walked? */
bool	config_excludes(struct arena *, const struct lint_config *, const char *path);

/* The word of `fail_on` and of its option: 0 error, 1 warning, 2 note, 3 never; NULL beyond. */
const char	*config_fail_on_name(int i);
int	config_fail_on(int i);	/* the severity it stands for */

#endif
