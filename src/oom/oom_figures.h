/*
 * What a program's lines count of memory in use, one after the other: "used: 0.18", and 0.21 in the
 * next line of that form. A label has to stand at the number: a step rises evenly, too.
 */
#ifndef STOWAGE_OOM_OOM_FIGURES_H
#define STOWAGE_OOM_OOM_FIGURES_H

#include <stdint.h>

#include "oom/oom_lexicon.h"
#include "oom/oom_source.h"

#define FIGURES		4	/* forms of lines that are told apart */
#define FIGURES_EVEN	4	/* times that it rose, which are no chance */

struct oom_figures {
	struct oom_figure {
		uint64_t form;		/* what such a line is up to its number, but for digits; 0: none was read */
		int64_t first, last, least, most;	/* thousandths of what it counts by; by how much it rose, */
		int rose, first_line, last_line;	/* how often without a break, and where */
	} of[FIGURES];
	int next;
};

void	oom_figures_line(struct oom_figures *, struct talk, int line, enum oom_source);
/* The first that rose by about as much each time, or NULL. */
const struct oom_figure	*oom_figures_even(const struct oom_figures *);

#endif
