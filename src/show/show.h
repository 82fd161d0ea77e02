/*
 * Plans for people and programs, one format a file.
 *
 * In comes a module with its finished plan, and for people what their terminal can show. Out goes
 * the plan as a text to a stream. A format reads and writes no more: whatever it works out, it
 * takes from the module's arena, and the module and the plan stay as they are.
 *
 *     plan_NAME.c     a format a file: this record
 *     plan_ranks.c    what ranks send and might share out, for the text
 *     plan_stages.c   the ranks of a pipeline, for the text
 *     plan_feeding.c  how batches come to a GPU, for the text
 *     plan_curve.c    live bytes over the step, in the characters of a terminal
 *     plan_svg_*.c    parts of the picture
 *     chart.c         what text, picture and page have in common: colours, parts of the step
 *     page/           the files of plan --format html: page/zoom.js is its zoom
 */
#ifndef STOWAGE_SHOW_SHOW_H
#define STOWAGE_SHOW_SHOW_H

#include <stdio.h>

#include "plan/plan.h"

#define DEFAULT_LINK	100	/* Gb/s, of a rank: 100 Gb Ethernet, HDR100 InfiniBand */

struct plan_style {		/* of what is printed for people */
	bool exact_bytes, colour;
	bool layers;		/* list all of them, not only the most expensive */
	int64_t link;		/* gigabits a second between ranks; 0: DEFAULT_LINK */
	bool unicode;		/* else ASCII */
	int columns;		/* of the terminal; 0: not a terminal */
};

static inline int64_t
plan_link(const struct plan_style *style)
{
	return style->link ? style->link : DEFAULT_LINK;
}

struct plan_format {
	const char *name;	/* as plan --format names it */
	bool several;		/* plans of several networks may stand one behind the other */
	void (*print)(FILE *, const struct module *, const struct plan_style *);
};

extern const struct plan_format *const plan_format_table[];	/* ends with NULL; first: the default */
extern const int plan_format_count;

/* By place in the table, NULL after the last. */
const char	*plan_format_name(int);

#endif
