/*
 * Comments that suppress findings, and levels. Which comment a finding uses up is asked of a second
 * matcher, that looks at all comments for each finding, over random spans, rules and lines; and a
 * hundred thousand of each, whose cost steps.c counts.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lint/catalog.h"
#include "lint/engine.h"
#include "lint/suppress.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(suppress, .init = setup, .fini = teardown);

static const char *const rule[] = { "last-batch", "oom", "dead-layer" };

/* A file of N lines, which are empty: places are made by hand. */
static struct file *
lines(int n)
{
	struct file *f = ARENA_NEW(arena, struct file);
	char *text = arena_alloc(arena, (size_t)n + 1);

	memset(text, '\n', (size_t)n);
	f->src = source_from_text(arena, "f.nn", text, (size_t)n);
	return f;
}

static void
comment(struct file *f, int line, int from, int to, int r)
{
	struct suppression s = { .loc = { f->src, line - 1, line }, .nrules = 1, .reason = "",
		.from_line = from, .to_line = to };

	s.rule = ARENA_NEW(arena, struct name);
	*s.rule = (struct name){ rule[r], s.loc };
	vec_push(arena, &f->suppressions, s);
}

struct outcome {
	bool *gone;		/* by finding */
	bool *unused;		/* by comment */
};

/* The narrowest comment that covers a finding, the first of equals. */
static struct outcome
slowly(const struct file *f, const int *line, const int *of, int n)
{
	struct outcome r = { arena_array(arena, (size_t)n, 1),
		arena_array(arena, (size_t)f->suppressions.n + 1, 1) };
	int i, k, best;

	memset(r.unused, 1, (size_t)f->suppressions.n);
	for (i = 0; i < n; i++) {
		for (best = -1, k = 0; k < f->suppressions.n; k++) {
			const struct suppression *s = &f->suppressions.v[k], *b = best < 0 ? NULL :
			    &f->suppressions.v[best];

			if (strcmp(s->rule->text, rule[of[i]]) != 0 || line[i] < s->from_line ||
			    line[i] > s->to_line)
				continue;
			if (!b || s->to_line - s->from_line < b->to_line - b->from_line ||
			    (s->to_line - s->from_line == b->to_line - b->from_line &&
			    s->from_line < b->from_line))
				best = k;
		}
		if (best >= 0) {
			r.gone[i] = true;
			r.unused[best] = false;
		}
	}
	return r;
}

static void
run(struct diags *d, struct file *f)
{
	const struct file *const file[] = { f };
	struct suppress s = { .d = d, .file = file, .nfiles = 1, .ran = { true, true, false } };

	suppress_run(&s);
}

static bool
says(const struct diags *d, const char *name, int line)
{
	int i;

	for (i = 0; i < d->all.n; i++)
		if (strcmp(d->all.v[i]->rule, name) == 0 && loc_line(d->all.v[i]->loc) == line)
			return true;
	return false;
}

/* Each comment stands on its own line beyond those with findings, so that a finding about it has a
 * place of its own. */
Test(suppress, the_narrowest_is_used)
{
	unsigned seed = 3;
	int round, i, line[20], of[20];

	for (round = 0; round < 3000; round++) {
		struct file *f = lines(60);
		struct outcome want;
		struct diags d;

		diags_init(&d, arena);
		for (i = 0; i < 12; i++) {
			int from = rand_r(&seed) % 20 + 1;

			comment(f, 31 + i, from, from + rand_r(&seed) % 8, rand_r(&seed) % 3);
		}
		for (i = 0; i < 20; i++) {
			line[i] = i + 1;
			of[i] = rand_r(&seed) % 3;
			diag_add(&d, SEV_WARNING, rule[of[i]], (struct loc){ f->src, i, i + 1 },
			    "a finding");
		}
		want = slowly(f, line, of, 20);
		run(&d, f);
		for (i = 0; i < 20; i++)
			cr_assert_eq(says(&d, rule[of[i]], line[i]), !want.gone[i], "round %d: "
			    "finding of line %d", round, line[i]);
		for (i = 0; i < 12; i++)
			cr_assert_eq(says(&d, "unused-suppression", 31 + i), want.unused[i],
			    "round %d: comment of line %d", round, 31 + i);
		if (round % 100 == 0) {
			teardown();
			setup();
		}
	}
}

