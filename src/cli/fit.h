/* What stowage fit found, and its reports. */
#ifndef STOWAGE_CLI_FIT_H
#define STOWAGE_CLI_FIT_H

#include "model/fit.h"

struct fit_report {
	FILE *out;
	struct module *module;
	struct fit *answer;	/* one for each memory */
	int nanswers;
	bool colour;
};

void	fit_text(const struct fit_report *);	/* fit_text.c */
void	fit_json(const struct fit_report *);	/* fit_json.c */

#endif
