/*
 * Recompute. A trial must foresee exactly what the passes then find: random choices on real
 * networks are tried, applied, planned and verified, and the peaks compared.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"
#include "lang/expand.h"
#include "passes/pass.h"
#include "plan/plan.h"
#include "plan/recompute.h"

static struct arena *arena;
static struct diags diags;
static struct pass_options options;

static void
setup(void)
{
	arena = arena_new();
	diags_init(&diags, arena);
	options = (struct pass_options){ .target = target_find("c"), .threads = 2 };
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(recompute, .init = setup, .fini = teardown);

/* A module that has been through the passes before `recompute`. */
static struct module *
prepared(struct source *src)
{
	const struct lang_options lang = { 0 };
	struct spec *spec = spec_load(arena, &diags, src, &lang);
	struct module *m;
	int i;

	cr_assert_eq(diags.errors, 0, "%s", diags.all.n ? diags.all.v[0]->message : "");
	m = spec->modules.v[0];
	m->options = &options;
	for (i = 0; strcmp(pass_table[i]->name, "recompute") != 0; i++)
		cr_assert(pass_table[i]->run(m, &options));
	return m;
}

static struct module *
network(const char *name)
{
	const char *dir = getenv("top_srcdir"), *why;
	struct source *src = source_read(arena, arena_printf(arena, "%s/specs/%s", dir ? dir : ".",
	    name), &why);

	cr_assert_not_null(src);
	return prepared(src);
}

/* The largest sum of transient bytes alive at an instant of train. */
static int64_t
planned_peak(struct module *m)
{
	const struct plan *p;
	int64_t persistent = 0, mask, peak = 0;
	int i;

	cr_assert(passes_finish(m, &options, "recompute"), "%s", diags.all.n ?
	    diags.all.v[diags.all.n - 1]->message : "");
	p = m->plan;
	mask = p->alignment - 1;
	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].persistent)
			persistent += (p->buffers.v[i].bytes + mask) & ~mask;
	for (i = 0; i < p->instants; i++)
		if (p->at[i].graph == m->train && p->at[i].live - persistent > peak)
			peak = p->at[i].live - persistent;
	return peak;
}

static unsigned
draw(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Of ten tensors, so many are made again. */
static void
choose(struct model *m, unsigned seed, unsigned share)
{
	int i;

	for (i = 0; i < m->nvalues; i++)
		if (!m->value[i].fixed && draw(&seed) % 10 < share)
			m->state[i] = draw(&seed) % 2 ? AGAIN : EACH;
		else if (!m->value[i].fixed && draw(&seed) % 3 == 0)
			m->state[i] = KEEP;
}

static void
foresees(const char *name)
{
	unsigned seed;

	for (seed = 0; seed < 24; seed++) {
		struct module *m = network(name);
		struct model *model = recompute_model(arena, m->train, &options);

		choose(model, seed, seed % 8);
		if (!recompute_try(model))
			continue;
		recompute_apply(model, m->train, NULL);
		cr_assert_eq(planned_peak(m), model->trial->peak, "%s, seed %u: %lld planned, "
		    "%lld foreseen", name, seed, (long long)planned_peak(m),
		    (long long)model->trial->peak);
	}
}

Test(recompute, trials_foresee_resnet18)
{
	foresees("resnet18.nn");
}

Test(recompute, trials_foresee_unet)
{
	foresees("unet.nn");
}

Test(recompute, trials_foresee_vgg16)
{
	foresees("vgg16.nn");
}

Test(recompute, trials_foresee_digits)
{
	foresees("digits.nn");
}

Test(recompute, keeping_all_changes_nothing)
{
	struct module *m = network("resnet50.nn");
	struct model *model = recompute_model(arena, m->train, &options);
	int nodes = m->train->nodes.n;

	cr_assert(recompute_try(model));
	cr_assert_eq(model->trial->macs, 0);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(m->train->nodes.n, nodes);
	cr_assert_eq(planned_peak(m), model->trial->peak);
}
