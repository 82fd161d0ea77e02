/*
 * The plan verifier, by mutation, of the branches of a step on a GPU, whose waits are left out one
 * by one. Whether that harms the program is decided here by all paths of waits.
 */
#include "mutated.h"

static bool *before;		/* [j * instants + i]: J begins when I is over */

/* Those of the same branch, and those waited for, and what was before them. */
static void
find_paths(void)
{
	const struct plan *p = module->plan;
	int n = p->instants, i, j, k;

	before = arena_array(arena, (size_t)n * (size_t)n, sizeof(*before));
	for (j = 0; j < n; j++)
		for (i = j - 1; i >= 0 && p->at[i].graph == p->at[j].graph; i--) {
			if (!p->at[i].node->op->calls.emit ||
			    (p->at[i].branch != p->at[j].branch &&
			    p->at[j].after[p->at[i].branch] != i + 1))
				continue;
			before[j * n + i] = true;
			for (k = 0; k < i; k++)
				before[j * n + k] |= before[i * n + k];
		}
}

/* Do they touch the same byte, T being written? */
static bool
harms(const struct node *n, const struct tensor *t, bool reads)
{
	const struct buffer *b = t ? plan_buffer(module->plan, t) : NULL, *o;
	int i, all = n->nout + 1 + (reads ? n->nin : 0);

	for (i = 0; b && i < all; i++) {
		const struct tensor *u = i < n->nout ? n->out[i] : i == n->nout ? n->work :
		    n->in[i - n->nout - 1];

		o = u ? plan_buffer(module->plan, u) : NULL;
		if (o && b->offset < o->offset + o->bytes && o->offset < b->offset + b->bytes)
			return true;
	}
	return false;
}

static bool
conflict(const struct node *a, const struct node *b)
{
	int i;

	for (i = 0; i < a->nout; i++)
		if (harms(b, a->out[i], true))
			return true;
	for (i = 0; i < a->nin; i++)
		if (harms(b, a->in[i], false))
			return true;
	return harms(b, a->work, true);
}

/* How many pairs that must not run at the same time may; and how many may, as they should. */
static int
count_races(int *together)
{
	const struct plan *p = module->plan;
	int races = 0, i, j;

	find_paths();
	for (*together = 0, j = 0; j < p->instants; j++)
		for (i = j - 1; i >= 0 && p->at[i].graph == p->at[j].graph; i--) {
			if (before[j * p->instants + i] || !p->at[i].node->op->calls.emit ||
			    !p->at[j].node->op->calls.emit)
				continue;
			if (conflict(p->at[i].node, p->at[j].node))
				races++;
			else
				(*together)++;
		}
	return races;
}

Test(verify, branches_run_beside_each_other_and_race_for_nothing)
{
	static const char *const spec[] = { "lenet5.nn", "vae.nn", "pointnet.nn", "gru.nn", "unet.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		int together;

		load_with(NULL, spec[i], "cuda", i >= 2);	/* in the least bytes, these gain nothing */
		cr_expect_eq(count_races(&together), 0, "%s", spec[i]);
		cr_expect_gt(together, 2, "%s: %d", spec[i], together);
		load_for(spec[i], "c");
		cr_expect_eq(count_races(&together), 0, "%s", spec[i]);
		cr_expect_eq(together, 0, "%s: the target runs one node at a time", spec[i]);
	}
}

/* Without a wait something races, or another way leads there; then the verifier knows that way. */
Test(verify, a_wait_left_out_is_caught)
{
	int i, k, together, caught = 0;
	struct plan *p;

	load_with(NULL, "unet.nn", "cuda", true);
	p = module->plan;
	for (i = 0; i < p->instants; i++)
		for (k = 0; k < BRANCHES; k++) {
			int was = p->at[i].after[k];
			bool races;

			if (!was)
				continue;
			p->at[i].after[k] = 0;
			races = count_races(&together) > 0;
			cr_expect(objects() || !races, "instant %d without %d", i, was - 1);
			caught += races;
			p->at[i].after[k] = was;
		}
	cr_assert_gt(caught, 20);
	cr_assert_not(objects());
}

Test(verify, a_node_on_another_branch_is_caught)
{
	int i, k, together, caught = 0;
	struct plan *p;

	load_for("lenet5.nn", "cuda");
	p = module->plan;
	for (i = 0; i < p->instants; i++)
		for (k = 0; k < BRANCHES; k++) {
			int was = p->at[i].branch;
			bool races;

			if (k == was || !p->at[i].node->op->calls.emit)
				continue;
			p->at[i].branch = k;
			races = count_races(&together) > 0;
			cr_expect(objects() || !races, "instant %d on branch %d", i, k);
			caught += races;
			p->at[i].branch = was;
		}
	cr_assert_gt(caught, 20);
}

/* ---- where one kernel does a step ---- */

/* Of calls that touch the same byte, how many the blocks do not meet between. */
static int
count_unmet(void)
{
	const struct plan *p = module->plan;
	int races = 0, met = -1, call = 0, end = 0, i, j;

	for (j = 0; j < p->instants; j++) {
		if (op_is_view(p->at[j].node->op))
			continue;
		if (j >= end) {
			call = j;
			end = j + plan_together(p, j);
			met = p->at[j].meets ? j : met;
		}
		for (i = met < 0 ? 0 : met; i < call; i++)
			races += !op_is_view(p->at[i].node->op) && conflict(p->at[i].node, p->at[j].node);
	}
	return races;
}

static void
load_listed(const char *spec)
{
	load_with(NULL, spec, "cuda", true);
	cr_assert(module->plan->cooperative, "%s", spec);
}

Test(verify, blocks_meet_where_they_must_and_not_everywhere)
{
	const struct plan *p;
	int i, calls = 0, meet = 0;

	load_listed("lenet5.nn");
	p = module->plan;
	for (i = 0; i < p->instants; i += plan_together(p, i)) {
		calls += !op_is_view(p->at[i].node->op);
		meet += p->at[i].meets;
	}
	cr_expect_eq(count_unmet(), 0);
	cr_expect_gt(calls, meet + 5);
	load_with(NULL, "resnet50.nn", "cuda", true);
	cr_expect_not(module->plan->cooperative, "its work is more than launches");
}

/* Each is there for something that depends on what was since the one before. */
Test(verify, a_meeting_left_out_is_caught)
{
	struct plan *p;
	int i;

	load_listed("lenet5.nn");
	p = module->plan;
	cr_assert_not(objects());
	for (i = 0; i < p->instants; i++) {
		bool begins = i == 0 || p->at[i].graph != p->at[i - 1].graph;

		if (!p->at[i].meets)
			continue;
		p->at[i].meets = false;
		cr_expect(objects(), "instant %d", i);
		cr_expect(begins || count_unmet() > 0, "instant %d", i);
		p->at[i].meets = true;
	}
	cr_assert_not(objects());
}
