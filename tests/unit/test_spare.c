/*
 * Workspaces in what is free (plan/spare.c), by brute force.
 */
#include "mutated.h"

/* The longest run of bytes that no buffer but WORK has at its instant, within the arena. */
static int64_t
longest_run(const struct buffer *work)
{
	const struct plan *p = module->plan;
	int64_t at = p->persistent_bytes, best = 0;

	while (at < p->arena_bytes) {
		int64_t next = p->arena_bytes, past = at;
		int i;

		for (i = 0; i < p->buffers.n; i++) {
			const struct buffer *b = &p->buffers.v[i];
			int64_t end = b->offset + (b->bytes + p->alignment - 1) / p->alignment * p->alignment;

			if (b == work || b->persistent || b->first > work->first || b->last < work->first)
				continue;
			if (b->offset <= at && end > past)
				past = end;
			else if (b->offset > at && b->offset < next)
				next = b->offset;
		}
		if (past == at && next - at > best)
			best = next - at;
		at = past > at ? past : next;
	}
	return best;
}

static int64_t
live_at(int instant)
{
	const struct plan *p = module->plan;
	int64_t bytes = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].first <= instant && instant <= p->buffers.v[i].last)
			bytes += (p->buffers.v[i].bytes + p->alignment - 1) / p->alignment * p->alignment;
	return bytes;
}

static void
check_workspace(const struct buffer *work, int *wider)
{
	const struct plan *p = module->plan;
	const struct node *n = p->at[work->first].node;
	struct room room = op_room(module, p->target, 2);
	int64_t live = live_at(work->first), batch = p->at[work->first].graph->batch, use = 0, want = 1;
	int64_t most = longest_run(work), left, unit;
	int i;

	cr_assert_eq(live, p->at[work->first].live);
	cr_assert_leq(live, p->lower_bound_bytes);
	if (strncmp(n->op->name, "conv", 4) != 0 || !n->op->macs ||
	    affine_at(n->op->macs(n), batch) < 1 << 30) {
		cr_assert_eq(plan_buffer_size(work).fixed, n->op->memory.workspace(n, &room).fixed);
		return;
	}
	for (i = 0; i < n->nin; i++)
		use += n->in[i] ? affine_at(tensor_bytes(n->in[i]), batch) : 0;
	use += affine_at(tensor_bytes(n->out[0]), batch);
	left = p->lower_bound_bytes - (live - work->bytes);
	most = left < most ? left : most;
	most = 4 * use < most ? 4 * use : most;
	for (unit = p->alignment; unit <= most; unit *= 2)
		for (i = 4; i < 8; i++)
			if (i * unit <= most)
				want = i * unit;
	cr_assert(work->bytes == want || (work->bytes > want && work->bytes < 2 * DEFAULT_WORKSPACE),
	    "%s has %lld, could have %lld", work->root->name, (long long)work->bytes, (long long)want);
	*wider += work->bytes > DEFAULT_WORKSPACE;
}

Test(spare, large_convolutions_have_the_longest_free_run)
{
	int64_t arena_bytes, bound;
	const struct plan *p;
	int i, wider = 0;

	load_for("resnet50.nn", "cuda");
	p = module->plan;
	arena_bytes = p->arena_bytes, bound = p->lower_bound_bytes;
	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].root->kind == T_WORKSPACE)
			check_workspace(&p->buffers.v[i], &wider);
	cr_assert_gt(wider, 100);
	cr_assert_not(objects());
	load_without("spare", "resnet50.nn", "cuda");
	cr_assert_eq(module->plan->arena_bytes, arena_bytes);
	cr_assert_eq(module->plan->lower_bound_bytes, bound);
}

Test(spare, the_processors_workspaces_stay_as_they_are)
{
	const struct plan *p;
	int i;

	load_for("resnet50.nn", "c");
	p = module->plan;
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];
		const struct node *n = p->at[b->first].node;
		struct room room = op_room(module, p->target, 2);

		if (b->root->kind == T_WORKSPACE)
			cr_assert_eq(b->bytes, n->op->memory.workspace(n, &room).fixed);
	}
}
