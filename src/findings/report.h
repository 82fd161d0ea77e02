/*
 * Findings for people and programs. In comes a file's sorted struct diags, after levels, comments
 * and the baseline (lint/); out goes text on one FILE. Nothing here compiles, decides what counts
 * as a finding, or changes one: it reads diagnostics and the catalog of rules, and writes to its
 * FILE and to struct report alone.
 *
 *     report_begin -> format.begin
 *     report_file  -> format.file, format.finding (each), format.file_end     for each file
 *     report_end   -> format.end
 *
 * A format is a `const struct format format_NAME` in format_NAME.c, and a row in formats.c.
 *
 * Findings come file by file, so that the compilation of one is freed before the next begins; a
 * format keeps what it needs between them in struct report. What a format allocates for one
 * finding comes from that compilation's arena, before it prints any of it: it must be able to close
 * a list after a compilation has run out of memory.
 */
#ifndef STOWAGE_FINDINGS_REPORT_H
#define STOWAGE_FINDINGS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/json.h"

#define REPORT_PATH	4096
#define REPORT_RULES	300

/*
 * What identifies a finding from run to run, even if lines are added above it: a hash of its rule,
 * its file and the text of its line, and its number among those of the file with the same hash.
 */
struct fingerprint {
	uint64_t hash;
	int ordinal;		/* from 1 */
};

struct report {
	const struct format *format;
	FILE *out;
	bool colour;
	/* kept by report_*() */
	int files;		/* reported on */
	int files_with_findings;
	int errors, warnings, notes;
	int waived;		/* of no severity's number */
	int fixable, fixable_unsafely;	/* of them */
	bool failed;		/* one of them is as severe as that fails the run */
	struct json json;
	char root[REPORT_PATH];	/* the repository's folder, else the working one */
	char here[REPORT_PATH];	/* the working folder */
	bool in_file;		/* between a format's file() and file_end() */
	struct arena *arena;	/* of the file reported on */
	struct fingerprint print;	/* of the finding reported on, if the format has them */
	const char *path;	/* of the group that is open (checkstyle) */
	int dropped;		/* findings beyond what the format may hold */
	char rules_page[REPORT_PATH];	/* the text format links rules to it; empty: to nothing */
	int counts[REPORT_RULES + 1];	/* findings of rule_at(i); the last: of none of them */
	/* set by the caller after report_begin() */
	int fatal;		/* the least severity that fails the run; above SEV_ERROR: none
				 * does */
	bool has_baseline;
	int hidden;		/* findings that it lists, so far */
	bool compared;		/* the next file is compared with a baseline */
	bool shows_waived;	/* report also what comments and baselines allow, marked as such */
	bool trouble;		/* a file could not be read, checked or written */
	bool offers_fixes;	/* the command has --fix: text says what it would do */
	int fixed, files_fixed;	/* findings fixed, and files written */
};

struct format {
	const char *name;	/* as --format names it */
	const char *brief;
	bool fingerprints;	/* struct report's print is wanted */
	bool can_waive;		/* it has words for a finding that is allowed */
	void (*begin)(struct report *);
	void (*file)(struct report *, const char *path, const struct diags *);
	void (*finding)(struct report *, const char *path, const struct diag *);
	/* an answer that is no finding, one line; NULL: it is left out */
	void (*answer)(struct report *, const char *path, const char *text);
	void (*file_end)(struct report *);	/* also where memory ran out in the file */
	void (*end)(struct report *);
};

extern const struct format *const format_table[];	/* ends with NULL; first: the default */
const struct format	*format_find(const char *name);	/* NULL when unknown */

void	report_begin(struct report *, const struct format *, FILE *, bool colour);
/* The format that counts findings by rule in place of F; NULL: there is none. */
const struct format	*report_statistics_format(const struct format *f);

void	report_find_root(struct report *);
struct fingerprint	*report_fingerprints(struct report *, const char *path,
			    const struct diags *);
/* The findings of one file (sorted); PATH stands in for those without a place. */
void	report_file(struct report *, const char *path, const struct diags *);
/* An answer to what the user asked, of the file reported on last. */
void	report_answer(struct report *, const char *path, const char *text);
void	report_end(struct report *);

/* The members of a finding's JSON object, as the formats json and jsonl have them. */
void	report_json_finding(struct json *, const char *path, const struct diag *);

/* Message, facts and cures of a finding, a line each, in the arena of its file. */
const char	*report_message(struct report *, const struct diag *);

/* Where a finding is: lines and columns from 1, in code points, the end exclusive. One without a
 * place is at the start of the file. */
struct region {
	int line, column, end_line, end_column;
};

struct region	report_region(struct loc);

/* PATH as seen from the root of the repository, without "." and ".."; absolute where it is not
 * below it. In the file's arena. */
const char	*report_repository_path(struct report *, const char *path);

/* PATH as in a URI; false where TO has no room for it. */
bool	report_uri(const char *path, char *to, size_t room);

/* Where the user says the page of rules is on the web; NULL: nowhere. */
const char	*report_rules_url(void);
/* From now on the names of rules are hyperlinks to their documentation, if there is any. */
void	report_link_rules(struct report *);
void	report_rule_name(struct report *, const char *rule);

/* Prints S as the text of an XML element or attribute. */
void	report_xml(FILE *, const char *s);

/* Prints "node 'conv1': " of a place in a model; of any other, nothing. */
void	report_node(struct report *, struct loc);

/* Prints S with control characters as \xNN and ill-formed bytes as U+FFFD. */
void	report_text(FILE *, const char *s);

/* Column of a loc's end, exclusive, in bytes; its line in *LINE. */
int	report_end_column(struct loc, int *line);

#endif
