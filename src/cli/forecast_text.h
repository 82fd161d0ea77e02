/* plan --as and similar: what the same training would take in other frameworks. */
#ifndef STOWAGE_CLI_FORECAST_TEXT_H
#define STOWAGE_CLI_FORECAST_TEXT_H

#include "cli/options.h"
#include "frameworks/framework.h"
#include "ir/ir.h"

#define AS_OPTION(owner)								\
	{ .name = "as", .type = OPTION_LIST, .value = "FRAMEWORK",			\
	  .doc = "what it would take there: %s; or several", .listed = framework_name,		\
	  FIELD(owner, as) }

/* Are all of them known? False after a message. */
bool	forecast_check(const struct command *, const struct words *as);
bool	forecast_asked(const struct words *as, const struct framework *);

void	forecast_text(FILE *, const struct module *, const struct words *as);
void	forecast_json(FILE *, const struct module *, const struct words *as);
/* Why there is no finding, in words: it fits there, or that is unknown. NULL: there is a
 * finding. */
const char	*forecast_answer(const struct module *, const struct framework *);
/* A finding of rule oom for each framework in which it would not fit the spec's device. */
void	forecast_findings(struct diags *, const struct module *, const struct words *as);

#endif
