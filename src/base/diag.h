/*
 * Diagnostics: what a user did wrong, where, and the cure. They are collected, never printed on
 * the spot, so that one run reports every mistake, in source order, once. A check that finds a
 * mistake adds a diagnostic and carries on with a poisoned value; nothing exits.
 *
 * Each diagnostic names the rule it belongs to. The rules of the language itself are "syntax",
 * "name", "type", "shape", "value", "data" and "settings"; all others are lint rules (src/rules).
 */
#ifndef STOWAGE_BASE_DIAG_H
#define STOWAGE_BASE_DIAG_H

#include "base/edit.h"
#include "base/source.h"
#include "base/vec.h"

enum severity { SEV_NOTE, SEV_WARNING, SEV_ERROR };

enum remark_kind {
	REMARK_FACT,	/* "= 5000 positions x 2,560,000 B" */
	REMARK_PLACE,	/* "file:3:5: note: first defined here" */
	REMARK_HELP	/* "help: ..." */
};

struct remark {
	enum remark_kind kind;
	struct loc loc;		/* REMARK_PLACE only */
	const char *text;
};

/* What can be done about it. A safe fix keeps what the spec computes; any other may not. */
struct fix {
	bool safe;
	bool told;	/* the last help among the remarks says the same */
	const char *title;	/* an order, as editors show it: "remove the softmax" */
	const struct edits *edits;	/* of one source; at least one */
};

/* Why a finding that is there is not reported. */
struct waiver {
	enum waived_by { WAIVED_BY_COMMENT, WAIVED_BY_BASELINE } by;
	struct loc loc;		/* of the comment or the entry; NULL source: it is yet to be written */
	const char *reason;	/* "": none was given */
};

struct diag {
	enum severity severity;
	const char *rule;
	struct loc loc;
	const char *message;	/* one line, no full stop */
	VEC(struct remark) remarks;
	struct fix *fix;	/* NULL: none */
	const char *network;	/* diags->network when it was first reported */
	bool shared;		/* it was reported of another one, or of the file, too */
	const struct waiver *waiver;	/* NULL: it is reported */
};

struct diags {
	struct arena *arena;
	VEC(struct diag *) all;
	int errors, warnings;
	const char *network;	/* what is reported now is of that one alone; NULL: of none, or of many */
	VEC(const char *) repeating;	/* networks of which something was reported that was there already */
	VEC(struct diag *) waived;	/* in no order, and counted nowhere */
	struct diag unlisted;	/* stands for errors beyond the limit */
};

void	diags_init(struct diags *, struct arena *);

/* Adds a diagnostic and returns it, for remarks to be hung on. Exact repeats are dropped
 * (the first one is returned), so an error in a block expanded 16 times shows once. */
struct diag	*diag_add(struct diags *, enum severity, const char *rule, struct loc,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
struct diag	*diag_error(struct diags *, const char *rule, struct loc,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Adds one that is complete, which it keeps; of a repeat, nothing is added. */
void	diags_report(struct diags *, struct diag *);
void	diag_fact(struct diags *, struct diag *, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	diag_help(struct diags *, struct diag *, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	diag_place(struct diags *, struct diag *, struct loc, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));

/* Says how to fix it. The edits are complete when this is called; where there are none, or where it
 * has a fix already, nothing changes. */
void	diag_fix(struct diags *, struct diag *, bool safe, const struct edits *, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));

/* "did you mean RIGHT?" of the word at its place, if that is WORD: a guess, so never safe. */
void	diag_fix_word(struct diags *, struct diag *, const char *word, const char *right);

/* Takes what has a waiver out of what is reported, and counts anew. */
void	diags_waive(struct diags *);

/* Sorts by file in order of first mention, then by place; stable. */
void	diags_sort(struct diags *);

const char	*severity_name(enum severity);

#endif
