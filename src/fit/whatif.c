/*
 * Questions that are answered by planning again (passes_replan()), and by compiling an edited text.
 */
#include "fit/whatif.h"

#include <string.h>

#include "passes/passes.h"
#include "plan/plan.h"
#include "schedule/recompute.h"
#include "schedule/recompute_reach.h"

struct module *
whatif(struct module *m, const struct settings *set)
{
	if (!passes_afford(m))
		return NULL;
	return passes_replan(m, set, false);
}

struct module *
whatif_spec(struct module *m, const struct settings *set)
{
	struct pass_options *o = ARENA_NEW(m->arena, struct pass_options);
	struct module fresh = *m;

	*o = *m->options;
	o->search_work = NULL;
	fresh.options = o;
	return passes_replan(&fresh, set, false);
}

struct module *
whatif_expand(struct arena *a, const struct edits *e, const char *name,
    const struct lang_options *options)
{
	struct lang_options *o = ARENA_NEW(a, struct lang_options);
	struct diags *d = ARENA_NEW(a, struct diags);
	struct spec *spec;

	if (options)
		*o = *options;
	o->network = name;
	o->known = NULL;	/* of another text */
	diags_init(d, a);
	spec = spec_load(a, d, edits_apply(e), o);
	return spec->modules.n > 0 ? spec->modules.v[0] : NULL;
}

struct module *
whatif_edited(struct module *m, const struct edits *e, const struct lang_options *options)
{
	struct pass_options o = *m->options;
	struct module *other;

	if (!passes_afford(m))
		return NULL;
	o.dump_after = NULL;
	other = whatif_expand(passes_scratch(m), e, m->name, options);
	if (!other || other->broken || other->diags->errors)
		return NULL;
	if (other->set.accumulate == m->set.accumulate && other->set.batch != m->set.batch)
		whatif_micro_batch(&other->set, settings_micro_batch(&m->set));	/* --batch */
	return passes_run(other, &o) && !other->diags->errors ? other : NULL;
}

void
whatif_micro_batch(struct settings *set, int64_t batch)
{
	int64_t shares = settings_shares(set);

	if (!set->validate_fixed || !set->train)
		set->validate_batch = batch;
	if (__builtin_mul_overflow(batch, shares, &set->batch))
		set->batch = INT64_MAX / shares * shares;
}

struct module *
whatif_at(struct module *m, struct arena *a, int64_t batch)
{
	struct settings set = m->set;
	struct module in = *m;

	in.arena = a;
	in.scratch = NULL;
	whatif_micro_batch(&set, batch);
	return passes_replan(&in, &set, false);
}

struct module *
whatif_searched(struct module *m, struct arena *a, int64_t batch, int64_t *work)
{
	struct pass_options o = *m->options;
	struct module in = *m, *other;
	int64_t may = RECOMPUTE_QUESTION * (*work < RECOMPUTE_WORK ? *work : RECOMPUTE_WORK), left = may;

	o.search_work = &left;
	o.any_that_fits = true;
	in.options = &o;
	other = whatif_at(&in, a, batch);
	*work -= may - left + (int64_t)m->train->nodes.n * RECOMPUTE_PLANNED;
	if (other)
		other->options = m->options;	/* those of this question end with it */
	return other;
}

int64_t
whatif_reach(struct module *m, int64_t limit, int64_t most)
{
	struct arena *a = arena_child(m->arena);
	struct module in = *m, *copy;
	struct model *model;
	int64_t batch = 0;

	in.arena = a;
	in.scratch = NULL;
	copy = passes_again(&in, "recompute");
	if (copy && (model = step_model(a, copy->train, m->options, STEP_REPEATS)))
		batch = recompute_reach(model, limit - step_persistent(copy, m->options, model), m->plan->batch, most);
	arena_free(a);
	return batch;
}

int64_t *
whatif_work(const struct module *m)
{
	return m->options->batch_work;
}

int64_t
whatif_batch(struct module *m, int64_t batch)
{
	struct arena *scratch = arena_child(m->arena);
	struct module *copy = whatif_at(m, scratch, batch);
	int64_t bytes = copy ? copy->plan->arena_bytes : INT64_MAX;

	arena_free(scratch);
	return bytes;
}
