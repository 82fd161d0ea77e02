/*
 * Re-planning. A copy of the module shares the forward graph and the network's own tensors, and
 * the passes derive everything else afresh; only a tensor's link to its gradient is written by
 * them in what is shared, so it is put back.
 *
 * The search for the largest batch uses that an arena is nearly affine in B: two plans give a
 * line, the line a guess, and the guess is corrected by planning until b fits and b + 1 does not.
 */
#include "model/whatif.h"

#include <string.h>

#include "passes/pass.h"
#include "plan/plan.h"

/* What the network itself keeps; state that passes made is left out, for they make it again. */
static void
copy_persistent(struct module *copy, const struct module *m)
{
	int i;

	memset(&copy->persistent, 0, sizeof(copy->persistent));
	for (i = 0; i < m->persistent.n; i++) {
		struct tensor *t = m->persistent.v[i];

		if (!t->def && (t->kind == T_PARAM || t->kind == T_STATISTIC))
			vec_push(copy->arena, &copy->persistent, t);
	}
}

struct module *
whatif(struct module *m, const struct settings *set)
{
	struct pass_options o = *m->options;
	struct module *copy = ARENA_NEW(m->arena, struct module);
	struct diags *quiet = ARENA_NEW(m->arena, struct diags);
	struct tensor **gradient;
	bool planned;
	int i;

	o.dump_after = NULL;
	o.plan_anyway = true;
	diags_init(quiet, m->arena);
	*copy = *m;
	copy->diags = quiet;
	copy->set = *set;
	copy->forward = ARENA_NEW(m->arena, struct graph);
	*copy->forward = *m->forward;
	copy->forward->module = copy;	/* so that what is made from it is numbered there */
	copy->train = copy->update = copy->validate = NULL;
	copy->plan = NULL;
	copy_persistent(copy, m);
	gradient = arena_array(m->arena, (size_t)m->persistent.n + 1, sizeof(struct tensor *));
	for (i = 0; i < m->persistent.n; i++) {
		gradient[i] = m->persistent.v[i]->gradient;
		m->persistent.v[i]->gradient = NULL;
	}
	planned = passes_run(copy, &o);
	for (i = 0; i < m->persistent.n; i++)
		m->persistent.v[i]->gradient = gradient[i];
	return planned && copy->plan ? copy : NULL;
}

int64_t
whatif_batch(struct module *m, int64_t batch)
{
	struct settings set = m->set;
	bool follows = set.validate_batch == set.batch / set.accumulate;
	struct module *copy;

	if (batch > INT64_MAX / set.accumulate)
		return INT64_MAX;
	set.batch = batch * set.accumulate;
	if (follows || !m->train)
		set.validate_batch = batch;
	copy = whatif(m, &set);
	return copy ? copy->plan->arena_bytes : INT64_MAX;
}

/* A guess at the batch that reaches BYTES, on the line through (a, at_a) and (b, at_b). */
static int64_t
guess(int64_t a, int64_t at_a, int64_t b, int64_t at_b, int64_t bytes)
{
	double slope = ((double)at_b - (double)at_a) / (double)(b - a);
	double x = slope > 0 ? (double)a + ((double)bytes - (double)at_a) / slope : (double)b;

	if (x <= (double)a)
		return a + 1;
	return x >= (double)b ? b - 1 : (int64_t)x;
}

int64_t
whatif_largest(struct module *m, int64_t bytes, int64_t *arena, int64_t *next)
{
	int64_t lo = 1, hi = 2, at_lo = whatif_batch(m, 1), at_hi, mid, at;
	int round = 0;

	*arena = *next = at_lo;
	if (at_lo > bytes)
		return 0;
	/* first a pair that brackets the answer */
	while ((at_hi = whatif_batch(m, hi)) <= bytes) {
		lo = hi;
		at_lo = at_hi;
		if (hi > INT64_MAX / 16)
			break;
		hi *= 8;
	}
	while (hi - lo > 1) {
		/* every third step halves, should the arena be far from a line */
		mid = at_hi == INT64_MAX || ++round % 3 == 0 ? lo + (hi - lo) / 2 :
		    guess(lo, at_lo, hi, at_hi, bytes);
		at = whatif_batch(m, mid);
		if (at <= bytes) {
			lo = mid;
			at_lo = at;
		} else {
			hi = mid;
			at_hi = at;
		}
	}
	*arena = at_lo;
	*next = at_hi;
	return lo;
}
