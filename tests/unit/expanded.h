/* A spec that is expanded, in an arena of each test's own, and what its one network has. */
#ifndef STOWAGE_TESTS_EXPANDED_H
#define STOWAGE_TESTS_EXPANDED_H

#include <criterion/criterion.h>
#include <string.h>

#include "lang/expand.h"
#include "ir/op.h"
#include "spec_file.h"

static struct arena *arena;
static struct diags diags;

static inline void
setup(void)
{
	arena = arena_new();
	diags_init(&diags, arena);
}

static inline void
teardown(void)
{
	arena_free(arena);
}

static inline struct spec *
load_with(const char *text, const struct lang_options *options)
{
	return spec_load(arena, &diags, source_from_text(arena, "t.nn", text, strlen(text)),
	    options);
}

/* The one network of a text without mistakes. */
static inline struct module *
load(const char *text)
{
	struct spec *s = load_with(text, NULL);

	cr_assert_eq(diags.errors, 0, "%s", diags.errors ? diags.all.v[0]->message : "");
	cr_assert_eq(s->modules.n, 1);
	cr_assert_not(s->modules.v[0]->broken);
	return s->modules.v[0];
}

#define BODY(body)	load("network n { input x : f32[4, 8, 8]\n" body "\n}")

/* All parameters' names, in order of creation. */
static inline const char *
parameters(const struct module *m)
{
	struct text t;
	int i;

	text_init(&t, arena);
	for (i = 0; i < m->persistent.n; i++)
		text_printf(&t, "%s%s", i ? " " : "", m->persistent.v[i]->name);
	return t.s;
}

/* The operators in order. */
static inline const char *
operators(const struct module *m)
{
	struct text t;
	int i;

	text_init(&t, arena);
	for (i = 0; i < m->forward->nodes.n; i++)
		text_printf(&t, "%s%s", i ? " " : "", m->forward->nodes.v[i]->op->name);
	return t.s;
}

static inline struct tensor *
last(const struct module *m)
{
	return m->forward->nodes.v[m->forward->nodes.n - 1]->out[0];
}

static inline void
expect_error(const char *text, const char *part)
{
	int i;

	load_with(text, NULL);
	cr_assert_gt(diags.errors, 0, "no error for: %s", text);
	for (i = 0; i < diags.all.n; i++)
		if (strstr(diags.all.v[i]->message, part))
			return;
	cr_assert_fail("'%s' gives '%s', not '%s'", text, diags.all.v[0]->message, part);
}

#endif
