/*
 * The engine that runs the rules of rule_table over what a spec became, and drops findings that
 * the spec's own comments allow.
 */
#ifndef STOWAGE_RULES_LINT_H
#define STOWAGE_RULES_LINT_H

#include "rules/rule.h"

/* Source rules run on each file, the others on each module that was planned. */
void	lint_run(struct diags *, const struct file *const *file, int nfiles,
	    struct module *const *module, int nmodules);

/* Drops the findings of lint rules and the language's warnings on lines a suppression covers, and
 * reports suppressions that name no rule. Errors of the language cannot be suppressed. */
void	lint_suppress(struct diags *, const struct file *const *file, int nfiles);

const struct rule	*rule_find(const char *name);	/* by name or id; NULL when unknown */
const char		*family_name(enum family);

/* Sizes for messages, in the arena: "9.66 GiB"; "10,373,441,024" */
const char	*lint_human(struct arena *, int64_t bytes);
const char	*lint_commas(struct arena *, int64_t n);

#endif
