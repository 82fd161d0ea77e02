/*
 * The order of the passes, and running them. To add one: write its file, name it here.
 */
#include "passes/pass.h"

#include <string.h>

extern const struct pass pass_phases, pass_simplify, pass_pool_first,
    pass_concat_in_place, pass_chunk_loss, pass_differentiate, pass_update,
    pass_gradients_in_place, pass_prune, pass_forks_in_place, pass_recompute, pass_order,
    pass_workspaces, pass_inplace, pass_lifetimes, pass_place, pass_verify;

const struct pass *const pass_table[] = {
	&pass_phases,
	&pass_simplify,
	&pass_pool_first,
	&pass_concat_in_place,
	&pass_chunk_loss,
	&pass_differentiate,
	&pass_update,
	&pass_gradients_in_place,
	&pass_prune,
	&pass_forks_in_place,
	&pass_recompute,
	&pass_order,
	&pass_workspaces,
	&pass_inplace,
	&pass_lifetimes,
	&pass_place,
	&pass_verify,
	NULL
};

bool
pass_is_optional(const char *name)
{
	int i;

	for (i = 0; pass_table[i]; i++)
		if (strcmp(pass_table[i]->name, name) == 0)
			return pass_table[i]->optional;
	return false;
}

static bool
is_left_out(const struct pass *p, const struct pass_options *o)
{
	int i;

	for (i = 0; p->optional && i < o->nwithout; i++)
		if (strcmp(o->without[i], p->name) == 0)
			return true;
	return false;
}

bool
passes_run(struct module *m, const struct pass_options *o)
{
	struct pass_options *kept = ARENA_NEW(m->arena, struct pass_options);

	*kept = *o;
	m->options = kept;
	return passes_finish(m, o, NULL);
}

bool
passes_finish(struct module *m, const struct pass_options *o, const char *after)
{
	int i = 0;

	while (after && strcmp(pass_table[i++]->name, after) != 0)
		;
	for (; pass_table[i] && !m->broken; i++) {
		if (o->bound_only && m->plan)
			break;
		if (is_left_out(pass_table[i], o))
			continue;
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
