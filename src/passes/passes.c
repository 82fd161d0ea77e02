/*
 * The order of the passes, and running them. To add one: write its file, name it here.
 */
#include "ir/pass.h"

#include <string.h>

#include "plan/plan.h"

extern const struct pass pass_phases, pass_simplify, pass_pool_first,
    pass_concat_in_place, pass_chunk_loss, pass_fuse_norm, pass_fuse_pool, pass_layout,
    pass_differentiate, pass_update, pass_gradients_in_place, pass_prune, pass_forks_in_place,
    pass_recompute, pass_order, pass_fuse_activation, pass_bias_gradients, pass_fuse_loss, pass_feed,
    pass_updates_together, pass_workspaces, pass_inplace, pass_lifetimes, pass_place, pass_spare,
    pass_branches, pass_verify;

const struct pass *const pass_table[] = {
	&pass_phases,
	&pass_simplify,
	&pass_pool_first,
	&pass_concat_in_place,
	&pass_chunk_loss,
	&pass_fuse_norm,
	&pass_fuse_pool,
	&pass_layout,
	&pass_differentiate,
	&pass_update,
	&pass_gradients_in_place,
	&pass_prune,
	&pass_forks_in_place,
	&pass_recompute,
	&pass_order,
	&pass_fuse_activation,
	&pass_bias_gradients,
	&pass_fuse_loss,
	&pass_feed,
	&pass_updates_together,
	&pass_workspaces,
	&pass_inplace,
	&pass_lifetimes,
	&pass_place,
	&pass_spare,
	&pass_branches,
	&pass_verify,
	NULL
};

bool
pass_apply(const struct pass *p, struct module *m, const struct pass_options *o)
{
	if (p->run)
		return p->run(m, o);
	if (m->train)
		p->rewrite(m->train);
	if (m->validate)
		p->rewrite(m->validate);
	return true;
}

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
is_without(const struct pass *p, const struct pass_options *o)
{
	int i;

	for (i = 0; p->optional && i < o->nwithout; i++)
		if (strcmp(o->without[i], p->name) == 0)
			return true;
	return false;
}

static bool
is_left_out(const struct pass *p, const struct pass_options *o)
{
	return (o->sketch && p->thorough) || is_without(p, o);
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
		if (!pass_apply(pass_table[i], m, o))
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

/* ---- copies ---- */

/* What the network itself keeps; state that passes made is left out, for they make it again. */
static void
copy_persistent(struct module *copy, const struct module *m)
{
	int i;

	memset(&copy->persistent, 0, sizeof(copy->persistent));
	for (i = 0; i < m->persistent.n; i++) {
		struct tensor *t = m->persistent.v[i];

		if (!t->def && (t->kind == T_PARAM || t->kind == T_STATISTIC))
			vec_push(copy->arena, &copy->persistent, t);
	}
}

struct module *
passes_copy(struct module *m, const struct settings *set, struct diags *diags)
{
	struct module *copy = ARENA_NEW(m->arena, struct module);

	*copy = *m;
	copy->diags = diags;
	copy->set = *set;
	copy->forward = ARENA_NEW(m->arena, struct graph);
	*copy->forward = *m->forward;
	copy->forward->module = copy;	/* so that what is made from it is numbered there */
	copy->train = copy->update = copy->validate = NULL;
	copy->plan = NULL;
	copy_persistent(copy, m);
	return copy;
}

/* ---- sketches ---- */

/* Recomputation by name or to a budget is the user's word, whatever it costs. */
static bool
can_sketch(const struct module *m, const struct pass_options *o)
{
	return !m->broken && !o->dump_after && m->set.recompute != RECOMPUTE_PATTERN &&
	    !m->set.recompute_budget;
}

struct module *
passes_sketch(struct module *m, const struct pass_options *o)
{
	struct pass_options quick = *o;
	struct pass_options *kept = ARENA_NEW(m->arena, struct pass_options);
	struct diags *quiet = ARENA_NEW(m->arena, struct diags);
	struct module *copy;

	if (!can_sketch(m, o))
		return NULL;
	diags_init(quiet, m->arena);
	copy = passes_copy(m, &m->set, quiet);
	*kept = *o;
	copy->options = kept;	/* what plans others for comparison does so in full */
	quick.sketch = true;
	if (!passes_finish(copy, &quick, NULL) || quiet->all.n)
		return NULL;
	copy->diags = m->diags;
	return copy;
}

/* ---- whole plans ---- */

static bool
is_too_large(const struct module *m)
{
	return m->plan && m->set.device.given && m->set.device.memory > 0 &&
	    m->plan->arena_bytes > m->set.device.memory;
}

/* A search leaves less alive at any time, but nothing keeps the gaps between buffers from growing.
 * Where that would decide what fits, the plan without a search stands. */
static bool
fall_back(struct module *m, const struct pass_options *o)
{
	struct module *sketch = passes_sketch(m, o);
	struct graph **graph[] = { &m->forward, &m->train, &m->update, &m->validate };
	size_t i;

	if (!sketch || is_too_large(sketch))
		return true;
	*m = *sketch;
	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		if (*graph[i])
			(*graph[i])->module = m;
	m->plan->sketch = false;
	return pass_verify.run(m, o);
}

bool
passes_run(struct module *m, const struct pass_options *o)
{
	struct pass_options *kept = ARENA_NEW(m->arena, struct pass_options);

	*kept = *o;
	m->options = kept;
	return passes_finish(m, o, NULL) && (!is_too_large(m) || fall_back(m, o));
}
