/*
 * The plan verifier, by mutation, of what goes between ranks: sums and pieces that are of other
 * ranges, are read where a rank has but a piece, or are waited for too late.
 */
#include "mutated.h"

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
			cr_assert(objects(), "'%s' dies while the ring writes to it", b->root->name);
			b->last = last;
			rings++;
		}
	}
	cr_assert_eq(sums, 10);
	cr_assert_eq(rings, 2 * 10);
}
