/*
 * The plan verifier, by mutation: each buffer of ResNet-18's plan is moved, shrunk and shortened,
 * and the verifier must object wherever that harms the program. Whether it does is decided here by
 * other means than the verifier's: pairwise overlap, and who uses a buffer when. The same for the
 * branches of a step on a GPU, whose waits are left out one by one: there, by all paths of waits.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "plan/plan.h"
#include "target/target.h"
#include "ir/op.h"
#include "planned.h"

static struct arena *arena;
static struct module *module;

static void
load_with(const char *pass, const char *name, const char *target, bool speed)
{
	const struct pass_options options = { .threads = 2, .without = &pass, .nwithout = pass != NULL, .speed = speed,
		.target = target_find(target) };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), NULL, &options);
}

static void
load_ranks(const char *name, int ranks, enum shard_kind shard)
{
	const struct lang_options lang = { .ranks = ranks, .shard = 1 + (int)shard };
	const struct pass_options options = { .threads = 2, .target = target_find("c") };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), &lang, &options);
}

/* Pieces of gradients, of two micro-batches. */
static void
load_pieces(const char *name, int ranks)
{
	struct lang_options lang = { .ranks = ranks, .shard = 1 + (int)SHARD_GRADIENTS };
	const struct pass_options options = { .threads = 2, .target = target_find("c") };
	struct diags d;
	struct settings set;

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), &lang, &options);
	diags_init(&d, arena);
	set = module->set;
	set.accumulate = 2;
	module = passes_copy(module, &set, &d);
	cr_assert(passes_finish(module, &options, NULL));
}

static void
load_without(const char *pass, const char *name, const char *target)
{
	load_with(pass, name, target, false);
}

static void
load_for(const char *name, const char *target)
{
	load_without(NULL, name, target);
}

static void
load(const char *name)
{
	load_for(name, "c");
}

static const char *
objection(void)
{
	struct diags found;

	diags_init(&found, arena);
	return plan_verify(module, module->plan, &found) ? NULL : found.all.v[0]->message;
}

static bool
objects(void)
{
	return objection() != NULL;
}

static bool
meets_another(int k)
{
	const struct plan *p = module->plan;
	const struct buffer *a = &p->buffers.v[k];
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (i != k && a->first <= b->last && b->first <= a->last &&
		    a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
			return true;
	}
	return false;
}

Test(verify, the_plan_itself_is_right)
{
	load("resnet18.nn");
	cr_assert_not(objects());
}

Test(verify, moved_buffers_are_caught)
{
	int i, step, caught = 0;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++)
		for (step = -2; step <= 2; step++) {
			struct buffer *b = &module->plan->buffers.v[i];
			int64_t was = b->offset;

			b->offset += step * (int64_t)module->plan->alignment;
			if (step && b->offset >= 0 && meets_another(i)) {
				cr_assert(objects(), "'%s' moved by %d", b->name, step);
				caught++;
			}
			b->offset = was;
		}
	cr_assert_gt(caught, module->plan->buffers.n);
}

Test(verify, misaligned_and_outlying_buffers_are_caught)
{
	struct buffer *b;

	load("resnet18.nn");
	b = &module->plan->buffers.v[module->plan->buffers.n / 2];
	b->offset += 4;
	cr_assert(objects());
	b->offset += module->plan->arena_bytes;
	cr_assert(objects());
	b->offset = -(int64_t)module->plan->alignment;
	cr_assert(objects());
}

/* A sum over ranks that is a little more or less, elsewhere, or waited for later than its first
 * reader does. */
Test(verify, sums_of_other_ranges_are_caught)
{
	int i, joined = 0;

	load_ranks("resnet18.nn", 4, SHARD_NONE);
	cr_assert(module->plan->sums.n > 1);
	for (i = 0; i < module->plan->sums.n; i++) {
		struct plan_sum *s = &module->plan->sums.v[i], was = *s;

		joined += s->tensors > 1;
		s->bytes++;
		cr_assert(objects(), "sum %d with more bytes", i);
		*s = was;
		s->bytes--;
		cr_assert(objects(), "sum %d with less", i);
		*s = was;
		s->offset += module->plan->alignment;
		cr_assert(objects(), "sum %d higher", i);
		*s = was;
		s->wait++;
		cr_assert(objects(), "sum %d waited for too late", i);
		*s = was;
		s->tensors++;
		cr_assert(objects(), "sum %d of one more", i);
		*s = was;
		cr_assert_not(objects());
	}
	cr_assert(joined > 0);
	module->plan->sums.n--;
	cr_assert(objects(), "a sum left out");
}

