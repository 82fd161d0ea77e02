/*
 * The passes as a whole: from the graph that a spec says to a plan that is proved right. Each pass
 * is one record in one file; passes.c holds the table, and the table is the order.
 *
 * In:   a module as lang/expand.c or ir_parse() makes it, and what it is planned for.
 * Out:  the same module with its graphs and its plan, or a copy of it.
 * A pass may change graphs; once lifetimes has run, only the plan.
 */
#ifndef STOWAGE_PASSES_PASSES_H
#define STOWAGE_PASSES_PASSES_H

#include "ir/pass.h"

/* Runs the table over a module made by lang/expand.c or ir_parse; false if it is broken after.
 *
 * An arena larger than the device is held against that of a sketch: where that fits, it is the
 * plan. So what a sketch proves to fit does fit. */
bool	passes_run(struct module *, const struct pass_options *);
/* all_stages.c, where ranks are the stages of a pipeline: runs them for each, in copies. The module
 * of the rank with the largest arena, which has them all (module->stage); M itself, broken, after
 * an error. */
struct module	*passes_run_stages(struct module *m, const struct pass_options *);
/* A copy of the module with a plan made without any search, right but larger than need be
 * (plan->sketch); the module itself is left as it was. It takes a small part of the time of
 * passes_run(). NULL: only that can tell, because something must be reported, the spec asks for
 * what a sketch leaves out, or what is alive at once is more than the device has. */
struct module	*passes_sketch(struct module *, const struct pass_options *);
/*
 * Questions of a module that is planned: what would its plan be if ...? Each takes as long as the
 * plan itself, so a network of very many layers affords few of them, or none: work is counted, in
 * nodes.
 */
bool	passes_afford(const struct module *);
/* Where to answer it. */
struct arena	*passes_scratch(struct module *);

/* Where to sketch what is planned in full if the sketch does not serve: a large one is then to be
 * freed, if this is not the module's own arena. */
struct arena	*passes_sketch_arena(struct module *);

/* A second module, planned for M's target and threads under SET; NULL when that has no plan. M is
 * as before afterwards. BOUND_ONLY: without places in the arena, for comparing lower bounds, which
 * takes no packing. */
struct module	*passes_replan(struct module *, const struct settings *set, bool bound_only);
/* The same under M's own settings, through the passes before one of the table: it has no plan. */
struct module	*passes_again(struct module *, const char *before);

#endif
