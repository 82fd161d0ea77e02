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

/* As may_overwrite() of passes/inplace.c. */
static bool
may_overwrite(const struct model *m, const struct event *e, int i, int k)
{
	const struct trial *t = m->trial;
	int j, in = t->operand[k];

	if (in < 0 || t->last_read[holder(t, in)] != i)
		return false;
	if (!model_sized_alike(m, t->origin[in], t->origin[t->operand[e->out]]))
		return false;
	if (e->elementwise)
		return true;
	for (j = e->in; j < e->out; j++)
		if (j != k && t->operand[j] >= 0 && holder(t, t->operand[j]) == holder(t, in))
			return false;
	return true;
}

static void
overwrite(struct model *m, int i)
{
	struct trial *t = m->trial;
	const struct event *e = &t->event[i];
	int out = e->out < e->end ? t->operand[e->out] : -1, k, h;

	if (out < 0 || t->root[out] != out)
		return;
	for (k = e->in; k < e->out; k++) {
		if (!(e->inplace >> (k - e->in) & 1) || !may_overwrite(m, e, i, k))
			continue;
		h = holder(t, t->operand[k]);
		t->overwrites[out] = h;
		t->last_read[h] = t->last_read[out] > i ? t->last_read[out] : i;
		t->stack[t->noverwriting++] = out;
		return;
	}
}

/* What overwrites another adds its life to the other's. */
static void
join_lives(struct trial *t)
{
	int *first = t->first, *last = t->last, i;

	for (i = 0; i < t->noverwriting; i++) {
		int v = t->stack[i], h = t->overwrites[v];

		if (first[v] < 0)
			continue;
		if (first[h] < 0 || first[v] < first[h])
			first[h] = first[v];
		if (last[v] > last[h])
			last[h] = last[v];
		first[v] = -1;
	}
}

/* What is born at an event, less what died before it, of which LIVE has an entry more. */
static void
count_changes(const struct trial *t, int64_t *live)
{
	const int *first = t->first, *last = t->last;
	const int64_t *bytes = t->bytes;
	int n = t->nvalues, i;

	memset(live, 0, ((size_t)t->nevents + 1) * sizeof(*live));
	for (i = 0; i < n; i++)
		if (first[i] >= 0) {
			live[first[i]] += bytes[i];
			live[last[i] + 1] -= bytes[i];
		}
}

void
step_measure(struct model *m)
{
	struct trial *t = m->trial;
	const struct event *e = t->event;
	int64_t *live = t->live, sum = 0, peak = 0;
	int n = t->nevents, i;

	t->noverwriting = 0;
	for (i = 0; i < n; i++)
		if (e[i].inplace)
			overwrite(m, i);
	join_lives(t);
	count_changes(t, live);
	for (i = 0; i < n; i++) {
		const struct model_node *node = &m->node[e[i].node];

		sum += live[i];
		live[i] = sum + (e[i].again ? node->again->work : node->work);
		peak = live[i] > peak ? live[i] : peak;
	}
	t->peak = peak;
}
