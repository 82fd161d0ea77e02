/* missing-reason: a comment that suppresses findings does not say why, and reasons are asked
 * for. */
#include "lint/suppress.h"

void
missing_reason_report(struct diags *d, const struct suppression *s)
{
	struct diag *g = diag_add(d, rule_missing_reason.severity, rule_missing_reason.name, s->loc,
	    "this suppression gives no reason");

	diag_help(d, g, "say behind the bracket why it may stay: allow(%s) the data come so",
	    s->rule[0].text);
}

const struct rule rule_missing_reason = {
	.id = "SW208",
	.name = "missing-reason",
	.family = FAMILY_HYGIENE,
	.severity = SEV_ERROR,
	.brief = "a comment suppresses findings without saying why",
	.doc = "Asked for by --require-reason, or require_reason true in the project file. A "
	    "comment '# stowage: allow(RULE) reason' tells whoever comes next whether what was "
	    "true then is true now; without the reason it can only be believed or removed. The "
	    "comment still counts.\n\n"
	    "Cure: write the reason behind the closing bracket.",
	.needs = NEEDS_SOURCE,
	.subject = ABOUT_COMMENT,
	.on_request = true,
};
