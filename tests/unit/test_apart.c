/*
 * Plans for speed (plan/apart.c), by brute force: in bytes that another buffer had before, nothing
 * is made that does not depend, by its tensors and what its branch has before it, on all that
 * touched the other. What depends on what is found here by all pairs of nodes, and the paths
 * between them. Workspaces that lie in lanes (plan/lanes.c) make no path longer: of all pairs that
 * touch the same bytes, or are of one branch.
 */
#include <criterion/criterion.h>

#include "plan/plan.h"
#include "target/target.h"
#include "ir/op.h"
#include "ops/then.h"
#include "extended.h"
#include "planned.h"

static struct arena *arena;
static struct module *module;

static const struct plan *
load_with(const char *name, bool speed, int64_t most, bool spare)
{
	static const char *const without = "spare";
	const struct pass_options options = { .threads = 2, .without = &without, .nwithout = !spare, .speed = speed,
		.most_bytes = most, .target = target_find("cuda") };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), NULL, &options);
	return module->plan;
}

static const struct plan *
load(const char *name, bool speed, int64_t most)
{
	return load_with(name, speed, most, false);
}

static bool
uses(const struct node *n, const struct buffer *b, bool writes)
{
	bool found = false;
	int k;

	for (k = 0; k < n->nin && !writes; k++)
		found |= n->in[k] && plan_buffer(module->plan, n->in[k]) == b;
	for (k = 0; k < n->nout; k++)
		found |= n->out[k] && plan_buffer(module->plan, n->out[k]) == b;
	return found || (n->work && plan_buffer(module->plan, n->work) == b);
}

static bool
waits(const struct plan *p, int i, int j)
{
	int b;

	for (b = 0; b < p->buffers.n; b++) {
		const struct buffer *of = &p->buffers.v[b];

		if ((uses(p->at[i].node, of, true) && uses(p->at[j].node, of, false)) ||
		    (uses(p->at[i].node, of, false) && uses(p->at[j].node, of, true)))
			return true;
	}
	return false;
}

static bool
waits_or_follows(const struct plan *p, int i, int j)
{
	return p->at[i].branch == p->at[j].branch || waits(p, i, j);
}

static bool
share_bytes(const struct plan *p, const struct tensor *a, const struct tensor *b)
{
	const struct buffer *x = a ? plan_buffer(p, a) : NULL, *y = b ? plan_buffer(p, b) : NULL;

	return x && y && x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}

/* Does B touch bytes that A writes? */
static bool
touches(const struct plan *p, const struct node *a, const struct node *b)
{
	int i, k;

	for (i = 0; i <= a->nout; i++) {
		const struct tensor *written = i < a->nout ? a->out[i] : a->work;

		for (k = 0; k < b->nin; k++)
			if (share_bytes(p, written, b->in[k]))
				return true;
		for (k = 0; k < b->nout; k++)
			if (share_bytes(p, written, b->out[k]))
				return true;
		if (share_bytes(p, written, b->work))
			return true;
	}
	return false;
}

static bool
waits_for_bytes(const struct plan *p, int i, int j)
{
	return touches(p, p->at[i].node, p->at[j].node) || touches(p, p->at[j].node, p->at[i].node);
}

static bool
waits_for_bytes_or_follows(const struct plan *p, int i, int j)
{
	return p->at[i].branch == p->at[j].branch || waits_for_bytes(p, i, j);
}

static bool *after;		/* [j * instants + i]: J depends on I */

/* A call begins when all that any of its instants depends on is over. */
static void
depend_together(int n, int first, int last)
{
	int i, j;

	for (i = 0; i < first; i++) {
		bool any = false;

		for (j = first; j <= last; j++)
			any |= after[j * n + i];
		for (j = first; j <= last; j++)
			after[j * n + i] = any;
	}
}

/* Returns how many calls the longest chain of the first graph has. In these networks, updates that
 * follow one another are one call. */
