/*
 * Baselines: files that list the findings there were when a project began to be checked, so that
 * only new ones are reported. A line an entry, sorted, so that versions of it merge well:
 *
 *     stowage baseline 1
 *     8c1f0a0b2d3e4f55 1 last-batch specs/old net.nn
 *
 * That is: the fingerprint (lint/fingerprint.h), how many findings have it, their rule, and their
 * file as seen from the folder of the baseline. In paths, control characters and \ are written
 * \xNN. Errors of the language are never in it.
 *
 * A finding of a file that several specs use is met in each of them. So entries are held against
 * each spec by itself, and the largest of the numbers counts, whatever was checked together.
 */
#ifndef STOWAGE_LINT_BASELINE_H
#define STOWAGE_LINT_BASELINE_H

#include <stdint.h>

#include "base/edit.h"
#include "lint/suppress.h"

struct baseline_entry {
	const char *path, *rule;
	uint64_t hash;
	int count;
	int line;		/* in the baseline; 0: not in it */
	int found;		/* in this run */
	bool judged;		/* this run would have found whatever it stands for */
};

struct baseline_entries {	/* sorted by path, rule and hash; no duplicates */
	VEC(struct baseline_entry) all;
};

struct baseline {
	struct arena *arena;
	const char *path, *folder;	/* absolute */
	const struct source *src;	/* NULL: the file is yet to be written */
	struct baseline_entries old, seen;
};

/* What of it was found in one spec: entries with their `found`. */
struct baseline_match {
	struct baseline_entries seen;
	int hidden;		/* findings */
};

/* Reads the text of a baseline. False, with the line and what is wrong with it, if it is not
 * one. */
bool	baseline_parse(struct baseline *, const struct source *, int *line, const char **why);

/* Drops the findings that the baseline has, or with ALL those that it could have. POSSIBLE, which
 * may be NULL, would be there under other options. The findings are sorted. */
void	baseline_match(const struct baseline *, struct diags *, const struct diags *possible,
	    bool all, struct baseline_match *);

/* Records what was found in the spec at the absolute PATH. */
void	baseline_note(struct baseline *, const char *path, const struct baseline_match *,
	    const struct rules_run *, const struct levels *);

/* After the last spec: sums up, and looks for files that are gone. */
void	baseline_sum_up(struct baseline *);

/* Reports the entries that no finding matched, at their lines; each report has a fix. */
void	baseline_stale(const struct baseline *, struct diags *);

/* Its new text: what this run found, and the entries that this run could not judge. */
void	baseline_text(const struct baseline *, struct text *);

#endif
