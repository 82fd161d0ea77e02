/*
 * Reporters: how findings are printed. One struct format per format, in one table (formats.c);
 * a further one is a file here and a line there.
 *
 * Findings come file by file, so that the compilation of one is freed before the next begins; a
 * reporter keeps what it needs between them in struct report. Reporters allocate nothing: they
 * must be able to close a list after a compilation has run out of memory.
 */
#ifndef STOWAGE_REPORT_REPORT_H
#define STOWAGE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/json.h"

struct report {
	const struct format *format;
	FILE *out;
	bool colour;
	/* kept by report_*() */
	int files;		/* reported on */
	int files_with_findings;
	int errors, warnings, notes;
	struct json json;
};

struct format {
	const char *name;	/* as --format names it */
	const char *brief;
	void (*begin)(struct report *);
	void (*finding)(struct report *, const char *path, const struct diag *);
	void (*end)(struct report *);
};

extern const struct format *const format_table[];	/* ends with NULL; first: the default */
const struct format	*format_find(const char *name);	/* NULL when unknown */

void	report_begin(struct report *, const struct format *, FILE *, bool colour);
/* The findings of one file (sorted); PATH stands in for those without a place. */
void	report_file(struct report *, const char *path, const struct diags *);
void	report_end(struct report *);

/* Prints S with control characters as \xNN and ill-formed bytes as U+FFFD. */
void	report_text(FILE *, const char *s);

/* Column of a loc's end, exclusive, in bytes; its line in *LINE. */
int	report_end_column(struct loc, int *line);

#endif