/* A call for pieces that leaves one out, takes one more, ends elsewhere, or is not waited for where
 * its first reader is. */
static void
change_calls(enum shard_kind shard)
{
	int i, joined = 0;

	load_ranks("resnet18.nn", 4, shard);
	cr_assert(module->plan->sums.n > 2);
	cr_assert_not(objects());
	for (i = 0; i < module->plan->sums.n; i++) {
		struct plan_sum *s = &module->plan->sums.v[i], was = *s;
		int by;

		joined += s->tensors > 1;
		for (by = -1; by <= 1; by += 2) {
			s->tensors += by;
			cr_assert(objects(), "call %d of %d tensors", i, s->tensors);
			*s = was;
			s->begin += by;
			cr_assert(objects(), "call %d at %d", i, s->begin);
			*s = was;
			s->wait += by;
			cr_assert(objects(), "call %d waited for at %d", i, s->wait);
			*s = was;
		}
	}
	cr_assert(joined > 0);
	cr_assert_not(objects());
	module->plan->sums.n--;
	cr_assert(objects(), "a call left out");
}

Test(verify, calls_for_other_pieces_are_caught)
{
	change_calls(SHARD_OPTIMIZER);
}

Test(verify, calls_for_other_pieces_of_gradients_are_caught)
{
	change_calls(SHARD_GRADIENTS);
}

Test(verify, calls_for_other_pieces_of_parameters_are_caught)
{
	change_calls(SHARD_PARAMETERS);
}

/* What the verifier says when that operand is this; nothing is left changed. */
static void
swapped(struct tensor **operand, struct tensor *by, const char *says)
{
	struct tensor *was = *operand;
	const char *why;

	*operand = by;
	why = objection();
	cr_assert(why && strstr(why, says), "'%s' for '%s': %s", by->name, was->name, why ? why : "nothing is said");
	*operand = was;
}

/* New weights, and sums, of which each rank has but a piece, or that are on their way, read by
 * others; state, and gradients, that are not as long as the largest piece. */
static void
read_pieces(enum shard_kind shard, int all)
{
	struct node *scattered = NULL, *optimizer = NULL;
	int i, k, pieces = 0;

	load_ranks("lenet5.nn", 4, shard);
	cr_assert_not(objects());
	for (i = 0; i < module->train->nodes.n; i++) {
		struct node *n = module->train->nodes.v[i];

		if (n->op->ranks.between == BETWEEN_SCATTER && n->op->ranks.waits) {
			scattered = n;
			swapped(&n->in[0], n->in[0]->def->in[0], "");	/* which nothing began */
			if (n->nin > 1)
				swapped(&n->in[1], n->in[0]->def->in[0], "");
		}
		if (n->op->kind == OP_OPTIMIZER) {
			optimizer = n;
			swapped(&n->in[1], n->in[1]->def->in[0], "has but a piece");	/* on its way still */
			if (n->in[1]->def->nin > 1)
				swapped(&n->in[1], n->in[1]->def->in[1], "has but a piece");
			swapped(&n->in[1], n->in[1]->def->in[0]->def->in[0], "not of all ranks");
		}
		if (n->op->ranks.between == BETWEEN_GATHER && n->op->ranks.waits) {
			swapped(&n->in[0], n->in[0]->def->in[0], "");
			swapped(&n->in[0]->def->in[0], scattered->out[0], "has but a piece");
		}
		for (k = 0; n->op->kind == OP_OPTIMIZER && k < n->nin; k++)
			if (n->in[k] && n->in[k]->shared) {
				struct buffer *b = plan_buffer(module->plan, n->in[k]);

				b->bytes += dtype_bytes(n->in[k]->dtype);
				cr_assert(objects(), "'%s' with more than its piece", n->in[k]->name);
				b->bytes -= dtype_bytes(n->in[k]->dtype);
				pieces++;
			}
	}
	cr_assert_eq(pieces, all);
	for (i = 0; i < module->train->nodes.n; i++) {
		struct node *n = module->train->nodes.v[i];

		if (n->phase == PHASE_FORWARD && n->nin > 0 && n->in[0]) {
			swapped(&n->in[0], optimizer->out[0], "");
			swapped(&n->in[0], scattered->out[0], "");
		}
	}
	cr_assert_not(objects());
}

Test(verify, what_a_rank_has_but_a_piece_of_is_read_by_nobody)
{
	read_pieces(SHARD_OPTIMIZER, 2 * 10);
}

Test(verify, nor_is_what_it_has_but_a_piece_of_a_gradient_of)
{
	read_pieces(SHARD_GRADIENTS, 3 * 10);
}

