/* What stowage fit found, and its reports. */
#ifndef STOWAGE_COMMANDS_FIT_REPORT_H
#define STOWAGE_COMMANDS_FIT_REPORT_H

#include "fit/advice.h"
#include "fit/elsewhere.h"
#include "fit/fewest.h"

struct fit_report {
	FILE *out;
	struct module *module;
	struct fit *answer;	/* one for each memory */
	int nanswers;
	struct fewest *fewest;	/* of a network that several ranks train, for one memory; else NULL */
	struct elsewhere *elsewhere;	/* of each answer, one for each framework asked for */
	int nelsewhere;		/* frameworks */
	const struct advice *advice;	/* best first */
	int nadvice;
	bool cut_short;		/* a search for what to recompute was */
	int applied;		/* which was written into the spec, from 1; 0: none */
	bool colour;
};

void	fit_text(const struct fit_report *);	/* fit_text.c */
void	fit_json(const struct fit_report *);	/* fit_json.c */

#endif
