/* The engine that runs the rules of rule_table over what a spec became. */
#ifndef STOWAGE_RULES_LINT_H
#define STOWAGE_RULES_LINT_H

#include "lint/levels.h"
#include "lint/rule.h"

/* Can no rule find anything in a plan of this network that its sketch does not show? */
bool	lint_sketch_serves(const struct spec *, struct module *sketch);

/* Source rules run on each file, the others on each module that was planned; those that are off are
 * left out. LEVELS, by file, may be NULL: none is. Where the plan is a sketch, it must serve. OPTIONS
 * are those that the spec was loaded with, for cures that change its text; NULL: none. */
void	lint_run(struct diags *, const struct file *const *file, struct levels *const *levels,
	    int nfiles, struct module *const *module, int nmodules, const struct lang_options *);

const struct rule	*rule_find(const char *name);	/* by name or id; NULL when unknown */
const char		*family_name(enum family);

/* Sizes for messages, in the arena: "9.66 GiB"; "10,373,441,024" */
const char	*lint_human(struct arena *, int64_t bytes);
const char	*lint_commas(struct arena *, int64_t n);

#endif
