/* empty-file: a spec without a network, and with nothing that another could use. Reads the syntax
 * tree. */
#include "lint/rule.h"

static void
check(const struct rule *rule, struct lint *l)
{
	const struct file *f = l->file;
	struct loc start = { .src = f->src, .beg = 0, .end = 0 };
	struct diag *g;

	if (l->diags->errors > 0 || f->networks.n || f->blocks.n || f->globals.n || f->imports.n)
		return;
	if (f->sections.n)
		start = f->sections.v[0]->loc;
	g = lint_report(l, rule, start, "there is no network in this file, nor a block or param that another "
	    "could use");
	diag_help(l->diags, g, "a network is: network NAME { input x : f32[...]  ...  loss ... }");
}

const struct rule rule_empty_file = {
	.id = "SW211",
	.name = "empty-file",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a spec without a network, and with nothing that another could use",
	.doc = "An empty file is planned, built and fitted by nobody, and a hook that checks it checks nothing: "
	    "most often it was truncated, or a network in it was commented out. A file of blocks or params that "
	    "others use is no such file.",
	.check = check,
	.needs = NEEDS_SOURCE,
};