static int
find_dependences(const struct plan *p, bool (*waits_for)(const struct plan *, int, int))
{
	int n = p->instants, i, j, k, most = 0;
	int *chain = arena_array(arena, (size_t)n, sizeof(*chain));	/* by a call's first instant */
	int *call = arena_array(arena, (size_t)n, sizeof(*call));

	after = arena_array(arena, (size_t)n * (size_t)n, sizeof(*after));
	for (j = 0; j < n; j++) {
		call[j] = j > 0 && p->at[j].node->op->calls.row && p->at[j - 1].node->op->calls.row ? call[j - 1] : j;
		if (op_is_view(p->at[j].node->op))
			continue;
		if (call[j] == j)
			chain[j] = 1;
		for (i = j - 1; i >= 0 && p->at[i].graph == p->at[j].graph; i--) {
			if (op_is_view(p->at[i].node->op) || !waits_for(p, i, j))
				continue;
			after[j * n + i] = true;
			if (chain[call[i]] + 1 > chain[call[j]])
				chain[call[j]] = chain[call[i]] + 1;
			for (k = 0; k < i; k++)
				after[j * n + k] |= after[i * n + k];
		}
		depend_together(n, call[j], j);
		if (p->at[j].graph == p->at[0].graph && chain[call[j]] > most)
			most = chain[call[j]];
	}
	return most;
}

/* Does what makes B wait for no more than tensors say, in bytes that were A's? */
static bool
is_free_for(const struct plan *p, const struct buffer *a, const struct buffer *b)
{
	int i, j;

	for (j = b->first; j <= b->last; j++)
		for (i = a->first; i <= a->last; i++)
			if (p->at[i].graph == p->at[j].graph && !op_is_view(p->at[i].node->op) &&
			    !op_is_view(p->at[j].node->op) && uses(p->at[i].node, a, false) &&
			    uses(p->at[j].node, b, false) && !after[j * p->instants + i])
				return false;
	return true;
}

/* Pairs of buffers in the same bytes, the later of which waits in vain. */
static int
count_waits(const struct plan *p)
{
	int waits_in_vain = 0, i, j;

	for (i = 0; i < p->buffers.n; i++)
		for (j = 0; j < p->buffers.n; j++) {
			const struct buffer *a = &p->buffers.v[i], *b = &p->buffers.v[j];

			if (a->last < b->first && a->offset < b->offset + b->bytes &&
			    b->offset < a->offset + a->bytes && !is_free_for(p, a, b))
				waits_in_vain++;
		}
	return waits_in_vain;
}

/* The last instant at which another branch does what does not depend on all that touched the
 * buffer. */
static int
last_beside(const struct plan *p, const struct buffer *b)
{
	int last = b->last, i, j;

	for (i = b->first; i <= b->last; i++)
		for (j = p->instants - 1; j > last && !op_is_view(p->at[i].node->op) && uses(p->at[i].node, b, false); j--)
			if (p->at[j].graph == p->at[i].graph && !op_is_view(p->at[j].node->op) && !after[j * p->instants + i])
				last = j;
	return last;
}

Test(apart, nothing_waits_for_bytes_in_vain)
{
	static const char *const spec[] = { "lenet5.nn", "clouds.nn", "resnet18.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec) - sanitized(); i++) {
		const struct plan *p = load(spec[i], true, 0);
		int calls, chain = find_dependences(p, waits), *last, b;

		cr_expect_eq(p->apart, APART, "%s", spec[i]);
		cr_expect_eq(plan_chain(p, arena), chain, "%s: %d calls", spec[i], chain);
		cr_expect_geq(plan_longest(p, arena, &calls), chain, "%s", spec[i]);
		find_dependences(p, waits_or_follows);
		cr_expect_eq(count_waits(p), 0, "%s: %d", spec[i], count_waits(p));
		last = plan_apart(p, arena);
		for (b = 0; b < p->buffers.n; b++)
			if (!p->buffers.v[b].persistent)
				cr_expect_eq(last[b], last_beside(p, &p->buffers.v[b]), "%s: %s", spec[i], p->buffers.v[b].root->name);
	}
}

static int64_t
workspaces(const struct plan *p)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++)
		sum += p->buffers.v[i].root->kind == T_WORKSPACE ? p->buffers.v[i].bytes : 0;
	return sum;
}

