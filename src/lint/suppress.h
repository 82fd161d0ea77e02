/*
 * From what rules found to what is reported: levels, and the comments that suppress findings. The
 * comments are part of the syntax tree (syntax/allow.c).
 */
#ifndef STOWAGE_LINT_SUPPRESS_H
#define STOWAGE_LINT_SUPPRESS_H

#include "lint/levels.h"

extern const struct rule rule_unused_suppression, rule_missing_reason, rule_stale_baseline;

/* Which rules have run on all there is, so that what they did not find is known not to be there. */
struct rules_run {
	bool of_source;		/* those with NEEDS_SOURCE */
	bool of_plan;		/* all others */
	bool of_reasons;	/* those that run on request */
};

bool	rule_was_run(const struct rules_run *, const struct levels *, int rule);

struct suppress {
	struct diags *d;
	const struct file *const *file;	/* the first one is checked, the others are used by it */
	struct levels *const *levels;	/* by file; NULL: all rules are as they are */
	int nfiles;
	struct rules_run ran;	/* of the first file */
	/* What would be found under other options than those given: it is not reported, and what
	 * suppresses it is not unused. NULL: nothing. */
	const struct diags *possible;
	bool require_reason;
	bool ignore_comments;	/* no comment counts */
	struct loc forbidden;	/* what says so, for a warning at each comment; NULL source: none */
};

/*
 * Gives the findings their levels; drops those of rules that are off, and those that comments
 * allow; adds those of the rules on comments: suppression, unused-suppression, missing-reason.
 * Errors of the language stay as they are. N findings and M comments take O((N + M) log (N + M)).
 */
void	suppress_run(struct suppress *);

/* Its parts: what is wrong with comments, whatever was found. */
void	comment_names_check(struct suppress *);
void	unused_suppression_report(struct diags *, const struct suppression *, const bool *unused);
void	missing_reason_report(struct diags *, const struct suppression *);

#endif