Test(suppress, many_of_each)
{
	enum { N = 100000 };
	struct file *f = lines(3 * N);
	struct diags d;
	int i;

	diags_init(&d, arena);
	for (i = 0; i < N; i++) {
		comment(f, N + i + 1, 1, 2 * N + i, 1);		/* all of them wide */
		comment(f, 2 * N + i + 1, i + 1, i + 1, i % 2 ? 1 : 0);
		diag_add(&d, SEV_WARNING, rule[1], (struct loc){ f->src, i, i + 1 }, "one of many");
	}
	run(&d, f);
	/* even lines: the wide one that comes first; those of rule 0 have nothing to allow */
	cr_assert_eq(d.all.n, N - 1 + N / 2);
	for (i = 0; i < d.all.n; i++)
		cr_assert_str_eq(d.all.v[i]->rule, "unused-suppression");
	cr_assert_eq(d.warnings, d.all.n);
}

/* ---- levels ---- */

static void
add(struct level_layer *layer, const char *key, const char *word)
{
	struct level_word w = { .option = key };
	const char *why, *near;

	cr_assert(level_key(key, &w));
	cr_assert(selection_read(arena, word, &w.what, &why, &near), "%s", word);
	vec_push(arena, &layer->words, w);
}

static enum level
level_of(const struct levels *l, const char *name)
{
	return l->rule[rule_index(name)].level;
}

Test(suppress, levels)
{
	struct level_layer first = { .words = { NULL, 0, 0 } }, second = first, third = first;
	struct levels *l = levels_new(arena);

	add(&first, "error", "oom");		/* a rule is narrower than its family, than all */
	add(&first, "ignore", "memory");
	add(&first, "note", "all");
	levels_apply(l, &first);
	cr_expect_eq(level_of(l, "oom"), LEVEL_ERROR);
	cr_expect_eq(level_of(l, "wide-flatten"), LEVEL_OFF);
	cr_expect_eq(level_of(l, "dead-layer"), LEVEL_NOTE);
	cr_expect_eq(level_of(l, "data"), LEVEL_OWN, "the language is not among all");
	add(&second, "select", "memory");	/* brings back, keeps what it was, and leaves no other */
	add(&second, "select", "SW301");
	add(&second, "warning", "settings");
	levels_apply(l, &second);
	cr_expect_eq(level_of(l, "oom"), LEVEL_ERROR);
	cr_expect_eq(level_of(l, "wide-flatten"), LEVEL_OWN);
	cr_expect_eq(level_of(l, "last-batch"), LEVEL_NOTE);
	cr_expect_eq(level_of(l, "dead-layer"), LEVEL_OFF);
	cr_expect_eq(level_of(l, "settings"), LEVEL_WARNING);
	add(&third, "warning", "dead-layer");	/* a level brings back too */
	levels_apply(l, &third);
	cr_expect_eq(level_of(l, "dead-layer"), LEVEL_WARNING);
}

Test(suppress, every_rule_has_a_word)
{
	struct selection s;
	const char *why, *near, *name;
	int i, k, n = 0;

	for (i = 0; (name = level_word_name(i)); i++) {
		cr_assert(selection_read(arena, name, &s, &why, &near), "%s", name);
		cr_assert_str_eq(selection_name(&s), name);
	}
	for (k = 0; rule_at(k); k++)
		n += rule_has_level(rule_at(k));
	cr_assert_eq(i, n + 5, "all, and four families");
	cr_assert_not(selection_read(arena, "syntax", &s, &why, &near));
	cr_assert_not(selection_read(arena, "last-bach", &s, &why, &near));
	cr_assert_str_eq(near, "last-batch");
}
