/*
 * The order of the passes, and running them. To add one: write its file, name it here.
 */
#include "passes/pass.h"

#include <string.h>

extern const struct pass pass_phases, pass_simplify, pass_differentiate, pass_update, pass_prune,
    pass_workspaces, pass_inplace, pass_lifetimes, pass_place, pass_verify;

const struct pass *const pass_table[] = {
	&pass_phases,
	&pass_simplify,
	&pass_differentiate,
	&pass_update,
	&pass_prune,
	&pass_workspaces,
	&pass_inplace,
	&pass_lifetimes,
	&pass_place,
	&pass_verify,
	NULL
};

bool
passes_run(struct module *m, const struct pass_options *o)
{
	int i;

	for (i = 0; pass_table[i] && !m->broken; i++) {
		if (!pass_table[i]->run(m, o))
			m->broken = true;
#ifdef VERIFY_PASSES
		if (!m->broken && !ir_verify(m))
			m->broken = true;
#endif
		if (o->dump_after && strcmp(o->dump_after, pass_table[i]->name) == 0)
			ir_print(o->dump, m);
	}
	return !m->broken;
}
