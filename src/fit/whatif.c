/*
 * Re-planning. The passes derive everything afresh in a copy of the module (passes_copy()); only a
 * tensor's link to its gradient is written by them in what is shared, so it is put back.
 */
#include "fit/whatif.h"

#include <string.h>

#include "ir/pass.h"
#include "plan/plan.h"

static struct module *
plan_again(struct module *m, const struct settings *set, bool bound_only)
{
	struct pass_options o = *m->options;
	struct diags *quiet = ARENA_NEW(m->arena, struct diags);
	struct module *copy;
	struct tensor **gradient;
	bool planned;
	int i;

	o.dump_after = NULL;
	o.bound_only |= bound_only;
	diags_init(quiet, m->arena);
	copy = passes_copy(m, set, quiet);
	gradient = arena_array(m->arena, (size_t)m->persistent.n + 1, sizeof(struct tensor *));
	for (i = 0; i < m->persistent.n; i++) {
		gradient[i] = m->persistent.v[i]->gradient;
		m->persistent.v[i]->gradient = NULL;
	}
	planned = passes_run(copy, &o);
	for (i = 0; i < m->persistent.n; i++)
		m->persistent.v[i]->gradient = gradient[i];
	return planned && copy->plan ? copy : NULL;
}

struct module *
whatif(struct module *m, const struct settings *set)
{
	return plan_again(m, set, false);
}

struct module *
whatif_bound(struct module *m, const struct settings *set)
{
	return plan_again(m, set, true);
}

struct module *
whatif_expand(struct arena *a, const struct edits *e, const char *name,
    const struct lang_options *options)
{
	struct diags *d = ARENA_NEW(a, struct diags);
	struct spec *spec;
	int i;

	diags_init(d, a);
	spec = spec_load(a, d, edits_apply(e), options);
	for (i = 0; i < spec->modules.n; i++)
		if (strcmp(spec->modules.v[i]->name, name) == 0)
			return spec->modules.v[i];
	return NULL;
}

struct module *
whatif_edited(const struct module *m, const struct edits *e, const struct lang_options *options)
{
	struct pass_options o = *m->options;
	struct module *other = whatif_expand(m->arena, e, m->name, options);

	o.dump_after = NULL;
	if (!other || other->broken || other->diags->errors)
		return NULL;
	if (other->set.accumulate == m->set.accumulate && other->set.batch != m->set.batch)
		whatif_micro_batch(&other->set,		/* --batch */
		    m->set.batch / m->set.accumulate);
	return passes_run(other, &o) && !other->diags->errors ? other : NULL;
}

void
whatif_micro_batch(struct settings *set, int64_t batch)
{
	if (!set->validate_fixed || !set->train)
		set->validate_batch = batch;
	if (__builtin_mul_overflow(batch, set->accumulate, &set->batch))
		set->batch = INT64_MAX / set->accumulate * set->accumulate;
}

struct module *
whatif_at(struct module *m, int64_t batch)
{
	struct settings set = m->set;

	whatif_micro_batch(&set, batch);
	return whatif(m, &set);
}

int64_t
whatif_batch(struct module *m, int64_t batch)
{
	struct module *copy = whatif_at(m, batch);

	return copy ? copy->plan->arena_bytes : INT64_MAX;
}
