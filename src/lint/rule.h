/*
 * A lint rule: one const struct rule in one file of this folder, found by its definition
 * `const struct rule rule_NAME = {`. Man page, `explain`, SARIF help and completion come from it.
 */
#ifndef STOWAGE_RULES_RULE_H
#define STOWAGE_RULES_RULE_H

#include "ir/ir.h"
#include "syntax/ast.h"
#include "lang/expand.h"

enum family { FAMILY_MEMORY, FAMILY_HYGIENE, FAMILY_TRAINING, FAMILY_PORTABILITY };

/* Who reads the tensors of a graph. */
struct readers {
	const struct graph *of;	/* NULL: not yet found */
	int *count;		/* by tensor id: nodes and results that read it */
	struct node **last;	/* by tensor id: the last such node */
};

struct lint {			/* what a rule may look at */
	const struct file *file;	/* the syntax tree */
	struct module *module;	/* one network; planned unless broken (module->plan), if only in a
				 * sketch, which rules that need more do not get to see */
	const struct lang_options *options;	/* it was loaded with; NULL: none */
	struct diags *diags;
	struct readers readers;	/* readers_of() keeps them here */
};

struct rule {
	const char *id;		/* stable for ever: "SW101" */
	const char *name;	/* "local-unroll": what messages, suppressions and configuration use */
	enum family family;
	enum severity severity;
	const char *brief;	/* one line */
	const char *doc;	/* what, why, the formula, the cure, the real report it comes from */
	/* Reports through lint_report(). Runs once per network, after planning; on a module that
	 * is broken only if source_only. NULL: the engine itself reports for it. */
	void (*check)(const struct rule *, struct lint *);
	bool outside;		/* its findings are in other files than specs, out of comments' reach */
	bool source_only;	/* reads the file alone: runs once per file, module is NULL */
	/* Most networks are far from any hazard, and need not be planned in full to say so: a sketch
	 * (ir/pass.h) will do, if it does for every rule. */
	/* Run on a sketch, check() reports something wherever it would on the whole plan: what it
	 * measures is never less there. */
	bool try_sketch;
	bool any_plan;		/* nothing it reads depends on what a search finds */
	/* Otherwise, of a sketch: may the whole plan be a finding? It may where this is NULL. */
	bool (*may_find)(const struct module *sketch);
};

extern const struct rule *const rule_table[];	/* generated; ends with NULL; sorted by name */
extern const int rule_count;

struct diag	*lint_report(struct lint *, const struct rule *, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 4, 5)));

#endif
