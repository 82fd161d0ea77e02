/*
 * The linter: from a compiled spec to the findings that are reported. In come syntax trees and
 * planned modules, what the project file, the spec and the command line say of rules, and a
 * baseline; out come findings, in a struct diags, with levels, and with fixes that somebody may
 * apply.
 *
 *     compiled spec -> engine (rules/) -> suppress (levels, comments) -> baseline -> findings/
 *                           |               levels <- config                |
 *                     rule.h, measure.h,                                 fixer: edits, compiled
 *                     graph_query.h, edited_spec.h                       and checked again
 *
 * Nothing here prints or writes a file, and no graph or plan that came in is changed: a cure that
 * is tried is another module, of the same arena.
 *
 * This is the engine, which runs the rules of rule_table.
 */
#ifndef STOWAGE_LINT_ENGINE_H
#define STOWAGE_LINT_ENGINE_H

#include "lint/levels.h"
#include "lint/rule.h"

/* Can no rule find anything in a plan of this network that its sketch does not show? */
bool	lint_sketch_serves(const struct spec *, struct module *sketch);

/* Source rules run on each file, the others on each module that was planned; those that are off are
 * left out. LEVELS, by file, may be NULL: none is. Where the plan is a sketch, it must serve.
 * OPTIONS are those that the spec was loaded with, for cures that change its text; NULL: none. */
void	lint_run(struct diags *, const struct file *const *file, struct levels *const *levels,
	    int nfiles, struct module *const *module, int nmodules, const struct lang_options *);

#endif
