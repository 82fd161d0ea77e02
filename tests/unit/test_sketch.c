/*
 * Sketches of plans, which the linter takes for the whole plan where none of its rules could tell:
 * they cost less, their arena is never below what the device must have, and the findings are the
 * same.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/text.h"
#include "target/target.h"
#include "lang/expand.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "lint/engine.h"
#include "extended.h"

static struct arena *arena;
static int compared, served;

static struct pass_options options;

static void
setup(void)
{
	arena = arena_new();
	options = (struct pass_options){ .target = target_find("c"), .threads = 2 };
	compared = served = 0;
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(sketch, .init = setup, .fini = teardown);

static struct spec *
load(const char *path, struct diags *d)
{
	static const struct lang_options none = { 0 };
	const char *why;
	struct source *src = source_read(arena, path, &why);

	cr_assert(src, "%s: %s", path, why);
	diags_init(d, arena);
	return spec_load(arena, d, src, &none);
}

/* The findings about one file, as text; from sketches where they serve, but not if whole. */
static const char *
findings(const char *path, bool whole)
{
	struct diags d;
	struct spec *spec = load(path, &d);
	const struct file *file[] = { spec->file };
	struct module *sketch;
	struct text t;
	int i, k;

	for (i = 0; i < spec->modules.n; i++) {
		sketch = whole || spec->modules.v[i]->broken ? NULL :
		    passes_sketch(spec->modules.v[i], &options);
		if (sketch && lint_sketch_serves(spec, sketch))
			spec->modules.v[i] = sketch;
		else if (!spec->modules.v[i]->broken)
			passes_run(spec->modules.v[i], &options);
	}
	lint_run(&d, file, NULL, spec->file ? 1 : 0, spec->modules.v, spec->modules.n,
	    spec->options);
	diags_sort(&d);
	text_init(&t, arena);
	for (i = 0; i < d.all.n; i++) {
		text_printf(&t, "%d-%d %s %s\n", d.all.v[i]->loc.beg, d.all.v[i]->loc.end,
		    d.all.v[i]->rule, d.all.v[i]->message);
		for (k = 0; k < d.all.v[i]->remarks.n; k++)
			text_printf(&t, "  %s\n", d.all.v[i]->remarks.v[k].text);
	}
	return t.s ? t.s : "";
}

static void
each(const char *folder, void (*check)(const char *path))
{
	const char *top = getenv("top_srcdir");
	glob_t found;
	size_t i;

	cr_assert_eq(glob(arena_printf(arena, "%s/%s/*.nn", top ? top : ".", folder), 0, NULL,
	    &found), 0, "no spec in %s", folder);
	for (i = 0; i < found.gl_pathc; i += extended() ? 1 : 2)
		check(found.gl_pathv[i]);
	globfree(&found);
}

/* Does a sketch serve for a network of the file? If not, all its findings are those of whole
 * plans. */
static bool
is_served(const char *path)
{
	struct diags d;
	struct spec *spec = load(path, &d);
	struct module *sketch;
	int i, before = served;

	for (i = 0; i < spec->modules.n; i++)
		if (!spec->modules.v[i]->broken && (sketch = passes_sketch(spec->modules.v[i], &options)))
			served += lint_sketch_serves(spec, sketch);
	return served > before;
}

static void
compare(const char *path)
{
	compared++;
	if (is_served(path))
		cr_assert_str_eq(findings(path, false), findings(path, true), "%s", path);
	arena_reset(arena);
}

Test(sketch, findings_are_those_of_whole_plans)
{
	each("specs", compare);
	each("tests/golden/lint", compare);
	cr_assert_gt(compared, 50);
	cr_assert_gt(served, compared / 2, "%d of %d: does each rule say what it needs?", served,
	    compared);
}

/* ---- what fits ---- */

/* Layers on random earlier values, and sums and concatenations of them; all reach the loss. */
static struct module *
random_network(uint64_t seed, int count)
{
	static const struct lang_options none = { 0 };
	static const char *const act[] = { "relu", "gelu", "tanh" };
	const char *comma = "";
	bool read[64] = { false };
	struct diags *d = ARENA_NEW(arena, struct diags);
	struct text s;
	struct spec *spec;
	int i;

	text_init(&s, arena);
	text_puts(&s, "network n { input v0 : f32[64] target t : f32[8]\n");
	for (i = 1; i < count; i++) {
		int a = chance_below(&seed, i), b = chance_below(&seed, i);

		if (chance_below(&seed, 4))
			text_printf(&s, "v%d = v%d -> dense(%d) -> %s\n", i, b = a,
			    8 + chance_below(&seed, 250), act[chance_below(&seed, 3)]);
		else
			text_printf(&s, "v%d = concat(v%d, v%d)\n", i, a, b);
		read[a] = read[b] = true;
	}
	text_puts(&s, "y = concat(");
	for (i = 0; i < count; i++)
		if (!read[i]) {
			text_printf(&s, "%sv%d", comma, i);
			comma = ", ";
		}
	text_puts(&s, ") -> dense(8)\nloss mse(y, t) }\ntrain { batch 37 }\n");
	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "random.nn", s.s, s.n), &none);
	cr_assert_eq(d->errors, 0, "%s", d->errors ? d->all.v[0]->message : "");
	return spec->modules.v[0];
}

/* Packing has gaps, so a search may end above the sketch; that must never decide what fits. */
Test(sketch, what_it_proves_to_fit_fits)
{
	struct module *sketch, *m;
	int64_t memory, whole;
	unsigned seed;

	for (seed = 1; seed <= (extended() ? 24 : 9); seed++) {
		m = random_network(seed, 6 + (int)(seed % 9));
		sketch = passes_sketch(m, &options);
		cr_assert(sketch);
		cr_assert(plan_verify(sketch, sketch->plan, sketch->diags));
		memory = sketch->plan->arena_bytes;
		cr_assert(passes_run(m, &options));
		whole = m->plan->arena_bytes;
		m = random_network(seed, 6 + (int)(seed % 9));
		m->set.device.given = true;
		m->set.device.memory = memory;
		cr_assert(passes_run(m, &options));
		cr_assert_leq(m->plan->arena_bytes, memory, "seed %u", seed);
		if (whole <= memory)
			cr_assert_eq(m->plan->arena_bytes, whole, "seed %u", seed);
		arena_reset(arena);
	}
}