/* A parameter's piece is read by whom it is for alone; what is gathered of it by nobody before all
 * is there, nor in the room of something else. */
Test(verify, pieces_of_parameters_are_not_read_for_all_of_them)
{
	struct tensor *gathered = NULL;
	int i, k, pieces = 0, readers = 0;

	load_ranks("lenet5.nn", 4, SHARD_PARAMETERS);
	cr_assert_not(objects());
	for (i = 0; i < module->train->nodes.n; i++) {
		struct node *n = module->train->nodes.v[i];

		if (n->op->kind == OP_OPTIMIZER) {
			cr_assert(n->in[0]->shared && n->in[1]->shared);
			swapped(&n->in[0], gathered, "");	/* which is all of another */
			swapped(&n->in[1], n->in[1]->def->in[1], "has but a piece");
		}
		if (n->op->ranks.between == BETWEEN_GATHER && !n->op->ranks.waits) {
			struct buffer *b = plan_buffer(module->plan, n->in[0]);

			b->bytes += dtype_bytes(n->in[0]->dtype);
			cr_assert(objects(), "'%s' with more than its piece", n->in[0]->name);
			b->bytes -= dtype_bytes(n->in[0]->dtype);
			pieces++;
		}
		if (n->op->ranks.between == BETWEEN_GATHER)
			continue;
		for (k = 0; k < n->nin; k++) {
			if (!n->in[k] || n->in[k]->kind != T_GATHERED)
				continue;
			gathered = n->in[k];
			swapped(&n->in[k], gathered->def->in[0], "has but a piece");	/* on its way */
			swapped(&n->in[k], gathered->def->in[1], "has but a piece");
			readers++;
		}
	}
	cr_assert_eq(pieces, 10 + 3);	/* of five layers all but the last, whose stay, and the first are gathered for backward */
	cr_assert_eq(readers, 10 + 4);
}

/* What was gathered before an update is of no use after it: of two updates in a step, the second's
 * forward. */
Test(verify, what_was_gathered_before_an_update_is_not_read_after_it)
{
	int i, stale = 0;

	load_ranks("digit_gan.nn", 4, SHARD_PARAMETERS);
	cr_assert_not(objects());
	for (i = 0; i < module->train->nodes.n; i++) {
		struct node *n = module->train->nodes.v[i];
		struct tensor *t = n->in[0];

		if (n->op->ranks.between != BETWEEN_GATHER || n->op->ranks.waits || !t->def)
			continue;
		swapped(&n->in[0], tensor_root(t), "");		/* the piece as it was before */
		stale++;
	}
	cr_assert_gt(stale, 0, "nothing is gathered after an update");
}

/* Of micro-batches, the sum of pieces takes pieces alone, and whatever has bytes of its own keeps
 * them while the ring is at it. */
Test(verify, sums_of_pieces_are_of_pieces)
{
	int i, k, sums = 0, rings = 0;

	load_pieces("lenet5.nn", 4);
	cr_assert_not(objects());
	for (i = 0; i < module->train->nodes.n; i++) {
		struct node *n = module->train->nodes.v[i];

		if (n->nin == 2 && n->in[0]->accumulates) {
			cr_assert(n->in[0]->shared && n->in[1]->shared);
			swapped(&n->in[1], n->in[1]->def->in[1], "has but a piece");
			swapped(&n->in[1], n->in[1]->def->in[0]->def->in[0], "has but a piece");
			sums++;
		}
		for (k = 0; n->op->ranks.between == BETWEEN_SCATTER && !n->op->ranks.waits && k < n->nout; k++) {
			struct buffer *b = plan_buffer(module->plan, n->out[k]);
			int last = b->last;

			b->last = i;
			cr_assert(objects(), "'%s' dies while the ring writes to it", b->name);
			b->last = last;
			rings++;
		}
	}
	cr_assert_eq(sums, 10);
	cr_assert_eq(rings, 2 * 10);
}

Test(verify, shrunk_buffers_are_caught)
{
	int i;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++) {
		struct buffer *b = &module->plan->buffers.v[i];

		b->bytes -= 1;
		cr_assert(objects(), "'%s' shrunk", b->name);
		b->bytes += 1;
	}
}

static bool
uses(const struct node *n, const struct buffer *b)
{
	int j;

	if (n->work && plan_buffer(module->plan, n->work) == b)
		return true;
	for (j = 0; j < n->nin; j++)
		if (n->in[j] && plan_buffer(module->plan, n->in[j]) == b)
			return true;
	for (j = 0; j < n->nout; j++)
		if (n->out[j] && plan_buffer(module->plan, n->out[j]) == b)
			return true;
	return false;
}

