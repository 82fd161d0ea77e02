/*
 * The peak of a trial (step_trial.c): who overwrites whom and who is alive when, by the rules of
 * passes/inplace.c and plan/lifetimes.c, whose lower bound it must equal
 * (tests/unit/test_recompute.c checks that).
 */
#include "schedule/step.h"

#include <string.h>

/* Whose bytes V has, overwriting counted. */
static int
holder(const struct trial *t, int v)
{
	return t->overwrites[t->root[v]];
}

/* As may_overwrite() of passes/inplace.c; sizes and operators allow it. */
static bool
may_overwrite(const struct trial *t, const struct event *e, int i, int k)
{
	int j, in = t->operand[k];

	if (t->times[holder(t, in)].last_read != i)
		return false;
	if (e->elementwise)
		return true;
	for (j = e->in; j < e->out; j++)
		if (j != k && t->operand[j] >= 0 && holder(t, t->operand[j]) == holder(t, in))
			return false;
	return true;
}

static void
overwrite(struct trial *t, int i)
{
	const struct event *e = &t->event[i];
	int out = t->operand[e->out], k, h;
	unsigned left;

	for (left = e->inplace; left; left &= left - 1) {
		k = e->in + __builtin_ctz(left);
		if (!may_overwrite(t, e, i, k))
			continue;
		h = holder(t, t->operand[k]);
		t->overwrites[out] = h;
		if (t->times[out].last_read > i)
			i = t->times[out].last_read;
		t->times[h].last_read = i;
		t->overwriting[t->noverwriting++] = out;
		return;
	}
}

/* What overwrites another adds its life to the other's. */
static void
join_lives(struct trial *t)
{
	int i;

	for (i = 0; i < t->noverwriting; i++) {
		int v = t->overwriting[i];
		struct times *own = &t->times[v], *of = &t->times[t->overwrites[v]];

		if (own->first < 0)
			continue;
		if (of->first < 0 || own->first < of->first)
			of->first = own->first;
		if (own->last > of->last)
			of->last = own->last;
		own->first = -1;
	}
}

static inline void
count_change(const struct trial *t, int64_t *live, int v)
{
	const struct times *at = &t->times[v];

	if (at->first < 0)
		return;
	live[at->first] += t->bytes[v];
	live[at->last + 1] -= t->bytes[v];
}

/* What is born at an event, less what died before it, of which LIVE has an entry more. */
static void
count_changes(const struct model *m, int64_t *live)
{
	const struct trial *t = m->trial;
	int i;

	memset(live, 0, ((size_t)t->nevents + 1) * sizeof(*live));
	for (i = 0; i < t->nown; i++)
		count_change(t, live, t->own[i]);
	for (i = m->nvalues; i < t->nvalues; i++)	/* what is made again */
		count_change(t, live, i);
}

void
step_measure(struct model *m)
{
	struct trial *t = m->trial;
	const struct event *e = t->event;
	int64_t *live = t->live, sum = 0, peak = 0;
	int n = t->nevents, i;

	for (i = 0; i < n; i++)
		if (e[i].inplace)
			overwrite(t, i);
	join_lives(t);
	count_changes(m, live);
	for (i = 0; i < n; i++) {
		sum += live[i];
		live[i] = sum + e[i].work;
		peak = live[i] > peak ? live[i] : peak;
	}
	t->peak = peak;
}
