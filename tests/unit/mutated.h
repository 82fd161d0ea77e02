/* A network that is planned, and what the verifier says of its plan once a test has changed it. */
#ifndef STOWAGE_TESTS_MUTATED_H
#define STOWAGE_TESTS_MUTATED_H

#include <criterion/criterion.h>

#include "plan/plan.h"
#include "target/target.h"
#include "ir/op.h"
#include "planned.h"

static struct arena *arena;
static struct module *module;

static inline void
load_with(const char *pass, const char *name, const char *target, bool speed)
{
	const struct pass_options options = { .threads = 2, .without = &pass, .nwithout = pass != NULL, .speed = speed,
		.target = target_find(target) };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), NULL, &options);
}

static inline void
load_ranks(const char *name, int ranks, enum shard_kind shard)
{
	const struct lang_options lang = { .ranks = ranks, .shard = 1 + (int)shard };
	const struct pass_options options = { .threads = 2, .target = target_find("c") };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), &lang, &options);
}

/* Pieces of gradients, of two micro-batches. */
static inline void
load_pieces(const char *name, int ranks)
{
	struct lang_options lang = { .ranks = ranks, .shard = 1 + (int)SHARD_GRADIENTS };
	const struct pass_options options = { .threads = 2, .target = target_find("c") };
	struct diags d;
	struct settings set;

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), &lang, &options);
	diags_init(&d, arena);
	set = module->set;
	set.accumulate = 2;
	module = passes_copy(module, &set, &d);
	cr_assert(passes_finish(module, &options, NULL));
}

static inline void
load_without(const char *pass, const char *name, const char *target)
{
	load_with(pass, name, target, false);
}

static inline void
load_for(const char *name, const char *target)
{
	load_without(NULL, name, target);
}

static inline void
load(const char *name)
{
	load_for(name, "c");
}

static inline const char *
objection(void)
{
	struct diags found;

	diags_init(&found, arena);
	return plan_verify(module, module->plan, &found) ? NULL : found.all.v[0]->message;
}

static inline bool
objects(void)
{
	return objection() != NULL;
}

#endif
