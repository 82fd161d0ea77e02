/*
 * census: counts nodes. Reads train; writes nothing.
 */
#include "ir/pass.h"

static bool
run(struct module *m, const struct pass_options *o)
{
	if (o->dump_after && m->train)
		fprintf(o->dump, "# %d nodes\n", m->train->nodes.n);
	return true;
}

const struct pass pass_census = {
	.name = "census",
	.doc = "print how many nodes there are",
	.run = run,
};
