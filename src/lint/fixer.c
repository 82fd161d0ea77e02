/*
 * Fixing in rounds. In each, all fixes that do not overlap are applied together: one compilation,
 * however many there are. Only if the result is worse are they halved until the bad ones are found.
 * Safe fixes come first and alone, since the graph they must keep is compared.
 */
#include "lint/fixer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "lint/catalog.h"

#define MOST_ROUNDS	100
#define MOST_TRIALS	300	/* compilations for one file: a bound, far above what occurs */
#define MOST_WORK	((int64_t)8 << 20)	/* bytes of text in all of them, beyond the first */
#define NODE_WORK	150	/* bytes that a node of a network counts for */
#define ERROR_WORK	1000	/* and an error, for which the nearest name is looked for */

struct trials {			/* of all rounds */
	int n;
	int64_t work;
};

struct fix_round {
	struct fixer *fixer;
	struct checked *now;	/* what the fixes are of */
	bool safe;
	struct map *errors;	/* of now */
	const struct map *done;	/* fixes of the last round; NULL: this is the first */
	const char *graphs;	/* of now; NULL: not printed yet */
	VEC(struct diag *) kept;	/* fixes found good so far */
	struct checked *best;	/* the text with these, checked */
	struct arena *arena;	/* that it lies in; NULL: there is none */
	const char *why;	/* why the last trial was rejected */
	struct trials *trials;
};

/* ---- is it no worse? ---- */

/* Identifies an error by its message without the numbers, which a fix may change. */
static const char *
error_key(struct arena *a, const struct diag *g)
{
	char *key = arena_printf(a, "%s %s", g->rule, g->message), *from, *to;

	if (rule_find(g->rule))		/* their messages name bytes, which any fix may change */
		return g->rule;
	for (from = to = key; *from; from++)
		if (!isdigit((unsigned char)*from) || to == key || to[-1] != '0')
			*to++ = isdigit((unsigned char)*from) ? '0' : *from;
	*to = '\0';
	return key;
}

static struct map *
errors_of(struct arena *a, const struct diags *d)
{
	struct map *m = ARENA_NEW(a, struct map);
	int i;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (g->severity == SEV_ERROR && !map_get(m, error_key(a, g)))
			map_put(a, m, error_key(a, g), g);
	}
	return m;
}

/* An error that was not there before. */
static const struct diag *
new_error(struct fix_round *t, const struct diags *d)
{
	struct arena *a = t->fixer->arena;
	int i;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (g->severity == SEV_ERROR && !map_get(t->errors, error_key(a, g)))
			return g;
	}
	return NULL;
}

/* Takes " @LINE" off the ends of lines. */
static void
drop_lines(char *text)
{
	char *from, *to;

	for (from = to = text; *from; ) {
		size_t n = *from == ' ' && from[1] == '@' ? 2 + strspn(from + 2, "0123456789") : 0;

		if (n > 2 && from[n] == '\n')
			from += n;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

/* The networks as text, without line numbers and without settings that change no result; NULL if
 * there is no memory for it. */
static const char *
graphs_of(struct arena *a, const struct spec *spec)
{
	char *text = NULL;
	const char *kept = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool bad;
	int i;

	if (!f)
		return NULL;
	for (i = 0; i < spec->modules.n; i++) {
		struct module m = *spec->modules.v[i];

		m.train = m.update = m.validate = NULL;
		m.set.validate_batch = 0;
		m.set.chunk_loss = CHUNK_AUTO;
		if (!m.broken && m.forward)
			ir_print(f, &m);
	}
	bad = ferror(f) != 0;
	bad |= fclose(f) != 0;
	if (!bad && text) {
		drop_lines(text);
		kept = arena_strdup(a, text);
	}
	free(text);
	return kept;
}

/* Is the graph the same, for certain? If not, t->why says why. A is the trial's own. */
static bool
same_graphs(struct fix_round *t, struct arena *a, const struct checked *trial)
{
	const char *now;

	if (!t->graphs)
		t->graphs = graphs_of(t->fixer->arena, t->now->spec);
	now = graphs_of(a, trial->spec);
	if (!t->graphs || !now)
		t->why = "there is too little memory to compare the graphs";
	else if (strcmp(t->graphs, now) != 0)
		t->why = "it would change the graph";
	else
		return true;
	return false;
}

/* ---- a round ---- */

static void
add_edits(struct edits *e, struct diag *const *v, int n)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < v[i]->fix->edits->all.n; j++) {
			const struct edit *x = &v[i]->fix->edits->all.v[j];

			edits_add(e, x->beg, x->end, x->text);
		}
}

static bool
may_try(const struct trials *t)
{
	return t->n < MOST_TRIALS && t->work < MOST_WORK;
}

static void
count_trial(struct trials *t, const struct checked *c)
{
	int i;

	t->n++;
	t->work += c->source->size + ERROR_WORK * (int64_t)c->diags.errors;
	for (i = 0; i < c->spec->modules.n; i++)
		if (c->spec->modules.v[i]->forward)
			t->work += NODE_WORK * (int64_t)c->spec->modules.v[i]->forward->nodes.n;
}

/* Checks the text with the fixes kept and N more, in that arena; false, and t->why, if the result
 * is worse. */
static bool
is_no_worse(struct fix_round *t, struct arena *a, struct diag *const *v, int n,
    struct checked **trial)
{
	struct edits *e = edits_new(a, t->now->source);
	const struct diag *g;

