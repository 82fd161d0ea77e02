/*
 * A lint rule: one `const struct rule rule_NAME = {` in one file of src/rules/, named after it,
 * where src/tables.sh finds it. Man page, `explain`, SARIF help and completion come from the
 * record.
 *
 * In comes a struct lint: the syntax tree and, for most, one planned network. Out go findings, by
 * lint_report() and diag_*() on what it returns. A rule may allocate in the module's arena and in
 * that of the diags, and try a changed network (fit/whatif.h, rulekit/edited_spec.h), but changes
 * neither tree nor module, keeps nothing from one call to the next, and knows no other rule. Levels
 * and comments are none of its business: they are applied to what it has reported.
 */
#ifndef STOWAGE_LINT_RULE_H
#define STOWAGE_LINT_RULE_H

#include "ir/ir.h"
#include "syntax/ast.h"
#include "lang/expand.h"

enum family {
	FAMILY_MEMORY, FAMILY_HYGIENE, FAMILY_TRAINING, FAMILY_PORTABILITY,
	FAMILY_LANGUAGE		/* the language itself: none of the linter's */
};

#define FAMILIES	FAMILY_LANGUAGE	/* those of the linter come first */

/* Who reads the tensors of a graph. */
struct tensor_readers {
	const struct graph *of;	/* NULL: not yet found */
	int *count;		/* by tensor id: nodes and results that read it */
	struct node **last;	/* by tensor id: the last such node */
};

/* What data_look() has found of a network's files, each of which is read once. */
struct data_looks {
	const struct module *of;
	VEC(struct known_look *) all;
};

struct lint {			/* what a rule may look at */
	const struct file *file;	/* the syntax tree */
	struct module *module;	/* one network; planned unless broken (module->plan), if only in a
				 * sketch, which rules that need more do not get to see */
	const struct lang_options *options;	/* it was loaded with; NULL: none */
	struct diags *diags;
	bool asked;		/* of a sketch, whether there is anything to find: one finding says so */
	struct tensor_readers readers;	/* readers_of() keeps them here */
	struct data_looks *looks;	/* NULL: files are read for each question */
};

/*
 * What must be known of a network before a rule is asked about it. Most networks are far from any
 * hazard, and need not be planned in full to say so: a sketch (ir/pass.h) is a plan without any
 * search, at a tenth of the time. It serves if it does for every rule.
 *
 *     needs          asked              of a sketch
 *     NEEDS_SOURCE   once per file      -
 *     NEEDS_GRAPH    once per network   it serves
 *     NEEDS_SKETCH   once per network   it serves if check() finds nothing in it
 *     NEEDS_PLAN     once per network   it serves if may_find() says no
 */
enum rule_needs {
	NEEDS_PLAN,	/* where buffers lie, and how many bytes they take together */
	NEEDS_SKETCH,	/* bytes that are never less in a sketch than in the whole plan */
	NEEDS_GRAPH,	/* graphs, settings, batches: nothing that depends on what a search finds */
	NEEDS_SOURCE,	/* the syntax tree, even of a file that has errors; lint->module is NULL */
};

/* What a rule's findings are about. */
enum rule_subject {
	ABOUT_SPEC,
	ABOUT_COMMENT,	/* one that suppresses findings: known only after all others are matched */
	ABOUT_BASELINE,	/* they are in the baseline's file, where no comment of a spec reaches */
};

struct rule {
	const char *id;		/* stable for ever: "SW101" */
	const char *name;	/* "local-unroll": for messages, suppressions and configuration */
	enum family family;
	enum severity severity;
	const char *brief;	/* one line */
	const char *doc;	/* what, why, formula, cure, the real report it comes from */
	/* Reports through lint_report(). NULL: the engine itself reports for it. */
	void (*check)(const struct rule *, struct lint *);
	enum rule_needs needs;
	/* Of NEEDS_PLAN: could the whole plan of this sketch be a finding? It may say yes too
	 * often, never no. NULL: it could, always. */
	bool (*may_find)(const struct module *sketch);
	enum rule_subject subject;
	bool on_request;	/* only --require-reason, or its setting, has it find anything */
	bool of_broken;		/* NEEDS_GRAPH: asked of a network with errors, too; where a layer failed, its node is missing */
	bool also_forecast;	/* --as reports it for other frameworks, too */
	bool also_warns;	/* of the language: an error, but in some places a warning */
};

extern const struct rule *const rule_table[];	/* generated; ends with NULL; sorted by name */
extern const int rule_count;

struct diag	*lint_report(struct lint *, const struct rule *, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 4, 5)));

/* Sizes for messages, in the arena: "9.66 GiB"; "10,373,441,024" */
const char	*lint_human(struct arena *, int64_t bytes);
const char	*lint_commas(struct arena *, int64_t n);

#endif
