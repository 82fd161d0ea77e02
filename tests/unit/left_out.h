/*
 * Networks of specs/ planned with and without a pass: what nodes are left, and what their step
 * moves.
 */
#ifndef STOWAGE_TESTS_LEFT_OUT_H
#define STOWAGE_TESTS_LEFT_OUT_H

#include <string.h>

#include "plan/estimate.h"
#include "plan/plan.h"
#include "target/target.h"
#include "ir/op.h"
#include "planned.h"

static struct arena *arena;
static struct module *module;

/* PASS is left out; NULL: none is. */
static const struct plan *
load_without(const char *name, const char *target, const char *pass)
{
	const struct pass_options options = { .threads = 2, .without = &pass, .nwithout = pass != NULL,
		.target = target_find(target) };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), NULL, &options);
	return module->plan;
}

/* Nodes of train that run that operator. */
static int
count(const char *op)
{
	int i, n = 0;

	for (i = 0; i < module->train->nodes.n; i++)
		n += strcmp(module->train->nodes.v[i]->op->name, op) == 0;
	return n;
}

/* Bytes that a step reads and writes. */
static int64_t
moved(const struct plan *p)
{
	struct card card = card_of(module);

	return plan_estimate(p, &card, arena, 0).traffic;
}

#endif