	add_edits(e, t->kept.v, t->kept.n);
	add_edits(e, v, n);
	*trial = t->fixer->check(a, edits_apply(e), t->fixer->context);
	count_trial(t->trials, *trial);
	if (t->fixer->settle)
		t->fixer->settle(*trial);
	if ((g = new_error(t, &(*trial)->diags)))
		t->why = arena_printf(t->fixer->arena, "it would bring the error \"%s\"",
		    g->message);
	return !g && (!t->safe || same_graphs(t, a, *trial));
}

/* Makes the text with N fixes more the best, unless it is worse. */
static bool
try_fixes(struct fix_round *t, struct diag *const *v, int n)
{
	struct checked *trial;
	struct arena *a;

	if (!may_try(t->trials)) {
		t->why = t->trials->n < MOST_TRIALS ? "to try it by itself is too much for a file "
		    "this large" : "there are too many others that cannot be";
		return false;
	}
	a = arena_child(t->fixer->arena);
	if (!is_no_worse(t, a, v, n, &trial)) {
		arena_free(a);
		return false;
	}
	arena_free(t->arena);	/* of the best so far */
	t->arena = a;
	t->best = trial;
	return true;
}

static void
keep_good_fixes(struct fix_round *t, struct diag *const *v, int n)
{
	int i;

	if (n > 0 && try_fixes(t, v, n)) {
		for (i = 0; i < n; i++)
			vec_push(t->fixer->arena, &t->kept, v[i]);
	} else if (n > 1) {
		keep_good_fixes(t, v, n / 2);
		keep_good_fixes(t, v + n / 2, n - n / 2);
	} else if (n == 1) {
		diag_fact(&t->now->diags, v[0], "its fix, \"%s\", is not applied: %s",
		    v[0]->fix->title, t->why);
		v[0]->fix = NULL;
	}
}

/* Are the bytes of these edits not touched by a fix chosen already? An insertion is marked at the
 * byte that follows it. */
static bool
bytes_are_free(const char *taken, const char *inserted, const struct edits *e)
{
	int i, j;

	for (i = 0; i < e->all.n; i++) {
		const struct edit *x = &e->all.v[i];

		for (j = x->beg; j < x->end; j++)
			if (taken[j])
				return false;
		for (j = x->beg; j <= x->end; j++)
			if (inserted[j])
				return false;
		if (x->beg == x->end && (taken[x->beg] || (x->beg > 0 && taken[x->beg - 1])))
			return false;
	}
	return true;
}

static void
mark_bytes(char *taken, char *inserted, const struct edits *e)
{
	int i;

	for (i = 0; i < e->all.n; i++) {
		const struct edit *x = &e->all.v[i];

		if (x->beg == x->end)
			inserted[x->beg] = 1;
		else
			memset(taken + x->beg, 1, (size_t)(x->end - x->beg));
	}
}

/* Identifies a fix, since one that leaves its finding in place would otherwise be applied for
 * ever. */
static const char *
fix_key(struct arena *a, const struct diag *g)
{
	return arena_printf(a, "%d %s %s %s", g->loc.beg, g->rule, g->message, g->fix->title);
}

/* Applies the fixes of one class, safe or unsafe; NULL if none is kept. */
static struct checked *
run_round(struct fix_round *t)
{
	struct arena *a = t->fixer->arena;
	const struct diags *d = &t->now->diags;
	size_t size = (size_t)t->now->source->size + 1;
	VEC(struct diag *) chosen = { NULL, 0, 0 };
	char *taken = NULL, *inserted = NULL;
	int i;

	for (i = 0; i < d->all.n; i++) {
		struct diag *g = d->all.v[i];

		if (!g->fix || g->fix->safe != t->safe ||
		    g->fix->edits->src != t->now->source ||
		    (t->done && map_get(t->done, fix_key(a, g))))
			continue;
		if (!taken) {
			taken = arena_array(a, size, 1);
			inserted = arena_array(a, size, 1);
		}
		if (!bytes_are_free(taken, inserted, g->fix->edits))
			continue;
		mark_bytes(taken, inserted, g->fix->edits);
		vec_push(a, &chosen, g);
	}
	if (chosen.n == 0)
		return NULL;
	t->errors = errors_of(a, d);
	keep_good_fixes(t, chosen.v, chosen.n);
	return t->best;
}

struct fixed
lint_fix(struct fixer *fixer, struct checked *first)
{
	struct fixed f = { .last = first };
	struct map *done = NULL;
	struct trials trials = { 0, 0 };
	struct arena *last = NULL;	/* that f.last lies in, where it is not the first */
	int round, i;

	if (fixer->settle)
		fixer->settle(first);
	for (round = 0; round < MOST_ROUNDS && may_try(&trials); round++) {
		struct fix_round t = { .fixer = fixer, .now = f.last, .safe = true, .done = done,
			.trials = &trials };
		struct checked *next = run_round(&t);
		struct edits *e;

		if (!next && fixer->unsafe) {
			t = (struct fix_round){ .fixer = fixer, .now = f.last, .done = done,
				.trials = &trials };
			next = run_round(&t);
		}
		if (!next)
			break;
		e = edits_new(fixer->arena, f.last->source);
		add_edits(e, t.kept.v, t.kept.n);
		done = ARENA_NEW(fixer->arena, struct map);
		for (i = 0; i < t.kept.n; i++)
			if (!map_get(done, fix_key(fixer->arena, t.kept.v[i])))
				map_put(fixer->arena, done, fix_key(fixer->arena, t.kept.v[i]),
				    t.kept.v[i]);
		f.edits = f.edits ? edits_then(f.edits, e) : e;
		f.n += t.kept.n;
		arena_free(last);	/* edits_then() has copied what it takes of it */
		last = t.arena;
		f.last = next;
	}
	f.stopped = !may_try(&trials);
	return f;
}