Test(apart, wide_workspaces_make_no_path_longer)
{
	static const char *const spec[] = { "resnet18.nn", "unet.nn", "resnet50.nn" };
	size_t i;

	for (i = 0; i < (extended() ? 3 : 2); i++) {
		const struct plan *p = load(spec[i], true, 0);
		int64_t narrow = workspaces(p), bytes = p->arena_bytes, wide;
		int chain, longest;

		p = load_with(spec[i], true, 0, true);
		wide = workspaces(p);
		chain = find_dependences(p, waits_or_follows);
		longest = find_dependences(p, waits_for_bytes_or_follows);
		cr_expect_gt(wide, narrow, "%s", spec[i]);
		cr_expect_eq(longest, chain, "%s: %d of %d", spec[i], longest, chain);
		bytes += (p->arena_bytes - bytes) / 2;
		p = load_with(spec[i], true, bytes, true);
		cr_expect(p->apart == APART && p->arena_bytes <= bytes, "%s", spec[i]);
		cr_expect(workspaces(p) > narrow && workspaces(p) < wide, "%s: lanes are narrower", spec[i]);
	}
}

/* cuDNN may copy what a convolution reads and writes; what is added afterwards it never sees. */
Test(apart, workspaces_have_no_room_for_what_is_added_behind)
{
	const struct plan *p = load_with("diffusion_unet.nn", true, 0, true);
	int64_t batch = module->train->batch, wide = 0;
	int i, k;

	for (i = 0; i < p->instants; i++) {
		const struct node *n = p->at[i].node;
		int64_t seen = affine_at(tensor_bytes(n->out[0]), batch);

		if (!then_beside(n) || !n->work)
			continue;
		for (k = 0; k < then_operands(n); k++)
			seen += affine_at(tensor_bytes(n->in[k]), batch);
		cr_expect_leq(plan_buffer(p, n->work)->bytes, 4 * seen, "%s", n->path);
		wide += plan_buffer(p, n->work)->bytes > seen;
	}
	cr_expect_gt(wide, 0);
}

Test(apart, the_least_plan_has_such_waits)
{
	const struct plan *p = load(sanitized() ? "lenet5.nn" : "resnet18.nn", false, 0);

	find_dependences(p, waits);
	cr_expect_gt(count_waits(p), 0);
}

/* Returns whether bytes are apart within so many. */
static bool
keeps_within(int64_t most)
{
	const struct plan *p = load("resnet18.nn", true, most);

	cr_expect_leq(p->arena_bytes, most, "%lld of %lld", (long long)p->arena_bytes, (long long)most);
	find_dependences(p, waits_or_follows);
	if (p->apart == APART)
		cr_expect_eq(count_waits(p), 0, "%d within %lld", count_waits(p), (long long)most);
	return p->apart == APART;
}

Test(apart, what_does_not_fit_is_not_kept_apart)
{
	int64_t least = load("resnet18.nn", false, 0)->arena_bytes, apart = load("resnet18.nn", true, 0)->arena_bytes;
	int64_t at;
	int kept = 0;

	cr_assert_gt(apart, least);
	cr_expect_eq(module->plan->recomputed.nodes, 0);
	cr_expect(keeps_within(apart));
	for (at = apart - 1; at > least; at -= (apart - least) / 4)
		kept += keeps_within(at);
	cr_expect_lt(kept, 4);
	cr_expect_not(keeps_within(least));
	cr_expect_gt(module->plan->recomputed.nodes, 0);
}

/* So that calls of one branch share bytes, if no others use them: no more than 2 % above what lives
 * at once. */
Test(apart, what_is_done_in_turn_shares_bytes)
{
	static const char *const spec[] = { "resnet18.nn", "resnet50.nn", "densenet121.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		const struct plan *p = load(spec[i], true, 0);

		cr_expect_leq(p->arena_bytes, p->lower_bound_bytes / 50 * 51, "%s: %lld above %lld", spec[i],
		    (long long)p->arena_bytes, (long long)p->lower_bound_bytes);
	}
}
