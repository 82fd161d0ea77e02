/*
 * Running the passes for each stage of a pipeline: ranks that have layers of their own have plans
 * of their own.
 *
 * Every stage goes through all passes. What comes before `stages` is the same for all, and is done
 * again for each: a copy of a module shares what it is made of, not what passes have made of it.
 * That is the lesser part: to order, to place and to verify are of a stage's own nodes alone.
 */
#include "passes/passes.h"

#include "plan/plan.h"

/* The plan of one rank, in a copy; NULL after an error. Only the first rank's says what holds of
 * all. */
static struct module *
run_stage(struct module *m, int64_t stage, const struct pass_options *o)
{
	struct settings set = m->set;
	struct diags *own = ARENA_NEW(m->arena, struct diags);
	struct module *copy;
	int i;

	diags_init(own, m->arena);
	set.stage = stage;
	copy = passes_copy(m, &set, stage ? own : m->diags);
	if (!passes_run(copy, o))
		for (i = 0; i < own->all.n; i++)
			diags_report(m->diags, own->all.v[i]);
	copy->diags = m->diags;
	return copy->broken ? NULL : copy;
}

struct module *
passes_run_stages(struct module *m, const struct pass_options *o)
{
	int64_t n = settings_stages(&m->set), k;
	struct module **stage = arena_array(m->arena, (size_t)n + 1, sizeof(*stage)), *largest = NULL;

	for (k = 0; k < n; k++) {
		if (!(stage[k] = run_stage(m, k, o))) {
			m->broken = true;
			return m;
		}
		largest = !largest || stage[k]->plan->arena_bytes > largest->plan->arena_bytes ? stage[k] : largest;
	}
	for (k = 0; k < n; k++)
		stage[k]->stage = stage;
	if (!plan_verify_stages(stage, n, m->diags))
		largest->broken = true;
	return largest;
}
