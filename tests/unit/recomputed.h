/* A step for the passes from recompute on, in an arena of each test's own. */
#ifndef STOWAGE_TESTS_RECOMPUTED_H
#define STOWAGE_TESTS_RECOMPUTED_H

#include <criterion/criterion.h>
#include <string.h>

#include "target/target.h"
#include "lang/expand.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "schedule/recompute.h"
#include "spec_file.h"

static struct arena *arena;
static struct diags diags;
static struct pass_options options;
static const char *const without[] = { "order" };	/* which might lower a peak further */

static inline void
setup(void)
{
	arena = arena_new();
	diags_init(&diags, arena);
	options = (struct pass_options){ .target = target_find("c"), .threads = 2,
	    .without = without, .nwithout = 1 };
}

static inline void
teardown(void)
{
	arena_free(arena);
}

/* A module that has been through the passes before `recompute`. */
static inline struct module *
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
		cr_assert(pass_apply(pass_table[i], m, &options));
	return m;
}

static inline struct module *
network(const char *name)
{
	return prepared(spec_file(arena, name));
}

static inline bool
within(struct model *m, void *context)
{
	const int64_t *budget = context;

	return m->trial->peak <= *budget;
}

#endif