Test(verify, shortened_buffers_are_caught)
{
	int i, caught = 0;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++) {
		struct buffer *b = &module->plan->buffers.v[i];

		if (b->persistent || uses(module->plan->at[b->last].node, b)) {
			b->last--;
			cr_assert(objects(), "'%s' dies early", b->name);
			b->last++;
			caught++;
		}
		if (b->persistent || uses(module->plan->at[b->first].node, b)) {
			b->first++;
			cr_assert(objects(), "'%s' is born late", b->name);
			b->first--;
		}
	}
	cr_assert_gt(caught, module->plan->buffers.n / 2);
}

/* A shortened life that lets another buffer in is the case that corrupts memory. */
Test(verify, a_buffer_put_into_the_room_of_a_shortened_one_is_caught)
{
	struct plan *p;
	int i, j, tried = 0;

	load("resnet18.nn");
	p = module->plan;
	for (i = 0; i < p->buffers.n; i++)
		for (j = 0; j < p->buffers.n; j++) {
			struct buffer *a = &p->buffers.v[i], *b = &p->buffers.v[j];
			int last = a->last;
			int64_t offset = b->offset;

			if (a->persistent || b->persistent || b->first <= a->first ||
			    b->first > a->last || b->bytes > a->bytes || (i + j) % 7)
				continue;
			a->last = b->first - 1;
			b->offset = a->offset;
			if (uses(p->at[last].node, a)) {
				cr_assert(objects(), "'%s' in the room of '%s'", b->name, a->name);
				tried++;
			}
			a->last = last;
			b->offset = offset;
		}
	cr_assert_gt(tried, 100);
}

/* Whom the planner takes for a tensor's root, and which buffer it finds for that. */
Test(verify, buffers_found_by_a_wrong_way_are_caught)
{
	struct plan *p;
	int i, j, caught = 0;

	load("resnet18.nn");
	p = module->plan;
	for (i = 0; i < p->buffers.n; i++) {
		struct buffer **of = &p->of_tensor[p->buffers.v[i].root->id];

		*of = &p->buffers.v[i ? i - 1 : 1];
		cr_assert(objects(), "'%s' is found as another", p->buffers.v[i].name);
		*of = &p->buffers.v[i];
	}
	for (i = 0; i < p->instants; i++)
		for (j = 0; j < p->at[i].node->nout; j++) {
			struct tensor *t = p->at[i].node->out[j];
			struct tensor *was = t ? t->ancestor : NULL;

			if (!was)
				continue;
			t->ancestor = tensor_root(t) == p->buffers.v[0].root ?
			    (struct tensor *)p->buffers.v[1].root : (struct tensor *)p->buffers.v[0].root;
			cr_assert(objects(), "'%s' is taken for another", t->name);
			t->ancestor = was;
			caught++;
		}
	cr_assert_gt(caught, 50);
	cr_assert_not(objects());
}

/* ResNet-50 adds up micro-batches: its next batch may arrive while weights are updated, too. */
Test(verify, where_the_next_batch_lands_is_free_throughout)
{
	const struct tensor *lands;
	struct buffer *b;
	struct plan *p;

	load_for("resnet50.nn", "cuda");
	p = module->plan;
	cr_assert_not_null(module->update);
	cr_assert_not(objects());
	lands = module->train->inputs.v[0]->lands;
	cr_assert_not_null(lands);
	b = plan_buffer(p, lands);
	cr_assert_eq(b->bytes, INT64_C(64) * 3 * 224 * 224 * 4);
	cr_assert_eq(b->first, 0);
	cr_assert_eq(b->last, module->train->nodes.n + module->update->nodes.n - 1);
	b->last--;
	cr_assert(objects(), "ends early");
	b->last++;
	b->first++;
	cr_assert(objects(), "begins late");
	b->first--;
	b->bytes--;
	cr_assert(objects(), "shrunk");
	b->bytes++;
	cr_assert_not(objects());
}

/* ---- branches ---- */

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

/* ---- workspaces in what is free (plan/spare.c), by brute force ---- */

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
		cr_assert_eq(work->size.fixed, n->op->memory.workspace(n, &room).fixed);
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
	    "%s has %lld, could have %lld", work->name, (long long)work->bytes, (long long)want);
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
		if (p->buffers.v[i].kind == T_WORKSPACE)
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

		if (b->kind == T_WORKSPACE)
			cr_assert_eq(b->bytes, n->op->memory.workspace(n, &room).fixed);
	}
}
